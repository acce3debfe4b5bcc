/* pathline why: an exception, as Python's traceback has it, with what is known of each frame. */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/page.h"
#include "cmd/report.h"
#include "cmd/why_show.h"
#include "session/unbegun.h"

static volatile sig_atomic_t why_interrupted;

struct why_command {
	struct pl_recording *r; /* owned */
	const char *at, *number, *width;
	struct selection selection;
	bool json;
	struct out out;
	struct crash crash;
	char ended[512]; /* what became of it */
	struct why why;
};

static void on_why_interrupt(int number)
{
	(void)number;
	why_interrupted = 1;
}

static int why_failed(int code, const struct pl_err *err)
{
	cmd_say("why: %s", err->used ? pl_err_text(err) : pl_error_name(code));
	return CMD_BAD;
}

/* ---- which exception ---- */

/* The first process that is selected, and of it the first thread; -1: there is none. */
static const struct pl_process *first_process(const struct why_command *w)
{
	for (uint32_t i = 0; i < pl_recording_process_count(w->r); i++) {
		const struct pl_process *p = pl_recording_process(w->r, i);
		if (select_process(&w->selection, w->r, p))
			return p;
	}
	return NULL;
}

static uint32_t first_thread(const struct why_command *w, const struct pl_process *p)
{
	for (uint32_t n = 0; n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(w->r, p->number, n);
		if (t && select_thread(&w->selection, w->r, t))
			return n;
	}
	return 0;
}

/* What came of an exception that was found by its place. */
static void say_end(struct why_command *w)
{
	const struct pl_event *end = &w->crash.end;
	struct crash c = w->crash;
	char subject[CRASH_SUBJECT_BYTES];
	const bool bottom = end->kind == PL_EVENT_UNWIND && !end->depth && !end->greenlet;

	c.of = end->position.thread ? CRASH_THREAD : CRASH_MAIN_THREAD;
	if (bottom || (end->kind == PL_EVENT_HANDLED && end->code &&
			      crash_ends(end->code, false, &c.of))) {
		crash_subject(w->r, &c, subject);
		snprintf(w->ended, sizeof w->ended, "ended %s", subject);
	} else if (end->kind == PL_EVENT_HANDLED && end->code) {
		snprintf(w->ended, sizeof w->ended, "was handled in %.200s, line %" PRId32,
			pl_code_name(end->code), end->line);
	} else if (end->kind == PL_EVENT_UNWIND && end->code) {
		snprintf(w->ended, sizeof w->ended,
			"ended %.200s, and went on to what had called or awaited it",
			pl_code_name(end->code));
	} else {
		snprintf(w->ended, sizeof w->ended, "was raised; its end was not recorded");
	}
}

/* A row of `report --exceptions`. */
struct numbered {
	uint64_t wanted, before; /* rows, from 1; those of the ranges before */
	uint32_t thread;
	uint64_t seq;
};

/* Is it one of this range? 0: it is; PL_END; or an error. */
static int find_in_range(struct why_command *w, const struct pl_times_range *range,
	struct numbered *n, struct pl_err *err)
{
	const struct pl_profile_wanted wanted = {.range = *range, .exceptions = true};
	struct report report = {.r = w->r, .range = *range};
	struct pl_profile *profile = NULL;
	int code = pl_profile_new(&profile, w->r, &wanted, err);

	if (code)
		return code;
	report.t = pl_profile_tables(profile);
	const size_t count = report.t->exception_count;
	const struct pl_profile_exception **rows = calloc(count + 1, sizeof *rows);
	code = rows ? PL_END : PL_ERR_MEMORY;
	if (rows && n->wanted <= n->before + count) {
		report_order_exceptions(&report, rows);
		n->thread = rows[n->wanted - n->before - 1]->last_thread;
		n->seq = rows[n->wanted - n->before - 1]->last_seq;
		code = 0;
	}
	n->before += count;
	free(rows);
	pl_profile_free(profile);
	return code;
}

/* With --thread the report has a table for each thread, else one for each process. */
static int find_in_process(
	struct why_command *w, const struct pl_process *p, struct numbered *n, struct pl_err *err)
{
	struct pl_times_range range = {.process = p->number};
	int code = PL_END;

	if (!w->selection.thread)
		return find_in_range(w, &range, n, err);
	range.one_thread = true;
	for (uint32_t i = 0; code == PL_END && i < p->thread_count; i++) {
		const struct pl_thread *t = pl_recording_thread(w->r, p->number, i);
		range.thread = i;
		if (t && select_thread(&w->selection, w->r, t))
			code = find_in_range(w, &range, n, err);
	}
	return code;
}

static int find_number(struct why_command *w)
{
	struct numbered n = {0};
	struct pl_position thread = {0};
	struct pl_err err = {0};
	char *end = NULL;
	int code = PL_END;

	n.wanted = strtoull(w->number, &end, 10);
	if (*w->number < '1' || *w->number > '9' || *end) {
		cmd_say("why: -n: '%s' is not a number from 1 on", w->number);
		return CMD_USAGE;
	}
	for (uint32_t i = 0; code == PL_END && i < pl_recording_process_count(w->r); i++) {
		const struct pl_process *p = pl_recording_process(w->r, i);
		thread.process = p->number;
		if (select_process(&w->selection, w->r, p))
			code = find_in_process(w, p, &n, &err);
	}
	thread.thread = n.thread;
	if (code == 0)
		code = why_at(&w->why, &thread, n.seq, &w->crash, &err);
	if (code < 0)
		return why_failed(code, &err);
	if (code == PL_END) {
		cmd_say("why: `pathline report --exceptions -n 0%s` has %" PRIu64
			" rows, and no row %s",
			cmd_recording(), n.before, w->number);
		return CMD_NOTHING;
	}
	say_end(w);
	return CMD_GO;
}

/* At a seq of a thread, or at a time in the first one that is selected. */
static int find_at(struct why_command *w)
{
	const struct pl_process *p = first_process(w);
	const struct when *when = &w->selection.from;
	struct pl_position thread = {0};
	struct pl_err err = {0};
	uint64_t seq = when->seq;
	int code = p ? 0 : PL_END;

	if (p) {
		thread.process = p->number;
		thread.thread = first_thread(w, p);
	}
	if (p && when->kind == WHEN_TIME) {
		struct pl_cursor *c = NULL;
		struct pl_event e;
		code = pl_cursor_new(&c, w->r, thread.process, thread.thread, &err);
		if (code == 0)
			code = pl_cursor_seek_time(c, when->time_ns + 1, &err);
		if (code == 0)
			code = pl_cursor_next(c, &e, &err);
		seq = code == 0 && e.seq ? e.seq - 1 : UINT64_MAX;
		pl_cursor_free(c);
		code = code < 0 ? code : 0;
	}
	if (code == 0)
		code = why_at(&w->why, &thread, seq, &w->crash, &err);
	if (code < 0)
		return why_failed(code, &err);
	if (code == PL_END) {
		cmd_say("why: no exception was raised in that thread up to %s; `pathline report "
			"--exceptions%s` lists those that were",
			w->at, cmd_recording());
		return CMD_NOTHING;
	}
	say_end(w);
	return CMD_GO;
}

static int say_nothing_ended(const struct why_command *w)
{
	uint32_t next = 0;
	const struct pl_process *killed = crash_next_killed(w->r, &next);

	if (cmd_say_damages("why", w->r, 0) != CMD_OK)
		return CMD_BAD;
	const struct pl_process *first = pl_recording_process(w->r, 0);

	if (first && unbegun_is(w->r, first))
		cmd_say("why: nothing of the program ran: Python could not read or compile it, and "
			"said so; such an exception is not in the path");
	else if (killed)
		cmd_say("why: no exception ended anything, but process %" PRIu32
			" was killed by signal %d; `pathline replay --process %" PRIu32
			" --end%s` shows what ran last in it",
			killed->number, killed->end_code, killed->number, cmd_recording());
	else
		cmd_say("why: no exception ended a thread, task or process; `pathline report "
			"--exceptions%s` lists those that were handled, and --at shows one",
			cmd_recording());
	return CMD_NOTHING;
}

/* The last one that ended something. */
static int find_crash(struct why_command *w)
{
	const struct pl_process *p = first_process(w);
	struct crash_bounds bounds = {.one_process = w->selection.process || w->selection.thread,
		.one_thread = w->selection.thread,
		.process = p ? p->number : 0,
		.stop = &why_interrupted};
	char subject[CRASH_SUBJECT_BYTES];
	struct pl_err err = {0};

	if (p && w->selection.thread)
		bounds.thread = first_thread(w, p);
	int code = crash_find(w->r, &bounds, &w->crash, &err);
	if (code < 0)
		return why_failed(code, &err);
	if (code == PL_END)
		return why_interrupted ? CMD_GO : say_nothing_ended(w);
	crash_subject(w->r, &w->crash, subject);
	snprintf(w->ended, sizeof w->ended, "ended %s", subject);
	return CMD_GO;
}

/* ---- all ---- */

static int show(struct why_command *w)
{
	struct why_show s = {.why = &w->why, .out = &w->out, .crash = &w->crash, .ended = w->ended};
	struct pl_err err = {0};
	int code = why_show_init(&s);

	if (code == 0)
		code = why_find(&w->why, &w->crash, &err);
	if (code == 0)
		code = w->json ? why_show_json(&s, &err) : why_show_text(&s, &err);
	why_show_release(&s);
	return code < 0 ? why_failed(code, &err) : CMD_OK;
}

static int prepare(struct why_command *w, struct cmd *c)
{
	w->selection.command = "why";
	w->selection.from_text = w->at;
	uint32_t width;
	int code = page_read_width("why", w->width, &width);

	if (code == CMD_GO)
		code = select_read(&w->selection, w->r);
	if (code == CMD_GO)
		code = page_open(c, &w->out, !w->json);
	if (code != CMD_GO)
		return code;
	if (!w->json && (w->width || !w->out.columns))
		w->out.columns = width;
	if (!w->json && !w->out.here)
		w->out.here = getcwd(NULL, 0);
	w->why = (struct why){.r = w->r, .stop = &why_interrupted};
	signal(SIGINT, on_why_interrupt);
	if (w->at && w->number) {
		cmd_say("why: --at and -n are two exceptions; give one of them");
		return CMD_USAGE;
	}
	return w->at ? find_at(w) : w->number ? find_number(w) : find_crash(w);
}

static const char ABOUT[] =
	"Say why the program failed: the last exception that nobody handled, as a traceback,\n"
	"with the arguments and variables of each frame, which line wrote them, the lines\n"
	"that it ran last, and the exceptions that led to it. Values are there if they were\n"
	"recorded (record --values).";

int cmd_why(struct cmd *c)
{
	struct why_command w = {0};
	const struct cmd_option options[] = {
		{"at", 0, "WHEN",
			"the exception there instead, as #4711 (seq) or 10:52:01.5: of a raise, "
			"of\n"
			"a call that it ended, or else the last one before",
			.text = &w.at},
		{"number", 'n', "N",
			"the last exception of the N-th row of `report --exceptions` instead",
			.text = &w.number},
		{"width", 'w', "N", PAGE_WIDTH_HELP, .text = &w.width},
		{"json", 0, NULL, "one JSON object a line, for each exception", .flag = &w.json},
		{"process", 'p', "ONE", "by number, pid, or a part of the command line",
			.text = &w.selection.process},
		{"thread", 't', "ONE", "by number, native id, or name",
			.text = &w.selection.thread},
		{0},
	};
	int code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]", ABOUT, options, .paged = true});

	if (code == CMD_GO)
		code = cmd_open(c, &w.r);
	if (code == CMD_GO)
		code = prepare(&w, c);
	if (code == CMD_GO && !why_interrupted) {
		page_start(c, &w.out);
		code = show(&w);
	}
	if (why_interrupted)
		code = 128 + SIGINT;
	why_release(&w.why);
	int written = page_close(c, &w.out);
	pl_recording_close(w.r);
	return written ? written : code;
}
