/* pathline ls: the recordings in a folder, the oldest first. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/home.h"
#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/summary.h"
#include "cmd/text.h"
#include "collector/finish.h"
#include "session/crash.h"

/* At the end of each thread: an exception that ended it is not further away, but for what the printing
 * of its traceback imports. */
#define CRASH_EVENTS (1u << 20)

#define NAME_WIDTH_MAX 40

/* What a row shows. */
struct entry {
	const char *name;
	bool is_latest;
	struct pl_recording_info info;
	struct summary summary;
	char end[SUMMARY_END_BYTES];	 /* how the first process did */
	const char *exception;		 /* that ended a thread, task or process; NULL: none did */
	char ended[CRASH_SUBJECT_BYTES]; /* which one */
};

struct listing {
	struct out *out;
	const char *folder;
	bool json;
	struct home_list list;
	size_t latest; /* index in it; SIZE_MAX: none is */
	size_t name_width;
};

/* ---- what is shown ---- */

static void describe_end(const struct pl_recording *r, struct entry *e)
{
	const struct pl_process *p = pl_recording_process(r, 0);

	if (!e->info.finished)
		snprintf(e->end, sizeof e->end, "running");
	else if (!p)
		snprintf(e->end, sizeof e->end, "no Python");
	else
		summary_end(p, e->end);
}

static void describe(struct pl_recording *r, struct entry *e)
{
	struct crash crash;
	const struct crash_bounds bounds = {.events = CRASH_EVENTS};

	pl_recording_info(r, &e->info);
	e->summary = summary_of(r);
	describe_end(r, e);
	if (crash_find(r, &bounds, &crash, NULL) != 0 || crash.exits)
		return;
	e->exception = crash.type[0] ? crash.type : "?";
	crash_subject(r, &crash, e->ended);
}

/* ---- as text ---- */

/* What was written since `before`, filled up to the width. */
static void fill(struct out *o, size_t before, size_t width)
{
	size_t columns = 0;

	for (size_t i = before; i < o->used; i++)
		columns += ((unsigned char)o->bytes[i] & 0xc0) != 0x80;
	out_spaces(o, columns < width ? width - columns : 0);
	out_text(o, "  ");
}

/* On a narrow terminal the number of events is left out, then the length. */
#define ROOM_LENGTH 71
#define ROOM_EVENTS 87

static bool has_room(const struct listing *l, size_t columns)
{
	return !l->out->columns || l->out->columns >= l->name_width + columns;
}

static void write_head(const struct listing *l)
{
	struct out *o = l->out;

	out_line(o);
	out_tone(o, TONE_FAINT);
	out_column(o, "NAME", l->name_width);
	out_text(o, "  STARTED              ");
	if (has_room(l, ROOM_LENGTH))
		out_text(o, "LENGTH       ");
	out_text(o, "ENDED      SIZE        ");
	if (has_room(l, ROOM_EVENTS))
		out_text(o, "EVENTS          ");
	out_text(o, "EXCEPTION");
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

static void write_length(struct out *o, const struct entry *e)
{
	size_t before = o->used;

	if (e->info.end_ns)
		out_duration(o, e->info.start_ns, e->info.end_ns);
	else
		out_text(o, "so far");
	fill(o, before, 11);
}

static void write_row(const struct listing *l, const struct entry *e)
{
	struct out *o = l->out;

	out_line(o);
	out_step(o);
	out_tone(o, TONE_STRONG);
	out_column(o, e->name, l->name_width);
	out_tone(o, TONE_PLAIN);
	out_text(o, "  ");
	size_t before = o->used;
	out_moment(o, e->info.start_ns);
	fill(o, before, 19);
	if (has_room(l, ROOM_LENGTH))
		write_length(o, e);
	out_column(o, e->end, 9);
	out_text(o, "  ");
	before = o->used;
	out_bytes(o, e->summary.bytes);
	fill(o, before, 10);
	if (has_room(l, ROOM_EVENTS)) {
		before = o->used;
		out_count(o, e->summary.events);
		fill(o, before, 14);
	}
	out_clean(o, text_of(e->exception ? e->exception : "-"));
	if (e->is_latest) {
		out_tone(o, TONE_FAINT);
		out_text(o, "  (latest)");
		out_tone(o, TONE_PLAIN);
	}
	out_line_end(o);
}

/* ---- as JSON ---- */

static void write_text_or_null(struct json *j, const char *key, const char *text)
{
	if (text)
		json_text(j, key, text);
	else
		json_null(j, key);
}

static void write_json(const struct listing *l, const struct entry *e)
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
	write_text_or_null(&j, "exception_ended", e->exception ? e->ended : NULL);
	json_bool(&j, "finished", e->info.finished);
	json_bool(&j, "latest", e->is_latest);
	json_line_end(&j);
}

/* ---- all of them ---- */

/* CMD_OK, or CMD_BAD after saying what is wrong with it. */
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
		describe(r, &e);
		if (l->json)
			write_json(l, &e);
		else
			write_row(l, &e);
	} else {
		cmd_open_failed("ls", dir ? dir : e.name, result, &err);
	}
	pl_recording_close(r);
	free(dir);
	return result < 0 ? CMD_BAD : CMD_OK;
}

static int list_all(struct listing *l)
{
	int err = home_list(l->folder, &l->list), code = CMD_OK;

	if (err) {
		cmd_say("ls: the recordings in %s cannot be listed: %s", l->folder, strerror(err));
		return CMD_USAGE;
	}
	if (!home_latest(l->folder, &l->list, &l->latest))
		l->latest = SIZE_MAX;
	l->name_width = strlen("NAME");
	for (size_t i = 0; i < l->list.count; i++) {
		size_t width = text_width(l->list.entries[i].name);
		l->name_width = width > l->name_width ? width : l->name_width;
	}
	if (l->name_width > NAME_WIDTH_MAX)
		l->name_width = NAME_WIDTH_MAX;
	if (!l->list.count)
		cmd_say("ls: there is no recording in %s; make one with: pathline record script.py",
			l->folder);
	else if (!l->json)
		write_head(l);
	for (size_t i = 0; i < l->list.count; i++)
		if (list_one(l, i) != CMD_OK)
			code = CMD_BAD;
	return code;
}

/* FOLDER itself, or its .pathline where it has one; without FOLDER the nearest .pathline. */
static bool find_folder(const char *word, char folder[PATH_MAX])
{
	struct stat st;

	if (!word)
		return home_find(folder);
	if (snprintf(folder, PATH_MAX, "%s/" HOME_NAME, word) < PATH_MAX &&
		stat(folder, &st) == 0 && S_ISDIR(st.st_mode))
		return true;
	return snprintf(folder, PATH_MAX, "%s", word) < PATH_MAX;
}

static int list(struct out *o, const char *word, bool json)
{
	char folder[PATH_MAX];
	struct listing l = {.out = o, .folder = folder, .json = json};

	if (!find_folder(word, folder)) {
		cmd_say("ls: there is no recording in this directory or above it; make one with: "
			"pathline record script.py");
		return CMD_OK;
	}
	finish_dead_arenas(NULL);
	int code = list_all(&l);
	home_list_release(&l.list);
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
		code = cmd_parse(
			c, &(struct cmd_usage){"[FOLDER]",
				   "List the recordings in the nearest .pathline, in this "
				   "directory or above "
				   "it, or\nthose in FOLDER: the oldest first. Each command takes "
				   "the names.\n\n"
				   "EXCEPTION is the last one that ended a thread, a task or a "
				   "process; "
				   "`pathline replay\n--at-exception` goes to where it was raised.",
				   options, .paged = true});

	if (code == CMD_GO && c->count > 1) {
		cmd_say("ls: one folder at a time; '%s' is too much", c->words[1]);
		code = CMD_USAGE;
	}
	if (code == CMD_GO)
		code = page_open(c, &o, !json);
	if (code == CMD_GO) {
		page_start(c, &o);
		code = list(&o, c->count ? c->words[0] : NULL, json);
	}
	written = page_close(c, &o);
	return written ? written : code;
}
