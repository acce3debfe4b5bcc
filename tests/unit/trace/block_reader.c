/* The first stage: blocks in order, and what is missing between them. */
#include "tests/unit/trace/stages.h"
#include "trace/block_reader.h"

/* Three blocks, of 2, 1 and 1 events. Returns where the second begins in its file. */
static size_t make_three(struct stages *s)
{
	stages_init(s);
	maker_event1(s->t, EVENT_TIME, 10);
	maker_enter(s->t, EVENT_NO_SITE, 10);
	maker_line(s->t, 0);
	maker_cut(&s->m, s->t);
	const size_t second = s->m.segments[0].used;
	maker_event1(s->t, EVENT_TIME, 10);
	maker_line(s->t, 1);
	maker_cut(&s->m, s->t);
	maker_line(s->t, 2);
	maker_cut(&s->m, s->t);
	return second;
}

static struct block_read next_of(struct block_reader *b, uint64_t seq)
{
	struct block_read read = {0};

	assert_int_equal(block_reader_next(b, seq, &read, NULL), 0);
	return read;
}

static void test_in_order(void **state)
{
	struct stages s;
	struct block_reader b;
	struct block_read read;

	(void)state;
	make_three(&s);
	stages_open(&s);
	block_reader_init(&b, s.r, s.thread);
	static const uint64_t first[] = {0, 2, 3}, depths[] = {0, 1, 1}, opens[] = {0, 10, 20};
	for (uint32_t i = 0; i < 3; i++) {
		read = next_of(&b, first[i]);
		assert_false(read.before.found);
		assert_false(read.in.found);
		assert_true(b.open);
		assert_int_equal(read.seq, first[i]);
		assert_int_equal(b.number, i);
		assert_int_equal(b.open_ticks, opens[i]);
		assert_int_equal(b.block.stack.depth, depths[i]);
		assert_string_equal(pl_code_name(block_reader_code(&b, 10)), "main");
		assert_ptr_equal(block_reader_code(&b, 77), s.r->unknown_code);
	}
	assert_int_equal(block_reader_next(&b, 4, &read, NULL), PL_END);
	assert_false(b.open);
	block_reader_rest(&b);
	stages_close(&s);
}

/* Events are missing before a block if it does not begin with the one that should come next. */
static void test_missing_before(void **state)
{
	struct stages s;
	struct block_reader b;
	struct block_read read;

	(void)state;
	make_three(&s);
	stages_open(&s);
	block_reader_init(&b, s.r, s.thread);
	next_of(&b, 0);
	read = next_of(&b, 1); /* it is the block of 2 */
	assert_true(read.before.found);
	assert_int_equal(read.before.reason, PL_GAP_DAMAGED);
	assert_int_equal(read.before.lost, 1);
	assert_false(read.in.found);
	assert_int_equal(read.seq, 2);
	block_reader_rest(&b);
	stages_close(&s);
}

/* A block that cannot be opened is missing, and the next one follows it. */
static void test_damaged(void **state)
{
	struct stages s;
	struct block_reader b;
	struct block_read read;

	(void)state;
	const size_t second = make_three(&s);
	stages_open(&s);
	s.m.segments[0].at[second + RECORD_HEAD_BYTES + 60] ^= 0xff;
	block_reader_init(&b, s.r, s.thread);
	next_of(&b, 0);
	read = next_of(&b, 2);
	assert_false(read.before.found);
	assert_true(read.in.found);
	assert_int_equal(read.in.reason, PL_GAP_DAMAGED);
	assert_int_equal(read.in.lost, 1);
	assert_false(b.open);
	assert_int_equal(read.seq, 3);
	read = next_of(&b, read.seq);
	assert_false(read.before.found);
	assert_true(b.open);
	block_reader_rest(&b);
	stages_close(&s);
}

static void test_go_to(void **state)
{
	struct stages s;
	struct block_reader b;

	(void)state;
	make_three(&s);
	stages_open(&s);
	block_reader_init(&b, s.r, s.thread);
	const struct block_ref *ref = block_reader_go_to(&b, 2);
	assert_non_null(ref);
	assert_int_equal(ref->first_seq, 3);
	assert_false(next_of(&b, 3).before.found);
	assert_int_equal(b.number, 2);
	assert_null(block_reader_go_to(&b, 3));
	block_reader_rest(&b);
	stages_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_missing_before),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_go_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
