/* The number that says whether what is shown of an object has changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "recorder/root.h"
#include "recorder/values/fingerprint.h"
#include "tests/lib/inside.h"

static PyObject *names;
static struct arena_head *kept_head;

static int setup(void **state)
{
	(void)state;
	kept_head = root.arena.head;
	root.arena.head = calloc(1, sizeof *root.arena.head);
	assert_non_null(root.arena.head);
	root.arena.head->value_limits = (struct value_limits){.depth = 3,
		.items = 10,
		.attributes = 10,
		.chars = 40,
		.bytes = 1000,
		.event_bytes = 4000};
	names = inside_bind("class Cart:\n    def __init__(self): self.rows = [1]\n"
			    "cart, rows, text = Cart(), [1, 2], 'x' * 400\n"
			    "big = 2 ** 200\n"
			    "def total(): pass\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	Py_CLEAR(names);
	free(root.arena.head);
	root.arena.head = kept_head;
	return 0;
}

static uint64_t number_of(const char *name)
{
	return fingerprint_of(inside_name(names, name), false).number;
}

static void run(const char *text)
{
	PyObject *result = PyRun_String(text, Py_file_input, names, names);

	assert_non_null(result);
	Py_DECREF(result);
}

static void the_same_as_long_as_nothing_changes(void **state)
{
	static const char *const all[] = {"cart", "rows", "text", "big", "total", "__name__"};

	(void)state;
	assert_true(fingerprint_of(NULL, false).number == 0);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const uint64_t once = number_of(all[i]);
		assert_true(once != 0 && number_of(all[i]) == once);
		for (size_t k = 0; k < i; k++)
			assert_true(number_of(all[k]) != once);
	}
}

static void expect_change(const char *name, const char *by)
{
	const uint64_t before = number_of(name);

	run(by);
	assert_true(number_of(name) != before);
}

static void contents_that_change(void **state)
{
	(void)state;
	expect_change("rows", "rows.append(3)");
	expect_change("rows", "rows[0] = 7");
	expect_change("cart", "cart.paid = True");
	expect_change("cart", "cart.rows.append(2)"); /* further in */
}

static void another_object(void **state)
{
	(void)state;
	expect_change("rows", "kept = rows\nrows = list(rows)"); /* that looks the same */
	expect_change("text", "text = text + 'y'");
	expect_change("big", "big = big + 1");
}

/* Only its address is told of what is secret by its name, unless that is to be shown. */
static void hidden(void **state)
{
	PyObject *rows = inside_name(names, "rows");
	const uint64_t before = fingerprint_of(rows, true).number;

	(void)state;
	run("rows.append(4)");
	assert_true(before != 0 && fingerprint_of(rows, true).number == before);
	assert_null(fingerprint_of(rows, true).value);
	root.arena.head->shows_secrets = 1;
	assert_true(fingerprint_of(rows, true).number == number_of("rows"));
}

/* The value is handed on where it was made on the way. */
static void with_the_value(void **state)
{
	struct fingerprint f = fingerprint_of(inside_name(names, "rows"), false);

	(void)state;
	assert_true(f.value && f.value_bytes);
	assert_null(fingerprint_of(inside_name(names, "text"), false).value);
	assert_null(fingerprint_of(inside_name(names, "total"), false).value);
}

INSIDE_TESTS(values_fingerprint)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_same_as_long_as_nothing_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(contents_that_change, setup, teardown),
		cmocka_unit_test_setup_teardown(another_object, setup, teardown),
		cmocka_unit_test_setup_teardown(hidden, setup, teardown),
		cmocka_unit_test_setup_teardown(with_the_value, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
