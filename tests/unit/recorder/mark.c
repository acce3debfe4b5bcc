/* Marks: their text, which has no secrets and runs no code, and where they are put. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/mark.h"
#include "tests/lib/inside_recording.h"

static PyObject *mark_text, *mark_values;

static PyObject *put(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	mark_put(mark_text, mark_values);
	Py_RETURN_NONE;
}

/* values: an expression, of a dict or None. NULL: there is no mark. */
static void expect(const char *text, const char *values, const char *expected)
{
	PyObject *names, *given = NULL;
	struct event events[64];
	char program[512];

	snprintf(program, sizeof program,
		"class Cart:\n    def __repr__(self): 1 / 0\n"
		"cart = Cart()\ntext, values = %s, %s\n",
		text, values);
	given = inside_bind(program);
	mark_text = inside_name(given, "text");
	mark_values = inside_name(given, "values");
	mark_values = mark_values == Py_None ? NULL : mark_values;
	const size_t from = self ? (size_t)(self->ring.at - self->ring.chunk->bytes) : 0;
	names = inside_run("def f(): call()\nf()\n", "/shop/cart.py", "cart", put);
	const unsigned count = self ? events_from(self, from, events, 64) : 0;
	const struct event *e = event_among(events, count, EVENT_MARK);
	assert_null(PyErr_Occurred());
	if (expected) {
		assert_ptr_equal(e, &events[count - 1]);
		assert_int_equal(e->text.left, strlen(expected));
		assert_memory_equal(e->text.at, expected, e->text.left);
	} else {
		assert_null(e);
	}
	Py_DECREF(names);
	Py_DECREF(given);
}

static void texts(void **state)
{
	(void)state;
	assert_true(mark_is_recording());
	expect("'paid'", "None", "paid");
	expect("'paid'", "dict(order=7, by='card')", "paid order=7 by='card'");
	expect("7", "None", "7");
	expect("''", "dict(a=None)", "a=None");
}

static void no_code_of_the_program(void **state)
{
	(void)state;
	expect("cart", "dict(cart=cart, rows=[1])", "<Cart> cart=<Cart> rows=<list>");
}

static void no_secrets(void **state)
{
	(void)state;
	expect("'login'", "dict(password='hunter2', user='ann')",
		"login password=<redacted> user='ann'");
	root.arena.head->shows_secrets = 1;
	expect("'login'", "dict(password='hunter2')", "login password='hunter2'");
}

#define TEN "xxxxxxxxxx"

static void long_ones(void **state)
{
	(void)state;
	expect("'x' * 120", "None", TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN);
	expect("'x' * 10000", "None",
		TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "xxxxxxx\xe2\x80\xa6");
	expect("'x' * 116 + '\\xe9' * 9", "None",
		TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "xxxxxx\xe2\x80\xa6");
	root.arena.head->shows_secrets = 1;
	expect("'x' * 116 + '\\xe9' * 9", "None",
		TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "xxxxxx\xe2\x80\xa6");
}

static void while_nothing_is_recorded(void **state)
{
	(void)state;
	atomic_store(&root.stopped, 1);
	assert_false(mark_is_recording());
	expect("'paid'", "None", NULL);
}

/* The frame that marks is linked first. */
static void at_a_frame(void **state)
{
	struct event events[64];

	(void)state;
	expect("'paid'", "None", "paid");
	const unsigned count = events_from(self, 0, events, 64);
	const struct event *link = event_among(events, count, EVENT_LINK);
	assert_true(link && link < event_among(events, count, EVENT_TIME));
	assert_int_equal(count_of(events, count, EVENT_LINK), self->shadow.depth);
}

INSIDE_TESTS(mark)
{
	const struct CMUnitTest tests[] = {
		RECORDED_TEST(texts),
		RECORDED_TEST(no_code_of_the_program),
		RECORDED_TEST(no_secrets),
		RECORDED_TEST(long_ones),
		RECORDED_TEST(while_nothing_is_recorded),
		RECORDED_TEST(at_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
