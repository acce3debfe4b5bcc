/* Events: what the writers write is what is read; anything else is refused or read, never
 * overrun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <string.h>
#include "format/event.h"
#include "tests/lib/random.h"

static struct event_calls calls; /* that the reader knows */

static struct event read_one(const uint8_t *bytes, const uint8_t *end)
{
	struct pl_view v = view_of(bytes, (size_t)(end - bytes));
	struct event e;

	assert_int_equal(event_read(&v, &calls, &e), 0);
	assert_int_equal(v.left, 0);
	/* Cut short it is refused, and nothing is eaten. */
	for (size_t n = 0; n < (size_t)(end - bytes); n++) {
		struct event none;
		struct pl_view cut = view_of(bytes, n);
		assert_int_equal(event_read(&cut, &calls, &none), PL_ERR_FORMAT);
		assert_int_equal(cut.left, n);
	}
	return e;
}

static void test_lines(void **state)
{
	const uint32_t indexes[] = {0, 1, 126, 127, 128, 300, 70000, UINT32_MAX - 127};
	uint8_t bytes[EVENT_BYTES_MAX];
	(void)state;

	for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
		uint8_t *end = event_write_line(bytes, indexes[i]);
		struct event e = read_one(bytes, end);
		assert_int_equal(e.kind, EVENT_LINE);
		assert_int_equal(e.index, indexes[i]);
		assert_true(end - bytes == 1 || indexes[i] >= 127);
	}
}

static void test_entries(void **state)
{
	uint8_t bytes[EVENT_BYTES_MAX];
	struct event e;
	(void)state;

	e = read_one(bytes, event_write_enter(bytes, EVENT_NO_SITE, 7, 0));
	assert_int_equal(e.kind, EVENT_ENTER);
	assert_int_equal(e.site, EVENT_NO_SITE);
	assert_int_equal(e.code, 7);
	assert_int_equal(e.gen, 0);
	e = read_one(bytes, event_write_enter(bytes, 300, 70000, UINT64_MAX));
	assert_int_equal(e.site, 300);
	assert_int_equal(e.code, 70000);
	assert_true(e.gen == UINT64_MAX);
	e = read_one(
		bytes, event_write_resume(bytes, EVENT_THROW,
			       &(struct event_resume){.site = 5, .code = 6, .gen = 7, .unit = 8}));
	assert_int_equal(e.kind, EVENT_THROW);
	assert_int_equal(e.site, 5);
	assert_int_equal(e.code, 6);
	assert_int_equal(e.gen, 7);
	assert_int_equal(e.unit, 8);
}

static void test_others(void **state)
{
	uint8_t bytes[EVENT_BYTES_MAX];
	struct event e;
	(void)state;

	e = read_one(bytes, event_write3(bytes, EVENT_RERAISE, 1, 2, 3));
	assert_int_equal(e.unit, 1);
	assert_int_equal(e.lasti, 2);
	assert_int_equal(e.type, 3);
	e = read_one(bytes, event_write3(bytes, EVENT_SWITCH, UINT64_MAX, 2, 3));
	assert_true(e.a == UINT64_MAX && e.b == 2 && e.c == 3);
	e = read_one(bytes, event_write2(bytes, EVENT_LINE_AT, 9, 65536));
	assert_int_equal(e.line, 65536);
	e = read_one(bytes, event_write_text(bytes, EVENT_TASK, "Task-1", 6));
	assert_int_equal(e.text.left, 6);
	assert_memory_equal(e.text.at, "Task-1", 6);
	assert_false(event_counts(e.kind));
	assert_int_equal(event_minor(&e), 0);
	e = read_one(bytes, event_write_task(bytes, UINT64_MAX, "Task-1", 6));
	assert_true(e.a == UINT64_MAX && e.flags == EVENT_NUMBERED && e.text.left == 6);
	assert_int_equal(event_minor(&e), 9);
	assert_int_equal(read_one(bytes, event_write0(bytes, EVENT_UNWIND)).kind, EVENT_UNWIND);
}

/* Each kind of the table has as many fields as it says, and the minor version. */
static void test_table(void **state)
{
	static const struct {
		enum event_kind kind;
		int count;
		uint32_t since;
		bool optional; /* one of them comes with a flag */
	} kinds[] = {
#define X(constant, number, fields, row, stack, traits, since, text)                               \
	{EVENT_##constant, EVENT_COUNT_##fields, since,                                            \
		EVENT_BITS_##fields & (EVENT_FIELD_made | EVENT_FIELD_number)},
		EVENT_KINDS(X)
#undef X
	};
	(void)state;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		/* a text of no bytes is a field of one byte, as a small number is */
		const uint8_t bytes[EVENT_BYTES_MAX] = {(uint8_t)kinds[i].kind};
		const struct event e =
			read_one(bytes, bytes + 1 + kinds[i].count - kinds[i].optional);
		assert_int_equal(e.kind, kinds[i].kind);
		assert_int_equal(event_minor(&e), kinds[i].since);
	}
	assert_int_equal(event_minor(&(struct event){.kind = EVENT_LINK, .flags = EVENT_BACK}), 1);
	assert_int_equal(
		event_minor(&(struct event){.kind = EVENT_LINK, .flags = EVENT_HIDDEN}), 6);
	assert_int_equal(
		event_minor(&(struct event){.kind = EVENT_RAISE, .flags = EVENT_EARLY}), 2);
	assert_int_equal(event_minor(&(struct event){.kind = EVENT_AGAIN, .flags = EVENT_OPEN}), 8);
	assert_int_equal(
		event_minor(&(struct event){.kind = EVENT_ENTER, .flags = EVENT_NO_CALLER}), 0);
}

/* Whatever line an interpreter tells, what is written can be read. */
static void test_any_line_number(void **state)
{
	const long lines[] = {
		LONG_MIN, INT32_MIN, -129, -2, -1, 0, 1, INT32_MAX, (long)INT32_MAX + 1, LONG_MAX};
	uint8_t bytes[EVENT_BYTES_MAX];
	(void)state;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct event e = read_one(bytes, event_write_line_at(bytes, 9, lines[i]));
		assert_int_equal(e.kind, EVENT_LINE_AT);
		assert_int_equal(e.unit, 9);
		assert_int_equal(e.line, lines[i] > 0 && lines[i] <= INT32_MAX ? lines[i] : 0);
	}
}

/* Every first byte: an event of some bytes, or refused with nothing eaten. */
static void test_every_first_byte(void **state)
{
	(void)state;

	for (unsigned first = 0; first <= UINT8_MAX; first++)
		for (unsigned fill = 0; fill <= UINT8_MAX; fill++) {
			uint8_t bytes[EVENT_BYTES_MAX];
			struct event e;
			memset(bytes, (int)fill, sizeof bytes);
			bytes[0] = (uint8_t)first;
			struct pl_view v = view_of(bytes, sizeof bytes);
			int code = event_read(&v, &calls, &e);
			assert_true(code == 0 || code == PL_ERR_FORMAT);
			assert_int_equal(v.left == sizeof bytes, code != 0);
		}
}

/* Written twice it is a byte, or two where another took its place; and so it is read. */
static void test_calls(void **state)
{
	struct event_calls known = {0};
	struct random random = {.state = 3};
	uint8_t bytes[EVENT_BYTES_MAX];
	int lengths[EVENT_BYTES_MAX] = {0};
	(void)state;

	calls = (struct event_calls){0};
	for (int i = 0; i < 20000; i++) {
		uint32_t site = random_below(&random, 5) * 3, code = 1 + random_below(&random, 9);
		const uint8_t *end = event_write_call(bytes, &known, site, code);
		struct event e = read_one(bytes, end);
		assert_true(e.kind == EVENT_ENTER && e.site == site && e.code == code && !e.gen &&
			    !e.flags);
		assert_int_equal(e.known, end - bytes < 3);
		assert_int_equal(e.far, end - bytes == 2);
		assert_int_equal(event_minor(&e), e.far ? 5 : e.known ? 3 : 0);
		assert_int_equal(event_is_known_call(bytes[0]), end - bytes == 1);
		assert_memory_equal(&calls, &known, sizeof calls);
		lengths[end - bytes]++;
		assert_int_equal(
			event_write_call(bytes, &known, site, code) - bytes, e.far ? 2 : 1);
	}
	assert_in_range(lengths[1], 5000, 19000);
	assert_in_range(lengths[2], 1000, 15000);
	assert_in_range(lengths[3], 45, 5000);
}

/* Where bytes of the stream are missing. */
/* Written out it is known, as long as no other has its place: so is it read, from there or from
 * elsewhere. */
static void test_resumes(void **state)
{
	struct event_calls known = {0};
	struct random random = {.state = 4};
	uint8_t bytes[EVENT_BYTES_MAX];
	int lengths[EVENT_BYTES_MAX] = {0};
	(void)state;

	calls = (struct event_calls){0};
	for (int i = 0; i < 20000; i++) {
		const struct event_resume r = {.site = random_below(&random, 7) * 3,
			.code = 1 + random_below(&random, 20),
			.gen = 1000 + random_below(&random, 2),
			.unit = random_below(&random, 3)};
		const uint8_t *end = event_write_reentry(bytes, &known, EVENT_RESUME, &r);
		struct event e = read_one(bytes, end);
		assert_true(e.kind == EVENT_RESUME && e.site == r.site && e.code == r.code &&
			    e.gen == r.gen && e.unit == r.unit && !e.flags);
		assert_int_equal(e.known, event_is_known_resume(bytes[0]));
		assert_int_equal(event_minor(&e), e.known ? 4 : 0);
		assert_int_equal(calls.resumes_print, known.resumes_print);
		lengths[end - bytes]++;
	}
	assert_in_range(lengths[2], 1000, 20000);
	assert_in_range(lengths[3], 1000, 20000);
	assert_in_range(lengths[6], 1000, 20000);
	/* THROWs and resumes of no caller are written out, and nothing is known by them. */
	const struct event_resume r = {.site = EVENT_NO_SITE, .code = 1, .gen = 1};
	for (int i = 0; i < 4; i++) {
		struct event e = read_one(bytes,
			event_write_reentry(bytes, &known, i % 2 ? EVENT_THROW : EVENT_RESUME, &r));
		assert_false(e.known);
	}
	assert_int_equal(calls.resumes_print, known.resumes_print);
}

static void test_resume_that_is_not_known(void **state)
{
	const uint8_t same[] = {EVENT_RESUME | EVENT_KNOWN | EVENT_SAME_UNIT, 3},
		      other[] = {EVENT_RESUME | EVENT_KNOWN, 3, 5},
		      nowhere[] = {EVENT_RESUME | EVENT_KNOWN, EVENT_RESUMES, 5};
	struct pl_view v = view_of(same, sizeof same);
	struct event e;
	(void)state;

	calls = (struct event_calls){0};
	assert_int_equal(event_read(&v, &calls, &e), 0);
	assert_true(e.kind == EVENT_RESUME && e.known && !e.code && e.site == EVENT_NO_UNIT &&
		    e.unit == EVENT_NO_UNIT);
	v = view_of(other, sizeof other);
	assert_int_equal(event_read(&v, &calls, &e), 0);
	assert_true(!e.code && e.unit == 5);
	v = view_of(other, sizeof other - 1);
	assert_int_equal(event_read(&v, &calls, &e), PL_ERR_FORMAT);
	v = view_of(nowhere, sizeof nowhere);
	assert_int_equal(event_read(&v, &calls, &e), PL_ERR_FORMAT);
}

static void test_call_that_is_not_known(void **state)
{
	const uint8_t first = event_call_place(event_call(7, 9));
	struct event e;
	(void)state;

	calls = (struct event_calls){0};
	e = read_one(&first, &first + 1);
	assert_true(e.kind == EVENT_ENTER && e.known && e.code == 0 && e.site == EVENT_NO_UNIT);
	const uint8_t far[] = {EVENT_FAR_CALL, event_call_far_place(event_call(7, 9))};
	e = read_one(far, far + 2);
	assert_true(e.kind == EVENT_ENTER && e.far && e.code == 0 && e.site == EVENT_NO_UNIT);
	struct pl_view v = view_of(far, 1);
	assert_int_equal(event_read(&v, &calls, &e), PL_ERR_FORMAT);
	assert_int_equal(v.left, 1);
}

static void test_random(void **state)
{
	struct random random = {.state = 1};
	uint8_t bytes[64];
	struct event e;
	(void)state;

	for (int i = 0; i < 200000; i++) {
		random_fill(&random, bytes, sizeof bytes);
		struct pl_view v = view_of(bytes, random_below(&random, sizeof bytes));
		size_t before = v.left;
		if (event_read(&v, &calls, &e))
			assert_int_equal(v.left, before);
		else
			assert_true(v.left < before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_resumes),
		cmocka_unit_test(test_resume_that_is_not_known),
		cmocka_unit_test(test_call_that_is_not_known),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_any_line_number),
		cmocka_unit_test(test_every_first_byte),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
