/* How a process's end is written into its slot, and by whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "preload/preload.h"
#include "preload/slot.h"

struct preload preload;
static int left_times, killed_times;

static void on_leave(bool killed)
{
	left_times++;
	killed_times += killed;
}

static struct process_slot slot;

static int setup(void **state)
{
	(void)state;
	left_times = killed_times = 0;
	preload = (struct preload){.parent = 3};
	slot = (struct process_slot){.number = 7, .pid = (uint32_t)getpid()};
	atomic_store(&preload.slot, &slot);
	atomic_store(&preload.on_leave, on_leave);
	return 0;
}

static void exits(void **state)
{
	(void)state;
	slot_exit(0x1ff);
	assert_int_equal(slot.end, SLOT_END_EXIT);
	assert_int_equal(slot.end_code, 0xff);
	assert_int_equal(left_times, 1);
	assert_int_equal(killed_times, 0);
}

static void exec_that_fails(void **state)
{
	(void)state;
	struct process_slot *own = slot_exec();
	assert_ptr_equal(own, &slot);
	assert_int_equal(slot.end, SLOT_END_EXEC);
	slot_exec_failed(own);
	assert_int_equal(slot.end, SLOT_END_UNKNOWN);
	slot_exec_failed(NULL);
}

/* The collector sees the signal; the recorder writes where the thread is. */
static void kills_itself(void **state)
{
	(void)state;
	slot_killed();
	assert_int_equal(slot.end, SLOT_END_UNKNOWN);
	assert_int_equal(killed_times, 1);
}

/* A child of vfork has our memory, and is another process. */
static void not_of_another_process(void **state)
{
	(void)state;
	slot.pid++;
	slot_exit(1);
	assert_null(slot_exec());
	slot_killed();
	assert_int_equal(slot.end, SLOT_END_UNKNOWN);
	assert_int_equal(left_times, 0);
}

/* A forked child has no slot until the recorder takes one for it. */
static void without_a_slot(void **state)
{
	(void)state;
	atomic_store(&preload.slot, NULL);
	slot_exit(1);
	assert_null(slot_exec());
	assert_int_equal(left_times, 2);
}

static void number_to_pass_on(void **state)
{
	(void)state;
	assert_int_equal(slot_number(), 7);
	atomic_store(&preload.slot, NULL);
	assert_int_equal(slot_number(), 3);
	atomic_store(&preload.number, 5);
	assert_int_equal(slot_number(), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(exits, setup),
		cmocka_unit_test_setup(exec_that_fails, setup),
		cmocka_unit_test_setup(kills_itself, setup),
		cmocka_unit_test_setup(not_of_another_process, setup),
		cmocka_unit_test_setup(without_a_slot, setup),
		cmocka_unit_test_setup(number_to_pass_on, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
