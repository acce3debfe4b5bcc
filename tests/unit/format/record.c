/* Records: what is written is read, what is cut or damaged is found and skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/record.h"
#include "tests/lib/random.h"

static void put(struct pl_buf *b, uint16_t kind, const char *text, int level)
{
	record_write(b, kind, view_of(text, strlen(text)), NULL, level);
}

static void expect(struct pl_view *v, uint16_t kind, const char *text)
{
	struct record r;
	struct pl_view plain;
	struct pl_buf room = {0};
	bool cut;

	assert_int_equal(record_read(v, &r, &cut), 0);
	assert_int_equal(r.kind, kind);
	assert_int_equal(record_payload(&r, &room, &plain), 0);
	assert_int_equal(plain.left, strlen(text));
	assert_memory_equal(plain.at, text, plain.left);
	buf_release(&room);
}

static const char longer[] =
	"over and over and over and over and over and over and over and over and over and over";

static void test_round_trip(void **state)
{
	struct pl_buf b = {0};
	struct record r;
	bool cut;
	(void)state;

	put(&b, 5, "plain", 0);
	put(&b, 6, longer, 3);
	assert_true(b.used < 2 * RECORD_HEAD_BYTES + 5 + strlen(longer)); /* it was compressed */
	put(&b, 7, "", 3);
	struct pl_view v = buf_view(&b);
	expect(&v, 5, "plain");
	expect(&v, 6, longer);
	expect(&v, 7, "");
	assert_int_equal(record_read(&v, &r, &cut), PL_END);
	buf_release(&b);
}

static void test_cut(void **state)
{
	struct pl_buf b = {0};
	struct record r;
	bool cut;
	(void)state;

	put(&b, 5, "payload", 0);
	for (size_t n = 1; n < b.used; n++) {
		struct pl_view v = view_of(b.at, n);
		assert_int_equal(record_read(&v, &r, &cut), PL_ERR_FORMAT);
		assert_true(cut);
		assert_int_equal(v.left, n);
	}
	buf_release(&b);
}

/* Every bit of a record is under a check. */
static void test_bits(void **state)
{
	struct pl_buf b = {0};
	struct record r;
	bool cut;
	(void)state;

	put(&b, 5, "payload", 0);
	for (size_t bit = 0; bit < b.used * 8; bit++) {
		struct pl_view v = buf_view(&b);
		b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(record_read(&v, &r, &cut), PL_ERR_FORMAT);
		b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	buf_release(&b);
}

static void test_resync(void **state)
{
	struct pl_buf b = {0};
	(void)state;

	put(&b, 5, "first", 0);
	size_t second = b.used;
	put(&b, 6, "PL\x1c\n is in here, PL\x1c\n and here", 0);
	size_t third = b.used;
	put(&b, 7, "third", 0);
	/* A damaged payload costs its record only; magics inside are not even looked at. */
	b.at[second + RECORD_HEAD_BYTES] ^= 1;
	struct pl_view v = view_of(b.at + second, b.used - second);
	assert_int_equal(record_resync(v), third - second);
	/* A damaged head: on to the next sound one. */
	b.at[second + 9] ^= 1;
	assert_int_equal(record_resync(v), third - second);
	b.at[third + 9] ^= 1;
	assert_int_equal(record_resync(v), b.used - second);
	buf_release(&b);
}

/* A small frame must not claim much memory. */
static void test_ratio(void **state)
{
	struct pl_buf b = {0}, zeros = {0}, room = {0};
	struct record r;
	struct pl_view plain;
	bool cut;
	(void)state;

	memset(buf_reserve(&zeros, 1 << 20), 0, 1 << 20);
	zeros.used = 1 << 20;
	record_write(&b, 5, buf_view(&zeros), NULL, 3);
	assert_true(b.used >= zeros.used / RECORD_RATIO_MAX);
	struct pl_view v = buf_view(&b);
	assert_int_equal(record_read(&v, &r, &cut), 0);
	assert_int_equal(record_payload(&r, &room, &plain), 0);
	assert_int_equal(plain.left, zeros.used);
	/* The same as a writer of another mind would write it. */
	buf_reset(&b);
	assert_true(record_compress(NULL, &b, buf_view(&zeros), 3));
	r = (struct record){.flags = RECORD_COMPRESSED, .raw = 1 << 20, .payload = buf_view(&b)};
	assert_int_equal(record_payload(&r, &room, &plain), PL_ERR_FORMAT);
	buf_release(&b);
	buf_release(&zeros);
	buf_release(&room);
}

static void test_random(void **state)
{
	struct random random = {.state = 3};
	uint8_t bytes[200];
	struct record r;
	bool cut;
	(void)state;

	for (int i = 0; i < 20000; i++) {
		random_fill(&random, bytes, sizeof bytes);
		memcpy(bytes + random_below(&random, 160), "PL\x1c\n", 4);
		struct pl_view v = view_of(bytes, random_below(&random, sizeof bytes));
		assert_true(record_read(&v, &r, &cut) != 0);
		if (v.left)
			assert_in_range(record_resync(v), 1, v.left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_resync),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
