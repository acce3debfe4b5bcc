/* pathline ls: the recordings in a folder, the oldest first. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/units.h"
#include "cmd/home.h"
#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/sheet.h"
#include "cmd/summary.h"
#include "cmd/text.h"
#include "collector/finish.h"
#include "session/crash.h"

#define NAME_WIDTH_MAX	 40
#define NAME_WIDTH_LEAST 16
#define NARROW		 72 /* columns of a terminal */
#define LAST_WIDTH	 20 /* kept for the exceptions on a terminal */
#define LAST_LEAST	 12 /* on a narrow terminal */

/* What a row shows. */
struct entry {
	const char *name;
	bool is_latest;
	struct pl_recording_info info;
	struct summary summary;
	char end[SUMMARY_END_BYTES]; /* how the first process ended */
	uint32_t ended;	       /* number of threads, tasks and processes ended by exceptions */
	bool more;	       /* there may be more: not everything was searched */
	const char *exception; /* the last of them; NULL: there is none */
	char subject[CRASH_SUBJECT_BYTES]; /* the thread, task or process that it ended */
};

/* A row of the text; its recording is closed already. */
struct row {
	const char *name; /* not owned */
	bool is_latest;
	int64_t start_ns, end_ns;
	uint64_t bytes, events;
	char end[SUMMARY_END_BYTES];
	char *exceptions; /* owned; NULL: no memory */
};

struct listing {
	struct out *out;
	const char *folder;
	bool json;
	bool has_others; /* directories that have nothing to do with recordings */
	struct home_list list;
	size_t latest;	  /* index in it; SIZE_MAX: none is */
	struct row *rows; /* owned; those that could be read */
	size_t count;
	size_t shown;
};

/* ---- what is shown ---- */

/* Of its first process: that is the program that was recorded. */
static void describe_end(const struct pl_recording *r, struct entry *e)
{
	const struct pl_process *p = pl_recording_process(r, 0);

	if (e->info.snapshot)
		snprintf(e->end, sizeof e->end, "snapshot");
	else if (e->info.unfinished && (!p || p->end == PL_PROCESS_RUNNING))
		snprintf(e->end, sizeof e->end, "unfinished");
	else if (!e->info.finished && !e->info.unfinished)
		snprintf(e->end, sizeof e->end, "running");
	else if (!p)
		snprintf(e->end, sizeof e->end, "no Python");
	else
		summary_end(r, p, e->end);
}

/* Bounded: ls is not to take seconds for a recording of hours, so exceptions are looked for from
 * the end, in so many events (session/crash.h). */
static void describe_entry(struct pl_recording *r, struct entry *e)
{
	const struct crash_bounds bounds = {.events = CRASH_EVENTS, .count = CRASH_COUNTED};
	struct crash crash;

	pl_recording_info(r, &e->info);
	e->summary = summary_of(r);
	describe_end(r, e);
	int code = crash_find(r, &bounds, &crash, NULL);
	e->ended = crash.ended;
	e->more = code < 0 || crash.more;
	if (code != 0 || crash.exits)
		return;
	e->exception = crash.type[0] ? crash.type : "?";
	crash_subject(r, &crash, e->subject);
}

/* ---- as text ---- */

/* "0", "1 KeyError", "3, last KeyError"; "3+, last KeyError" where there may be more. */
static char *exceptions_text(const struct entry *e)
{
	char *text;

	const char *last = !e->exception ? "" : e->ended > 1 || e->more ? ", last " : " ";

	if (asprintf(&text, "%" PRIu32 "%s%s%s", e->ended, e->more ? "+" : "", last,
		    e->exception ? e->exception : "") < 0)
		return NULL;
	return text;
}

static void add_row(struct listing *l, const struct entry *e)
{
	struct row *row = &l->rows[l->count++];

	*row = (struct row){.name = e->name,
		.is_latest = e->is_latest,
		.start_ns = e->info.start_ns,
		.end_ns = e->info.end_ns,
		.bytes = e->summary.bytes,
		.events = e->summary.events,
		.exceptions = exceptions_text(e)};
	memcpy(row->end, e->end, sizeof row->end);
}

enum {
	COLUMN_NAME,
	COLUMN_STARTED,
	COLUMN_LENGTH,
	COLUMN_ENDED,
	COLUMN_SIZE,
	COLUMN_EVENTS,
	COLUMN_EXCEPTIONS,
	COLUMNS
};

static struct cell row_cell(const void *context, size_t index, unsigned column)
{
	const struct row *row = (const struct row *)context + index;

	switch (column) {
	case COLUMN_NAME:
		return cell_text(row->name);
	case COLUMN_STARTED:
		return (struct cell){.kind = CELL_DATE, .number = row->start_ns};
	case COLUMN_LENGTH:
		if (!row->end_ns || !row->start_ns)
			return (struct cell){0};
		return (struct cell){
			.kind = CELL_NS, .number = units_between(row->start_ns, row->end_ns)};
	case COLUMN_ENDED:
		return cell_text(row->end);
	case COLUMN_SIZE:
		return (struct cell){.kind = CELL_SIZE, .number = (int64_t)row->bytes};
	case COLUMN_EVENTS:
		return cell_count(row->events);
	default:
		return (struct cell){.kind = CELL_TEXT,
			.text = row->exceptions,
			.source = row->is_latest ? text_of("(latest)") : (struct text){0}};
	}
}

/* On a terminal a name takes at most two fifths of the width. The start comes last, because names
 * have it too. */
static void write_rows(const struct listing *l)
{
	const bool narrow = l->out->columns && l->out->columns < NARROW;
	const unsigned room = l->out->columns * 2 / 5;
	const unsigned width = room > NAME_WIDTH_MAX	 ? NAME_WIDTH_MAX
			       : room < NAME_WIDTH_LEAST ? NAME_WIDTH_LEAST
							 : room;
	const struct column columns[COLUMNS + 1] = {
		[COLUMN_NAME] = {NULL, "NAME", width},
		[COLUMN_STARTED] = {NULL, "STARTED", 0, 9},
		[COLUMN_LENGTH] = {NULL, "LENGTH", 0, 6},
		[COLUMN_ENDED] = {NULL, "ENDED"},
		[COLUMN_SIZE] = {NULL, "SIZE", 0, 7},
		[COLUMN_EVENTS] = {NULL, "EVENTS", 0, 8},
		[COLUMN_EXCEPTIONS] = {NULL, "EXCEPTIONS"},
	};
	const struct sheet s = {.columns = columns,
		.cell = row_cell,
		.context = l->rows,
		.rows = l->count,
		.gap = narrow ? 1 : 2,
		.last = narrow ? LAST_LEAST : LAST_WIDTH};

	sheet_write(&s, l->out, SHEET_TEXT);
}

/* ---- as JSON ---- */

static void write_text_or_null(struct json *j, const char *key, const char *text)
{
	if (text)
		json_text(j, key, text);
	else
		json_null(j, key);
}

static void ls_json(const struct listing *l, const struct entry *e)
{
	struct json j = {.out = l->out};

	json_line(&j, "recording");
	json_text(&j, "name", e->name);
	json_text(&j, "directory", e->info.directory);
	json_text(&j, "command", e->info.command);
	json_moment(&j, "start", e->info.start_ns);
	json_moment(&j, "end", e->info.end_ns);
	json_u64(&j, "bytes", e->summary.bytes);
	json_u64(&j, "events", e->summary.events);
	json_u64(&j, "processes", e->summary.processes);
	json_text(&j, "ended", e->end);
	write_text_or_null(&j, "exception", e->exception);
	write_text_or_null(&j, "exception_ended", e->exception ? e->subject : NULL);
	json_u64(&j, "exceptions", e->ended);
	json_bool(&j, "exceptions_all", !e->more);
	json_bool(&j, "finished", e->info.finished);
	json_bool(&j, "latest", e->is_latest);
	json_line_end(&j);
}

/* ---- all of them ---- */

/* CMD_OK, or CMD_BAD after saying what is wrong with the recording. In a folder that is not
 * .pathline, directories that are not recordings are passed over. */
static int list_one(struct listing *l, size_t index)
{
	struct entry e = {.name = l->list.entries[index].name, .is_latest = index == l->latest};
	struct pl_recording *r = NULL;
	struct pl_err err = {0};
	char *dir = NULL;
	int result = asprintf(&dir, "%s/%s", l->folder, e.name) < 0 ? PL_ERR_MEMORY : 0;

	if (result == 0)
		result = pl_recording_open(&r, dir, &err);
	if (result == 0) {
		describe_entry(r, &e);
		if (l->json)
			ls_json(l, &e);
		else
			add_row(l, &e);
	} else if (l->has_others && result == PL_ERR_NOT_FOUND && !home_has_own_files(dir)) {
		result = 0;
	} else {
		cmd_open_failed("ls", dir ? dir : e.name, result, &err);
	}
	if (r)
		l->shown++;
	pl_recording_close(r);
	free(dir);
	return result < 0 ? CMD_BAD : CMD_OK;
}

/* `word`: FOLDER, NULL if none was given. */
static int list_all(struct listing *l, const char *word)
{
	int err = home_list(l->folder, &l->list), code = CMD_OK;

	if (!err && !(l->rows = calloc(l->list.count + 1, sizeof *l->rows)))
		err = ENOMEM;
	if (err == ENOENT && word) {
		cmd_say("ls: there is no folder '%s'; ls takes a folder with recordings, and "
			"`pathline info %s` says what is in a recording",
			word, word);
		return CMD_USAGE;
	}
	if (err) {
		cmd_say("ls: the recordings in %s cannot be listed: %s", l->folder, strerror(err));
		return CMD_USAGE;
	}
	if (!home_latest(l->folder, &l->list, &l->latest))
		l->latest = SIZE_MAX;
	for (size_t i = 0; i < l->list.count; i++)
		if (list_one(l, i) != CMD_OK)
			code = CMD_BAD;
	if (!l->shown && code == CMD_OK)
		cmd_say("ls: there is no recording in %s; make one with: pathline record script.py",
			l->folder);
	else if (!l->json)
		write_rows(l);
	return code;
}

static void ls_release(struct listing *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->rows[i].exceptions);
	free(l->rows);
	home_list_release(&l->list);
}

/* Recordings whose collector was killed are finished first, so that they do not count as
 * running. */
static int list_folder(struct out *o, const char *word, bool json)
{
	char folder[PATH_MAX];
	struct listing l = {.out = o, .folder = folder, .json = json};

	const bool found = home_folder(word, folder);
	if (found && word && home_has_own_files(folder)) {
		cmd_say("ls: %s is itself a recording; `pathline info %s` says what is in it", word,
			word);
		return CMD_OK;
	}
	if (!found) {
		cmd_say("ls: there is no recording in this directory or above it; make one with: "
			"pathline record script.py");
		return CMD_OK;
	}
	l.has_others = strcmp(basename(folder), HOME_NAME) != 0;
	finish_dead_arenas(NULL);
	int code = list_all(&l, word);
	ls_release(&l);
	return code;
}

int cmd_ls(struct cmd *c)
{
	bool json = false;
	const struct cmd_option options[] = {
		{"json", 0, NULL, "one JSON object a recording", .flag = &json},
		{0},
	};
	struct out o = {0};
	int written,
		code = cmd_parse(c,
			&(struct cmd_usage){"[FOLDER]",
				"List the recordings in the nearest .pathline, in this "
				"directory or above "
				"it, or\nthose in FOLDER (or in its .pathline): the oldest first. "
				"Each command takes\nthe names.\n\n"
				"EXCEPTIONS is how many threads, tasks and processes ended by an "
				"exception, and the\nlast one; `pathline replay --at-exception` "
				"goes to where it was raised. 2+: there may\nbe more, as not all "
				"of the recording was searched.",
				options, .paged = true});

	if (code == CMD_GO && c->count > 1) {
		cmd_say("ls: one folder at a time; '%s' is too much", c->words[1]);
		code = CMD_USAGE;
	}
	if (code == CMD_GO)
		code = page_open(c, &o, !json);
	if (code == CMD_GO) {
		page_start(c, &o);
		code = list_folder(&o, c->count ? c->words[0] : NULL, json);
	}
	written = page_close(c, &o);
	return written ? written : code;
}
