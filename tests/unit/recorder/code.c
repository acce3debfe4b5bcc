/* Code objects: described once, known until they die. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/policy.h"
#include "tests/lib/inside_recording.h"

#define TEXT                                                                                       \
	"def total(rows):\n"                                                                       \
	"    for row in rows:\n"                                                                   \
	"        if row: yield row\n"                                                              \
	"def other(): pass\n"

static unsigned codes_told(void)
{
	struct pl_view last;

	return messages_of(MESSAGE_CODE, &last) + messages_of(MESSAGE_CODE_RAW, &last);
}

static void described_once(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py"), *code = inside_function(module);
	struct pl_view last = {NULL, 0};

	(void)state;
	assert_null(code_known(code));
	struct code_record *r = code_record(code);
	assert_non_null(r);
	assert_int_equal(messages_of(MESSAGE_CODE, &last), 1);
	assert_true(view_has(last, "/shop/cart.py") && view_has(last, "total"));
	assert_true(r->number != 0 && r->generator_like && !r->coroutine && !r->left_out);
	assert_int_equal(r->unit_count, Py_SIZE(code));
	assert_ptr_equal(code_record(code), r);
	assert_ptr_equal(code_known(code), r);
	assert_int_equal(codes_told(), 1);
	/* the whole text, as its unit was not opened by its own code */
	assert_true(code_record(module)->number != r->number);
	assert_int_equal(codes_told(), 3);
	assert_null(PyErr_Occurred());
	Py_DECREF(module);
}

static void count_codes(PyCodeObject *code, struct code_record *r, void *context)
{
	*(unsigned *)context += code != NULL && r->number != 0;
}

static unsigned all_codes(void)
{
	unsigned count = 0;

	codes_each(count_codes, &count);
	return count;
}

static void code_that_dies(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py");
	const uint32_t number = code_record(module)->number;
	struct pl_view last = {NULL, 0};
	uint64_t told = 0;

	(void)state;
	code_record(inside_function(module));
	assert_int_equal(all_codes(), 2);
	Py_DECREF(inside_code("x = 1\n", "/other.py")); /* never described */
	assert_int_equal(messages_of(MESSAGE_CODE_FREE, &last), 0);
	Py_DECREF(module);
	assert_int_equal(all_codes(), 0);
	assert_int_equal(messages_of(MESSAGE_CODE_FREE, &last), 2);
	assert_int_equal(view_varint(&last, &told), 0);
	assert_true(told == number || told == number + 1);
}

/* The parent of a fork may still run it. */
static void code_of_two_processes(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py");
	struct pl_view last;

	(void)state;
	root.shared_codes = code_record(module)->number;
	Py_DECREF(module);
	root.shared_codes = 0;
	assert_int_equal(messages_of(MESSAGE_CODE_FREE, &last), 0);
	assert_int_equal(all_codes(), 0);
}

static void a_recording_that_has_stopped(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py");

	(void)state;
	atomic_store(&root.stopped, 1);
	assert_null(code_record(module));
	assert_null(code_known(module));
	atomic_store(&root.stopped, 0);
	assert_non_null(code_record(module));
	Py_DECREF(module);
}

static void all_forgotten(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py");

	(void)state;
	code_record(module);
	codes_forget();
	assert_int_equal(all_codes(), 0);
	root.left = true;
	assert_int_equal(code_init(), 0);
	assert_null(code_known(module));
	Py_DECREF(module);
}

static void the_bottom_frame(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py"), *code = inside_function(module);
	struct code_record *r = code_record(code);

	(void)state;
	assert_false(r->facts.bottom);
	code_is_bottom(r);
	assert_true(r->facts.bottom);
	const struct policy expected = policy_of_code(&r->facts);
	assert_memory_equal(&r->policy, &expected, sizeof expected);
	Py_DECREF(module);
}

INSIDE_TESTS(code)
{
	const struct CMUnitTest tests[] = {
		RECORDED_TEST(described_once),
		RECORDED_TEST(code_that_dies),
		RECORDED_TEST(code_of_two_processes),
		RECORDED_TEST(a_recording_that_has_stopped),
		RECORDED_TEST(all_forgotten),
		RECORDED_TEST(the_bottom_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
