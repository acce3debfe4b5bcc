/* The bytes of an event with values, and the budget of a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/varint.h"
#include "format/event.h"
#include "format/value_table.h"
#include "recorder/root.h"
#include "recorder/values/capture.h"
#include "recorder/values/event.h"
#include "recorder/values/known.h"

struct recorder_root root;

/* Compared only. */
PyTypeObject PyLong_Type, PyBool_Type, PyFloat_Type, PyUnicode_Type;
static PyTypeObject list_type;
PyObject _Py_NoneStruct;

static struct arena_head head;
static struct process_slot slot;
static size_t value_bytes;
static int known_times, captured_times, types_times, redacted_times;
static bool has_room, is_known;
static uint8_t bytes[4096];

static bool put_bytes(struct capture *c, uint8_t byte, size_t n)
{
	if ((size_t)(c->limit - c->at) < n)
		return false;
	memset(c->at, byte, n);
	c->at += n;
	return true;
}

bool capture_value(struct capture *c, PyObject *o)
{
	(void)o;
	captured_times++;
	return has_room && put_bytes(c, 'v', value_bytes);
}

bool capture_type(struct capture *c, PyObject *o)
{
	(void)o;
	types_times++;
	return put_bytes(c, 't', 1);
}

bool capture_redacted(struct capture *c)
{
	redacted_times++;
	return put_bytes(c, 'r', 1);
}

struct known_value known_value_of(PyObject *o)
{
	static uint8_t known[64];

	(void)o;
	known_times++;
	memset(known, 'k', sizeof known);
	return (struct known_value){known, is_known ? 10 : 0, 0};
}

static int setup(void **state)
{
	(void)state;
	head = (struct arena_head){0};
	head.value_limits.bytes = 100;
	head.value_limits.event_bytes = 400;
	root = (struct recorder_root){.arena.head = &head, .slot = &slot};
	atomic_store(&slot.values_cut, 0);
	value_bytes = 5;
	has_room = is_known = true;
	known_times = captured_times = types_times = redacted_times = 0;
	memset(bytes, 0, sizeof bytes);
	return 0;
}

/* Of the event at the front of `bytes`: its length includes the flags, and goes up to the end. */
static struct pl_view values_of(const uint8_t *end, uint8_t kind, uint64_t flags)
{
	struct pl_view v = view_of(bytes, (size_t)(end - bytes));
	uint8_t prefix, is;
	uint64_t length, said;

	assert_int_equal(view_u8(&v, &prefix), 0);
	assert_int_equal(prefix, EVENT_PREFIX);
	assert_int_equal(view_u8(&v, &is), 0);
	assert_int_equal(is, kind);
	assert_int_equal(view_varint(&v, &length), 0);
	assert_int_equal(length, v.left);
	assert_int_equal(view_varint(&v, &said), 0);
	assert_true(said == flags);
	return v;
}

static void expect(struct pl_view v, const char *text)
{
	assert_int_equal(v.left, strlen(text));
	assert_memory_equal(v.at, text, v.left);
}

static PyObject *of_type(PyTypeObject *type)
{
	static PyLongObject object;

	((PyObject *)&object)->ob_type = type;
	return (PyObject *)&object;
}

static void values_in_their_order(void **state)
{
	(void)state;
	value_event_begin(bytes);
	assert_true(value_event_put(of_type(&PyLong_Type), false));
	assert_true(value_event_put(NULL, false));
	expect(values_of(value_event_end(bytes, EVENT_VALUES), EVENT_VALUES, 0), "vvvvvvvvvv");
	assert_int_equal(captured_times, 2);
	assert_int_equal(known_times, 0); /* to look for small ones takes longer */
}

static void an_event_without_values(void **state)
{
	(void)state;
	value_event_begin(bytes);
	value_event_set_flags(3);
	expect(values_of(value_event_end(bytes, EVENT_VARIABLES), EVENT_VARIABLES, 3), "");
}

/* The head is written last, and is shorter or longer with what comes after it. */
static void lengths_and_flags_of_two_bytes(void **state)
{
	(void)state;
	for (value_bytes = 1; value_bytes < 100; value_bytes++)
		for (uint64_t flags = 126; flags < 130; flags++) {
			value_event_begin(bytes);
			for (int i = 0; i < 3; i++)
				assert_true(value_event_put(NULL, false));
			value_event_set_flags(flags);
			struct pl_view v = values_of(
				value_event_end(bytes, EVENT_VALUES), EVENT_VALUES, flags);
			assert_int_equal(v.left, 3 * value_bytes);
			for (size_t i = 0; i < v.left; i++)
				assert_int_equal(v.at[i], 'v');
		}
}

static void what_is_known_is_copied(void **state)
{
	(void)state;
	value_event_begin(bytes);
	assert_true(value_event_put(of_type(&list_type), false));
	is_known = false; /* it has no room even so */
	assert_true(value_event_put(of_type(&list_type), false));
	expect(values_of(value_event_end(bytes, EVENT_VALUES), EVENT_VALUES, 0), "kkkkkkkkkkt");
	assert_int_equal(captured_times, 0);
}

static void one_without_room_is_its_type(void **state)
{
	(void)state;
	has_room = false;
	value_event_begin(bytes);
	assert_true(value_event_put(NULL, false));
	expect(values_of(value_event_end(bytes, EVENT_VALUES), EVENT_VALUES, 0), "t");
}

/* Each value is bounded by itself, and all of them by the event. */
static void an_event_that_is_full(void **state)
{
	int fit = 0;

	(void)state;
	value_bytes = 101;
	value_event_begin(bytes);
	assert_true(value_event_put(NULL, false));
	assert_int_equal(types_times, 1);
	value_bytes = 100;
	while (value_event_put(NULL, false))
		fit++;
	const uint8_t *end = value_event_end(bytes, EVENT_VALUES);
	assert_true(values_of(end, EVENT_VALUES, 0).left < 400);
	assert_true(fit > 3);
}

static void a_secret_is_not_read(void **state)
{
	(void)state;
	value_event_begin(bytes);
	assert_true(value_event_put(of_type(&list_type), true));
	expect(values_of(value_event_end(bytes, EVENT_VALUES), EVENT_VALUES, 0), "r");
	assert_int_equal(known_times + captured_times + types_times, 0);
	head.shows_secrets = true;
	value_event_begin(bytes);
	assert_true(value_event_put(NULL, true));
	expect(values_of(value_event_end(bytes, EVENT_VALUES), EVENT_VALUES, 0), "vvvvv");
}

/* Within a second; a new one begins when the last is over, which the clock says only then. */
static void over_the_budget_there_are_types_alone(void **state)
{
	bool over = false;

	(void)state;
	head.value_limits.second_bytes = 50;
	for (int i = 0; i < 30 && !over; i++) {
		value_event_begin(bytes);
		over = value_event_is_over();
		assert_true(value_event_put(NULL, false));
		value_event_set_flags(1);
		const uint8_t *end = value_event_end(bytes, EVENT_VALUES);
		expect(values_of(end, EVENT_VALUES, over ? VALUES_OVER_BUDGET | 1 : 1),
			over ? "t" : "vvvvv");
	}
	assert_true(over);
	assert_int_equal(atomic_load(&slot.values_cut), 1);
	head.value_limits.second_bytes = 0; /* no limit */
	value_event_begin(bytes);
	assert_false(value_event_is_over());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(values_in_their_order, setup),
		cmocka_unit_test_setup(an_event_without_values, setup),
		cmocka_unit_test_setup(lengths_and_flags_of_two_bytes, setup),
		cmocka_unit_test_setup(what_is_known_is_copied, setup),
		cmocka_unit_test_setup(one_without_room_is_its_type, setup),
		cmocka_unit_test_setup(an_event_that_is_full, setup),
		cmocka_unit_test_setup(a_secret_is_not_read, setup),
		cmocka_unit_test_setup(over_the_budget_there_are_types_alone, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
