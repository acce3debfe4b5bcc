/* The ring against a model of the collector: threads write, one reader puts the streams together
 * while they do.
 *
 * Built twice: plain, and under TSan, which checks that every order that the reader relies on is
 * stated.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "ring/ring.h"

#define WRITERS 3
#define EVENTS	60000

static char path[64];

static void make_arena(struct arena *a, uint32_t chunks, int *fd)
{
	snprintf(path, sizeof path, "/dev/shm/pathline-test-%d", (int)getpid());
	unlink(path);
	assert_int_equal(arena_create(a, path, chunks, fd), 0);
	a->head->collector_pid = (uint32_t)getpid();
	a->head->wait_ms = 20000;
}

static void end_arena(struct arena *a, int fd)
{
	arena_unmap(a);
	close(fd);
	unlink(path);
}

/* Event n of a stream: its number, then so many bytes of it that chunks end at odd places. */
static size_t event_bytes(uint32_t n)
{
	return 4 + n % 29;
}

struct writing {
	struct arena *arena;
	struct process_slot *slot;
	uint32_t thread;
};

static void *write_events(void *p)
{
	struct writing *w = p;
	struct ring_writer ring;

	ring_init(&ring, w->arena, w->slot, w->thread);
	for (uint32_t n = 0; n < EVENTS; n++) {
		uint8_t *at = ring.at;
		if (at >= ring.limit)
			at = ring_refill(&ring, n);
		assert_non_null(at);
		memcpy(at, &n, sizeof n);
		memset(at + 4, (int)(n & 0xff), event_bytes(n) - 4);
		ring_commit(&ring, at + event_bytes(n));
	}
	ring_close(&ring);
	return NULL;
}

/* What the reader knows of one stream. */
struct stream {
	uint32_t order; /* of the chunk to be read */
	uint32_t event;
	uint64_t bytes;
	bool ended;
};

static void read_chunk(struct stream *s, const struct chunk *c, uint64_t used)
{
	uint64_t at = 0;

	assert_int_equal(c->stream_bytes, s->bytes);
	while (at < used) {
		uint32_t n;
		memcpy(&n, c->bytes + at, sizeof n);
		assert_int_equal(n, s->event);
		for (size_t i = 4; i < event_bytes(n); i++)
			assert_int_equal(c->bytes[at + i], n & 0xff);
		at += event_bytes(n);
		s->event++;
	}
	assert_int_equal(at, used);
	s->bytes += used;
}

/* One round: chunks that are final are read whole and set free. Gives how many. */
static uint32_t collect(struct arena *a, struct stream *streams)
{
	uint32_t freed = 0;

	for (uint32_t i = 0; i < atomic_load(&a->head->chunk_count); i++) {
		struct chunk *c = arena_chunk(a, i);
		uint32_t state = atomic_load_explicit(&c->state, memory_order_acquire);
		if (state != CHUNK_CLOSED && state != CHUNK_LAST)
			continue;
		struct stream *s = &streams[c->thread];
		if (c->order != s->order)
			continue;
		read_chunk(s, c, atomic_load_explicit(&c->used, memory_order_acquire));
		s->order++;
		s->ended = state == CHUNK_LAST;
		arena_free_chunk(a, i);
		freed++;
	}
	return freed;
}

static void streams_arrive_whole(void **unused)
{
	struct arena arena;
	struct stream streams[WRITERS] = {0};
	struct writing writing[WRITERS];
	pthread_t threads[WRITERS];
	uint32_t ended = 0;
	int fd;
	(void)unused;

	make_arena(&arena, 8, &fd);
	struct process_slot *slot = arena_take_slot(&arena);
	for (uint32_t i = 0; i < WRITERS; i++) {
		writing[i] = (struct writing){&arena, slot, i};
		assert_int_equal(pthread_create(&threads[i], NULL, write_events, &writing[i]), 0);
	}
	while (ended < WRITERS) {
		if (collect(&arena, streams) == 0 && atomic_load(&arena.head->chunk_count) < 16)
			assert_int_equal(
				arena_grow(&arena, fd, atomic_load(&arena.head->chunk_count) + 1),
				0);
		ended = 0;
		for (uint32_t i = 0; i < WRITERS; i++)
			ended += streams[i].ended;
	}
	for (uint32_t i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(streams[i].event, EVENTS);
	}
	end_arena(&arena, fd);
}

static void one_bound_in_all(void **unused)
{
	struct arena arena;
	struct ring_writer ring;
	int fd;
	(void)unused;

	make_arena(&arena, 1, &fd);
	arena.head->wait_ms = 20;
	struct process_slot *slot = arena_take_slot(&arena);
	ring_init(&ring, &arena, slot, 0);
	assert_non_null(ring_refill(&ring, 0));
	for (int i = 0; i < 100; i++)
		assert_null(ring_refill(&ring, 0));
	assert_int_equal(atomic_load(&slot->waits), 1);
	assert_int_equal(arena_grow(&arena, fd, 2), 0);
	assert_non_null(ring_refill(&ring, 0));
	assert_null(ring_refill(&ring, 0));
	assert_int_equal(atomic_load(&slot->waits), 2);
	end_arena(&arena, fd);
}

static void messages_are_whole_or_not_there(void **unused)
{
	static uint8_t bytes[3 * CHUNK_ROOM];
	struct arena arena;
	struct ring_writer ring;
	int fd;
	(void)unused;

	make_arena(&arena, 3, &fd);
	arena.head->on_full = FULL_DROP;
	struct process_slot *slot = arena_take_slot(&arena);
	ring_init(&ring, &arena, slot, STREAM_MESSAGES);
	assert_true(ring_put(&ring, bytes, 10, 0));
	assert_false(ring_put(&ring, bytes, sizeof bytes, 0));
	assert_true(ring_may_put(&ring)); /* less */
	assert_int_equal(ring_position(&ring), 10);
	assert_true(ring_put(&ring, bytes, sizeof bytes - 10, 0));
	assert_int_equal(ring_position(&ring), sizeof bytes);
	assert_false(ring_put(&ring, bytes, 1, 0));
	assert_false(ring_may_put(&ring));
	assert_false(ring_put(&ring, bytes, RING_PUT_MAX + 1, 0));
	end_arena(&arena, fd);
}

static void what_is_ahead_can_be_taken_back(void **unused)
{
	struct arena arena;
	struct ring_writer w;
	int fd;
	(void)unused;

	make_arena(&arena, 1, &fd);
	ring_init(&w, &arena, arena_take_slot(&arena), 0);
	assert_int_equal(ring_ahead(&w), 0); /* no chunk yet */
	uint8_t *p = ring_refill(&w, 0);
	ring_commit(&w, p + 3);
	ring_commit_ahead(&w, w.at + 1, w.at + 3);
	assert_int_equal(ring_ahead(&w), 2);
	assert_ptr_equal(w.at, p + 6);
	ring_commit(&w, w.at - ring_ahead(&w));
	assert_int_equal(ring_ahead(&w), 0);
	assert_int_equal(ring_position(&w), 4);
	end_arena(&arena, fd);
}

static void slots_are_numbered_once(void **unused)
{
	struct arena arena;
	int fd;
	(void)unused;

	make_arena(&arena, 1, &fd);
	for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
		assert_int_equal(arena_take_slot(&arena)->number, i + 1);
	assert_null(arena_take_slot(&arena));
	atomic_store(&arena.head->slots[7].state, SLOT_FREE);
	assert_int_equal(arena_take_slot(&arena)->number, ARENA_PROCESSES + 1);
	end_arena(&arena, fd);
}

static void foreign_files_are_refused(void **unused)
{
	struct arena arena, again;
	int fd;
	(void)unused;

	make_arena(&arena, 1, &fd);
	assert_int_equal(arena_map(&again, fd), 0);
	arena_unmap(&again);
	arena.head->abi++;
	assert_int_equal(arena_map(&again, fd), -EPROTO);
	arena.head->abi--;
	if (geteuid() == 0) {
		assert_int_equal(fchown(fd, 1, (gid_t)-1), 0);
		assert_int_equal(arena_map(&again, fd), -EPROTO);
		assert_int_equal(fchown(fd, 0, (gid_t)-1), 0);
	}
	atomic_store(&arena.head->chunk_count, 2);
	assert_int_equal(arena_map(&again, fd), -EPROTO);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(arena_map(&again, fd), -EPROTO);
	end_arena(&arena, fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_arrive_whole),
		cmocka_unit_test(one_bound_in_all),
		cmocka_unit_test(messages_are_whole_or_not_there),
		cmocka_unit_test(what_is_ahead_can_be_taken_back),
		cmocka_unit_test(slots_are_numbered_once),
		cmocka_unit_test(foreign_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
