/* Which processes live, by their slots. The arena is a real one, the processes' parent are we. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "collector/collector.h"

struct world {
	struct collector c;
	pid_t child;
};

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	char path[64];

	snprintf(path, sizeof path, "/dev/shm/pathline-unit-%d", (int)getpid());
	if (!w || arena_create(&w->c.arena, path, 64, &w->c.arena_fd) < 0)
		return -1;
	unlink(path);
	snprintf(w->c.arena_path, sizeof w->c.arena_path, "%s", path);
	w->c.processes.epoll = -1;
	w->child = fork();
	if (!w->child) {
		for (;;)
			pause();
	}
	*state = w;
	return w->child < 0 ? -1 : 0;
}

static int end(void **state)
{
	struct world *w = *state;

	kill(w->child, SIGKILL);
	waitpid(w->child, NULL, 0);
	processes_release(&w->c.processes);
	arena_unmap(&w->c.arena);
	close(w->c.arena_fd);
	free(w);
	return 0;
}

/* Begins to record; gives its number. */
static uint32_t record(struct world *w, struct process_slot **slot)
{
	*slot = arena_take_slot(&w->c.arena);
	assert_non_null(*slot);
	(*slot)->pid = (uint32_t)w->child;
	atomic_store(&(*slot)->state, SLOT_LIVE);
	return (*slot)->number;
}

static void expect(const struct world *w, uint32_t number, enum process_life life)
{
	const struct process *p = processes_find(&w->c.processes, number);

	assert_non_null(p);
	assert_int_equal(p->life, life);
	assert_int_equal(p->execed, life == LIFE_OVER);
}

static void test_exec(void **state)
{
	struct world *w = *state;
	struct process_slot *slot;
	uint32_t before = record(w, &slot);

	processes_look(&w->c);
	expect(w, before, LIFE_LIVE);
	uint32_t after = record(w, &slot);
	processes_look(&w->c);
	expect(w, before, LIFE_OVER);
	expect(w, after, LIFE_LIVE);
}

static void test_exec_between_looks(void **state)
{
	struct world *w = *state;
	struct process_slot *slot;
	uint32_t before = record(w, &slot), after = record(w, &slot);

	processes_look(&w->c);
	expect(w, before, LIFE_OVER);
	expect(w, after, LIFE_LIVE);
}

/* The new image has a slot in front of the old one's, which was free again by then. */
static void test_exec_into_an_earlier_slot(void **state)
{
	struct world *w = *state;
	struct process_slot *first, *slot;

	record(w, &first);
	uint32_t before = record(w, &slot);
	atomic_store(&first->state, SLOT_FREE);
	uint32_t after = record(w, &slot);
	assert_ptr_equal(slot, first);
	processes_look(&w->c);
	expect(w, before, LIFE_OVER);
	expect(w, after, LIFE_LIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exec, begin, end),
		cmocka_unit_test_setup_teardown(test_exec_between_looks, begin, end),
		cmocka_unit_test_setup_teardown(test_exec_into_an_earlier_slot, begin, end),
	};

	return cmocka_run_group_tests_name("collector/processes", tests, NULL, NULL);
}
