/* A recording as the preload, or `attach`, begins it: an arena in a file, which is mapped a second
 * time, so that it can be looked at when the recorder has left.
 *
 *	STARTED_TEST(test)      pathline_recorder_start(&started, &why)
 */
#ifndef TEST_INSIDE_START_H
#define TEST_INSIDE_START_H

#include <fcntl.h>
#include "recorder/recorder.h"
#include "recorder/signals.h"
#include "tests/lib/inside_hooks.h"

static char started_path[64];
static struct arena started_arena; /* our own mapping */
static struct recorder_start started;
static struct process_slot *_Atomic started_slot;
static key_hook *_Atomic started_key;
static leave_hook *_Atomic started_leave;
static const struct wait_hooks *_Atomic started_wait;
static const _Atomic bool started_confined;

static inline bool started_map(struct arena *arena)
{
	int fd = open(started_path, O_RDWR | O_CLOEXEC);
	const bool done = fd >= 0 && arena_map(arena, fd) == 0;

	if (fd >= 0)
		close(fd);
	return done;
}

static inline int started_begin(void **state)
{
	int fd;

	(void)state;
	snprintf(started_path, sizeof started_path, "/tmp/pathline-start-%d.arena", (int)getpid());
	if (arena_create(&started_arena, started_path, RECORDING_CHUNKS, &fd) < 0)
		return -1;
	close(fd);
	started_arena.head->clock = CLOCK_IS_MONOTONIC;
	started = (struct recorder_start){.parent = 7,
		.slot = &started_slot,
		.on_key = &started_key,
		.on_leave = &started_leave,
		.on_wait = &started_wait,
		.confined = &started_confined};
	return started_map(&started.arena) ? 0 : -1;
}

/* Of a recorder that has not left. */
static inline int started_end(void **state)
{
	if (root.arena.head) {
		hooked_out();
		signals_remove();
		recording_end(state);
	}
	root.forked = false;
	root.section_count = 0;
	atomic_store(&root.stopped, 0);
	unlink(started_path);
	arena_unmap(&started_arena);
	return 0;
}

#define STARTED_TEST(test) cmocka_unit_test_setup_teardown(test, started_begin, started_end)

#endif
