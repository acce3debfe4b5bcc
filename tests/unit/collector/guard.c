/* An arena that is cut short under its reader: the reader goes on, and knows it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "collector/guard.h"
#include "collector/streams.h"
#include "ring/ring.h"

struct world {
	struct arena arena;
	struct streams streams;
	struct ring_writer writer;
	int fd;
};

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	char path[64];

	snprintf(path, sizeof path, "/dev/shm/pathline-unit-guard-%d", (int)getpid());
	if (!w || arena_create(&w->arena, path, 64, &w->fd) < 0)
		return -1;
	unlink(path);
	w->arena.head->on_full = FULL_DROP;
	ring_init(&w->writer, &w->arena, arena_take_slot(&w->arena), 3);
	for (int i = 0; i < 3; i++) {
		static const uint8_t ones[CHUNK_ROOM - 1] = {[CHUNK_ROOM - 2] = 1};
		ring_put(&w->writer, ones, sizeof ones, 7);
	}
	*state = w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	guard_end();
	streams_release(&w->streams);
	arena_unmap(&w->arena);
	close(w->fd);
	free(w);
	return 0;
}

static struct stream *look(struct world *w)
{
	streams_look(&w->streams, &w->arena, STREAMS_EVENTS, 1);
	return streams_find(&w->streams, 1, 3);
}

static unsigned sum_of_chunk(const struct world *w, uint32_t index)
{
	const struct chunk *c = arena_chunk(&w->arena, index);
	unsigned sum = 0;

	for (size_t i = 0; i < CHUNK_ROOM; i++)
		sum += c->bytes[i];
	return sum;
}

static void what_is_cut_off_reads_as_zeros(void **state)
{
	struct world *w = *state;

	guard_begin(&w->arena);
	assert_int_equal(look(w)->count, 3);
	assert_false(guard_torn());
	assert_int_equal(sum_of_chunk(w, 1), 1);
	assert_int_equal(ftruncate(w->fd, (off_t)(ARENA_HEAD_BYTES + CHUNK_BYTES)), 0);
	assert_int_equal(look(w)->count, 3);
	assert_int_equal(sum_of_chunk(w, 0), 1);
	assert_int_equal(sum_of_chunk(w, 1), 0);
	assert_true(guard_torn());
}

static void nothing_is_left_of_it(void **state)
{
	struct world *w = *state;

	guard_begin(&w->arena);
	assert_int_equal(ftruncate(w->fd, 0), 0);
	look(w); /* a head of zeros: all chunks are taken, none has an owner */
	assert_true(guard_torn());
	assert_null(streams_find(&w->streams, 1, 3));
}

/* In a child, which dies of it. */
static int status_of_bus_elsewhere(const struct world *w)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGBUS, SIG_DFL); /* cmocka has one of its own */
		guard_begin(&w->arena);
		const volatile uint8_t *other =
			mmap(NULL, CHUNK_BYTES, PROT_READ, MAP_SHARED, w->fd, 0);
		if (ftruncate(w->fd, 0) == 0)
			_exit(other[0]);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void other_mappings_are_not_guarded(void **state)
{
	int status = status_of_bus_elsewhere(*state);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_cut_off_reads_as_zeros, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_left_of_it, begin, end),
		cmocka_unit_test_setup_teardown(other_mappings_are_not_guarded, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
