/* Fatal signals: what the slot and the thread say, and what happens then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "recorder/root.h"
#include "recorder/signals.h"
#include "recorder/thread.h"
#include "tests/lib/inside.h"

static struct process_slot *slot;
static volatile sig_atomic_t heard;

static void hear(int number)
{
	heard = number;
}

static int setup(void **state)
{
	(void)state;
	slot = calloc(1, sizeof *slot);
	root.slot = slot;
	heard = 0;
	return slot ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	signals_remove();
	signal(SIGFPE, SIG_DFL);
	signal(SIGILL, SIG_DFL);
	root.slot = NULL;
	self = NULL;
	free(slot);
	return 0;
}

static void *handler_of(int number)
{
	struct sigaction now;

	assert_int_equal(sigaction(number, NULL, &now), 0);
	return now.sa_flags & SA_SIGINFO ? (void *)(uintptr_t)now.sa_sigaction
					 : (void *)(uintptr_t)now.sa_handler;
}

static void what_was_there_is_called(void **state)
{
	(void)state;
	signal(SIGFPE, hear);
	signals_install();
	assert_true(handler_of(SIGFPE) != (void *)(uintptr_t)hear);
	raise(SIGFPE);
	assert_int_equal(heard, SIGFPE);
	assert_int_equal(atomic_load(&slot->end), SLOT_END_SIGNAL);
	assert_int_equal(atomic_load(&slot->end_code), SIGFPE);
	assert_true(handler_of(SIGFPE) == (void *)(uintptr_t)hear);
}

static void what_is_ignored_stays_so(void **state)
{
	(void)state;
	signal(SIGILL, SIG_IGN);
	signals_install();
	assert_true(handler_of(SIGILL) == (void *)(uintptr_t)SIG_IGN);
	raise(SIGILL);
	assert_int_equal(atomic_load(&slot->end), SLOT_END_UNKNOWN);
}

/* A later handler may call ours: that is not known, so both stay. */
static void a_later_handler_stays(void **state)
{
	void *const before = handler_of(SIGILL);

	(void)state;
	signals_install();
	assert_true(handler_of(SIGILL) != before);
	signal(SIGFPE, hear);
	signals_remove();
	assert_true(handler_of(SIGFPE) == (void *)(uintptr_t)hear);
	assert_true(handler_of(SIGILL) == before);
}

/* A child that has no slot yet says nothing into that of its parent. */
static void a_forked_child(void **state)
{
	(void)state;
	signal(SIGFPE, hear);
	signals_install();
	root.forked = true;
	raise(SIGFPE);
	root.forked = false;
	assert_int_equal(heard, SIGFPE);
	assert_int_equal(atomic_load(&slot->end), SLOT_END_UNKNOWN);
}

/* The thread says where it is: in no frame that it has told of, so the place is not known. */
static void the_thread_stops(void **state)
{
	struct chunk *chunk = calloc(1, sizeof *chunk);
	struct thread thread = {.ring = {.chunk = chunk, .at = chunk->bytes}};
	uint8_t expected[EVENT_BYTES_MAX];
	const size_t length = (size_t)(event_write2(expected, EVENT_STOP, SIGFPE, 0) - expected);

	(void)state;
	assert_true(shadow_reserve(&thread.shadow, 4));
	signal(SIGFPE, hear);
	signals_install();
	self = &thread;
	raise(SIGFPE);
	assert_int_equal(atomic_load(&chunk->used), length);
	assert_memory_equal(chunk->bytes, expected, length);
	self = NULL;
	free(chunk);
}

static void the_default_ends_the_process(void **state)
{
	int status = 0;
	const pid_t child = fork();

	(void)state;
	if (!child) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		signal(SIGABRT, SIG_DFL);
		signals_install();
		raise(SIGABRT);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

INSIDE_TESTS(signals)
{
	const struct CMUnitTest tests[] = {
		EACH(what_was_there_is_called),
		EACH(what_is_ignored_stays_so),
		EACH(a_later_handler_stays),
		EACH(a_forked_child),
		EACH(the_thread_stops),
		EACH(the_default_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
