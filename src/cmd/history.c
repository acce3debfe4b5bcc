/* pathline history: each value that a variable, an argument or an attribute had, when, and which
 * line wrote it. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/history_missing.h"
#include "cmd/history_rows.h"
#include "cmd/page.h"
#include "cmd/select.h"
#include "expr/taken_out.h"
#include "filter/glob.h"
#include "session/binds.h"

#define NAMES_BYTES 256 /* of those that a message lists */
/* The recorder keeps 1,024 names of a module or class body (KEPT_NAMES_MAX), Python's own ones
 * among them. */
#define NAMES_MANY 1000

/* Ctrl-C ends the search. */
static volatile sig_atomic_t history_stopped;

struct history {
	struct cmd *cmd;
	struct pl_recording *r; /* owned */
	struct selection selection;
	struct sightings sightings;
	struct history_rows rows;
	struct history_missing missing;
	struct out out;
	const char *name, *at, *id; /* as given */
	char *file;		    /* owned: of --at */
	bool json, csv;
	int code; /* exit */
	uint64_t damages;
	/* of the process that is being read */
	uint8_t *threads; /* owned: by number: 1 wanted */
	uint32_t thread_count, wanted;
};

static void stop_history(int signal)
{
	(void)signal;
	history_stopped = 1;
}

/* ---- one process ---- */

static bool is_wanted(const struct history *h, const struct pl_event *e)
{
	const uint32_t thread = e->position.thread;

	return thread < h->thread_count && h->threads[thread];
}

/* Something else wrote it while the line ran, such as a debugger. Of parts that is not known. */
static enum sighting_how how_of(const struct history *h, const struct sighting *s)
{
	const bool asked = s->how == SIGHTING_WROTE && !h->sightings.path.count;

	return !asked || binds_value(h->r, s->code, s->line, &s->value, h->sightings.path.root)
		       ? s->how
		       : SIGHTING_SEEN;
}

static bool write_sighting(void *context, const struct sighting *s)
{
	struct history *h = context;
	struct sighting shown = *s;

	if (when_before(&h->selection.from, s->event) || !select_task(&h->selection, s->event)) {
		h->sightings.written--;
		return true;
	}
	shown.how = how_of(h, s);
	history_missing_note_code(&h->missing, s->event->code);
	const int code = history_rows_write(&h->rows, &shown);
	if (code != CMD_GO)
		h->code = code;
	return code == CMD_GO && !h->out.error;
}

/* Which threads are wanted; returns the only one, or PL_ALL_THREADS. */
static uint32_t find_threads(struct history *h, const struct pl_process *p)
{
	uint32_t only = PL_ALL_THREADS;

	h->thread_count = p->thread_count;
	h->wanted = 0;
	for (uint32_t n = 0; n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(h->r, p->number, n);
		h->threads[n] = t && select_thread(&h->selection, h->r, t);
		h->wanted += h->threads[n];
		only = h->threads[n] ? n : only;
	}
	return h->wanted == 1 && h->selection.thread ? only : PL_ALL_THREADS;
}

/* What a frame has written before --from is not known without its begin; what was passed is. */
static int seek_from(struct history *h, struct pl_cursor *c, struct pl_err *err)
{
	const struct when *from = &h->selection.from;

	if (from->kind != WHEN_TIME || h->sightings.lines || h->sightings.line)
		return 0;
	return pl_cursor_seek_time(c, from->time_ns, err);
}

static int take_event(struct history *h, const struct pl_cursor *c, const struct pl_event *e)
{
	h->damages += e->kind == PL_EVENT_GAP && e->gap == PL_GAP_DAMAGED;
	if (!is_wanted(h, e))
		return 0;
	if (!when_after(&h->selection.to, e)) {
		history_missing_note(&h->missing, e);
		return sightings_take(&h->sightings, c, e);
	}
	h->threads[e->position.thread] = 0;
	h->wanted--;
	return 0;
}

static int walk_events(
	struct history *h, const struct pl_process *p, uint32_t thread, struct pl_err *err)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&c, h->r, p->number, thread, err);

	if (code == 0) {
		pl_cursor_want_values(c, true);
		code = seek_from(h, c, err);
	}
	while (code == 0 && h->wanted && !h->sightings.stopped && !history_stopped) {
		code = pl_cursor_next(c, &e, err);
		if (code == 0)
			code = take_event(h, c, &e);
	}
	pl_cursor_free(c);
	return code == PL_END ? 0 : code;
}

static void walk_history(struct history *h, const struct pl_process *p)
{
	struct pl_err err = {0};
	int code = sightings_begin(&h->sightings);

	h->threads = calloc((size_t)p->thread_count + 1, 1);
	if (code == 0)
		code = h->threads ? walk_events(h, p, find_threads(h, p), &err) : PL_ERR_MEMORY;
	if (code < 0) {
		h->code = CMD_BAD;
		cmd_say("history: process %" PRIu32 ": %s", p->number,
			err.used ? pl_err_text(&err) : pl_error_name(code));
	}
	free(h->threads);
	h->threads = NULL;
}

static void walk_all(struct history *h)
{
	for (uint32_t i = 0; i < pl_recording_process_count(h->r) && !h->sightings.stopped; i++) {
		const struct pl_process *p = pl_recording_process(h->r, i);
		if (select_process(&h->selection, h->r, p) && !history_stopped)
			walk_history(h, p);
	}
}

/* ---- what is said ---- */

/* The name occurs, but has no such part. */
static void say_no_part(struct history *h)
{
	const struct value_step *last =
		&h->sightings.path.steps[h->sightings.path.count ? h->sightings.path.count - 1 : 0];
	const char *root = h->name + h->sightings.path.root.length;
	char part[NAMES_BYTES] = "", names[NAMES_BYTES];

	if (last->kind != STEP_NUMBER && last->text.length < sizeof part)
		memcpy(part, last->text.at, last->text.length);
	sighted_names_say(&h->sightings.names, part, names, sizeof names);
	cmd_say("history: of %" PRIu64 " values of '%.*s' none that is selected has '%s'%s%s",
		h->sightings.root_seen, (int)h->sightings.path.root.length, h->name, root,
		names[0] ? "; there is: " : ", as far as they were kept", names);
}

static void say_no_name(struct history *h)
{
	char root[NAMES_BYTES] = "", names[NAMES_BYTES];

	if (h->sightings.path.root.length < sizeof root)
		memcpy(root, h->name, h->sightings.path.root.length);
	sighted_names_say(&h->sightings.names, root, names, sizeof names);
	cmd_say("history: no value of the name '%s' was kept%s%s%s", root,
		names[0] ? "; names that were: " : "", names,
		h->sightings.names.count >= NAMES_MANY
			? "; of a module or class body at most 1,024 names are kept"
			: "");
}

static void say_no_values(struct history *h)
{
	struct pl_recording_info info;

	pl_recording_info(h->r, &info);
	if (values_taken_out(h->r))
		cmd_say("history: " VALUES_TAKEN_OUT);
	else if (!info.value_events)
		cmd_say("history: this recording has no values; record with --values calls, or "
			"--values lines for variables");
	else
		cmd_say("history: no values of %s%s were kept; record with --values-of '*', or a "
			"pattern that has it",
			h->sightings.function ? "the function " : "this code",
			h->sightings.function ? h->sightings.function : "");
}

static void say_no_code(struct history *h)
{
	if (h->at)
		cmd_say("history: the line %s did not run in what is selected; `pathline report "
			"--file FILE%s` shows which lines did",
			h->at, cmd_recording());
	else
		cmd_say("history: nothing that is selected is a function '%s'; `pathline report "
			"--functions%s` lists those that ran",
			h->sightings.function ? h->sightings.function : "*", cmd_recording());
}

static void say_none(struct history *h)
{
	const struct sightings *s = &h->sightings;

	if (s->written || h->code != CMD_OK || h->out.error)
		return;
	h->code = CMD_NOTHING;
	if (!s->value_events && (s->code_events || (!s->file && !s->function)))
		say_no_values(h);
	else if (!s->code_events && (s->line || !s->value_events))
		say_no_code(h);
	else if (!s->root_seen)
		say_no_name(h);
	else if (h->id)
		cmd_say("history: no value of '%s' is of an object with the id %s; the column id "
			"has them",
			h->name, h->id);
	else if (s->path.count)
		say_no_part(h);
	else if (s->line)
		cmd_say("history: %s ran %" PRIu64 " time%s, and no value of '%s' is known there%s",
			h->at, s->code_events, s->code_events > 1 ? "s" : "", h->name,
			s->lines ? "" : ", as only those of calls are recorded");
	else
		cmd_say("history: no value of '%s' is selected", h->name);
}

/* To a person: what is between the calls is not there. */
static void say_calls_only(struct history *h)
{
	if (h->sightings.lines || !h->sightings.written || h->json || h->csv)
		return;
	cmd_say("history: only what was passed and returned was kept%s; `record --values lines` "
		"keeps "
		"what lines write",
		h->sightings.line ? ", so the line may have had another value" : "");
}

/* ---- options ---- */

static int take_name(struct history *h)
{
	struct pl_err err = {0};
	struct cmd *c = h->cmd;

	if (!c->count) {
		cmd_say("history: of what? Give a name, such as: pathline history left, or "
			"self.total");
		return CMD_USAGE;
	}
	h->name = c->words[0];
	c->words++;
	c->count--;
	if (value_path_read(&h->sightings.path, h->name, &err) == 0)
		return CMD_GO;
	cmd_say("history: %s", pl_err_text(&err));
	return CMD_USAGE;
}

/* FILE:LINE */
static int take_at(struct history *h)
{
	const char *colon = h->at ? strrchr(h->at, ':') : NULL;
	char *end = NULL;
	long line = 0;

	if (!h->at)
		return CMD_GO;
	if (colon && colon[1] >= '0' && colon[1] <= '9')
		line = strtol(colon + 1, &end, 10);
	if (!end || *end || line <= 0 || line > INT32_MAX || colon == h->at) {
		cmd_say("history: --at: '%s' is not FILE:LINE, such as shop.py:12", h->at);
		return CMD_USAGE;
	}
	h->file = strndup(h->at, (size_t)(colon - h->at));
	h->sightings.file = h->file;
	h->sightings.line = (int32_t)line;
	return h->file ? CMD_GO : CMD_BAD;
}

static int take_id(struct history *h)
{
	char *end = NULL;

	if (!h->id)
		return CMD_GO;
	if (*h->id >= '0' && *h->id <= '9')
		h->sightings.id = strtoull(h->id, &end, 10);
	if (end && !*end && h->sightings.id)
		return CMD_GO;
	cmd_say("history: --id: '%s' is not an id; the column id has them", h->id);
	return CMD_USAGE;
}

static int check_history(struct history *h)
{
	int code = take_name(h);

	if (code == CMD_GO)
		code = take_at(h);
	if (code == CMD_GO)
		code = take_id(h);
	if (code == CMD_GO && h->json && h->csv) {
		cmd_say("history: --json and --csv are two forms; give one of them");
		code = CMD_USAGE;
	}
	if (code == CMD_GO && h->sightings.function &&
		!glob_is_sound(view_of(h->sightings.function, strlen(h->sightings.function)))) {
		cmd_say("history: --function: a bracket of '%s' is not closed",
			h->sightings.function);
		code = CMD_USAGE;
	}
	return code;
}

static int history_prepare(struct history *h)
{
	struct pl_recording_info info;

	h->selection.command = "history";
	int code = select_read(&h->selection, h->r);
	if (code == CMD_GO)
		code = select_find_tasks(&h->selection, h->r);
	if (code == CMD_GO)
		code = page_open(h->cmd, &h->out, !h->json && !h->csv);
	if (code != CMD_GO)
		return code;
	if (!h->out.here)
		h->out.here = getcwd(NULL, 0);
	pl_recording_info(h->r, &info);
	h->sightings.lines = !strcmp(info.values, "lines");
	h->sightings.write = write_sighting;
	h->sightings.context = h;
	h->rows = (struct history_rows){.cmd = h->cmd,
		.out = &h->out,
		.r = h->r,
		.form = h->json	 ? HISTORY_JSON
			: h->csv ? HISTORY_CSV
				 : HISTORY_TEXT,
		.name = h->name,
		.parts = h->sightings.path.count > 0,
		.processes = pl_recording_process_count(h->r) > 1};
	return history_rows_open(&h->rows);
}

static int search_history(struct history *h)
{
	const struct sigaction action = {.sa_handler = stop_history};

	sigaction(SIGINT, &action, NULL);
	walk_all(h);
	if (h->sightings.written && history_rows_end(&h->rows) != CMD_GO)
		h->code = CMD_BAD;
	if (history_stopped)
		return 128 + SIGINT;
	if (cmd_say_damages("history", h->r, h->damages) != CMD_OK)
		h->code = CMD_BAD;
	say_none(h);
	say_calls_only(h);
	history_missing_say(&h->missing);
	if (!h->json && !h->csv && h->sightings.lines)
		history_missing_say_global(&h->missing, h->r, h->sightings.path.root);
	return h->code;
}

static const char ABOUT[] =
	"Each value that a variable, an argument or an attribute had, when, and which line\n"
	"wrote it. NAME is a name of the program, or a part below it: left, self.total,\n"
	"order['item'], rows[0].price. Of a part each object that had the name is followed,\n"
	"wherever it is seen. return, yield, send and raise are what functions returned and\n"
	"so on.\n\n"
	"The column how: wrote (by this line), argument (this line passed it), return, yield,\n"
	"send, raise (this line did), seen (it was there, and which line wrote it is not\n"
	"known).\n\n"
	"record --values lines tells which line wrote a value; with --values calls there are\n"
	"the values that were passed and returned.";

int cmd_history(struct cmd *c)
{
	struct history h = {.cmd = c, .code = CMD_OK};
	const struct cmd_option options[] = {
		{"at", 0, "FILE:LINE", "the values at this line, each time that it begins",
			.text = &h.at},
		{"function", 'F', "PATTERN",
			"only in such functions: a name, or its last part, as\n"
			"book, Shop.* or test_*",
			.text = &h.sightings.function},
		{"changes", 0, NULL,
			"without values that are equal to the last one of the\n"
			"same frame or object",
			.flag = &h.sightings.changes},
		{"id", 0, "ID", "of this object alone; the column id has it", .text = &h.id},
		{"json", 0, NULL, "one JSON object a line", .flag = &h.json},
		{"csv", 0, NULL, "comma-separated, with a head", .flag = &h.csv},
		SELECT_PROCESS(h.selection),
		SELECT_THREAD(h.selection, ""),
		SELECT_TASK(h.selection),
		SELECT_FROM(h.selection),
		SELECT_TO(h.selection),
		{0},
	};
	int written = 0, code = cmd_parse(c, &(struct cmd_usage){"NAME [RECORDING]", ABOUT, options,
						     .paged = true});

	if (code == CMD_GO)
		code = check_history(&h);
	if (code == CMD_GO)
		code = cmd_open(c, &h.r);
	if (code == CMD_GO)
		code = history_prepare(&h);
	if (code == CMD_GO)
		code = search_history(&h);
	history_rows_release(&h.rows);
	sightings_release(&h.sightings);
	select_release(&h.selection);
	if (h.out.bytes)
		written = page_close(c, &h.out);
	free(h.file);
	pl_recording_close(h.r);
	return written ? written : code;
}
