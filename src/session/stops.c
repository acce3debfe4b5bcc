#include "session/stops.h"

#include <stdlib.h>
#include <string.h>
#include "base/thrown.h"
#include "expr/match.h"
#include "session/writes.h"
#include "session/condition.h"

bool stop_names(const char *whole, const char *part, char separator)
{
	return match_is_end(whole, separator, (struct pl_text){.at = part, .length = strlen(part)});
}

struct stop *stops_add(struct stops *s, enum stop_kind kind, const char *name, int32_t line)
{
	if (s->count == STOPS_MAX || strlen(name) >= STOP_NAME_MAX)
		return NULL;
	struct stop *stop = &s->rows[s->count++];
	*stop = (struct stop){.number = ++s->last, .kind = kind, .line = line};
	memcpy(stop->name, name, strlen(name) + 1);
	return stop;
}

bool stops_clear(struct stops *s, uint32_t number)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].number == number) {
			expr_free(s->rows[i].expr);
			memmove(&s->rows[i], &s->rows[i + 1], (s->count - i - 1) * sizeof *s->rows);
			s->count--;
			return true;
		}
	return false;
}

void stops_empty(struct stops *s)
{
	for (size_t i = 0; i < s->count; i++)
		expr_free(s->rows[i].expr);
	s->count = 0;
}

void stops_release(struct stops *s)
{
	stops_empty(s);
	bindings_release(&s->bindings);
	map_release(&s->has_line);
}

struct stop *stops_find_if(
	struct stops *s, enum stop_kind kind, const char *name, int32_t line, const char *condition)
{
	for (size_t i = 0; i < s->count; i++) {
		struct stop *one = &s->rows[i];
		bool same = !strcmp(one->name, name) ||
			    (kind == STOP_LINE && (stop_names(one->name, name, '/') ||
							  stop_names(name, one->name, '/')));
		if (one->kind == kind && one->line == line && same &&
			(!condition || !strcmp(one->condition, condition)))
			return one;
	}
	return NULL;
}

struct stop *stops_find(struct stops *s, enum stop_kind kind, const char *name, int32_t line)
{
	return stops_find_if(s, kind, name, line, NULL);
}

bool stops_one_function(const struct pl_code *a, const struct pl_code *b)
{
	return a == b || (pl_code_first_line(a) == pl_code_first_line(b) &&
				 !strcmp(pl_code_file(a), pl_code_file(b)) &&
				 !strcmp(pl_code_name(a), pl_code_name(b)));
}

struct stop *stops_find_write(struct stops *s, const char *name, const struct pl_code *code)
{
	for (size_t i = 0; i < s->count; i++) {
		struct stop *one = &s->rows[i];
		if (one->kind == STOP_WRITE && !strcmp(one->name, name) &&
			stops_one_function(one->code, code))
			return one;
	}
	return NULL;
}

bool stops_need_values(const struct stops *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].kind == STOP_WRITE || s->rows[i].expr)
			return true;
	return false;
}

/* ---- for searches ---- */

/* UNWIND and THROW are among those of a raise, because stops_match needs to see where an exception
 * comes from. */
static const uint32_t kinds_of[] = {
	[STOP_LINE] = 1u << PL_EVENT_LINE,
	[STOP_CALL] = 1u << PL_EVENT_CALL,
	[STOP_ENTRY] = 1u << PL_EVENT_CALL | 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW,
	[STOP_RAISE] = 1u << PL_EVENT_RAISE | 1u << PL_EVENT_UNWIND | 1u << PL_EVENT_THROW,
	/* all that can have variables */
	[STOP_WRITE] = 1u << PL_EVENT_LINE | 1u << PL_EVENT_AGAIN | 1u << PL_EVENT_RETURN |
		       1u << PL_EVENT_YIELD | 1u << PL_EVENT_RAISE | 1u << PL_EVENT_RERAISE |
		       1u << PL_EVENT_HANDLED | 1u << PL_EVENT_UNWIND,
};

uint32_t stops_write_kinds(void)
{
	return kinds_of[STOP_WRITE];
}

/* A hit of a line is a pass of it. */
static uint32_t stop_kinds(const struct stop *s)
{
	const bool passes = s->kind == STOP_LINE && s->hits;

	return kinds_of[s->kind] | (passes ? 1u << PL_EVENT_AGAIN : 0);
}

/* Are all events of the stop's code put into the bindings? Of a call the event itself has all, and
 * exceptions can arise anywhere: there the frame is gone back in. */
static bool stop_follows(const struct stop *s)
{
	const bool many = s->kind == STOP_LINE || s->kind == STOP_ENTRY || s->kind == STOP_WRITE;

	return many && !s->hits && condition_needs_frames(s->expr);
}

uint32_t stops_kinds(const struct stops *s)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < s->count; i++) {
		kinds |= s->rows[i].hits ? 0 : kinds_of[s->rows[i].kind];
		kinds |= stop_follows(&s->rows[i]) ? bindings_kinds(!s->no_lines) : 0;
	}
	return kinds;
}

/* Is there a stop for such a row, as far as code, line, and kind say? */
static bool row_may_stop(const struct stop *s, const struct pl_count *row)
{
	if (!(stop_kinds(s) >> row->kind & 1))
		return false;
	if (s->expr && row->kind != PL_EVENT_UNWIND && row->kind != PL_EVENT_THROW &&
		!expr_may(s->expr, EXPR_OF_FRAME, row))
		return false;
	if (s->kind == STOP_RAISE)
		return true;
	if (!row->code)
		return false;
	if (s->kind == STOP_WRITE)
		return stops_one_function(row->code, s->code);
	return s->kind == STOP_LINE
		       ? row->line == s->line && stop_names(pl_code_file(row->code), s->name, '/')
		       : stop_names(pl_code_name(row->code), s->name, '.');
}

static bool find_line(const struct pl_code *code, int32_t line)
{
	const size_t count = pl_code_lines(code, NULL, 0);
	int32_t *lines = calloc(count + 1, sizeof *lines);
	bool found = !lines; /* without memory: it may have it */

	for (size_t i = 0; lines && i < pl_code_lines(code, lines, count) && !found; i++)
		found = lines[i] == line;
	free(lines);
	return found;
}

/* Asked again and again of the same codes. Without memory it is only slower. */
static bool code_has_line(struct stops *s, const struct stop *one, const struct pl_code *code)
{
	uint64_t *known = map_put(&s->has_line, (uint64_t)(uintptr_t)code << 16 ^ one->number);

	if (known && *known)
		return *known == 1;
	const bool has =
		stop_names(pl_code_file(code), one->name, '/') && find_line(code, one->line);
	if (known)
		*known = has ? 1 : 2;
	return has;
}

/* Is such an event put into the bindings, because of this stop? */
static bool row_is_followed(struct stops *s, const struct stop *one, const struct pl_count *row)
{
	if (!stop_follows(one) || !(bindings_kinds(!s->no_lines) >> row->kind & 1))
		return false;
	if (row->kind == PL_EVENT_GAP)
		return true;
	if (!row->code || !expr_may_code(one->expr, EXPR_OF_FRAME, row->code))
		return false;
	return one->kind == STOP_LINE	 ? code_has_line(s, one, row->code)
	       : one->kind == STOP_WRITE ? stops_one_function(row->code, one->code)
					 : stop_names(pl_code_name(row->code), one->name, '.');
}

static bool is_followed(struct stops *s, const struct pl_count *row)
{
	for (size_t i = 0; i < s->count; i++)
		if (row_is_followed(s, &s->rows[i], row))
			return true;
	return false;
}

bool stops_may(struct stops *s, const struct pl_count *row)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->rows[i].hits && row_may_stop(&s->rows[i], row))
			return true;
	return is_followed(s, row);
}

int stops_begin(struct stops *s, const struct path *p, uint64_t seq)
{
	int code = 0;

	s->unwound.seq = UINT64_MAX;
	s->begin = seq;
	s->bindings.r = p->r;
	s->bindings.stop = p->stop;
	bindings_begin(&s->bindings);
	for (size_t i = 0; i < s->count && code == 0; i++)
		if (condition_needs_frames(s->rows[i].expr))
			code = condition_begin(s->rows[i].expr, &s->bindings);
	return code;
}

/* A thread's events are counted in this many pieces, so that counting can be interrupted. */
#define PIECES 64
/* A piece this small is visited event by event. */
#define PIECE_LEAST 65536u

/* Counts the hits of a stop from where the cursor is. Nothing is owned. */
struct hit_counter {
	const struct stop *stop;
	struct pl_recording *r;
	struct pl_cursor *c;
};

/* The number of the stop's lines that ran up to `to`. */
static int count_stop_hits(
	const struct hit_counter *h, uint64_t to, uint64_t *hits, struct pl_err *err)
{
	struct pl_count_table table = {0};
	struct pl_counts *counts = NULL;
	int code = pl_counts_new(&counts, h->r, err);

	*hits = 0;
	if (code == 0)
		code = pl_cursor_count_to_seq(h->c, counts, to, err);
	if (code == 0)
		code = pl_counts_table(counts, &table, err);
	for (size_t i = 0; i < table.count; i++)
		*hits += row_may_stop(h->stop, &table.rows[i]) ? table.rows[i].events : 0;
	pl_counts_free(counts);
	return code;
}

/* The piece of *in that has the hit, into *in; *left: which of the piece's hits it is, 0: no piece
 * has it. */
static int find_piece(
	const struct stop *s, struct path *p, struct seqs *in, uint64_t *left, struct pl_err *err)
{
	const uint64_t piece = (in->to - in->from) / PIECES + 1, end = in->to;
	struct pl_cursor *c = NULL;
	uint64_t hits;
	bool found = false;
	int code = pl_cursor_new(&c, p->r, p->process, p->thread, err);

	if (code == 0)
		code = pl_cursor_seek_seq(c, in->from, err);
	for (in->to = in->from; code == 0 && !found && in->to < end && !path_stopped(p);) {
		in->from = in->to;
		in->to = end - in->from > piece ? in->from + piece : end;
		code = count_stop_hits(&(struct hit_counter){s, p->r, c}, in->to, &hits, err);
		found = hits >= *left;
		*left -= found ? 0 : hits;
	}
	pl_cursor_free(c);
	if (code == 0 && !found)
		*left = 0;
	return code;
}

static bool may_of_one(void *context, const struct pl_count *row)
{
	return row_may_stop(context, row);
}

/* The piece is small: each of its hits is visited, up to the one that is wanted. */
static int visit_piece(
	struct stop *s, struct path *p, uint64_t from, uint64_t left, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = p->process,
		.thread = p->thread,
		.kinds = stop_kinds(s),
		.may = may_of_one,
		.context = s,
		.stop = p->stop};
	struct pl_search *search = NULL;
	struct pl_event e = {0};
	int code = pl_search_new(&search, p->r, &wanted, err);

	for (; code == 0 && left; left--, from = e.seq + 1)
		code = pl_search_next(search, from, UINT64_MAX, &e, err);
	if (code == 0)
		s->hit_seq = e.seq;
	pl_search_free(search);
	return code;
}

/* The K-th hit of a line can be anywhere in a thread of a billion events. Counting is much quicker
 * than visiting, so the thread is counted in pieces, then the piece with the hit in smaller ones,
 * until one is small enough to be visited. The result is kept with the stop: it does not depend on
 * the position. */
static int find_hit(struct stop *s, struct path *p, struct pl_err *err)
{
	const struct pl_thread *t = pl_recording_thread(p->r, p->process, p->thread);
	const uint64_t first = t ? t->first_seq : 0;
	struct seqs in = {.from = first, .to = first + (t ? t->events : 0)};
	uint64_t left = s->hits;
	int code = 0;

	s->process = p->process;
	s->thread = p->thread;
	s->hit_seq = UINT64_MAX;
	while (code == 0 && left && in.to - in.from > PIECE_LEAST && !path_stopped(p))
		code = find_piece(s, p, &in, &left, err);
	if (code == 0 && left && !path_stopped(p))
		code = visit_piece(s, p, in.from, left, err);
	s->known = code >= 0 && !path_stopped(p);
	return code < 0 ? code : 0;
}

int stops_hit(
	struct stops *s, struct path *p, const struct seqs *in, uint64_t *seq, struct pl_err *err)
{
	int code = 0;

	*seq = UINT64_MAX;
	for (size_t i = 0; i < s->count && code == 0; i++) {
		struct stop *one = &s->rows[i];
		bool known = one->known && one->process == p->process && one->thread == p->thread;
		if (!one->hits)
			continue;
		code = known ? 0 : find_hit(one, p, err);
		bool inside = one->hit_seq != UINT64_MAX && one->hit_seq >= in->from &&
			      one->hit_seq < in->to;
		if (inside && (*seq == UINT64_MAX || (one->hit_seq > *seq) == in->back))
			*seq = one->hit_seq;
	}
	return code;
}

/* ---- does it stop here? ---- */

/* An exception that leaves an awaited coroutine is thrown into the one that awaits. */
static bool exception_goes_on(const struct stops *s, const struct pl_event *e)
{
	return thrown_goes_on(s->unwound.seq, s->unwound.depth, e);
}

/* Did the exception arrive from a frame above? A part of the path begins where the search does, or
 * a block does: then what was before is read. */
static int arrived(struct stops *s, struct path *p, const struct pl_event *e, bool *from_above,
	struct pl_err *err)
{
	const uint32_t depth = e->depth;
	const struct pl_event *before;

	*from_above = exception_goes_on(s, e);
	const bool at_begin = e->seq == s->begin || e->seq == s->begin + 1;
	if (*from_above || (!at_begin && e->position.event > 1))
		return 0;
	int code = path_before(p, e->seq, &before, err);
	if (code == 0 && before->kind == PL_EVENT_THROW && before->depth == depth)
		code = path_before(p, before->seq, &before, err);
	*from_above = code == 0 && before->kind == PL_EVENT_UNWIND && before->depth == depth + 1;
	return code < 0 ? code : 0;
}

/* An exception that arrives from a callee, or from what is awaited, was raised there. */
static int match_raise(const struct stop *stop, struct stops *s, struct path *p,
	const struct pl_event *e, struct pl_err *err)
{
	bool from_above;

	if (e->kind != PL_EVENT_RAISE ||
		(stop->name[0] && !(e->type && stop_names(e->type, stop->name, '.'))))
		return PL_END;
	int code = arrived(s, p, e, &from_above, err);
	return code ? code : from_above ? PL_END : 0;
}

/* The event has its variables. */
static int match_write(
	const struct stop *stop, struct path *p, const struct pl_event *e, struct pl_err *err)
{
	struct variables v = {.r = p->r, .stop = p->stop};
	const int code = write_is_shown(&v, e, stop->name, err);

	variables_release(&v);
	return code;
}

/* Is its condition true here? followed: the event was put into the bindings. */
static int match_condition(struct stop *stop, struct stops *s, const struct pl_event *e,
	bool followed, struct pl_err *err)
{
	int code = stop->expr ? condition_is_met(stop->expr, &s->bindings, e, followed, err) : 0;

	if (code == 0)
		stop->met_seq = e->seq;
	return code;
}

static int match_stop(struct stop *stop, struct stops *s, struct path *p, const struct pl_event *e,
	struct pl_err *err)
{
	return stop->kind == STOP_RAISE	  ? match_raise(stop, s, p, e, err)
	       : stop->kind == STOP_WRITE ? match_write(stop, p, e, err)
					  : 0;
}

int stops_match(struct stops *s, struct path *p, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event at = *e;
	const struct pl_count row = {.code = at.code, .line = at.line, .kind = at.kind};
	const bool followed = is_followed(s, &row);
	int code = followed ? bindings_put(&s->bindings, &at) : 0;

	if (code)
		return pl_err_cause(err, code, "no memory for the variables of a frame");
	code = PL_END;
	for (size_t i = 0; i < s->count && code == PL_END; i++) {
		struct stop *one = &s->rows[i];
		if (one->hits || !row_may_stop(one, &row))
			continue;
		code = match_stop(one, s, p, &at, err);
		if (code == 0)
			code = match_condition(one, s, &at, followed, err);
	}
	if (at.kind == PL_EVENT_UNWIND) {
		s->unwound.seq = at.seq;
		s->unwound.depth = at.depth;
	} else if (at.kind == PL_EVENT_THROW && exception_goes_on(s, &at)) {
		s->unwound.seq = at.seq;
	}
	return code;
}

static bool is_reached(const struct stop *s, const struct pl_event *e)
{
	const struct pl_count row = {.code = e->code, .line = e->line, .kind = e->kind};

	if (s->hits)
		return s->known && s->hit_seq == e->seq && s->process == e->position.process &&
		       s->thread == e->position.thread;
	return row_may_stop(s, &row) && (!s->expr || s->met_seq == e->seq);
}

size_t stops_arrive(struct stops *s, const struct pl_event *e)
{
	size_t removed = 0;

	for (size_t i = s->count; i-- > 0;)
		if (s->rows[i].once && is_reached(&s->rows[i], e))
			removed += stops_clear(s, s->rows[i].number);
	return removed;
}
