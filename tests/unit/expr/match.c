/* Texts compared with patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "expr/match.h"

static struct pl_text text(const char *t)
{
	return (struct pl_text){.at = t, .length = strlen(t)};
}

static bool is(const char *pattern, const char *t, enum match_how how)
{
	return match_text(text(pattern), text(t), how);
}

static void patterns(void **state)
{
	(void)state;
	assert_true(is("shop%", "shop.cart", MATCH_EQUAL));
	assert_true(is("%cart", "shop.cart", MATCH_EQUAL));
	assert_true(is("s%p%t", "shop.cart", MATCH_EQUAL));
	assert_true(is("%", "", MATCH_EQUAL));
	assert_false(is("shop", "shop.cart", MATCH_EQUAL));
	assert_false(is("s%x", "shop.cart", MATCH_EQUAL));
	assert_false(is("", "a", MATCH_EQUAL));
	assert_true(is("", "", MATCH_EQUAL));
	assert_true(is("a_b", "a_b", MATCH_EQUAL));
	assert_false(is("a_b", "axb", MATCH_EQUAL));
	assert_true(is("100\\%", "100%", MATCH_EQUAL));
	assert_false(is("100\\%", "1000", MATCH_EQUAL));
}

static void likes(void **state)
{
	(void)state;
	assert_true(is("a_b", "axb", MATCH_LIKE));
	assert_true(is("a_b",
		"a\xc3\xa4"
		"b",
		MATCH_LIKE));
	assert_true(is("SHOP%", "shop.cart", MATCH_LIKE));
	assert_false(is("SHOP%", "shop.cart", MATCH_EQUAL));
	assert_false(is("a\\_b", "axb", MATCH_LIKE));
	assert_true(is("a\\_b", "a_b", MATCH_LIKE));
	assert_false(is("_", "", MATCH_LIKE));
}

static void pattern_or_not(void **state)
{
	(void)state;
	assert_true(match_is_pattern(text("a%")));
	assert_false(match_is_pattern(text("a\\%")));
	assert_false(match_is_pattern(text("a_")));
}

static void modules(void **state)
{
	struct pl_buf room = {0};
	struct pl_text t = match_module("/home/me/shop/cart.py", &room);

	(void)state;
	assert_int_equal(t.length, strlen("home.me.shop.cart"));
	assert_memory_equal(t.at, "home.me.shop.cart", t.length);
	assert_true(match_next_end(&t, '.'));
	assert_memory_equal(t.at, "me.shop.cart", t.length);
	t = match_module("shop/__init__.py", &room);
	assert_int_equal(t.length, 4);
	assert_memory_equal(t.at, "shop", 4);
	assert_false(match_next_end(&t, '.'));
	buf_release(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(likes),
		cmocka_unit_test(pattern_or_not),
		cmocka_unit_test(modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
