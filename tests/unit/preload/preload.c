/* The constructor, in the test's own program: what it learns, joins and passes on. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "preload/begin.h"
#include "preload/env.h"
#include "preload/hook.h"
#include "preload/preload.h"
#include "preload/slot.h"

#define PARENT 7

/* ---- the other parts; the constructor runs before main ---- */

static char arena_path[64];
static char taken_for[PATH_MAX];
static int hooks, watched;
static uint32_t number;

/* The recording into which this program is started. */
void env_find(char *const *env, char *arena, size_t size)
{
	struct arena a = {0};
	int fd = -1;

	(void)env;
	snprintf(arena_path, sizeof arena_path, "/tmp/pathline-unit-%d.arena", (int)getpid());
	if (arena_create(&a, arena_path, 1, &fd) == 0) {
		atomic_store(&a.head->state, ARENA_OPEN);
		arena_unmap(&a);
		close(fd);
	}
	snprintf(arena, size, "%s:%d", arena_path, PARENT);
	errno = EBADF; /* whatever it does */
}

bool env_has_native(char *const *env, const char *native_path)
{
	(void)env;
	(void)native_path;
	return false;
}

void env_take(char **env, const char *own_path)
{
	(void)env;
	snprintf(taken_for, sizeof taken_for, "%s", own_path);
}

const char *begin_named(char *const *env)
{
	(void)env;
	return NULL;
}

bool begin_wanted(const char *directory)
{
	(void)directory;
	return false;
}

bool begin_recording(const char *directory, char *arena, size_t size)
{
	(void)directory;
	(void)arena;
	(void)size;
	return false;
}

bool hook_wanted(void)
{
	return true;
}

void hook_add(void)
{
	hooks++;
}

void slot_watch(void)
{
	watched++;
}

uint32_t slot_number(void)
{
	return number;
}

/* ---- tests ---- */

static void joins(void **state)
{
	(void)state;
	assert_int_equal(preload.parent, PARENT);
	assert_string_equal(preload.arena_path, arena_path);
	assert_non_null(preload.arena.head);
	assert_int_equal(preload.arena.head->preloaded, 1);
	assert_int_equal(hooks, 1);
	assert_int_equal(watched, 1);
	assert_true(preload_join()); /* it is mapped */
}

static void own_path(void **state)
{
	(void)state;
	assert_int_equal(preload.own_path[0], '/');
	assert_non_null(strstr(preload.own_path, "test-preload-preload"));
	assert_string_equal(taken_for, preload.own_path);
	assert_int_equal(preload.loader[0], '/');
}

static void all_originals(void **state)
{
	const struct originals *o = originals();

	(void)state;
	assert_ptr_equal(o, originals());
	assert_non_null(o->execve);
	assert_non_null(o->execveat);
	assert_non_null(o->posix_spawn);
	assert_non_null(o->exit_now);
	assert_non_null(o->setspecific);
	assert_non_null(o->prctl);
	assert_int_equal(o->raise(0), 0); /* callable */
}

/* With --no-children only the first process passes the recording on. */
static void hands_on(void **state)
{
	char path[sizeof arena_path];

	(void)state;
	preload.only_first = 1;
	number = 0;
	assert_true(preload_hands_on());
	number = 3;
	assert_false(preload_hands_on());
	preload.only_first = 0;
	assert_true(preload_hands_on());
	strcpy(path, preload.arena_path);
	preload.arena_path[0] = 0;
	assert_false(preload_hands_on());
	assert_false(preload_join());
	strcpy(preload.arena_path, path);
}

/* Nobody would read what is written into one that is closed. */
static void a_closed_arena(void **state)
{
	(void)state;
	atomic_store(&preload.arena.head->state, ARENA_CLOSED);
	arena_unmap(&preload.arena);
	preload.arena = (struct arena){0};
	assert_false(preload_join());
	assert_null(preload.arena.head);
	assert_int_equal(unlink(arena_path), 0);
	assert_false(preload_join());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins),
		cmocka_unit_test(own_path),
		cmocka_unit_test(all_originals),
		cmocka_unit_test(hands_on),
		cmocka_unit_test(a_closed_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
