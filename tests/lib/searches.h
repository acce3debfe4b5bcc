/* Does a search find what a visit to each event finds, both ways, and does it pass over deeper
 * frames only?
 *
 *	searches_compare(&t, r, seed)    NULL: all is the same; else what is not
 *
 * Of each thread: events like ones of it drawn by chance, looked for from places drawn by chance.
 */
#ifndef TEST_SEARCHES_H
#define TEST_SEARCHES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "pathline/pathline.h"
#include "tests/lib/random.h"

#define SEARCHES_EVENTS 100000
#define SEARCHES_EACH	12
#define SEARCHES_PLACES 6

struct searches_test {
	struct random random;
	uint32_t process, thread;
	struct pl_event *events; /* owned */
	size_t count;
	struct pl_event like;
	char what[300];
};

static inline void searches_fail(struct searches_test *t, const char *what, uint64_t seq)
{
	if (!t->what[0])
		snprintf(t->what, sizeof t->what,
			"process %" PRIu32 ", thread %" PRIu32 ": %s at #%" PRIu64
			", looking for %s line %" PRId32,
			t->process, t->thread, what, seq, pl_event_kind_name(t->like.kind),
			t->like.line);
}

static inline bool searches_may(void *context, const struct pl_count *row)
{
	const struct searches_test *t = context;

	return row->code == t->like.code && row->line == t->like.line && row->kind == t->like.kind;
}

/* By chance in part: of what may be it is each second one. */
static inline int searches_is(void *context, const struct pl_event *e)
{
	const struct searches_test *t = context;

	return (e->seq ^ t->like.seq) & 1 ? PL_END : 0;
}

static inline bool searches_same(const struct searches_test *t, const struct pl_event *e)
{
	return searches_may((void *)t,
		       &(struct pl_count){.code = e->code, .line = e->line, .kind = e->kind}) &&
	       searches_is((void *)t, e) == 0;
}

/* Seq of the event that a visit finds; UINT64_MAX: none. */
static inline uint64_t searches_visit(
	const struct searches_test *t, uint64_t seq, uint64_t end, bool back)
{
	uint64_t found = UINT64_MAX;

	for (size_t i = 0; i < t->count; i++) {
		const struct pl_event *e = &t->events[i];
		if (!searches_same(t, e) || (back ? e->seq >= seq : e->seq < seq || e->seq >= end))
			continue;
		found = e->seq;
		if (!back)
			break;
	}
	return found;
}

static inline void searches_try(
	struct searches_test *t, struct pl_search *s, uint64_t seq, uint64_t end)
{
	struct pl_event e;
	int code = pl_search_next(s, seq, end, &e, NULL);

	if ((code == 0 ? e.seq : UINT64_MAX) != searches_visit(t, seq, end, false) ||
		(code == 0 && !searches_same(t, &e)))
		searches_fail(t, "forwards", seq);
	code = pl_search_previous(s, seq, 0, &e, NULL);
	if ((code == 0 ? e.seq : UINT64_MAX) != searches_visit(t, seq, end, true) ||
		(code == 0 && !searches_same(t, &e)))
		searches_fail(t, "backwards", seq);
}

static inline void searches_shallow(
	struct searches_test *t, struct pl_search *s, uint64_t seq, uint32_t depth, bool back)
{
	const uint64_t last = t->events[t->count - 1].seq + 1;
	uint64_t at = seq;
	int code = pl_search_shallow(s, depth + 1, back, &at, NULL);
	uint64_t from = back ? at : seq, to = back ? seq : at;

	if (code == PL_END) {
		from = back ? 0 : seq;
		to = back ? seq : last;
	} else if (code || from > to) {
		searches_fail(t, "a step over deeper frames fails", seq);
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->events[i].seq >= from && t->events[i].seq < to &&
			t->events[i].depth <= depth && t->events[i].kind != PL_EVENT_GAP &&
			t->events[i].kind != PL_EVENT_POSSIBLE)
			searches_fail(
				t, "passed over a frame that is not deeper", t->events[i].seq);
}

static inline void searches_thread(struct searches_test *t, struct pl_recording *r)
{
	struct pl_wanted wanted = {.process = t->process,
		.thread = t->thread,
		.kinds = UINT32_MAX & ~(1u << PL_EVENT_GAP | 1u << PL_EVENT_POSSIBLE),
		.may = searches_may,
		.is = searches_is,
		.context = t};
	const uint32_t all = wanted.kinds;
	struct pl_search *s = NULL;

	for (int n = 0; n < SEARCHES_EACH && t->count; n++) {
		t->like = t->events[random_below(&t->random, (uint32_t)t->count)];
		if (!(all >> t->like.kind & 1))
			continue;
		/* Of one kind alone: blocks without it are left out. */
		wanted.kinds = n & 1 ? 1u << t->like.kind : all;
		if (pl_search_new(&s, r, &wanted, NULL)) {
			searches_fail(t, "no search", 0);
			return;
		}
		for (int i = 0; i < SEARCHES_PLACES; i++) {
			uint64_t seq = t->events[random_below(&t->random, (uint32_t)t->count)].seq;
			uint64_t far = t->events[t->count - 1].seq + 1;
			searches_try(t, s, seq,
				i & 1 ? far
				      : seq + random_below(&t->random, (uint32_t)(far - seq + 1)));
			searches_shallow(t, s, seq, random_below(&t->random, 6), i & 1);
		}
		pl_search_free(s);
	}
}

static inline void searches_read(struct searches_test *t, struct pl_recording *r)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;

	t->count = 0;
	if (pl_cursor_new(&c, r, t->process, t->thread, NULL))
		return;
	while (t->count < SEARCHES_EVENTS && pl_cursor_next(c, &e, NULL) == 0)
		t->events[t->count++] = e;
	pl_cursor_free(c);
}

static inline const char *searches_compare(
	struct searches_test *t, struct pl_recording *r, uint64_t seed)
{
	*t = (struct searches_test){
		.random = {seed}, .events = malloc(SEARCHES_EVENTS * sizeof *t->events)};
	for (uint32_t i = 0; t->events && i < pl_recording_process_count(r) && !t->what[0]; i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		t->process = p->number;
		for (t->thread = 0; t->thread < p->thread_count; t->thread++) {
			searches_read(t, r);
			searches_thread(t, r);
		}
	}
	free(t->events);
	return t->what[0] ? t->what : NULL;
}

#endif
