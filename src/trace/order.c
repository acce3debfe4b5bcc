#include "trace/order.h"

#include <stdlib.h>
#include "base/array.h"
#include "trace/seek.h"

/* ---- the heap ----
 *
 *   heap   | 0 ... waiting - 1: a binary heap by key, then thread number | the rest: at their end |
 *
 * A walk at its end may continue when the recording does (wake_ended_walks), so it is kept, without
 * its memory. */

static bool comes_first(const struct order_entry *a, const struct order_entry *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return walk_thread(a->walk)->public.number < walk_thread(b->walk)->public.number;
}

static void exchange_walks(struct order *o, size_t i, size_t j)
{
	const struct order_entry e = o->heap[i];

	o->heap[i] = o->heap[j];
	o->heap[j] = e;
}

static void sift_walk_down(struct order *o, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < o->waiting; child++)
			if (comes_first(&o->heap[child], &o->heap[least]))
				least = child;
		if (least == i)
			return;
		exchange_walks(o, i, least);
		i = least;
	}
}

static void sift_up(struct order *o, size_t i)
{
	while (i && comes_first(&o->heap[i], &o->heap[(i - 1) / 2])) {
		exchange_walks(o, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

/* The entry at `from`, which was at its end, waits again. */
static void wait_again(struct order *o, size_t from)
{
	exchange_walks(o, from, o->waiting);
	sift_up(o, o->waiting++);
}

static void retire_first(struct order *o)
{
	struct walk *w = o->heap[0].walk;

	exchange_walks(o, 0, --o->waiting);
	sift_walk_down(o, 0);
	if (w != o->last)
		walk_rest(w);
}

/* ---- threads ---- */

/* Of the next block, from its head: a lower bound of what the first row has. */
static uint64_t first_key(const struct walk *w)
{
	const struct thread_entry *t = walk_thread(w);
	const uint64_t next = w->clock.path.blocks.next_block;
	uint64_t place = next > t->evicted ? next - t->evicted : 0;

	return place < t->block_count ? t->blocks[place].order : 0;
}

static int add_walk(struct order *o, struct thread_entry *t)
{
	struct order_entry *heap = array_room(o->heap, o->count, &o->room, sizeof *heap);
	if (!heap)
		return PL_ERR_MEMORY;
	o->heap = heap;
	struct walk *w = malloc(sizeof *w);
	if (!w)
		return PL_ERR_MEMORY;
	walk_init(w, o->r, t);
	o->heap[o->count++] = (struct order_entry){.walk = w, .key = first_key(w)};
	wait_again(o, o->count - 1);
	return 0;
}

/* Add threads that are new; PL_ERR_MEMORY. */
static int add_new_threads(struct order *o)
{
	int code = 0;

	while (o->count < o->process->thread_count && code == 0)
		code = add_walk(o, o->process->threads[o->count]);
	return code;
}

/* Is there more for a walk that was at its end? */
static bool has_more(const struct walk *w)
{
	const struct thread_entry *t = walk_thread(w);

	return w->clock.path.blocks.next_block < t->evicted + t->block_count;
}

/* A recording that is being written has got more blocks of threads that seemed to be at their
 * end. */
static void wake_ended_walks(struct order *o)
{
	for (size_t i = o->waiting; i < o->count; i++) {
		if (!has_more(o->heap[i].walk))
			continue;
		o->heap[i].key = first_key(o->heap[i].walk);
		wait_again(o, i);
	}
}

/* Bring the walk with the least run to the front, so that its number is exact. PL_END: there is
 * none. */
static int choose_least_walk(struct order *o, struct pl_err *err)
{
	struct path_clock_peek peek;

	while (o->waiting) {
		struct order_entry *e = &o->heap[0];
		int code = path_clock_peek(&e->walk->clock, &peek, err);
		if (code == PL_END) {
			retire_first(o);
			continue;
		}
		if (code)
			return code;
		if (peek.order == e->key)
			return 0;
		e->key = peek.order;
		sift_walk_down(o, 0); /* ask again, with the one that is first now */
	}
	return PL_END;
}

/* Does the thread that ran last continue the same run? */
static int goes_on(struct order *o, struct pl_err *err)
{
	struct path_clock_peek peek;

	if (!o->running)
		return 0;
	int code = path_clock_peek(&o->last->clock, &peek, err);
	return code < 0 ? code : code == 0 && peek.order == o->run;
}

/* The thread that ran last continues while its next row is of the same run, so most rows do not use
 * the heap. At its end its block stays open, for pl_cursor_stack. */
int order_next(struct order *o, struct pl_event *row, struct pl_err *err)
{
	int code = goes_on(o, err);

	if (code > 0)
		return walk_next(o->last, row, err);
	o->running = false;
	if (code == 0)
		code = add_new_threads(o);
	if (code == 0 && !o->waiting)
		wake_ended_walks(o);
	if (code == 0)
		code = choose_least_walk(o, err);
	if (code)
		return code;
	struct walk *before = o->last;
	o->last = o->heap[0].walk;
	o->run = o->heap[0].key;
	o->running = true;
	if (before && before != o->last && !before->clock.path.blocks.open && !has_more(before))
		walk_rest(before);
	return walk_next(o->last, row, err);
}

/* Each walk goes somewhere else by itself; then all are put into the heap again by where they
 * are. */
int order_move(struct order *o, int (*move)(struct walk *w, void *context, struct pl_err *err),
	void *context, struct pl_err *err)
{
	struct path_clock_peek peek;
	int code = add_new_threads(o);

	o->last = NULL;
	o->running = false;
	o->waiting = 0;
	for (size_t i = 0; i < o->count && code == 0; i++) {
		code = move(o->heap[i].walk, context, err);
		if (code == 0)
			code = path_clock_peek(&o->heap[i].walk->clock, &peek, err);
		if (code == 0) {
			o->heap[i].key = peek.order;
			wait_again(o, i);
		} else if (code == PL_END) {
			walk_rest(o->heap[i].walk);
			code = 0;
		}
	}
	return code;
}

static int seek_time(struct walk *w, void *context, struct pl_err *err)
{
	return walk_seek_time(w, *(const int64_t *)context, err);
}

int order_seek_time(struct order *o, int64_t time_ns, struct pl_err *err)
{
	return order_move(o, seek_time, &time_ns, err);
}

void order_release(struct order *o)
{
	for (size_t i = 0; i < o->count; i++) {
		walk_release(o->heap[i].walk);
		free(o->heap[i].walk);
	}
	free(o->heap);
	*o = (struct order){0};
}
