/* Rules against codes, as doc and header have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "filter/filter.h"

#define LIB  "/usr/lib/python3.13"
#define HOME "/home/ann/shop"

static struct pl_view v(const char *text)
{
	return view_of(text, strlen(text));
}

/* rules: the text as it goes to recorders */
static bool records(const char *rules, const char *file, const char *module, uint64_t *matched)
{
	struct filter f = {.stdlib = v(LIB)};
	uint64_t none;

	assert_int_equal(filter_read(&f, v(rules)), 0);
	return filter_records(&f, &(struct filter_code){.file = v(file), .module = v(module)},
		matched ? matched : &none);
}

static void the_last_rule_decides(void **state)
{
	(void)state;
	assert_true(records("", LIB "/json/decoder.py", "json.decoder", NULL));
	assert_false(records("-stdlib\n", LIB "/json/decoder.py", "json.decoder", NULL));
	assert_true(records("-stdlib\n+json\n", LIB "/json/decoder.py", "json.decoder", NULL));
	assert_false(records("-stdlib\n+json\n", LIB "/functools.py", "functools", NULL));
	assert_false(records("+json\n-stdlib\n", LIB "/json/decoder.py", "json.decoder", NULL));
}

static void an_include_first_leaves_out_the_rest(void **state)
{
	(void)state;
	assert_false(records("+shop\n", HOME "/a.py", "a", NULL));
	assert_true(records("+shop\n", HOME "/shop/a.py", "shop.a", NULL));
	assert_false(
		records("+shop\n-shop.vendor\n", HOME "/shop/vendor/x.py", "shop.vendor.x", NULL));
	assert_true(records("-a\n+shop\n", HOME "/b.py", "b", NULL));
}

static void modules(void **state)
{
	(void)state;
	assert_false(records("-shop\n", "/x", "shop", NULL));
	assert_false(records("-shop\n", "/x", "shop.cart", NULL));
	assert_true(records("-shop\n", "/x", "shopping", NULL));
	assert_true(records("-shop\n", "/x", "my.shop", NULL));
	assert_false(records("-*.shop\n", "/x", "my.shop.x", NULL));
	assert_false(records("-shop*\n", "/x", "shopping.y", NULL));
	assert_true(records("-shop\n", "/x", "", NULL));
}

static void paths(void **state)
{
	(void)state;
	assert_false(records("-" HOME "/\n", HOME "/a.py", "a", NULL));
	assert_false(records("-" HOME "\n", HOME "/b/a.py", "a", NULL));
	assert_true(records("-" HOME "\n", HOME "ping/a.py", "a", NULL));
	assert_true(records("-/shop\n", HOME "/a.py", "a", NULL));
	assert_false(records("-shop/b\n", HOME "/b/a.py", "a", NULL));
	assert_true(records("-hop/b\n", HOME "/b/a.py", "a", NULL));
	assert_false(records("-test_*.py\n", HOME "/test_a.py", "test_a", NULL));
	assert_true(records("-test_*.py\n", HOME "/my_test_a.py", "test_a", NULL));
	assert_true(records("-ann/*/a.py\n", HOME "/b/a.py", "a", NULL));
	assert_false(records("-ann/**/a.py\n", HOME "/b/a.py", "a", NULL));
	assert_false(records("-<string>\n", "<string>", "a", NULL));
}

/* Also what has no name and no file. */
static void a_star_is_all(void **state)
{
	uint64_t matched;

	(void)state;
	assert_true(records("+*\n", HOME "/a.py", "a", &matched));
	assert_int_equal(matched, 1);
	assert_true(records("+*\n", "<string>", "", NULL));
	assert_true(records("+*\n", "", "", NULL));
	assert_false(records("+shop\n", "<string>", "", NULL));
	assert_true(records("+*\n-shop\n", "", "", NULL));
	assert_false(records("+*\n-shop\n", HOME "/a.py", "shop.a", NULL));
	assert_false(records("-*\n", LIB "/json/decoder.py", "json.decoder", NULL));
	assert_false(records("+*.a\n", "", "", NULL)); /* as any name of a module */
}

static void words(void **state)
{
	(void)state;
	assert_false(records(
		"-stdlib\n", "<frozen importlib._bootstrap>", "importlib._bootstrap", NULL));
	assert_true(records("-stdlib\n", LIB "/site-packages/a.py", "a", NULL));
	assert_true(records("-stdlib\n", LIB "x/a.py", "a", NULL));
	assert_false(records("-site-packages\n", LIB "/site-packages/a.py", "a", NULL));
	assert_false(records("-site-packages\n", "/usr/lib/python3/dist-packages/a.py", "a", NULL));
	assert_true(records("-site-packages\n", LIB "/a.py", "a", NULL));
	assert_true(records("-stdlib\n", "<string>", "a", NULL));
}

static void only_mine(void **state)
{
	const char *rules = "!\n=" HOME "\n=/opt/tool\n";
	(void)state;

	assert_true(records(rules, HOME "/a.py", "a", NULL));
	assert_true(records(rules, "/opt/tool/b/a.py", "b.a", NULL));
	assert_false(records(rules, "/opt/tools/a.py", "a", NULL));
	assert_false(records(rules, HOME "/.venv/lib/python3.13/site-packages/x.py", "x", NULL));
	assert_false(records(rules, LIB "/json/decoder.py", "json.decoder", NULL));
	assert_true(records(rules, "<string>", "__main__", NULL));
	assert_false(records(rules, "<string>", "namedtuple_X", NULL));
	assert_false(records(rules, "<frozen runpy>", "__main__", NULL));
	assert_true(records(rules, "a.py", "a", NULL));
	assert_true(records("!\n=" HOME "\n+json\n", LIB "/json/decoder.py", "json.decoder", NULL));
}

static void text_goes_with_its_module(void **state)
{
	struct filter f = {.stdlib = v(LIB)};
	struct filter_code c = {
		.file = v("<string>"), .module = v("a"), .module_file = v(LIB "/a.py")};
	uint64_t matched;
	(void)state;

	assert_int_equal(filter_read(&f, v("-stdlib\n")), 0);
	assert_false(filter_records(&f, &c, &matched));
	c.file = v("/x/y.py");
	assert_true(filter_records(&f, &c, &matched));
	c.file = v("<frozen x>");
	c.module_file = v("/x/y.py");
	assert_false(filter_records(&f, &c, &matched));
}

static void says_which_rules_matched(void **state)
{
	uint64_t matched;
	(void)state;

	records("-stdlib\n-nothing\n+json\n", LIB "/json/decoder.py", "json.decoder", &matched);
	assert_int_equal(matched, 5);
}

static void faults(void **state)
{
	(void)state;
	assert_null(filter_fault(v("stdlib")));
	assert_null(filter_fault(v("a.b*")));
	assert_null(filter_fault(v("my tests/x")));
	assert_non_null(filter_fault(v("")));
	assert_non_null(filter_fault(v("a[b")));
	assert_non_null(filter_fault(v("a b")));
	assert_non_null(filter_fault(v("a/\n")));
	assert_non_null(filter_fault(v(".a")));
	assert_non_null(filter_fault(v("a.")));
	assert_non_null(filter_fault(v("--x")));
}

static void what_is_written_is_read(void **state)
{
	struct pl_buf b = {0};
	struct filter f = {0};
	(void)state;

	filter_write_tree(&b, HOME);
	filter_write_mine(&b);
	filter_write_rule(&b, false, v("shop.vendor"));
	filter_write_rule(&b, true, v("a/b/"));
	assert_false(b.failed);
	assert_int_equal(filter_read(&f, buf_view(&b)), 0);
	assert_int_equal(f.rule_count, 3);
	assert_int_equal(f.tree_count, 1);
	assert_int_equal(f.rules[0].kind, FILTER_MINE);
	assert_false(f.rules[1].include);
	assert_int_equal(f.rules[2].kind, FILTER_PATH);
	assert_int_equal(f.rules[2].pattern.left, 3);
	buf_release(&b);
}

static void hostile_text(void **state)
{
	static const char *const texts[] = {
		"x\n", "+a", "\n", "+\n", "!x\n", "-a[\n", "+a\n\n", "=a\n=a\n=a\n=a\n=a\n"};
	struct filter f = {.stdlib = v(LIB)};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal(filter_read(&f, v(texts[i])), PL_ERR_FORMAT);
		assert_int_equal(f.rule_count, 0);
		assert_int_equal(f.stdlib.left, strlen(LIB));
	}
	struct pl_buf b = {0};
	for (int i = 0; i <= FILTER_RULES_MAX; i++)
		filter_write_rule(&b, true, v("a"));
	assert_int_equal(filter_read(&f, buf_view(&b)), PL_ERR_FORMAT);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_rule_decides),
		cmocka_unit_test(an_include_first_leaves_out_the_rest),
		cmocka_unit_test(modules),
		cmocka_unit_test(paths),
		cmocka_unit_test(a_star_is_all),
		cmocka_unit_test(words),
		cmocka_unit_test(only_mine),
		cmocka_unit_test(text_goes_with_its_module),
		cmocka_unit_test(says_which_rules_matched),
		cmocka_unit_test(faults),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(hostile_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
