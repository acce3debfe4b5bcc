#define _GNU_SOURCE
#include "cmd/calls_text.h"

#include <stdlib.h>
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/values.h"

#define INDENT_LEVEL 2
#define INDENT_MAX   24 /* levels; deeper ones are shown by their number */
#define PATH_WIDTH   44
#define HEAD_LEAST   24 /* columns */
#define VALUE_LEAST  40 /* values_text writes nothing into less */
#define WORDS_WIDTH  16 /* of what is between the values */

/* co_flags */
#define CO_COROUTINE 0x80u

/* Of w->texts. */
enum which { FIRST_IN, FIRST_OUT, LAST_IN, LAST_OUT };
_Static_assert(LAST_OUT + 1 == CALLS_TEXTS, "a text for each");

int calls_text_init(struct calls_text *w)
{
	bool there = out_init(&w->head, -1, w->out->colour) == 0 &&
		     out_init(&w->tail, -1, w->out->colour) == 0;

	for (int i = 0; i < CALLS_TEXTS; i++) {
		w->texts[i] = calloc(1, VALUES_TEXT_BYTES);
		there &= w->texts[i] != NULL;
	}
	if (there)
		return CMD_GO;
	cmd_say("calls: no memory for its output");
	return CMD_BAD;
}

static void release_scratch(struct out *o)
{
	o->used = 0;
	if (o->bytes)
		out_release(o);
	*o = (struct out){.fd = -1};
}

void calls_text_release(struct calls_text *w)
{
	release_scratch(&w->head);
	release_scratch(&w->tail);
	for (int i = 0; i < CALLS_TEXTS; i++) {
		free(w->texts[i]);
		w->texts[i] = NULL;
	}
}

static bool is_call(const struct call_node *n)
{
	return n->begin < CALL_GAP;
}

/* ---- values ---- */

/* As the event had them, at which the node began or ended. */
static struct pl_event event_of(const struct call_node *n, enum which which)
{
	const struct call_one *one = which < LAST_IN ? &n->one : &n->to;
	const bool in = which == FIRST_IN || which == LAST_IN;

	return (struct pl_event){
		.kind = in && n->begin == CALL_CALLED ? PL_EVENT_CALL : PL_EVENT_LINE,
		.code = n->code,
		.values = in ? one->in : one->out};
}

/* None is what a plain next() sends, and what a coroutine yields that lets others run. */
static bool is_said(const struct call_node *n, enum which which, const struct pl_event *e)
{
	const bool in = which == FIRST_IN || which == LAST_IN;
	const bool waits = n->end == CALL_YIELDED && pl_code_flags(n->code) & CO_COROUTINE;

	return e->values.at &&
	       !((in ? n->begin == CALL_RESUMED : waits) && values_kind(e) == PL_VALUE_NONE);
}

static void take_text(
	struct calls_text *w, const struct call_node *n, enum which which, size_t width)
{
	const struct pl_event e = event_of(n, which);

	w->texts[which][0] = 0;
	w->lengths[which] = 0;
	if (is_said(n, which, &e))
		w->lengths[which] = values_text(&e, w->texts[which], width);
}

static bool texts_equal(const struct calls_text *w, enum which a, enum which b)
{
	return w->lengths[a] == w->lengths[b] && !memcmp(w->texts[a], w->texts[b], w->lengths[a]);
}

/* They share the room: short ones take what they need, long ones the rest in equal parts. */
static void shorten(struct calls_text *w, const struct call_node *n, size_t room)
{
	size_t left = room, many = CALLS_TEXTS, before;

	do {
		const size_t part = left / many;
		before = many;
		left = room;
		many = 0;
		for (int i = 0; i < CALLS_TEXTS; i++)
			if (w->lengths[i] > part)
				many++;
			else
				left -= w->lengths[i] < left ? w->lengths[i] : left;
	} while (many && many != before);
	for (int i = 0; i < CALLS_TEXTS; i++)
		if (many && w->lengths[i] > left / many)
			take_text(w, n, (enum which)i,
				left / many > VALUE_LEAST ? left / many : VALUE_LEAST);
}

/* room: columns for all values; SIZE_MAX: whatever they need. Those of the last call are only there
 * if they differ. */
static void take_texts(struct calls_text *w, const struct call_node *n, size_t room)
{
	for (int i = 0; i < CALLS_TEXTS; i++)
		take_text(w, n, (enum which)i, VALUES_TEXT_BYTES);
	if (!n->to.seq ||
		(texts_equal(w, FIRST_IN, LAST_IN) && texts_equal(w, FIRST_OUT, LAST_OUT)))
		w->lengths[LAST_IN] = w->lengths[LAST_OUT] = 0;
	if (room != SIZE_MAX)
		shorten(w, n, room);
}

/* ---- what is before the place ---- */

static void put_text(struct out *o, const struct calls_text *w, enum which which)
{
	out_clean(o, (struct text){.at = w->texts[which], .length = w->lengths[which]});
}

/* Of a call whose values were kept the brackets are there, even if it has no arguments. */
static void put_in(struct out *o, const struct calls_text *w, const struct call_node *n, bool last)
{
	const struct call_one *one = last ? &n->to : &n->one;
	const enum which which = last ? LAST_IN : FIRST_IN;
	const bool kept = one->in.at || one->out.at;

	if (n->begin == CALL_CALLED && kept) {
		out_char(o, '(');
		put_text(o, w, which);
		out_char(o, ')');
	} else if (n->begin == CALL_RESUMED && w->lengths[which]) {
		out_text(o, " <- ");
		put_text(o, w, which);
	} else if (n->begin == CALL_THROWN && w->lengths[which]) {
		out_char(o, ' ');
		put_text(o, w, which);
	}
}

static void put_open(struct out *o, const struct call_node *n)
{
	out_tone(o, TONE_BAD);
	out_text(o, " (not ended");
	if (n->type) {
		out_text(o, ": ");
		out_text(o, n->type);
	}
	out_char(o, ')');
	out_tone(o, TONE_PLAIN);
}

static void put_exception(
	struct out *o, const struct calls_text *w, const struct call_node *n, enum which which)
{
	out_tone(o, TONE_BAD);
	out_text(o, " !! ");
	if (w->lengths[which])
		put_text(o, w, which);
	else
		out_clean(o, text_of(n->type && n->type[0] ? n->type : "an exception"));
	out_tone(o, TONE_PLAIN);
}

static void put_out(struct out *o, const struct calls_text *w, const struct call_node *n, bool last)
{
	const enum which which = last ? LAST_OUT : FIRST_OUT;

	switch (n->end) {
	case CALL_RETURNED:
		out_text(o, w->lengths[which] ? " -> " : "");
		put_text(o, w, which);
		break;
	case CALL_YIELDED:
		out_text(o, pl_code_flags(n->code) & CO_COROUTINE ? " awaits" : " yields");
		out_text(o, w->lengths[which] ? " " : "");
		put_text(o, w, which);
		break;
	case CALL_RAISED:
		put_exception(o, w, n, which);
		break;
	case CALL_OPEN:
		put_open(o, n);
		break;
	case CALL_LEFT:
		out_text(o, " (goes to another greenlet)");
		break;
	case CALL_VANISHED:
		out_text(o, " (its end is missing)");
		break;
	default:
		break;
	}
}

static void put_gap(struct out *o, const struct call_node *n)
{
	out_tone(o, TONE_BAD);
	out_text(o, "gap: ");
	if (n->lost) {
		out_count(o, n->lost);
		out_text(o, n->lost == 1 ? " event: " : " events: ");
	}
	out_text(o, pl_gap_reason_text(n->gap));
	out_tone(o, TONE_PLAIN);
}

static void put_call(struct out *o, const struct calls_text *w, const struct call_node *n)
{
	static const char *const words[] = {[CALL_RESUMED] = " resumed",
		[CALL_THROWN] = " thrown",
		[CALL_OUTSIDE] = " (not recorded)",
		[CALL_CONTINUES] = " continues",
		[CALL_ENDS] = " ends",
		[CALL_MARK] = ""};

	out_tone(o, n->begin == CALL_OUTSIDE ? TONE_FAINT : TONE_NAME);
	out_clean(o, text_of(pl_code_name(n->code)));
	out_text(o, words[n->begin] ? words[n->begin] : "");
	out_tone(o, TONE_PLAIN);
	if (n->begin != CALL_ENDS)
		put_in(o, w, n, false);
	put_out(o, w, n, false);
	if (!w->lengths[LAST_IN] && !w->lengths[LAST_OUT])
		return;
	out_text(o, " …");
	out_text(o, n->begin == CALL_CALLED ? " " : "");
	put_in(o, w, n, true);
	put_out(o, w, n, true);
}

static void put_head(struct out *o, const struct calls_text *w, const struct call_node *n)
{
	if (n->begin == CALL_GAP) {
		put_gap(o, n);
	} else if (n->begin == CALL_MARK) {
		out_text(o, "mark ");
		out_clean(o, text_of(n->text));
	} else if (n->begin == CALL_REPEAT) {
		out_text(o, "repeated");
	} else {
		put_call(o, w, n);
	}
}

/* ---- what is behind it ---- */

/* Between two stamps no time is known: then it is less than the distance of those around. An error
 * of less than a tenth is not shown. */
static void put_time(struct out *o, const struct call_node *n)
{
	const int64_t error_ns = call_node_error(n);
	const bool known = error_ns != INT64_MAX;

	out_text(o, "  ");
	if (!n->total_ns && !known) {
		out_char(o, '?');
	} else if (!n->total_ns && error_ns) {
		out_char(o, '<');
		out_span(o, error_ns);
	} else {
		out_span(o, n->total_ns);
		if (error_ns > n->total_ns / 10) {
			out_char(o, ' ');
			out_error(o, error_ns);
		}
	}
}

static void put_task_name(struct out *o, const struct call_one *one)
{
	if (one->task_id) {
		out_char(o, ' ');
		out_u64(o, one->task_id);
	}
	if (one->task) {
		out_char(o, ' ');
		out_clean(o, text_of(one->task));
	}
}

static void put_task(struct out *o, const struct call_node *n)
{
	if (!n->one.task_id && !n->one.task)
		return;
	out_text(o, "  in task");
	put_task_name(o, &n->one);
	if (!n->to.seq || n->to.task_id == n->one.task_id)
		return;
	out_text(o, " …");
	put_task_name(o, &n->to);
}

static void put_tail(struct out *o, const struct call_node *n)
{
	if (n->count > 1) {
		out_text(o, "  × ");
		out_count(o, n->count);
	}
	out_tone(o, TONE_FAINT);
	if (is_call(n)) {
		out_text(o, "  ");
		out_path(o, pl_code_file(n->code), PATH_WIDTH);
		if (n->line > 0) {
			out_char(o, ':');
			out_i64(o, n->line);
		}
	}
	if (is_call(n) || n->begin == CALL_REPEAT)
		put_time(o, n);
	out_text(o, "  #");
	out_u64(o, n->one.seq);
	put_task(o, n);
	if (n->below) {
		out_text(o, "  +");
		out_count(o, n->below);
		out_text(o, " below");
	}
	out_tone(o, TONE_PLAIN);
}

/* ---- the line ---- */

static void put_indent(struct out *o, uint32_t level)
{
	const unsigned fifth = o->columns / 5 / INDENT_LEVEL;
	const uint32_t most = o->columns && fifth < INDENT_MAX ? fifth : INDENT_MAX;

	out_spaces(o, (size_t)(level < most ? level : most) * INDENT_LEVEL);
	if (level <= most)
		return;
	out_tone(o, TONE_FAINT);
	out_char(o, '[');
	out_u64(o, level);
	out_text(o, "] ");
	out_tone(o, TONE_PLAIN);
}

/* A part of a line, cut at the columns that it has. */
static void begin_part(struct out *o, const struct out *line, size_t columns)
{
	o->used = 0;
	o->error = 0;
	o->here = line->here;
	o->columns = (unsigned)columns;
	out_line(o);
}

static void end_part(struct out *o, struct out *line)
{
	out_line_end(o);
	out_put(line, o->bytes, o->used ? o->used - 1 : 0);
	o->here = NULL;
}

/* Most lines are short, which their bytes show: these need no measuring. */
static bool write_short(struct calls_text *w, const struct call_node *n)
{
	struct out *o = w->out;

	take_texts(w, n, SIZE_MAX);
	out_line(o);
	put_indent(o, n->level);
	put_head(o, w, n);
	put_tail(o, n);
	const bool fits = o->used - o->line <= o->columns;
	if (!fits)
		o->used = o->line;
	else
		out_char(o, '\n');
	o->in_line = false;
	return fits;
}

/* What is behind is measured first; the head has the rest. */
static void write_cut(struct calls_text *w, const struct call_node *n)
{
	struct out *o = w->out;
	const size_t whole = o->columns;

	begin_part(&w->tail, o, whole);
	put_tail(&w->tail, n);
	out_line(o);
	put_indent(o, n->level);
	const size_t behind = whole - out_line_left(&w->tail), left = out_line_left(o);
	const size_t room = left > behind + HEAD_LEAST ? left - behind : HEAD_LEAST;
	const size_t name = n->code ? text_width(pl_code_name(n->code)) : 0;
	take_texts(w, n, room > name + WORDS_WIDTH ? room - name - WORDS_WIDTH : 0);
	begin_part(&w->head, o, room);
	put_head(&w->head, w, n);
	end_part(&w->head, o);
	end_part(&w->tail, o);
	out_line_end(o);
}

static void write_whole(struct calls_text *w, const struct call_node *n)
{
	take_texts(w, n, SIZE_MAX);
	out_line(w->out);
	put_indent(w->out, n->level);
	put_head(w->out, w, n);
	put_tail(w->out, n);
	out_line_end(w->out);
}

/* ---- JSON ---- */

static void json_number(struct json *j, const char *key, int64_t number, bool known)
{
	if (known)
		json_i64(j, key, number);
	else
		json_null(j, key);
}

static void json_values(struct json *j, const struct call_node *n, bool last)
{
	const struct pl_event in = event_of(n, last ? LAST_IN : FIRST_IN);
	const struct pl_event out = event_of(n, last ? LAST_OUT : FIRST_OUT);

	if (n->begin == CALL_CALLED)
		values_json_all(j, last ? "last_args" : "args", &in);
	else if (n->begin == CALL_RESUMED)
		values_json_one(j, last ? "last_sent" : "sent", &in);
	if (n->end == CALL_RAISED)
		values_json_one(j, last ? "last_exception" : "exception", &out);
	else
		values_json_one(j, last ? "last_result" : "result", &out);
}

static void json_place(struct json *j, const struct call_node *n)
{
	json_text(j, "file", n->code ? pl_code_file(n->code) : NULL);
	json_number(j, "first", n->code ? pl_code_first_line(n->code) : 0, n->code);
	json_text(j, "code", n->code ? pl_code_name(n->code) : NULL);
	json_i64(j, "line", n->line);
	json_number(j, "caller", n->caller_line, n->caller_line > 0);
	json_u64(j, "depth", n->depth);
	json_u64(j, "level", n->level);
}

static void write_json(struct calls_text *w, const struct call_node *n)
{
	struct json j = {.out = w->out};

	json_line(&j, "call");
	json_u64(&j, "process", w->process->number);
	json_u64(&j, "pid", w->process->pid);
	json_u64(&j, "thread", w->thread->number);
	json_text(&j, "name", w->thread->name);
	json_u64(&j, "seq", n->one.seq);
	json_text(&j, "begin", call_begin_word(n->begin));
	json_text(&j, "end", call_end_word(n->end));
	json_place(&j, n);
	json_u64(&j, "count", n->count);
	json_number(&j, "last_seq", (int64_t)n->to.seq, n->to.seq);
	json_u64(&j, "below", n->below);
	json_moment(&j, "time", n->begin_ns);
	json_i64(&j, "total_ns", n->total_ns);
	json_number(&j, "error_ns", call_node_error(n), n->latest_ns != INT64_MAX);
	json_number(
		&j, "most_ns", units_between(n->begin_ns, n->latest_ns), n->latest_ns != INT64_MAX);
	json_text(&j, "type", n->begin == CALL_MARK ? n->text : n->type);
	json_number(&j, "lost", (int64_t)n->lost, n->begin == CALL_GAP);
	json_text(&j, "task", n->one.task);
	json_number(&j, "task_id", (int64_t)n->one.task_id, n->one.task_id);
	json_u64(&j, "generator", n->generator);
	json_values(&j, n, false);
	if (n->to.seq)
		json_values(&j, n, true);
	json_line_end(&j);
}

void calls_text_write(struct calls_text *w, const struct call_node *n)
{
	if (w->json)
		write_json(w, n);
	else if (!w->out->columns)
		write_whole(w, n);
	else if (!write_short(w, n))
		write_cut(w, n);
}
