/* CODE messages: what is said of a code, with a graph and without, and once more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "flow/graph.h"
#include "format/body.h"
#include "format/raw_code.h"
#include "recorder/code_body.h"
#include "recorder/code_units.h"
#include "tests/lib/inside_recording.h"

#define TEXT                                                                                       \
	"def total(rows, /, rate, *more, tax=0, **rest):\n"                                        \
	"    for row in rows:\n"                                                                   \
	"        if row: rate += row\n"                                                            \
	"    return rate\n"

static PyCodeObject *module, *code;
static struct flow_graph g;

static int begin(void **state)
{
	if (recording_begin(state) != 0)
		return -1;
	module = inside_code(TEXT, "/shop/cart.py");
	code = inside_function(module);
	return !code_graph(code, &g);
}

static int end(void **state)
{
	flow_graph_release(&g);
	Py_DECREF(module);
	return recording_end(state);
}

/* The message CODE after the number of its code, which is the first field. */
struct told {
	uint64_t number, left_out, unit;
	struct body body; /* owned */
};

static void told_last(struct told *t)
{
	struct pl_view last = {NULL, 0}, body;

	assert_true(messages_of(MESSAGE_CODE, &last) > 0);
	assert_true(view_varint(&last, &t->number) == 0 && view_string(&last, &body) == 0);
	assert_true(view_varint(&last, &t->left_out) == 0 && view_varint(&last, &t->unit) == 0);
	assert_int_equal(last.left, 0);
	assert_int_equal(body_read(body, &t->body), 0);
}

static bool is_text(struct pl_view v, const char *text)
{
	return v.left == strlen(text) && !memcmp(v.at, text, v.left);
}

static void expect_arguments(struct arguments a)
{
	static const char *const names[] = {"rows", "rate", "more", "tax", "rest"};
	struct pl_view name;

	assert_true(a.count == 5 && a.after_star == 1);
	for (size_t i = 0; i < 5; i++) {
		assert_true(arguments_next(&a, &name));
		assert_true(is_text(name, names[i]));
	}
	assert_false(arguments_next(&a, &name));
}

static void with_its_graph(void **state)
{
	struct code_told told = {.number = 7, .unit = 3, .left_out = true, .values = true};
	struct told t;

	(void)state;
	assert_true(code_send_body(code, &g, told));
	told_last(&t);
	assert_true(t.number == 7 && t.left_out == 1 && t.unit == 3);
	assert_true(is_text(t.body.file, "/shop/cart.py") && is_text(t.body.name, "total"));
	assert_true(t.body.first_line == 1 && t.body.flags == (uint32_t)code->co_flags);
	assert_int_equal(t.body.version, PYTHON_VERSION);
	assert_int_equal(t.body.graph.start_count, g.start_count);
	expect_arguments(t.body.arguments);
	body_release(&t.body);
}

static void without_a_graph(void **state)
{
	PyObject *plain = PyCode_GetCode(code);
	const struct bytecode parts = code_parts(code, plain);
	struct pl_view last = {NULL, 0};
	struct raw_code raw = {.number = 0};

	(void)state;
	assert_true(code_send_straight(
		code, &parts, (struct code_told){.number = 9, .unit = 2, .values = true}));
	assert_int_equal(messages_of(MESSAGE_CODE_RAW, &last), 1);
	assert_int_equal(raw_code_read(last, &raw), 0);
	assert_true(raw.number == 9 && raw.unit == 2);
	assert_true(is_text(raw.file, "/shop/cart.py") && is_text(raw.name, "total"));
	assert_int_equal(raw.code.left, PyBytes_GET_SIZE(plain));
	assert_memory_equal(raw.code.at, PyBytes_AS_STRING(plain), raw.code.left);
	expect_arguments(raw.arguments);
	Py_DECREF(plain);
}

/* Under another number, with other witnesses; it is the same text. */
static void told_again(void **state)
{
	const struct code_record *r = code_record(code);
	struct told t;

	(void)state;
	assert_non_null(r);
	for (uint32_t i = 0; i < g.start_count; i++)
		g.starts[i].witness = true;
	const uint32_t number = code_tell_again(code, &g);
	told_last(&t);
	assert_true(number != 0 && number != r->number && t.number == number);
	assert_true(t.unit == r->text_unit && !t.left_out);
	assert_int_equal(t.body.arguments.count, 0);
	for (uint32_t i = 0; i < t.body.graph.start_count; i++)
		assert_true(t.body.graph.starts[i].witness);
	body_release(&t.body);
}

/* A name that is not UTF-8 has the bytes that it had. */
static void names_that_are_no_utf8(void **state)
{
	PyObject *file = PyUnicode_DecodeFSDefault("/shop/\xff.py"), *before = code->co_filename;
	struct told t;

	(void)state;
	code->co_filename = file;
	assert_true(code_send_body(code, &g, (struct code_told){.number = 1}));
	code->co_filename = before;
	told_last(&t);
	assert_true(is_text(t.body.file, "/shop/\xff.py"));
	body_release(&t.body);
	Py_DECREF(file);
}

INSIDE_TESTS(code_body)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(with_its_graph),
		TEST(without_a_graph),
		TEST(told_again),
		TEST(names_that_are_no_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
