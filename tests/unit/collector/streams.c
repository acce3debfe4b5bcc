/* Chunks put together again: order, holes, what goes back and when. The arena is a real one, the
 * producers are we. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "collector/streams.h"
#include "ring/ring.h"

struct world {
	struct arena arena;
	struct streams streams;
	struct process_slot *slot;
	struct ring_writer writer;
	int fd;
	char path[64];
};

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);

	snprintf(w->path, sizeof w->path, "/dev/shm/pathline-unit-%d", (int)getpid());
	if (!w || arena_create(&w->arena, w->path, 64, &w->fd) < 0)
		return -1;
	unlink(w->path);
	w->arena.head->collector_pid = (uint32_t)getpid();
	w->arena.head->on_full = FULL_DROP;
	w->slot = arena_take_slot(&w->arena);
	ring_init(&w->writer, &w->arena, w->slot, 3);
	*state = w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	streams_release(&w->streams);
	arena_unmap(&w->arena);
	close(w->fd);
	free(w);
	return 0;
}

static void put(struct world *w, size_t n)
{
	uint8_t bytes[1000];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(ring_position(&w->writer) + i);
	assert_true(ring_put(&w->writer, bytes, n, 7));
}

static struct stream *look(struct world *w)
{
	streams_look(&w->streams, &w->arena, STREAMS_EVENTS, 1);
	return streams_find(&w->streams, w->slot->number, 3);
}

/* All that is pending, each byte as put() made it. */
static uint64_t read_all(struct world *w, const struct stream *t)
{
	const struct held_chunk *h;
	struct pl_view part;
	uint64_t at = t->position;

	while (stream_part(t, &w->arena, at, &h, &part)) {
		for (size_t i = 0; i < part.left; i++)
			assert_int_equal(part.at[i], (uint8_t)(at + i));
		at += part.left;
	}
	return at;
}

static uint32_t free_chunks(const struct world *w)
{
	return (uint32_t)__builtin_popcountll(w->arena.head->free[0]);
}

static void what_was_written_is_seen_in_order(void **state)
{
	struct world *w = *state;
	uint64_t written = 0;

	for (int i = 0; i < 100; i++) {
		put(w, 1000);
		written += 1000;
		struct stream *t = look(w);
		assert_int_equal(stream_pending(t), written);
		assert_int_equal(read_all(w, t), written);
	}
}

static void a_picture_does_not_change(void **state)
{
	struct world *w = *state;

	put(w, 500);
	struct stream *t = look(w);
	put(w, 500);
	assert_int_equal(stream_pending(t), 500);
	assert_int_equal(stream_pending(look(w)), 1000);
}

static void chunks_go_back_when_all_is_on_disk(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < 70; i++)
		put(w, 1000);
	struct stream *t = look(w);
	assert_int_equal(free_chunks(w), 61);
	stream_done(&w->streams, t, &w->arena, CHUNK_ROOM - 1);
	assert_int_equal(free_chunks(w), 61);
	stream_done(&w->streams, t, &w->arena, CHUNK_ROOM);
	assert_int_equal(free_chunks(w), 62);
	stream_done(&w->streams, t, &w->arena, 70000);
	assert_int_equal(free_chunks(w), 63); /* the newest stays its producer's */
	ring_close(&w->writer);
	t = look(w);
	stream_done(&w->streams, t, &w->arena, 70000);
	assert_int_equal(free_chunks(w), 64);
	assert_true(t->ended);
}

static void a_missing_chunk_is_a_hole(void **state)
{
	struct world *w = *state;

	put(w, 1000);
	w->writer.order++; /* as if a chunk had been lost on the way */
	for (int i = 0; i < 40; i++)
		put(w, 1000);
	struct stream *t = look(w);
	uint64_t first = stream_pending(t);
	assert_true(first < 41000);
	stream_done(&w->streams, t, &w->arena, first);
	assert_int_equal(stream_pending(t), 0);
	assert_true(stream_skip_hole(t));
	assert_true(t->broken);
	assert_int_equal(t->position + stream_pending(t), 41000);
}

static void nonsense_is_refused(void **state)
{
	struct world *w = *state;
	int32_t index = arena_take_chunk(&w->arena);
	struct chunk *c = arena_chunk(&w->arena, (uint32_t)index);

	c->process = 77; /* no such process was ever begun */
	c->thread = 1;
	c->used = 10;
	c->state = CHUNK_OWNED;
	look(w);
	assert_int_equal(w->streams.refused, 1);
	assert_int_equal(w->streams.count, 0);
	put(w, 10);
	struct stream *t = look(w);
	arena_chunk(&w->arena, t->chunks[0].index)->used = CHUNK_ROOM + 1ull;
	assert_int_equal(stream_pending(look(w)), 10);
}

static void a_finisher_begins_where_the_arena_does(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < 40; i++)
		put(w, 1000);
	stream_done(&w->streams, look(w), &w->arena, 35000);
	streams_release(&w->streams);
	w->streams.resumed = true;
	struct stream *t = look(w);
	t->position = 35000; /* as the last block says */
	assert_false(stream_skip_hole(t));
	assert_int_equal(read_all(w, t), 40000);
}

/* The word is shared with the program, which can write anything there: the file does not hold so
 * many. */
static void chunks_beyond_the_file_are_not_looked_at(void **state)
{
	struct world *w = *state;

	put(w, 1000);
	atomic_store(&w->arena.head->chunk_count, ARENA_CHUNKS);
	assert_int_equal(read_all(w, look(w)), 1000);
	assert_int_equal(arena_grow(&w->arena, w->fd, 65), 0);
	assert_int_equal(atomic_load(&w->arena.head->chunk_count), 65);
	assert_int_equal(atomic_load(&w->arena.head->free[1]), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_written_is_seen_in_order, begin, end),
		cmocka_unit_test_setup_teardown(a_picture_does_not_change, begin, end),
		cmocka_unit_test_setup_teardown(chunks_go_back_when_all_is_on_disk, begin, end),
		cmocka_unit_test_setup_teardown(a_missing_chunk_is_a_hole, begin, end),
		cmocka_unit_test_setup_teardown(nonsense_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(a_finisher_begins_where_the_arena_does, begin, end),
		cmocka_unit_test_setup_teardown(
			chunks_beyond_the_file_are_not_looked_at, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
