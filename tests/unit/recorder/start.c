/* How the recorder begins in a process, and in a forked child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/wait.h>
#include "recorder/start.h"
#include "recorder/waits.h"
#include "tests/lib/inside_start.h"

static const char *why;

static bool start(void)
{
	why = NULL;
	return pathline_recorder_start(&started, &why) == 0;
}

static void a_process(void **state)
{
	struct pl_view last = {NULL, 0};

	(void)state;
	started_arena.head->values = VALUES_CALLS;
	assert_true(start());
	const struct process_slot *slot = &started_arena.head->slots[0];
	assert_int_equal(atomic_load(&slot->state), SLOT_LIVE);
	assert_true(slot->number == 1 && slot->parent == 7 && slot->pid == (uint32_t)getpid());
	assert_true(slot->start_ticks != 0 && slot->sample.frame_bytes != 0);
	assert_ptr_equal(atomic_load(&started_slot), root.slot);
	assert_ptr_equal(atomic_load(&started_wait), &recorder_waits);
	assert_int_equal(messages_of(MESSAGE_PROCESS, &last), 1);
	assert_true(view_has(last, "CPython 3.") && view_has(last, "python"));
	assert_true(root.keeps_values && !root.keeps_lines && !root.filters);
	Py_DECREF(hooked_run("def f(): return call()\nf()\n", inside_nothing));
	assert_true(hooked_has("f( "));
	assert_null(PyErr_Occurred());
}

static void set_command(const char *list)
{
	char text[256];

	snprintf(text, sizeof text, "import sys\nbefore = sys.orig_argv\nsys.orig_argv = %s\n",
		list);
	Py_DECREF(inside_bind(text));
}

/* As it would be typed in a shell. */
static void expect_command(const char *list, const char *command, const char *text)
{
	void *none = NULL;

	assert_int_equal(started_begin(&none), 0);
	set_command(list);
	buf_reset(&root.command);
	buf_reset(&root.command_text);
	const bool begun = start();
	assert_true(begun);
	assert_int_equal(root.command.used, strlen(command));
	assert_memory_equal(root.command.at, command, strlen(command));
	assert_int_equal(root.command_text.used, strlen(text));
	assert_memory_equal(root.command_text.at, text, strlen(text));
	started_end(&none);
}

static void the_command(void **state)
{
	PyObject *before = Py_NewRef(PySys_GetObject("orig_argv"));

	(void)state;
	expect_command("['python', 'a b.py', \"it's\", '', 'x=1']",
		"python 'a b.py' 'it'\\''s' '' x=1", "");
	expect_command("['python', '-c', 'x = 1', 'y']", "python -c 'x = 1' y", "x = 1");
	expect_command(
		"['python', '-W', 'error', '-Icx = 1']", "python -W error '-Icx = 1'", "x = 1");
	expect_command("['python', '-m', 'shop', '-c', 'x']", "python -m shop -c x", "");
	PySys_SetObject("orig_argv", before);
	Py_DECREF(before);
}

static void no_slot_is_free(void **state)
{
	(void)state;
	while (arena_take_slot(&started_arena))
		continue;
	assert_false(start());
	assert_string_equal(why, "more processes at a time than the arena has slots for");
	assert_null(root.slot);
	assert_true(atomic_load(&root.stopped) != 0);
}

static void a_filter(void **state)
{
	static const char rules[] = "-shop/cart.py\n";

	(void)state;
	memcpy(started_arena.head->filter, rules, sizeof rules);
	started_arena.head->filter_bytes = sizeof rules - 1;
	assert_true(start());
	assert_true(root.filters);
	Py_DECREF(hooked_run("def f(): return call()\nf()\n", inside_nothing));
	assert_null(strstr(hooked_path, "f( "));
	root.filter = (struct filter){.rule_count = 0};
	root.filters = false;
}

/* Run in a forked child; what it says about itself is in the arena. */
static void run_in_child(void)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		const bool apart = root.forked && !root.slot && !started_slot;
		Py_DECREF(inside_bind("def f(): return 1\nf()\n"));
		_exit(apart ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* It is a process of the recording with its first event. */
static void a_forked_child(void **state)
{
	(void)state;
	assert_true(start());
	Py_DECREF(hooked_run("def f(): return 1\nf()\n", inside_nothing));
	run_in_child();
	const struct process_slot *slot = &started_arena.head->slots[1];
	assert_int_equal(atomic_load(&slot->state), SLOT_LIVE);
	assert_true(slot->number == 2 && slot->parent == 1 && slot->pid != (uint32_t)getpid());
	assert_true(root.slot && !root.forked);
	assert_true(root.shared_codes > 0);
}

static void without_children(void **state)
{
	(void)state;
	started_arena.head->no_children = 1;
	assert_true(start());
	run_in_child();
	assert_int_equal(atomic_load(&started_arena.head->slots[1].state), SLOT_FREE);
}

/* A program that embeds Python starts it again. */
static void not_after_it_has_stopped(void **state)
{
	(void)state;
	assert_true(start());
	atomic_store(&root.stopped, PL_GAP_FULL + 1);
	assert_false(start());
	assert_string_equal(why, "the recorder has stopped itself");
}

INSIDE_TESTS(start)
{
	const struct CMUnitTest tests[] = {
		STARTED_TEST(a_process),
		cmocka_unit_test(the_command),
		STARTED_TEST(no_slot_is_free),
		STARTED_TEST(a_filter),
		STARTED_TEST(a_forked_child),
		STARTED_TEST(without_children),
		STARTED_TEST(not_after_it_has_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
