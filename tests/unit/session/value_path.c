/* Paths below a name as people write them, and the parts of values to which they lead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "format/value_table.h"
#include "session/value_path.h"

/* ---- reading ---- */

static void refused(const char *text, const char *expected)
{
	struct value_path p;
	struct pl_err err = {0};

	assert_int_equal(value_path_read(&p, text, &err), PL_ERR_ARGUMENT);
	if (!strstr(pl_err_text(&err), expected))
		assert_string_equal(pl_err_text(&err), expected);
}

static void reads(void **state)
{
	struct value_path p;

	(void)state;
	assert_int_equal(value_path_read(&p, "left", NULL), 0);
	assert_int_equal(p.count, 0);
	assert_int_equal(value_path_read(&p, "a_1.total[-2]['key'][\"it's\"].größe", NULL), 0);
	assert_true(value_text_is(p.root, (struct pl_text){"a_1", 3}));
	assert_int_equal(p.count, 5);
	assert_int_equal(p.steps[0].kind, STEP_ATTRIBUTE);
	assert_int_equal(p.steps[1].number, -2);
	assert_int_equal(p.steps[2].kind, STEP_TEXT);
	assert_true(value_text_is(p.steps[3].text, (struct pl_text){"it's", 4}));
	assert_int_equal(p.steps[4].text.length, strlen("größe"));
}

static void refuses(void **state)
{
	(void)state;
	refused("", "column 1: a name is expected");
	refused("1a", "column 1: a name is expected");
	refused("a.", "column 3: the name of an attribute");
	refused("a b", "column 2: '.' or '['");
	refused("a[", "column 3: a number or a quoted key");
	refused("a['b", "a closing '");
	refused("a[1", "column 4: ]");
	refused("a[99999999999999999999]", "64 bits");
	refused("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r", "too long");
	refused("f()", "column 2");
}

/* ---- finding ---- */

/* An object {total: 7, rows: [1, 2, and two more], kept: {'k': 8, 1: 9}}, of which all is there. */
static const unsigned char bytes[] = {VALUE_OBJECT, 5, 3,		     /* id, length */
	5, 't', 'o', 't', 'a', 'l', VALUE_INT, 14,			     /* zigzag */
	4, 'r', 'o', 'w', 's', VALUE_LIST, 6, 4, VALUE_INT, 2, VALUE_INT, 4, /* of four */
	VALUE_END, 4, 'k', 'e', 'p', 't', VALUE_DICT, 7, 2,		     /* two keys */
	VALUE_STR, 1, 1, 'k', VALUE_INT, 16, VALUE_INT, 2, VALUE_INT, 18, VALUE_END, VALUE_END};

static enum value_found find(const char *text, struct pl_value *out)
{
	struct pl_values rest = {.at = bytes, .bytes = sizeof bytes};
	struct pl_value object;
	struct value_path p;

	assert_int_equal(pl_values_next(&rest, &object), 0);
	assert_int_equal(value_path_read(&p, text, NULL), 0);
	return value_path_find(&p, 0, &object, out);
}

static void finds_number(const char *text, int64_t number)
{
	struct pl_value v = {0};

	assert_int_equal(find(text, &v), VALUE_FOUND);
	assert_int_equal(v.kind, PL_VALUE_INT);
	assert_int_equal(v.integer, number);
}

static void finds(void **state)
{
	struct pl_value v;

	(void)state;
	finds_number("o.total", 7);
	finds_number("o.rows[1]", 2);
	finds_number("o.rows[-4]", 1);
	finds_number("o.kept['k']", 8);
	finds_number("o.kept.k", 8); /* of a dict as well */
	finds_number("o.kept[1]", 9);
	assert_int_equal(find("o", &v), VALUE_FOUND);
	assert_int_equal(v.kind, PL_VALUE_OBJECT);
}

static void says_what_is_not_there(void **state)
{
	struct pl_value v;

	(void)state;
	assert_int_equal(find("o.tota", &v), VALUE_ABSENT);
	assert_int_equal(find("o.rows[4]", &v), VALUE_ABSENT);
	assert_int_equal(find("o.rows[-5]", &v), VALUE_ABSENT);
	assert_int_equal(find("o.kept['x']", &v), VALUE_ABSENT);
	assert_int_equal(find("o.rows[2]", &v), VALUE_NOT_KEPT);
	assert_int_equal(find("o.rows[-1]", &v), VALUE_NOT_KEPT);
	assert_int_equal(find("o.total.x", &v), VALUE_NOT_KEPT);
	assert_int_equal(find("o['total']", &v), VALUE_NOT_KEPT);
	assert_int_equal(find("o.tota.x", &v), VALUE_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads),
		cmocka_unit_test(refuses),
		cmocka_unit_test(finds),
		cmocka_unit_test(says_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
