/* Is a value the one that was seen before, where less of it was kept? */
#include "cmd/sighted_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A list of two, of which `count` were kept: ints below 64, as zigzag. */
static struct pl_value list(uint64_t id, const unsigned char *items, uint32_t count)
{
	return (struct pl_value){.kind = PL_VALUE_LIST,
		.id = id,
		.length = 2,
		.missing = 2 - count,
		.members = {.at = items, .bytes = 2 * count, .of = PL_VALUE_LIST}};
}

static const unsigned char one_two[] = {PL_VALUE_INT, 2, PL_VALUE_INT, 4};
static const unsigned char one_three[] = {PL_VALUE_INT, 2, PL_VALUE_INT, 6};

static void less_of_it_is_the_same(void **state)
{
	struct sighted_value known = {0};
	struct pl_value value = list(7, one_two, 2);

	(void)state;
	assert_false(sighted_value_take(&known, &value, 1, false));
	value = list(7, one_two, 1);
	assert_true(sighted_value_take(&known, &value, 2, false));
	value = list(7, one_two, 0);
	assert_true(sighted_value_take(&known, &value, 3, false));
	/* what was kept of it at first has not been forgotten */
	value = list(7, one_three, 2);
	assert_false(sighted_value_take(&known, &value, 4, false));
	value = (struct pl_value){.kind = PL_VALUE_CUT, .id = 7};
	assert_true(sighted_value_take(&known, &value, 5, false));
	value = list(7, one_two, 2);
	assert_false(sighted_value_take(&known, &value, 1, false));
	sighted_value_reset(&known);
}

static void more_of_it_is_the_same(void **state)
{
	struct sighted_value known = {0};
	struct pl_value value = list(7, one_two, 0);

	(void)state;
	assert_false(sighted_value_take(&known, &value, 3, false));
	value = list(7, one_two, 2);
	assert_true(sighted_value_take(&known, &value, 1, false));
	value = list(7, one_three, 2);
	assert_false(sighted_value_take(&known, &value, 4, false));
	sighted_value_reset(&known);
}

static void another_object_is_another(void **state)
{
	struct sighted_value known = {0};
	struct pl_value value = list(7, one_two, 2);

	(void)state;
	assert_false(sighted_value_take(&known, &value, 1, false));
	value = list(8, one_two, 2);
	assert_false(sighted_value_take(&known, &value, 1, false));
	value = list(9, one_two, 2);
	assert_true(sighted_value_take(&known, &value, 1, true));
	value = list(9, one_two, 1);
	assert_true(sighted_value_take(&known, &value, 2, true));
	value = list(7, one_two, 1);
	assert_false(sighted_value_take(&known, &value, 2, false));
	sighted_value_reset(&known);
}

static void texts_by_their_beginning(void **state)
{
	struct sighted_value known = {0};
	struct pl_value value = {
		.kind = PL_VALUE_STR, .text = {"abcd", 4}, .length = 9, .missing = 5};

	(void)state;
	assert_false(sighted_value_take(&known, &value, 1, false));
	value.text.length = 2;
	value.missing = 7;
	assert_true(sighted_value_take(&known, &value, 2, false));
	value.text = (struct pl_text){"abx", 3};
	value.missing = 6;
	assert_false(sighted_value_take(&known, &value, 3, false));
	value.length = 3;
	value.missing = 0;
	assert_false(sighted_value_take(&known, &value, 4, false));
	assert_null(known.copy);
	sighted_value_reset(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(less_of_it_is_the_same),
		cmocka_unit_test(more_of_it_is_the_same),
		cmocka_unit_test(another_object_is_another),
		cmocka_unit_test(texts_by_their_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
