/* pathline dump: the path, one event a line. The form decides what is written: text for a person,
 * rows, or JSON. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/beside.h"
#include "cmd/expression.h"
#include "cmd/follow.h"
#include "cmd/lines.h"
#include "cmd/page.h"
#include "cmd/rows.h"
#include "cmd/select.h"
#include "cmd/selected.h"
#include "cmd/values.h"
#include "os/local.h"

/* Damages that are listed; of further ones only the number. */
#define SAID_MAX 10

/* What is known of a thread while its process is read. */
enum thread_state { THREAD_UNWANTED = 0, THREAD_WANTED, THREAD_DONE };

struct dump {
	struct pl_recording *r; /* owned */
	struct selection selection;
	struct expression filter;
	const char *filter_text; /* as given; NULL: none */
	struct out out;
	struct rows rows;
	struct lines lines;
	struct beside beside;
	bool with_sources; /* rows of sources are wanted */
	bool as_rows;
	bool follows;
	bool wants_values;
	bool some;			/* there was an event to print */
	bool failed;			/* there was no memory */
	int code;			/* exit */
	uint64_t damages;		/* seen so far */
	const struct pl_cursor *cursor; /* that gives the event; NULL: a search does */
	/* of the process that is being read */
	uint8_t *threads; /* owned: enum thread_state, by number */
	uint32_t thread_count;
	uint32_t wanted; /* of them are THREAD_WANTED */
	volatile sig_atomic_t enough;
};

static void say_damage(struct dump *d, const struct pl_event *e)
{
	d->code = CMD_BAD;
	if (++d->damages <= SAID_MAX)
		cmd_say("dump: damaged: process %" PRIu32 ", thread %" PRIu32 ", seq %" PRIu64
			": %s",
			e->position.process, e->position.thread, e->seq,
			pl_gap_reason_text(e->gap));
}

/* The thread has passed --to: none of its later events is wanted, because its time and seq never go
 * back. */
static void thread_done(struct dump *d, uint32_t thread)
{
	if (thread < d->thread_count && d->threads[thread] == THREAD_WANTED) {
		d->threads[thread] = THREAD_DONE;
		d->wanted--;
	}
}

/* All events of a thread go through it, also those that nothing else selects. */
static bool passes_filter(struct dump *d, const struct pl_event *e)
{
	const struct pl_count row = {.code = e->code, .line = e->line, .kind = e->kind};
	const int code = !d->filter.expr		    ? 0
			 : expression_may(&d->filter, &row) ? expression_event(&d->filter, e)
							    : PL_END;

	d->failed |= code < 0;
	return code == 0;
}

static bool wants_source_row(const struct dump *d, const struct pl_source_row *row)
{
	const struct selection *s = &d->selection;
	const bool known = row->thread < d->thread_count;

	if (known ? d->threads[row->thread] == THREAD_UNWANTED : s->thread != NULL)
		return false;
	return (s->from.kind != WHEN_TIME || row->time_ns >= s->from.time_ns) &&
	       (s->to.kind != WHEN_TIME || row->time_ns < s->to.time_ns);
}

/* What sources saw before this time, and was not shown yet. */
static void show_sources(struct dump *d, int64_t time_ns)
{
	struct pl_source_row row;
	struct json j = {.out = &d->out};
	struct pl_err err = {0};
	int code;

	while (!d->out.error && (code = beside_before(&d->beside, time_ns, &row, &err)) == 0) {
		bool unsure;
		const uint32_t depth = beside_depth(&d->beside, &row, &unsure);
		if (!wants_source_row(d, &row))
			continue;
		d->some = true;
		if (d->as_rows)
			beside_json(&j, &row);
		else
			lines_source(&d->lines, &row, depth, unsure);
	}
	if (code < 0) {
		d->code = CMD_BAD;
		cmd_say("dump: events of sources: %s", pl_err_text(&err));
	}
}

static void write_selected(struct dump *d, const struct pl_event *e)
{
	d->some = true;
	if (d->as_rows) {
		rows_write(&d->rows, e);
		return;
	}
	lines_write(&d->lines, e);
	if (e->kind == PL_EVENT_GAP && e->gap == PL_GAP_ATTACHED && d->cursor)
		lines_write_stack(&d->lines, e, d->cursor);
}

static void show_event(struct dump *d, const struct pl_event *e, bool is_selected)
{
	if (d->with_sources) {
		show_sources(d, e->time_ns);
		beside_saw(&d->beside, e);
	}
	const struct selection *s = &d->selection;
	uint32_t thread = e->position.thread;

	if (e->kind == PL_EVENT_GAP && e->gap == PL_GAP_DAMAGED)
		say_damage(d, e);
	if (thread < d->thread_count && d->threads[thread] != THREAD_WANTED)
		return;
	if (when_after(&s->to, e)) {
		thread_done(d, thread);
		return;
	}
	if (!is_selected || !(s->kinds >> e->kind & 1) || when_before(&s->from, e) ||
		!select_task(s, e))
		return;
	write_selected(d, e);
}

static void take_row(struct dump *d, const struct pl_event *e)
{
	show_event(d, e, passes_filter(d, e));
}

/* Which threads of p are wanted; returns the only one, or PL_ALL_THREADS. */
static uint32_t choose_threads(struct dump *d, const struct pl_process *p)
{
	uint32_t only = PL_ALL_THREADS;

	d->thread_count = p->thread_count;
	d->wanted = 0;
	for (uint32_t n = 0; n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(d->r, p->number, n);
		if (t && select_thread(&d->selection, d->r, t) &&
			expression_may_thread(&d->filter, t)) {
			d->threads[n] = THREAD_WANTED;
			only = n;
			d->wanted++;
		}
	}
	return d->wanted == 1 && (d->selection.thread || d->filter.expr) ? only : PL_ALL_THREADS;
}

/* A seq is one thread's, so with several threads all are read, and the rows before it left out. */
static int dump_seek(
	const struct when *from, struct pl_cursor *c, uint32_t thread, struct pl_err *err)
{
	if (from->kind == WHEN_TIME)
		return pl_cursor_seek_time(c, from->time_ns, err);
	if (from->kind == WHEN_SEQ && thread != PL_ALL_THREADS)
		return pl_cursor_seek_seq(c, from->seq, err);
	return 0;
}

/* Until the end, until all wanted threads are past --to, or until nobody reads the output any
 * more. */
static int walk_all(struct dump *d, const struct pl_process *p, uint32_t thread, struct pl_err *err)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int result = pl_cursor_new(&c, d->r, p->number, thread, err);

	if (result == 0) {
		pl_cursor_want_values(c, d->wants_values);
		result = dump_seek(&d->selection.from, c, thread, err);
	}
	d->cursor = c;
	while (result == 0 && d->wanted && !d->out.error && !d->failed) {
		result = pl_cursor_next(c, &e, err);
		if (result == 0)
			take_row(d, &e);
	}
	d->cursor = NULL;
	pl_cursor_free(c);
	return result == PL_END ? 0 : d->failed ? PL_ERR_MEMORY : result;
}

/* ---- a filter: searches go past what cannot match ---- */

static int show_selected(void *context, const struct pl_event *e, bool is_selected)
{
	struct dump *d = context;
	const uint32_t thread = e->position.thread;

	show_event(d, e, is_selected);
	d->enough = !d->wanted || d->out.error;
	return thread < d->thread_count && d->threads[thread] != THREAD_WANTED ? PL_END : 0;
}

static bool is_past_end(void *context, const struct pl_event *e)
{
	return when_after(&((struct dump *)context)->selection.to, e);
}

/* Events that the filter selects are not before this moment, and not before --from. But the end of
 * a call must know its beginning. */
static struct when first_moment(struct dump *d)
{
	struct when from = d->selection.from;
	int64_t first_ns, last_ns;

	expr_times(d->filter.expr, &first_ns, &last_ns);
	if (first_ns == INT64_MIN || d->filter.has_frames || from.kind == WHEN_SEQ ||
		(from.kind == WHEN_TIME && from.time_ns > first_ns))
		return from;
	return (struct when){.kind = WHEN_TIME, .time_ns = first_ns};
}

/* The seq at which that is, or UINT64_MAX. */
static int find_begin(void *context, uint32_t thread, uint64_t *seq, struct pl_err *err)
{
	struct dump *d = context;
	struct pl_cursor *c = NULL;
	struct pl_event e;
	const struct when from = first_moment(d);
	int result = PL_END;

	*seq = d->threads[thread] == THREAD_WANTED ? 0 : UINT64_MAX;
	if (!*seq && from.kind != WHEN_NONE && (from.kind != WHEN_SEQ || d->wanted == 1))
		result = pl_cursor_new(&c, d->r, d->filter.process->number, thread, err);
	if (result == 0)
		result = dump_seek(&from, c, thread, err);
	if (result == 0) {
		result = pl_cursor_next(c, &e, err);
		*seq = result == 0 ? e.seq : UINT64_MAX;
	}
	pl_cursor_free(c);
	return result < 0 ? result : 0;
}

static int walk_threads(
	struct dump *d, const struct pl_process *p, uint32_t thread, struct pl_err *err)
{
	const struct selected s = {.r = d->r,
		.x = &d->filter,
		.values = d->wants_values,
		.context = d,
		.begin = find_begin,
		.is_past = is_past_end,
		.show = show_selected,
		.stop = &d->enough};

	return d->filter.expr && d->wanted <= SELECTED_THREADS_MAX ? selected_walk(&s, err)
								   : walk_all(d, p, thread, err);
}

/* For a thread that is still running: where it was last seen, and what it may have done since. */
static int walk_edge(
	struct dump *d, const struct pl_process *p, uint32_t thread, struct pl_err *err)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int result = pl_cursor_new(&c, d->r, p->number, thread, err);

	if (result == 0)
		result = pl_cursor_seek_seq(c, INT64_MAX, err);
	while (result == 0)
		result = pl_cursor_next(c, &e, err);
	while (result == PL_END && !d->out.error && pl_cursor_possible(c, &e, err) == 0)
		take_row(d, &e);
	pl_cursor_free(c);
	return result == PL_END ? 0 : result;
}

static int walk_edges(struct dump *d, const struct pl_process *p, struct pl_err *err)
{
	struct pl_recording_info info;
	int result = 0;

	pl_recording_info(d->r, &info);
	bool live = p->end == PL_PROCESS_RUNNING && !info.finished;
	for (uint32_t n = 0; live && n < p->thread_count && result == 0; n++)
		if (d->threads[n] == THREAD_WANTED &&
			!pl_recording_thread(d->r, p->number, n)->end_ns)
			result = walk_edge(d, p, n, err);
	return result;
}

static void dump_process(struct dump *d, const struct pl_process *p)
{
	struct pl_err err = {0};
	int result = PL_ERR_MEMORY;

	d->threads = calloc((size_t)p->thread_count + 1, 1);
	expression_process(&d->filter, p);
	if (d->threads)
		result = d->with_sources ? beside_begin(&d->beside, p, &err) : 0;
	if (result == 0)
		result = walk_threads(d, p, choose_threads(d, p), &err);
	if (result == 0 && d->with_sources)
		show_sources(d, INT64_MAX);
	if (result == 0)
		result = walk_edges(d, p, &err);
	if (result < 0) {
		d->code = CMD_BAD;
		cmd_say("dump: process %" PRIu32 ": %s", p->number,
			err.used ? pl_err_text(&err) : pl_error_name(result));
	}
	free(d->threads);
	d->threads = NULL;
}

static void dump_processes(struct dump *d)
{
	for (uint32_t i = 0; i < pl_recording_process_count(d->r) && !d->out.error; i++) {
		const struct pl_process *p = pl_recording_process(d->r, i);
		if (select_process(&d->selection, d->r, p))
			dump_process(d, p);
		if (!d->as_rows)
			lines_end(&d->lines);
	}
}

/* ---- while it is written ---- */

/* Threads may have begun since. */
static int follow_process(void *context, const struct pl_process *p, struct pl_err *err)
{
	struct dump *d = context;

	(void)err;
	if (!select_process(&d->selection, d->r, p))
		return PL_END;
	free(d->threads);
	d->threads = calloc((size_t)p->thread_count + 1, 1);
	if (!d->threads)
		return PL_ERR_MEMORY;
	expression_process(&d->filter, p);
	choose_threads(d, p);
	return 0;
}

static int follow_seek(void *context, struct pl_cursor *c, struct pl_err *err)
{
	const struct dump *d = context;

	return dump_seek(&d->selection.from, c, PL_ALL_THREADS, err);
}

static bool follow_take(void *context, const struct pl_cursor *c, const struct pl_event *e)
{
	struct dump *d = context;

	d->cursor = c;
	take_row(d, e);
	return !d->out.error && !d->failed;
}

static void follow_pause(void *context)
{
	struct dump *d = context;

	if (!d->as_rows)
		lines_end(&d->lines);
	out_flush(&d->out);
}

static void dump_follow(struct dump *d)
{
	struct follow f = {.r = d->r,
		.values = d->wants_values,
		.begin = follow_process,
		.seek = follow_seek,
		.take = follow_take,
		.pause = follow_pause,
		.context = d};
	struct pl_err err = {0};

	d->filter.keeps = true;
	follow_begin(d->r);
	int code = follow_run(&f, &err);
	free(d->threads);
	d->threads = NULL;
	if (code == 0 && d->failed)
		code = PL_ERR_MEMORY;
	if (code == 0)
		return;
	d->code = CMD_BAD;
	cmd_say("dump: %s", err.used ? pl_err_text(&err) : pl_error_name(code));
}

/* The last event before a time: the error of its time, if by that it may have been at or after it;
 * else 0. *runs is set if the thread has both earlier and later events. */
static int64_t error_at(struct dump *d, const struct pl_thread *t, int64_t time_ns, bool *runs)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&c, d->r, t->process, t->number, NULL);

	if (code == 0)
		code = pl_cursor_seek_time(c, time_ns, NULL);
	if (code == 0)
		code = pl_cursor_next(c, &e, NULL);
	const bool later = code == 0;
	uint64_t seq = later ? e.seq : t->first_seq + t->events;
	if (code >= 0 && seq)
		code = pl_cursor_seek_seq(c, seq - 1, NULL);
	if (code >= 0)
		code = pl_cursor_next(c, &e, NULL);
	pl_cursor_free(c);
	const bool earlier = code == 0 && e.time_ns < time_ns;
	*runs |= earlier && later;
	return earlier && e.time_error_ns < INT64_MAX && time_ns - e.time_ns <= e.time_error_ns
		       ? e.time_error_ns
		       : 0;
}

/* Of all selected threads the largest one, where --from lies. */
static int64_t error_at_from(struct dump *d, bool *runs)
{
	const struct selection *s = &d->selection;
	int64_t most = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(d->r); i++) {
		const struct pl_process *p = pl_recording_process(d->r, i);
		for (uint32_t n = 0; n < p->thread_count; n++) {
			const struct pl_thread *t = pl_recording_thread(d->r, p->number, n);
			const bool wanted =
				select_process(s, d->r, p) && t && select_thread(s, d->r, t);
			int64_t error = wanted ? error_at(d, t, s->from.time_ns, runs) : 0;
			most = error > most ? error : most;
		}
	}
	return most;
}

#define APART_BYTES (UNITS_BYTES + 80)

/* Lines may have run then: their times are earlier, and have an error; or one that took longer. */
static void write_apart(struct dump *d, char text[APART_BYTES])
{
	const struct selection *s = &d->selection;
	const bool timed = s->from_text && s->from.kind == WHEN_TIME;
	bool runs = false;
	const int64_t error = timed ? error_at_from(d, &runs) : 0;
	char span[UNITS_BYTES];

	snprintf(text, APART_BYTES, "%s", runs ? " (what ran then began earlier)" : "");
	if (error <= 0)
		return;
	units_duration(span, error);
	snprintf(text, APART_BYTES, " (stamps are %s apart there; begin so much earlier)", span);
}

/* Say to a person why there is nothing to see. To a program no row is an answer: there is no such
 * event. But a time can be mistyped, so it is named to a program, too. */
static void dump_says_nothing(struct dump *d)
{
	const struct selection *s = &d->selection;
	char range[SELECT_RANGE_BYTES], apart[APART_BYTES], *said = NULL;
	char why[EXPRESSION_WHY_BYTES];
	struct pl_recording_info info;
	struct pl_buf what = {0};

	if (d->some || d->out.error || d->code != CMD_OK)
		return;
	if (d->as_rows && !s->from_text && !s->to_text && !d->filter.expr)
		return;
	d->code = CMD_NOTHING;
	if (d->filter_text)
		buf_printf(&what, ", that --filter selects");
	if (s->events)
		buf_printf(&what, ", that --events %s selects", s->events);
	if (s->thread)
		buf_printf(&what, ", in a thread '%s'", s->thread);
	if (s->task)
		buf_printf(&what, ", in a task '%s'", s->task);
	if (s->from_text)
		buf_printf(&what, ", from %s %s", s->from_text, s->to_text ? "" : "on");
	if (s->to_text)
		buf_printf(&what, s->from_text ? "to %s" : ", up to %s", s->to_text);
	buf_u8(&what, 0);
	said = what.failed ? "" : (char *)what.at + (what.used > 1);
	pl_recording_info(d->r, &info);
	select_range(&info, range);
	write_apart(d, apart);
	const bool by_time = s->from_text || s->to_text || !said[0];
	expression_why(&d->filter, d->r, why);
	cmd_say("dump: there is no event%s%s%s%s%s", said, apart,
		by_time ? "; the recording is from " : "", by_time ? range : "", why);
	buf_release(&what);
}

static int dump_prepare(struct dump *d, struct cmd *c, const char *fields, bool json)
{
	d->selection.command = "dump";
	int code = d->follows ? follow_check(&d->selection) : CMD_GO;

	if (code == CMD_GO)
		code = select_read(&d->selection, d->r);
	if (code == CMD_GO)
		code = select_find_tasks(&d->selection, d->r);
	if (code == CMD_GO)
		code = expression_read(&d->filter, "dump", d->filter_text, d->r);
	if (code != CMD_GO)
		return code;
	d->as_rows = fields || json;
	c->no_pager |= d->follows;
	code = page_open(c, &d->out, !d->as_rows);
	if (code != CMD_GO)
		return code;
	d->lines = (struct lines){.out = &d->out, .r = d->r};
	d->beside.r = d->r;
	d->with_sources = !d->follows && !fields && !d->filter_text && !d->selection.events &&
			  !d->selection.task && pl_event_source_count(d->r);
	if (d->as_rows)
		code = rows_init(&d->rows, &d->out, d->r, fields, json);
	d->wants_values = d->as_rows ? d->rows.wants_values : values_there(d->r);
	d->wants_values |= expression_wants_values(&d->filter);
	return code;
}

static const char ABOUT[] =
	"Print the path, one event a line: process by process, each with its threads in the\n"
	"exact order in which they ran.\n\n"
	"In the text, a row is indented by its depth, the number of frames below it, and what\n"
	"runs within a call by one more than the call. Where that is too deep, the indent is\n"
	"in brackets: [25]. A ~ after a row: its place among the rows of other threads is not\n"
	"known exactly. handled: an exception arrives at except, finally, the end of a with,\n"
	"or a clean-up that the compiler added, mostly without a line. A for loop takes its\n"
	"StopIteration without one.\n\n"
	"Of a recording that was made with --kernel, rows that begin with `kernel` are what it\n"
	"did for the thread, each at its end. They are left out with --fields, --filter,\n"
	"--events, --task and --follow. A ~ after one: events before it may also be after it.";

#define X(constant, word, meaning) " " word
static const char event_words[] = PL_EVENT_KINDS(X);
#undef X

/* Print what is wanted, and say what is to be said of it. Returns an exit code. */
static int dump_print(struct dump *d, struct cmd *c)
{
	page_start(c, &d->out);
	if (d->follows)
		dump_follow(d);
	else
		dump_processes(d);
	if (cmd_say_damages("dump", d->r, d->damages) != CMD_OK)
		d->code = CMD_BAD;
	dump_says_nothing(d);
	return d->code;
}

int cmd_dump(struct cmd *c)
{
	struct dump d = {.code = CMD_OK};
	char fields_help[ROW_HELP_BYTES], fields_words[ROW_HELP_BYTES];
	const char *fields = NULL;
	bool json = false;
	const struct cmd_option options[] = {
		{"fields", 'f', "LIST", fields_help, .text = &fields, .words = fields_words},
		{"json", 0, NULL, "one JSON object a line; with --fields only those",
			.flag = &json},
		{"filter", 0, "EXPR", EXPRESSION_HELP, .text = &d.filter_text},
		SELECT_PROCESS(d.selection),
		SELECT_THREAD(d.selection, ""),
		SELECT_TASK(d.selection),
		{"events", 'e', "LIST",
			"call, line, return, yield, resume, throw, unwind, raise,\n"
			"reraise, handled, gap, mark, again, outside, possible",
			.text = &d.selection.events, .words = event_words},
		{"from", 0, "WHEN",
			"10:52:01.5, 2026-11-21 10:52, +1.5 or +100ms (from the start), 42% (of\n"
			"the whole recording) or #4711 (seq)",
			.text = &d.selection.from_text},
		SELECT_TO(d.selection),
		{"follow", 0, NULL, FOLLOW_HELP, .flag = &d.follows},
		{0},
	};
	int code, written;

	rows_help(fields_help);
	rows_words(fields_words);
	code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]", ABOUT, options, .paged = true});
	if (code == CMD_GO)
		code = cmd_open(c, &d.r);
	if (code == CMD_GO)
		code = dump_prepare(&d, c, fields, json);
	if (code == CMD_GO)
		code = dump_print(&d, c);
	rows_release(&d.rows);
	beside_release(&d.beside);
	select_release(&d.selection);
	expression_release(&d.filter);
	written = page_close(c, &d.out);
	pl_recording_close(d.r);
	return written ? written : follow_stopped ? 128 + SIGINT : code;
}
