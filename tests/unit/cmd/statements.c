/* Which lines begin a statement with code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "cmd/statements.h"

/* Each line of the text is one of these, in order: '-' nothing, 'c' code, 'd' a def. */
static void expect(const char *text, const char *kinds)
{
	struct statements s = {0};
	char found[64];
	size_t n = 0;

	while (*text && n < sizeof found - 1) {
		size_t length = strcspn(text, "\n");
		enum statement kind =
			statements_next(&s, (struct pl_text){.at = text, .length = length});
		found[n++] = kind == STATEMENT_CODE ? 'c' : kind == STATEMENT_DEF ? 'd' : '-';
		text += length + (text[length] == '\n');
	}
	found[n] = '\0';
	assert_string_equal(found, kinds);
}

static void no_code(void **state)
{
	(void)state;
	expect("\n  \n# x\n  # if x:\n\"text\"\n'''text\nif a:\n'''\n", "--------");
	expect("global x\nnonlocal x\nelse:\nelse : # x\nfinally:\nx: int\n", "------");
}

static void code(void **state)
{
	(void)state;
	expect("x = 1\nelse: y\nfinally: pass\nx: int = 1\ntry:\nif x:\n@x\nclass A:\n",
		"cccccccc");
	expect("'''text\n'''; x = 1\nx = '''\ntext'''\n", "--c-");
	expect("self.x: int\nelse_ = 1\nglobals()\n", "ccc");
}

static void a_statement_goes_on(void **state)
{
	(void)state;
	expect("f(\n1,\n)\nx\n", "c--c");
	expect("x = [ # (\n'(',\n]\nx\n", "c--c");
	expect("x = \\\n  1\nx # \\\nx\n", "c-cc");
	expect(")\nx\n", "cc"); /* not Python, and no bracket is open afterwards */
}

static void functions(void **state)
{
	struct statements s = {0};

	(void)state;
	expect("def f(a,\n b):\n  x\nasync def g(): pass\n  define = 1\n", "d-cdc");
	assert_int_equal(
		statements_next(&s, (struct pl_text){.at = "@a", .length = 2}), STATEMENT_CODE);
	assert_int_equal(
		statements_next(&s, (struct pl_text){.at = "@b", .length = 2}), STATEMENT_CODE);
	assert_int_equal(statements_next(&s, (struct pl_text){.at = "\tdef f(): x", .length = 11}),
		STATEMENT_DEF);
	assert_int_equal(s.first, 1);
	assert_int_equal(s.indent, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_code), cmocka_unit_test(code),
		cmocka_unit_test(a_statement_goes_on), cmocka_unit_test(functions)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
