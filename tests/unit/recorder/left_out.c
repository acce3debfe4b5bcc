/* Code that a filter leaves out: known, without events, and described when it calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/left_out.h"
#include "tests/lib/inside_recording.h"

static const char rules[] = "-tests/unit\n";

static int begin(void **state)
{
	if (recording_begin(state) != 0)
		return -1;
	filter_read(&root.filter, view_of(rules, sizeof rules - 1));
	root.filters = true;
	return 0;
}

static int end(void **state)
{
	root.filter = (struct filter){.rule_count = 0};
	return recording_end(state);
}

static unsigned told(struct pl_view *last)
{
	return messages_of(MESSAGE_CODE, last);
}

static void by_the_file(void **state)
{
	PyCodeObject *out = inside_code("def f(): pass\n", "/home/ann/tests/unit/test_cart.py"),
		     *in = inside_code("def f():\n  for x in y: pass\n", "/home/ann/cart.py");
	struct pl_view last;

	(void)state;
	assert_false(filters_record(out));
	assert_true(filters_record(in));
	struct code_record *r = code_record(out);
	assert_true(r && r->left_out && r->number == 0);
	assert_true(code_mark(out) < 0 && code_is_left_out(out));
	assert_int_equal(told(&last), 0);
	assert_int_equal(atomic_load(&root.slot->codes_left_out), 1);
	r = code_record(inside_function(in));
	assert_true(r && !r->left_out && r->number != 0);
	assert_true(code_mark(inside_function(in)) > 0 && !code_is_left_out(inside_function(in)));
	assert_int_equal(atomic_load(&root.slot->codes_left_out), 1);
	Py_DECREF(out);
	Py_DECREF(in);
}

static void described_when_it_calls(void **state)
{
	PyCodeObject *code = inside_code("call()\n", "/home/ann/tests/unit/test_cart.py");
	struct code_record *r = code_record(code);
	struct pl_view last = {NULL, 0};
	const uint32_t number = code_outside_number(code, r);

	(void)state;
	assert_true(number != 0 && r->number == number && r->left_out);
	assert_int_equal(told(&last), 1);
	assert_true(view_has(last, "test_cart.py"));
	assert_int_equal(code_outside_number(code, r), number);
	assert_int_equal(told(&last), 1);
	assert_int_equal(root.describing, 0);
	Py_DECREF(code);
}

/* The program names code that it does not want: what has had an event goes on. */
static void named_by_the_program(void **state)
{
	PyCodeObject *new = inside_code("x = 1\n", "/home/ann/a.py"),
		     *known = inside_code("x = 1\n", "/home/ann/b.py");

	(void)state;
	root.filters = false;
	struct code_record *r = code_record(known);
	code_leave_out_named(known);
	assert_false(root.filters);
	assert_ptr_equal(code_known(known), r);
	assert_false(r->left_out);
	code_leave_out_named(new);
	assert_true(root.filters && code_is_left_out(new));
	Py_DECREF(new);
	Py_DECREF(known);
}

INSIDE_TESTS(left_out)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_the_file, begin, end),
		cmocka_unit_test_setup_teardown(described_when_it_calls, begin, end),
		cmocka_unit_test_setup_teardown(named_by_the_program, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
