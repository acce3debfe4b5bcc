/* Is what pl_cursor_count counts what a visit to each event counts, and does a seek come to the
 * place to which a visit comes?
 *
 *	counts_compare(&t, r, seed)    NULL: all is the same; else what is not
 *
 * Of each thread and of each process as a whole: in one go; in pieces, cut at times by chance, with
 * some events visited in between; and after seeks. Of long paths only the first COUNTS_EVENTS
 * events are compared by seeking.
 */
#ifndef TEST_COUNTS_H
#define TEST_COUNTS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "pathline/pathline.h"
#include "tests/lib/random.h"

#define COUNTS_EVENTS 100000
#define COUNTS_PIECES 6
#define COUNTS_SEEKS  12

struct counts_tally {
	struct pl_map codes, rows; /* address -> number; number, line, kind -> events */
};

struct counts_test {
	struct pl_recording *r;
	struct random random;
	uint32_t process, thread;
	struct pl_event *events; /* owned: of the thread, as visited */
	size_t count;
	bool all; /* events are all that there are */
	struct counts_tally tally;
	uint64_t visited; /* in all */
	char what[300];
};

static inline void counts_fail(struct counts_test *t, const char *what, uint64_t a, uint64_t b)
{
	if (!t->what[0])
		snprintf(t->what, sizeof t->what,
			"process %" PRIu32 ", thread %" PRId32 ": %s: %" PRIu64 ", not %" PRIu64,
			t->process, (int32_t)t->thread, what, a, b);
}

/* ---- tallies ---- */

static inline uint64_t *counts_place(struct counts_tally *t, const struct pl_count *row)
{
	uint64_t *number = map_put(&t->codes, (uintptr_t)row->code);

	if (!*number)
		*number = t->codes.used;
	return map_put(
		&t->rows, *number << 36 | (uint64_t)(uint32_t)row->line << 4 | (uint64_t)row->kind);
}

static inline void counts_add(struct counts_tally *t, const struct pl_event *e)
{
	++*counts_place(t, &(struct pl_count){.code = e->code, .line = e->line, .kind = e->kind});
}

static inline void counts_release(struct counts_tally *t)
{
	map_release(&t->codes);
	map_release(&t->rows);
}

/* The table, and what was visited beside it, against the tally. */
static inline void counts_table(struct counts_test *t, struct pl_counts *counts,
	const struct counts_tally *beside, const char *what)
{
	struct pl_count_table table;
	struct counts_tally all = {0};
	uint64_t totals[PL_EVENT_KIND_COUNT] = {0};

	if (pl_counts_table(counts, &table, NULL))
		counts_fail(t, "no table", 0, 0);
	for (size_t i = 0; i < table.count; i++) {
		*counts_place(&all, &table.rows[i]) += table.rows[i].events;
		totals[table.rows[i].kind] += table.rows[i].events;
	}
	if (memcmp(totals, table.totals, sizeof totals) != 0)
		counts_fail(t, "totals are not those of the rows", 0, 0);
	for (size_t c = 0; c < t->tally.codes.room; c++) {
		const struct pl_map_slot *code = &t->tally.codes.slots[c];
		if (!code->used)
			continue;
		const uint64_t *number = map_find(&all.codes, code->key);
		const uint64_t *more = map_find(&beside->codes, code->key);
		for (size_t i = 0; i < t->tally.rows.room; i++) {
			const struct pl_map_slot *row = &t->tally.rows.slots[i];
			if (!row->used || row->key >> 36 != code->value)
				continue;
			const uint64_t place = row->key & ((UINT64_C(1) << 36) - 1);
			uint64_t *a = number ? map_find(&all.rows, *number << 36 | place) : NULL;
			const uint64_t *b =
				more ? map_find(&beside->rows, *more << 36 | place) : NULL;
			uint64_t found = (a ? *a : 0) + (b ? *b : 0);
			if (found != row->value)
				counts_fail(t, what, found, row->value);
			if (a)
				*a = 0; /* so that what is left is too much */
		}
	}
	for (size_t i = 0; i < all.rows.room; i++)
		if (all.rows.slots[i].used && all.rows.slots[i].value)
			counts_fail(t, "a row of nothing", all.rows.slots[i].value, 0);
	counts_release(&all);
}

/* ---- visits ---- */

static inline struct pl_cursor *counts_cursor(struct counts_test *t)
{
	struct pl_cursor *c = NULL;

	pl_cursor_new(&c, t->r, t->process, t->thread, NULL);
	return c;
}

static inline void counts_visit(struct counts_test *t)
{
	struct pl_cursor *c = counts_cursor(t);
	struct pl_event e;

	counts_release(&t->tally);
	t->count = 0;
	t->all = true;
	while (c && pl_cursor_next(c, &e, NULL) == 0) {
		counts_add(&t->tally, &e);
		t->visited++;
		if (t->count < COUNTS_EVENTS)
			t->events[t->count++] = e;
		else
			t->all = false;
	}
	pl_cursor_free(c);
}

static inline const struct pl_event *counts_any(struct counts_test *t)
{
	return &t->events[random_below(&t->random, (uint32_t)t->count)];
}

static inline void counts_whole(struct counts_test *t)
{
	struct pl_cursor *c = counts_cursor(t);
	struct pl_counts *counts = NULL;
	struct pl_event e;

	if (!c || pl_counts_new(&counts, t->r, NULL) || pl_cursor_count(c, counts, INT64_MAX, NULL))
		counts_fail(t, "it could not be counted", 0, 0);
	else
		counts_table(t, counts, &(struct counts_tally){0}, "events of a row");
	if (c && pl_cursor_next(c, &e, NULL) != PL_END)
		counts_fail(t, "events after the end", e.seq, 0);
	pl_counts_free(counts);
	pl_cursor_free(c);
}

static inline int counts_by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Count up to times by chance, visit some events after each, count on. */
static inline void counts_pieces(struct counts_test *t)
{
	struct pl_cursor *c = counts_cursor(t), *other = counts_cursor(t);
	struct counts_tally beside = {0};
	struct pl_counts *counts = NULL;
	int64_t cuts[COUNTS_PIECES];
	struct pl_event e, there;

	if (!c || !other || !t->count || pl_counts_new(&counts, t->r, NULL))
		goto done;
	for (int i = 0; i < COUNTS_PIECES; i++)
		cuts[i] = counts_any(t)->time_ns + (int64_t)random_below(&t->random, 2);
	qsort(cuts, COUNTS_PIECES, sizeof *cuts, counts_by_number);
	for (int i = 0; i < COUNTS_PIECES; i++) {
		if (pl_cursor_count(c, counts, cuts[i], NULL))
			counts_fail(t, "a piece could not be counted", 0, 0);
		uint32_t some = random_below(&t->random, 4);
		for (uint32_t k = 0; k < some && pl_cursor_next(c, &e, NULL) == 0; k++) {
			counts_add(&beside, &e);
			if (t->thread == PL_ALL_THREADS || k)
				continue;
			/* Times before the cut are those of what was visited after the last
			 * one. */
			if (e.time_ns < cuts[i] && e.kind != PL_EVENT_GAP)
				counts_fail(t, "it stands too early", (uint64_t)e.time_ns,
					(uint64_t)cuts[i]);
			if (pl_cursor_seek_time(other, cuts[i], NULL) == 0 &&
				pl_cursor_next(other, &there, NULL) == 0 && there.seq > e.seq)
				counts_fail(t, "it stands before where a seek comes to", e.seq,
					there.seq);
		}
	}
	pl_cursor_count(c, counts, INT64_MAX, NULL);
	counts_table(t, counts, &beside, "events of a row, counted in pieces");
done:
	counts_release(&beside);
	pl_counts_free(counts);
	pl_cursor_free(c);
	pl_cursor_free(other);
}

/* ---- seeks ---- */

static inline bool counts_same(const struct pl_event *a, const struct pl_event *b)
{
	return a->kind == b->kind && a->seq == b->seq && a->code == b->code && a->line == b->line &&
	       a->depth == b->depth && a->offset == b->offset && a->time_ns == b->time_ns &&
	       a->order == b->order && a->order_from == b->order_from &&
	       a->generator == b->generator && a->greenlet == b->greenlet &&
	       a->time_error_ns == b->time_error_ns && a->caller_line == b->caller_line &&
	       !memcmp(&a->position, &b->position, sizeof a->position);
}

/* Gaps of the way there are not given, so the first other events are compared, and some after
 * them. */
static inline void counts_arrive(
	struct counts_test *t, struct pl_cursor *c, size_t i, const char *what)
{
	struct pl_event e;

	for (int k = 0; k < 5; k++) {
		while (i < t->count && t->events[i].kind == PL_EVENT_GAP)
			i++;
		int code;
		while ((code = pl_cursor_next(c, &e, NULL)) == 0 && e.kind == PL_EVENT_GAP)
			;
		if (i >= t->count) {
			if (t->all && code != PL_END)
				counts_fail(t, what, e.seq, UINT64_MAX);
			return;
		}
		if (code)
			counts_fail(t, what, UINT64_MAX, t->events[i].seq);
		else if (!counts_same(&e, &t->events[i]))
			counts_fail(t, what, e.seq, t->events[i].seq);
		i++;
	}
}

static inline bool counts_is_sure(const struct pl_event *e)
{
	return e->kind != PL_EVENT_GAP && e->kind != PL_EVENT_POSSIBLE;
}

static inline void counts_seeks(struct counts_test *t)
{
	struct pl_cursor *c = counts_cursor(t);

	for (int n = 0; c && n < COUNTS_SEEKS && t->count; n++) {
		const struct pl_event *e = counts_any(t);
		size_t i = 0;
		if (!counts_is_sure(e))
			continue;
		while (!counts_is_sure(&t->events[i]) || t->events[i].seq < e->seq)
			i++;
		pl_cursor_seek_seq(c, e->seq, NULL);
		counts_arrive(t, c, i, "seeking a seq");
		pl_cursor_seek_position(c, &e->position, NULL);
		counts_arrive(t, c, i, "seeking a position");
		for (i = 0; !counts_is_sure(&t->events[i]) || t->events[i].time_ns < e->time_ns;)
			i++;
		pl_cursor_seek_time(c, e->time_ns, NULL);
		counts_arrive(t, c, i, "seeking a time");
	}
	pl_cursor_free(c);
}

/* ---- all ---- */

static inline void counts_cursor_kinds(struct counts_test *t, uint32_t thread)
{
	t->thread = thread;
	counts_visit(t);
	counts_whole(t);
	counts_pieces(t);
	if (thread != PL_ALL_THREADS)
		counts_seeks(t);
}

static inline const char *counts_compare(
	struct counts_test *t, struct pl_recording *r, uint64_t seed)
{
	*t = (struct counts_test){.r = r, .random = {.state = seed}};
	t->events = calloc(COUNTS_EVENTS, sizeof *t->events);
	for (uint32_t i = 0; t->events && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		t->process = p->number;
		counts_cursor_kinds(t, PL_ALL_THREADS);
		for (uint32_t n = 0; n < p->thread_count; n++)
			if (pl_recording_thread(r, p->number, n))
				counts_cursor_kinds(t, n);
	}
	counts_release(&t->tally);
	free(t->events);
	return t->what[0] ? t->what : NULL;
}

#endif
