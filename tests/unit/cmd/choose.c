/* From the words of --include and its kin to rules. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/choose.h"
#include "lib/said.h"

static char *no_words[] = {NULL};

static void expect(struct choose *c, const char *rules, const char *text)
{
	assert_int_equal(choose_end(c, no_words, "--include"), CMD_GO);
	assert_int_equal(c->rules.used, strlen(rules));
	assert_memory_equal(c->rules.at, rules, c->rules.used);
	assert_string_equal((const char *)c->text.at, text);
	choose_release(c);
}

static void in_their_order(void **state)
{
	struct choose c = {.command = "record"};

	(void)state;
	choose_take(&c, "exclude", "stdlib");
	choose_take(&c, "include", "it's.py");
	expect(&c, "-stdlib\n+it's.py\n", "--exclude stdlib --include 'it'\\''s.py'");
	expect(&c, "", "");
}

/* What begins with dots is a path from here, as in a shell. */
static void from_here(void **state)
{
	struct choose c = {.command = "record"};
	char *here = getcwd(NULL, 0), rules[4096];

	(void)state;
	assert_non_null(here);
	choose_take(&c, "include", "./tests");
	snprintf(rules, sizeof rules, "+%s/tests\n", here);
	expect(&c, rules, "--include ./tests");
	free(here);
}

static void of_values(void **state)
{
	struct choose c = {.command = "record", .here = "/home/ann/shop"};

	(void)state;
	choose_take_of(&c, "values-of", "shop.cart");
	choose_take_of(&c, "values-of", CHOOSE_MINE);
	assert_true(c.mine);
	expect(&c, "+shop.cart\n!\n=/home/ann/shop\n", "shop.cart mine");
}

static void refused(void **state)
{
	struct choose c = {.command = "record"};
	const char *said;

	(void)state;
	said_begin();
	choose_take(&c, "include", "");
	choose_take(&c, "include", ""); /* it is said once */
	said = said_end();
	choose_take(&c, "include", "shop"); /* what was wrong stays wrong */
	assert_int_equal(strncmp(said, "pathline: record: --include '' ", 31), 0);
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	assert_int_equal(choose_end(&c, no_words, "--include"), CMD_USAGE);
	choose_release(&c);
	c = (struct choose){.command = "record"};
	for (int i = 0; i < 65; i++)
		choose_take(&c, "include", "shop");
	said_begin();
	assert_int_equal(choose_end(&c, no_words, "--include"), CMD_USAGE);
	assert_string_equal(said_end(), "pathline: record: more than 64 rules of --include, or "
					"16384 bytes of them\n");
	choose_release(&c);
}

static void unmatched(void **state)
{
	struct choose c = {.command = "record"};

	(void)state;
	choose_take(&c, "include", "shop");
	choose_take(&c, "exclude", "shop.cart");
	choose_take(&c, "include", "order");
	assert_int_equal(choose_end(&c, no_words, "--include"), CMD_GO);
	said_begin();
	choose_say_unmatched(&c, "--include", "code", 1);
	assert_string_equal(said_end(), "pathline: --include 'order' matched no code\n");
	choose_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_their_order),
		cmocka_unit_test(from_here),
		cmocka_unit_test(of_values),
		cmocka_unit_test(refused),
		cmocka_unit_test(unmatched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
