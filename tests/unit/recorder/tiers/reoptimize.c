/* Hot code with other witnesses: counted, chosen, and enabled with the next call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/tiers/reoptimize.h"
#include "recorder/tiers/tiers.h"
#include "tests/lib/inside_hooks.h"

#define TEXT                                                                                       \
	"def f(n):\n"                                                                              \
	"    i = 0\n"                                                                              \
	"    while i < n:\n"                                                                       \
	"        i += 1\n"                                                                         \
	"        if i & 1:\n"                                                                      \
	"            x = i\n"                                                                      \
	"        else:\n"                                                                          \
	"            x = -i\n"                                                                     \
	"    return i\n"                                                                           \
	"def g():\n    if call(): yield 1\n"                                                       \
	"f(3)\nnext(g(), 0)\ncall()\n"

static PyObject *names;
static PyCodeObject *code;
static struct code_record *record;

static int begin(void **state)
{
	const char *why = NULL;

	if (hooked_begin(state) != 0)
		return -1;
	root.arena.head->hot_lines = 100;
	if (!hooked_in(&why))
		return -1;
	names = hooked_run(TEXT, inside_nothing);
	code = (PyCodeObject *)PyFunction_GET_CODE(inside_name(names, "f"));
	record = hooked_function(names, "f");
	return 0;
}

static int end(void **state)
{
	Py_DECREF(names);
	return hooked_end(state);
}

/* The first unit that is a witness, or is none, though a line starts there. */
static uint32_t unit_of_start(bool witness)
{
	uint32_t unit = 0;

	while (unit < record->unit_count &&
		!(record->units[unit].start && record->units[unit].witness == witness &&
			!record->units[unit].pass))
		unit++;
	assert_true(unit < record->unit_count);
	return unit;
}

static void once(void **state)
{
	(void)state;
	assert_false(reoptimize_is_counting(record) || reoptimize_is_due(record));
	assert_true(reoptimize_begin(code, record));
	assert_true(reoptimize_is_counting(record) && !reoptimize_is_due(record));
	tier_release(record);
	assert_null(record->reoptimization);
	assert_false(reoptimize_begin(code, record));
}

static void what_is_not(void **state)
{
	PyCodeObject *other = (PyCodeObject *)PyFunction_GET_CODE(inside_name(names, "g"));

	(void)state;
	assert_false(reoptimize_begin(other, hooked_function(names, "g"))); /* a generator */
	section_begin();
	assert_false(reoptimize_begin(code, record));
	root.section_count = 0;
	hooks_tell_lines();
	assert_false(reoptimize_begin(code, record));
	assert_null(record->reoptimization);
}

/* Twice as many lines as made it hot are counted; what is no start is not. */
static void counted(void **state)
{
	const uint32_t unit = unit_of_start(true);

	(void)state;
	assert_true(reoptimize_begin(code, record));
	assert_false(reoptimize_counts(record, record->unit_count));
	for (unsigned i = 0; i < 199; i++)
		assert_true(reoptimize_counts(record, unit));
	assert_true(reoptimize_is_counting(record));
	record->lines_heard = 5;
	assert_true(reoptimize_counts(record, unit));
	assert_true(reoptimize_is_due(record) && !reoptimize_is_counting(record));
	assert_int_equal(record->lines_heard, root.hot_lines - 1); /* the next LINE chooses */
}

static void count_all(uint32_t unit)
{
	reoptimize_begin(code, record);
	while (reoptimize_is_counting(record))
		reoptimize_counts(record, unit);
	reoptimize_choose(record);
}

/* The witness of before ran each time, so another line is cheaper. With the next call it has it,
 * under another number. */
static void other_witnesses(void **state)
{
	const uint32_t unit = unit_of_start(true), number = record->number;
	const bool plain = record->plain;
	struct pl_view last = {NULL, 0};
	uint64_t told = 0;

	(void)state;
	count_all(unit);
	assert_non_null(record->reoptimization);
	assert_false(record->plain);
	tier_call(code, record);
	assert_null(record->reoptimization);
	assert_false(record->units[unit].witness);
	assert_int_equal(record->units[unit].heard, HEARD_BY_LINE);
	assert_int_equal(record->number_before, number);
	assert_true(messages_of(MESSAGE_CODE, &last) > 0 && view_varint(&last, &told) == 0);
	assert_true(told == record->number && told != number);
	assert_int_equal(record->plain, plain);
	assert_int_equal(root.describing, 0);
}

/* What never ran costs nothing: it stays. */
static void nothing_that_is_cheaper(void **state)
{
	const uint32_t unit = unit_of_start(false), number = record->number;

	(void)state;
	count_all(unit);
	assert_null(record->reoptimization);
	tier_call(code, record);
	assert_int_equal(record->number, number);
}

static uint32_t witness, number_there;

static PyObject *choose_now(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	count_all(witness);
	tier_call(code, record);
	number_there = record->number;
	Py_RETURN_NONE;
}

/* Frames that were called before have all of the witnesses of before. */
static void while_another_frame_runs(void **state)
{
	static PyMethodDef row = {"choose", choose_now, METH_NOARGS, NULL};
	PyObject *function = PyCFunction_New(&row, NULL), *done;
	const uint32_t number = record->number;

	(void)state;
	witness = unit_of_start(true);
	PyDict_SetItemString(names, "choose", function);
	done = PyRun_String("class N:\n    def __gt__(self, i):\n        choose()\n"
			    "        return False\nf(N())\n",
		Py_file_input, names, names);
	assert_non_null(done);
	assert_int_equal(number_there, number);
	assert_non_null(record->reoptimization);
	tier_call(code, record);
	assert_int_not_equal(record->number, number);
	Py_DECREF(done);
	Py_DECREF(function);
}

INSIDE_TESTS(tiers_reoptimize)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(once),
		TEST(what_is_not),
		TEST(counted),
		TEST(other_witnesses),
		TEST(nothing_that_is_cheaper),
		TEST(while_another_frame_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
