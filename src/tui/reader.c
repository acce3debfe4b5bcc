#define _GNU_SOURCE
#include "tui/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "expr/nothing.h"
#include "expr/unknown.h"
#include "session/valued.h"

#define SAY_EVERY_NS 100000000

static void reader_say_error(struct tui *t, int code, const struct pl_err *err)
{
	if (code < 0)
		tui_say(t, "%s", err->used ? pl_err_text(err) : pl_error_name(code));
}

/* ---- the list ---- */

static void write_row(void *context, const struct pl_event *e, char *text, size_t max)
{
	const struct tui *t = context;

	t->o->text(t->o->context, e, text, max);
}

static bool is_matched(void *context, const struct pl_event *e, const char *text)
{
	const struct tui *t = context;

	(void)e;
	return pattern_has(&t->reader->match, text);
}

static bool is_searched(void *context, const struct pl_event *e, const char *text)
{
	const struct tui *t = context;

	return is_matched(context, e, text) && pattern_has(&t->reader->search, text);
}

static bool is_wanted_thread(void *context, const struct pl_thread *thread)
{
	const struct tui *t = context;

	return !t->o->wants || t->o->wants(t->o->context, thread);
}

/* How far it is, ten times a second at most; the first time only after a tenth. */
static void say_passed(void *context, const struct pl_position *of, uint64_t seq)
{
	struct tui *t = context;
	const struct pl_thread *thread =
		pl_recording_thread(t->s->replay.r, of->process, of->thread);
	char text[200], numbers[2][UNITS_BYTES];
	const int64_t now_ns = tui_now_ns();

	if (!thread || now_ns - t->reader->said_ns < SAY_EVERY_NS)
		return;
	if (t->reader->said_ns) {
		units_count(numbers[0], seq);
		units_count(numbers[1], thread->first_seq + thread->events);
		snprintf(text, sizeof text, "reading %.40s: event %s of %s; Ctrl-C stops",
			thread->name, numbers[0], numbers[1]);
		reader_say_progress(t, text);
	}
	t->reader->said_ns = now_ns;
}

static struct reading reading_of(struct tui *t)
{
	return (struct reading){.rules = {.r = t->s->replay.r,
					.stop = t->o->interrupted,
					.kinds = READING_KINDS,
					.write = write_row,
					.expr = t->reader->expr,
					.shows = is_matched,
					.passes = say_passed,
					.context = t},
		.wants = is_wanted_thread};
}

/* NULL: there is no memory. */
static struct reader *reader_of(struct tui *t)
{
	if (!t->reader) {
		t->reader = calloc(1, sizeof *t->reader);
		if (t->reader)
			t->reader->list = reading_of(t);
		else
			tui_say(t, "no memory for the reader");
	}
	return t->reader;
}

/* Before anything that reads rows for a key. */
static void begin_reading(struct reader *r)
{
	r->stopped = false;
	r->said_ns = 0;
}

int reader_row(struct tui *t, int64_t number, const struct reading_row **row)
{
	struct reader *r = t->reader;
	const struct reading *l = &r->list;
	struct pl_err err = {0};

	if (r->stopped && (number < l->first || number >= l->first + (int64_t)l->used))
		return PL_END;
	int code = reading_row(&r->list, number, row, &err);
	reader_say_error(t, code, &err);
	if (code && *t->o->interrupted) {
		r->stopped = true;
		tui_say(t, "stopped; the list has what was read so far");
	}
	return code;
}

/* ---- where it stands ---- */

static void go_end(struct tui *t)
{
	struct reader *r = t->reader;
	struct pl_err err = {0};

	reader_say_error(t, reading_go_end(&r->list, &err), &err);
	r->row = -1;
	r->top = -(int64_t)(r->rows > 0 ? r->rows : 1);
}

static bool is_row_of(const struct reading_row *row, const struct pl_event *e)
{
	return row->seq == e->seq && row->kind == e->kind &&
	       row->position.process == e->position.process &&
	       row->position.thread == e->position.thread;
}

/* To the row of an event, or else to the one before it: to the call in which a line runs. */
static void go_event(struct tui *t, const struct pl_event *at)
{
	struct reader *r = t->reader;
	const struct reading_row *row;
	struct pl_err err = {0};

	reader_say_error(t, reading_go_event(&r->list, at, &err), &err);
	r->row = 0;
	if ((reader_row(t, 0, &row) || !is_row_of(row, at)) && reader_row(t, -1, &row) == 0)
		r->row = -1;
	r->top = r->row - r->rows / 2;
}

static bool is_placed(const struct tui *t)
{
	const struct reader *r = t->reader;
	const struct pl_event *at = &t->s->replay.at;

	return r->placed && r->of.process == at->position.process &&
	       r->of.thread == at->position.thread && r->of_seq == at->seq;
}

static void set_placed(struct tui *t)
{
	t->reader->of = t->s->replay.at.position;
	t->reader->of_seq = t->s->replay.at.seq;
	t->reader->placed = true;
}

void reader_moved(struct tui *t)
{
	if (!reader_of(t) || is_placed(t))
		return;
	begin_reading(t->reader);
	t->reader->follows = false;
	set_placed(t);
	go_event(t, &t->s->replay.at);
}

void reader_grown(struct tui *t)
{
	struct pl_err err = {0};

	if (!t->reader || !t->reader->placed)
		return;
	reader_say_error(t, reading_grown(&t->reader->list, &err), &err);
	if (t->reader->follows)
		go_end(t);
}

static void close_whole(struct reader *r)
{
	free(r->whole);
	r->whole = NULL;
	r->whole_top = 0;
}

void reader_release(struct tui *t)
{
	if (!t->reader)
		return;
	reading_release(&t->reader->list);
	expr_free(t->reader->expr);
	pattern_release(&t->reader->match);
	pattern_release(&t->reader->search);
	close_whole(t->reader);
	free(t->reader);
	t->reader = NULL;
}

/* ---- keys ---- */

void reader_move(struct tui *t, int rows)
{
	struct reader *r = t->reader;
	const struct reading_row *row;
	const int step = rows < 0 ? -1 : 1;

	if (!r)
		return;
	if (r->whole) {
		r->whole_top = r->whole_top + rows > 0 ? r->whole_top + rows : 0;
		return;
	}
	begin_reading(r);
	r->follows = false;
	const int64_t from = r->row;
	for (int64_t n = 0; n != rows && reader_row(t, r->row + step, &row) == 0; n += step)
		r->row += step;
	if (rows != step) /* a page: what is shown goes along */
		r->top += r->row - from;
}

void reader_end(struct tui *t, bool top)
{
	struct reader *r = t->reader;
	struct pl_err err = {0};

	if (!r)
		return;
	begin_reading(r);
	close_whole(r);
	r->follows = false;
	if (!top) {
		go_end(t);
		return;
	}
	reader_say_error(t, reading_go_begin(&r->list, &err), &err);
	r->row = r->top = 0;
}

void reader_follow(struct tui *t)
{
	if (!reader_of(t))
		return;
	reader_end(t, false);
	set_placed(t);
	t->reader->follows = true;
	if (!t->follows)
		tui_say(t, "the recording is complete: this is its end");
}

void reader_click(struct tui *t, int y)
{
	const struct reading_row *row;

	if (!t->reader || t->reader->whole)
		return;
	begin_reading(t->reader);
	if (reader_row(t, t->reader->top + y, &row) == 0) {
		t->reader->row = t->reader->top + y;
		t->reader->follows = false;
	}
}

bool reader_enter(struct tui *t)
{
	const struct reading_row *row;
	struct pl_err err = {0};

	if (!t->reader || reader_row(t, t->reader->row, &row))
		return false;
	t->s->frame = 0;
	int code = replay_seq(
		&t->s->replay, row->position.process, row->position.thread, row->seq, &err);
	reader_say_error(t, code, &err);
	set_placed(t);
	t->reader->follows = false;
	return code == 0;
}

/* ---- a whole row ---- */

/* What looks for a row's event needs of it. */
static struct pl_event event_of(const struct reading_row *row)
{
	return (struct pl_event){.kind = row->kind,
		.position = row->position,
		.seq = row->seq,
		.order = row->order,
		.time_ns = row->time_ns};
}

/* Its event again, for the values: a row's text may be cut. */
static void open_whole(struct tui *t, const struct reading_row *row)
{
	struct valued v = {.r = t->s->replay.r};
	const struct pl_event at = event_of(row);
	struct pl_err err = {0};
	struct pl_event e;
	int code = valued_read(&v, &at, &e, &err);

	t->reader->whole = code == 0 ? malloc(READER_WHOLE_BYTES) : NULL;
	if (t->reader->whole)
		t->o->text(t->o->context, &e, t->reader->whole, READER_WHOLE_BYTES);
	reader_say_error(t, code, &err);
	valued_release(&v);
}

void reader_whole(struct tui *t)
{
	struct reader *r = t->reader;
	const struct reading_row *row;

	if (!r)
		return;
	if (r->whole) {
		close_whole(r);
		return;
	}
	begin_reading(r);
	if (reader_row(t, r->row, &row) == 0)
		open_whole(t, row);
}

/* ---- filter and search ---- */

/* Read the list anew: the chosen row stays, or the one before it that is still shown. false:
 * nothing is shown. */
static bool reread(struct tui *t, const struct pl_event *at)
{
	struct reader *r = t->reader;
	const struct reading_row *row;

	close_whole(r);
	reading_release(&r->list);
	r->list = reading_of(t);
	go_event(t, at);
	return r->stopped || reader_row(t, r->row, &row) == 0;
}

/* Where the list is, for reread. */
static struct pl_event here(struct tui *t)
{
	const struct reading_row *row;

	begin_reading(t->reader);
	return reader_row(t, t->reader->row, &row) == 0 ? event_of(row) : t->s->replay.at;
}

void reader_match(struct tui *t, const char *text)
{
	if (!reader_of(t))
		return;
	const struct pl_event at = here(t);
	if (pattern_read(&t->reader->match, text, false, NULL))
		tui_say(t, "not a regular expression: %s", text);
	else if (!reread(t, &at))
		tui_say(t, "nothing has %s; & and Enter show all again", text);
}

/* false after saying why not. */
static bool read_filter(struct tui *t, const char *text, struct expr **expr)
{
	struct pl_recording_info info;
	struct expr_fault fault;

	*expr = NULL;
	if (!*text)
		return true;
	pl_recording_info(t->s->replay.r, &info);
	const struct when_scale scale = when_scale_of(&info);
	const struct expr_words words = {.scale = &scale};
	const int code = expr_read(expr, text, &words, &fault);
	if (code == PL_ERR_ARGUMENT)
		expr_unknown(&fault, t->s->replay.r, "", NULL);
	if (code == PL_ERR_ARGUMENT)
		tui_say(t, "filter: at column %zu: %s; & takes a regular expression", fault.column,
			fault.what);
	else if (code)
		tui_say(t, "no memory for the filter");
	return code == 0;
}

void reader_filter(struct tui *t, const char *text)
{
	struct reader *r = reader_of(t);
	char why[EXPR_NOTHING_BYTES] = "";
	struct expr *expr;

	if (!r || !read_filter(t, text, &expr))
		return;
	const struct pl_event at = here(t);
	reading_release(&r->list); /* it has the old one */
	expr_free(r->expr);
	r->expr = expr;
	snprintf(r->filter, sizeof r->filter, "%s", text);
	if (reread(t, &at))
		return;
	if (expr && expr_nothing(expr, t->s->replay.r, why, NULL) == 0 && why[0])
		tui_say(t, "%s; f and Enter show all again", why);
	else
		tui_say(t, "nothing passes the filter; f and Enter show all again");
}

/* A list of its own, of what is found, finds it without a look at rows between. */
static int find_row(struct tui *t, bool back, struct pl_event *found, struct pl_err *err)
{
	struct reading all = reading_of(t);
	const struct reading_row *row;

	all.rules.shows = is_searched;
	int code = reader_row(t, t->reader->row, &row);
	if (code == 0) {
		const struct pl_event at = event_of(row);
		code = reading_go_event(&all, &at, err);
		if (code == 0)
			code = reading_row(&all, back ? -1 : 0, &row, err);
		if (code == 0 && !back && is_row_of(row, &at))
			code = reading_row(&all, 1, &row, err);
	}
	if (code == 0)
		*found = event_of(row);
	reading_release(&all);
	return code;
}

static void search_again(struct tui *t, bool back)
{
	struct reader *r = t->reader;
	struct pl_event found;
	struct pl_err err = {0};
	const int64_t above = r->row - r->top;

	int code = find_row(t, back, &found, &err);
	reader_say_error(t, code, &err);
	if (code == PL_END) {
		tui_say(t, *t->o->interrupted ? "the search was stopped" : "%s is not found %s",
			r->search.text, back ? "above" : "below");
		*t->o->interrupted = 0;
		return;
	}
	if (code)
		return;
	r->follows = false;
	go_event(t, &found);
	r->top = r->row - (above < r->rows ? above : r->rows / 2);
}

void reader_search(struct tui *t, const char *line)
{
	struct reader *r = reader_of(t);
	const bool again = *line == ';' || *line == ',';

	if (!r)
		return;
	begin_reading(r);
	close_whole(r);
	if (!again && line[1] && pattern_read(&r->search, line + 1, false, NULL)) {
		tui_say(t, "not a regular expression: %s", line + 1);
		return;
	}
	if (!again)
		r->back = *line == '?';
	if (r->search.text)
		search_again(t, r->back != (*line == ','));
	else
		tui_say(t, "nothing was searched for yet; / begins a search");
}
