/* Which recordings go: by age, then by size, never those that must stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/prune_choose.h"

#define HOUR_NS ((int64_t)3600 * 1000000000)
#define DAY_NS	(24 * HOUR_NS)
#define MIB	((uint64_t)1 << 20)

/* The index that must not go. */
static bool all_but(void *context, size_t index)
{
	const size_t *busy = context;

	return index != *busy;
}

static void test_age_then_size(void **state)
{
	size_t busy = SIZE_MAX;
	const struct prune_question q = {
		.rules = {.limit_bytes = 25, .keep_ns = 100},
		.now_ns = 1000,
		.may_go = all_but,
		.context = &busy,
	};
	/* the third is the oldest by when it was written, the last is of the future */
	struct prune_item items[] = {{.bytes = 10, .written_ns = 950},
		{.bytes = 10, .written_ns = 960}, {.bytes = 10, .written_ns = 899},
		{.bytes = 10, .written_ns = 900}, {.bytes = 10, .written_ns = 5000}};

	(void)state;
	assert_int_equal(prune_choose(&q, items, 5), 20);
	assert_true(items[0].goes && items[1].goes && items[2].goes);
	assert_false(items[3].goes || items[4].goes);
}

static void test_what_must_stay(void **state)
{
	size_t busy = 0;
	const struct prune_question q = {
		.rules = {.limit_bytes = 1}, .may_go = all_but, .context = &busy};
	struct prune_item items[] = {{.bytes = 10}, {.bytes = 10}, {.bytes = 7, .stays = true}};

	(void)state;
	assert_int_equal(prune_choose(&q, items, 3), 17);
	assert_true(items[0].stays && items[1].goes && !items[2].goes);
}

static void test_no_rules(void **state)
{
	const struct prune_question q = {.now_ns = INT64_MAX};
	struct prune_item item = {.bytes = UINT64_MAX / 2};

	(void)state;
	assert_int_equal(prune_choose(&q, &item, 1), UINT64_MAX / 2);
	assert_false(item.goes);
}

/* A recording an hour for three years, of changing size; the newest is being written. */
static void test_three_years(void **state)
{
	static struct prune_item items[200];
	size_t count = 0, busy;
	uint64_t most = 0;
	struct prune_question q = {.rules = {.limit_bytes = 64 * MIB, .keep_ns = 3 * DAY_NS},
		.may_go = all_but,
		.context = &busy};

	(void)state;
	for (int64_t hour = 1; hour <= 3 * 365 * 24; hour++) {
		size_t kept = 0;

		q.now_ns = hour * HOUR_NS;
		assert_true(count < 200);
		items[count++] = (struct prune_item){
			.bytes = ((uint64_t)hour * 7919 % 4096) << 9, .written_ns = q.now_ns};
		busy = count - 1;
		uint64_t bytes = prune_choose(&q, items, count);
		for (size_t i = 0; i < count; i++)
			if (!items[i].goes) {
				assert_true(q.now_ns - items[i].written_ns <= 3 * DAY_NS);
				items[kept++] = items[i];
			}
		count = kept;
		most = bytes > most ? bytes : most;
	}
	assert_true(count > 0 && most <= 64 * MIB && most > 60 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_age_then_size),
		cmocka_unit_test(test_what_must_stay),
		cmocka_unit_test(test_no_rules),
		cmocka_unit_test(test_three_years),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
