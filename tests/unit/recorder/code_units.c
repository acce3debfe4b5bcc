/* The flow graph of a code, and the parts of its bytecode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "flow/graph.h"
#include "recorder/code_body.h"
#include "recorder/code_units.h"
#include "tests/lib/inside.h"

#define TEXT                                                                                       \
	"def total(rows):\n"                                                                       \
	"    sum = 0\n"                                                                            \
	"    for row in rows:\n"                                                                   \
	"        if row:\n"                                                                        \
	"            sum += row\n"                                                                 \
	"    return sum\n"

static bool has_start(const struct flow_graph *g, int32_t line)
{
	for (uint32_t i = 0; i < g->start_count; i++)
		if (g->starts[i].line == line)
			return true;
	return false;
}

static void graphs(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py"), *code = inside_function(module);
	struct flow_graph g = {.unit_count = 0};

	(void)state;
	assert_non_null(code);
	assert_true(code_graph(code, &g));
	assert_true(g.analysed);
	assert_true(g.block_count > 3);
	for (int32_t line = 2; line <= 6; line++)
		assert_true(has_start(&g, line));
	assert_false(has_start(&g, 7));
	flow_graph_release(&g);
	Py_DECREF(module);
}

/* The parts of the bytecode are those of the code as it was compiled, whatever has specialised. */
static void parts(void **state)
{
	PyCodeObject *module = inside_code(TEXT, "/shop/cart.py"), *code = inside_function(module);
	PyObject *plain = PyCode_GetCode(code);
	const struct bytecode b = code_parts(code, plain);

	(void)state;
	assert_int_equal(b.version, PY_MAJOR_VERSION << 8 | PY_MINOR_VERSION);
	assert_int_equal(b.first_line, 1);
	assert_int_equal(b.flags, code->co_flags);
	assert_int_equal(b.code.left, PyBytes_GET_SIZE(plain));
	assert_int_equal(b.line_table.left, PyBytes_GET_SIZE(code->co_linetable));
	Py_DECREF(plain);
	Py_DECREF(module);
}

INSIDE_TESTS(code_units)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs),
		cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
