#include "session/binds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static bool binds(const char *line, const char *name)
{
	return binds_name(
		(struct pl_text){line, strlen(line)}, (struct pl_text){name, strlen(name)}, false);
}

static void test_lines_that_bind(void **state)
{
	(void)state;
	assert_true(binds("left = 3", "left"));
	assert_true(binds("a, *rest = values", "rest"));
	assert_true(binds("total += 1", "total"));
	assert_true(binds("bits <<= 1", "bits"));
	assert_true(binds("if (n := len(rows)) > 3:", "n"));
	assert_true(binds("for one, two in pairs:", "two"));
	assert_true(binds("with open(p) as f:", "f"));
	assert_true(binds("except KeyError as e:", "e"));
	assert_true(binds("import os.path", "os"));
	assert_true(binds("from shop import *", "book"));
	assert_true(binds("def book(order):", "book"));
	assert_true(binds("class Order(Base):", "Order"));
	assert_true(binds("case Order(item=item, count=n):", "n"));
	assert_true(binds("del left", "left"));
}

static void test_lines_that_only_read(void **state)
{
	(void)state;
	assert_false(binds("print(left)", "left"));
	assert_false(binds("increment()", "left"));
	assert_false(binds("if left == 3 or left >= 4 or left != 1:", "left"));
	assert_false(binds("other.left = 3", "left"));
	assert_false(binds("right = left", "left"));
	assert_false(binds("leftover = 3", "left"));
	assert_false(binds("return left", "left"));
	assert_false(binds("", "left"));
}

/* Then the answer is that it can. */
static void test_what_is_not_known(void **state)
{
	(void)state;
	assert_true(binds("@decorated", "book"));
	assert_true(binds("self.__left", "_Shop__left"));
	assert_true(binds("print(gr\xc3\xb6\xc3\x9f"
			  "e)",
		"gr\xc3\xb6\xc3\x9f"
		"e"));
	assert_true(binds_name((struct pl_text){"b", 1}, (struct pl_text){"left", 4}, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_that_bind),
		cmocka_unit_test(test_lines_that_only_read),
		cmocka_unit_test(test_what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
