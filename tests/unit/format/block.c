/* Blocks: written and opened again, alone; and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/block.h"
#include "tests/lib/random.h"

/* A block with three frames, a task, a gap below, and a few events. */
static void make(struct pl_buf *out, int level)
{
	struct stack s = {0};
	struct pl_map bodies = {0};
	uint8_t bytes[64], *p = bytes;
	const struct event gap = {.kind = EVENT_GAP};
	const struct event enter = {.kind = EVENT_ENTER, .code = 700, .gen = 5, .site = 3};
	struct block_head head = {.process = 2,
		.thread = 1,
		.number = 9,
		.first_seq = 100,
		.open_ticks = 50,
		.close_ticks = 60};

	assert_int_equal(
		stack_push(
			&s, &(struct stack_frame){.code = 300, .place = PLACE_START, .value = 8}),
		0);
	assert_int_equal(stack_push(&s, &(struct stack_frame){.code = 300, .linked = 1}), 0);
	assert_int_equal(stack_apply(&s, &gap), 0);
	assert_int_equal(stack_apply(&s, &enter), 0);
	assert_int_equal(stack_set_task(&s, 7, view_of("Task", 4)), 0);
	*map_put(&bodies, 300) = 30 + 1;
	*map_put(&bodies, 700) = 70 + 1;
	p = event_write_line(p, 200);
	p = event_write1(p, EVENT_TIME, 10);
	p = event_write3(p, EVENT_SWITCH, 77, 0, 0);
	p = event_write_enter(p, 4, 900, 0); /* a code without a body */
	p = event_write1(p, EVENT_LEAVE, 2);
	head.events = 3;
	const struct pl_view events = view_of(bytes, (size_t)(p - bytes));
	const struct block_source source = {
		.head = &head, .stack = &s, .bodies = &bodies, .parts = &events, .part_count = 1};
	assert_int_equal(block_write(out, &source, level), 0);
	stack_release(&s);
	map_release(&bodies);
}

static void test_round_trip(void **state)
{
	(void)state;

	for (int level = 0; level < 2; level++) {
		struct pl_buf b = {0};
		struct block block = {0};
		make(&b, level);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(block_open(&block, buf_view(&b)), 0);
			assert_int_equal(block.head.open_depth, 3);
			assert_int_equal(block.head.first_switch, 77);
			assert_int_equal(block_body(&block, 300), 31);
			assert_int_equal(block_body(&block, 700), 71);
			assert_int_equal(block_body(&block, 900), 0);
			assert_int_equal(block.stack.depth, 3);
			assert_int_equal(block.stack.frames[0].place, PLACE_UNKNOWN);
			assert_int_equal(block.stack.frames[1].linked, 1);
			assert_int_equal(block.stack.frames[2].gen, 5);
			assert_int_equal(block.stack.frames[2].place, PLACE_ENTRY);
			assert_string_equal(stack_running_task(&block.stack)->name, "Task");
			assert_int_equal(stack_running_task(&block.stack)->number, 7);
			assert_int_equal(block.head.needs_minor, MINOR_TASKS);
			assert_int_equal(block.events.left, block.head.event_bytes);
		}
		block_release(&block);
		block_release(&block);
		buf_release(&b);
	}
}

/* A block in or with greenlets needs 1.1, any other does not. */
static void test_greenlets(void **state)
{
	struct stack s = {0};
	struct pl_map bodies = {0};
	struct block block = {0};
	uint8_t bytes[16], *end = event_write1(bytes, EVENT_GREENLET, 3);
	struct block_head head = {.process = 1};
	struct block_source source = {.head = &head, .stack = &s, .bodies = &bodies};
	(void)state;

	for (int i = 0; i < 4; i++) {
		struct pl_buf b = {0};
		s.greenlet = i & 1 ? 12 : 0;
		const struct pl_view events = view_of(bytes, i & 2 ? (size_t)(end - bytes) : 0);
		source.parts = &events;
		source.part_count = 1;
		assert_int_equal(block_write(&b, &source, 0), 0);
		assert_int_equal(block_open(&block, buf_view(&b)), 0);
		assert_int_equal(block.stack.greenlet, s.greenlet);
		assert_int_equal(block.head.needs_minor, i ? 1 : 0);
		assert_int_equal(block.events.left, events.left);
		buf_release(&b);
	}
	block_release(&block);
}

/* What is known at its opening is in the block, so that it decodes alone. */
static void test_known_calls(void **state)
{
	struct stack s = {0};
	struct pl_map bodies = {0};
	struct pl_buf b = {0};
	struct block block = {0};
	struct block_head head = {.process = 1};
	uint8_t bytes[2 * EVENT_BYTES_MAX];
	struct event e;
	(void)state;

	for (uint32_t i = 0; i < 200; i++)
		event_calls_put(&s.calls, event_call(i % 17, 1 + i));
	struct event_calls known = s.calls;
	uint32_t away = 199; /* whose place another one has */
	while (event_call_is_near(&known, event_call(away % 17, 1 + away)) ||
		!event_call_is_far(&known, event_call(away % 17, 1 + away)))
		away--;
	uint8_t *end = event_write_call(bytes, &known, 199 % 17, 200);
	assert_int_equal(end - bytes, 1);
	end = event_write_call(end, &known, away % 17, 1 + away);
	assert_int_equal(end - bytes, 3);
	const struct block_source source = {.head = &head,
		.stack = &s,
		.bodies = &bodies,
		.parts = &(const struct pl_view){.at = bytes, .left = 3},
		.part_count = 1};
	assert_int_equal(block_write(&b, &source, 0), 0);
	assert_int_equal(block_open(&block, buf_view(&b)), 0);
	assert_int_equal(block.head.needs_minor, 5);
	assert_memory_equal(&block.stack.calls, &s.calls, sizeof s.calls);
	assert_int_equal(event_read(&block.events, &block.stack.calls, &e), 0);
	assert_true(e.kind == EVENT_ENTER && e.site == 199 % 17 && e.code == 200);
	assert_int_equal(event_read(&block.events, &block.stack.calls, &e), 0);
	assert_true(e.kind == EVENT_ENTER && e.site == away % 17 && e.code == 1 + away);
	block_release(&block);
	buf_release(&b);
}

static void test_known_resumes(void **state)
{
	struct stack s = {0};
	struct pl_map bodies = {0};
	struct pl_buf b = {0};
	struct block block = {0};
	struct block_head head = {.process = 1};
	const struct event_resume last = {.site = 9, .code = 200, .gen = 1 << 20, .unit = 33};
	uint8_t bytes[EVENT_BYTES_MAX];
	struct event e;
	(void)state;

	for (uint32_t i = 0; i < 200; i++)
		event_resumes_put(
			&s.calls, &(struct event_resume){.site = i, .code = 1 + i, .gen = i});
	event_resumes_put(&s.calls, &last);
	struct event_calls known = s.calls;
	uint8_t *end = event_write_reentry(bytes, &known, EVENT_RESUME, &last);
	assert_int_equal(end - bytes, 2);
	const struct block_source source = {.head = &head,
		.stack = &s,
		.bodies = &bodies,
		.parts = &(const struct pl_view){.at = bytes, .left = 2},
		.part_count = 1};
	assert_int_equal(block_write(&b, &source, 0), 0);
	assert_int_equal(block_open(&block, buf_view(&b)), 0);
	assert_int_equal(block.head.needs_minor, 4);
	assert_int_equal(block.stack.calls.resumes_print, s.calls.resumes_print);
	assert_int_equal(event_read(&block.events, &block.stack.calls, &e), 0);
	assert_true(e.known && e.site == 9 && e.code == 200 && e.gen == 1 << 20 && e.unit == 33);
	block_release(&block);
	buf_release(&b);
}

/* ---- chains ---- */

#define CHAINED 12

/* Twelve blocks of a program that repeats itself, but for its times. */
struct chained {
	struct pl_buf blocks[CHAINED];
	uint8_t events[CHAINED][4096];
	size_t bytes[CHAINED];
};

/* Lines, and a time after one of `timed`. */
static void fill(uint8_t *to, size_t *bytes, struct random *times, uint32_t timed)
{
	struct random same = {.state = 9};
	uint8_t *p = to;

	while (p < to + 3000) {
		p = event_write_line(p, random_below(&same, 120));
		if (random_below(times, timed) == 0)
			p = event_write1(p, EVENT_TIME, random_below(times, 1u << 30));
	}
	*bytes = (size_t)(p - to);
}

/* Two parts, as of two chunks, where an event ends after the middle. */
static void part(struct pl_view events, struct pl_view parts[2])
{
	struct event_calls calls = {0};
	struct pl_view rest = events;
	struct event e;

	while (rest.left > events.left / 2)
		assert_int_equal(event_read(&rest, &calls, &e), 0);
	parts[0] = view_of(events.at, events.left - rest.left);
	parts[1] = rest;
}

static void make_chained(struct chained *c, bool chain)
{
	struct chain_writer writer = {0};
	struct random times = {.state = 2};
	struct stack s = {0};
	struct pl_map bodies = {0};

	*c = (struct chained){0};
	for (uint32_t i = 0; i < CHAINED; i++) {
		const struct block_head head = {.process = 1, .thread = 3, .number = 7 + i};
		fill(c->events[i], &c->bytes[i], &times, i == 6 ? 3 : 100);
		if (i == 8)
			chain_break(&writer);
		struct pl_view parts[2];
		part(view_of(c->events[i], c->bytes[i]), parts);
		const struct block_source source = {.head = &head,
			.stack = &s,
			.bodies = &bodies,
			.parts = parts,
			.part_count = 2,
			.chain = chain ? &writer : NULL};
		assert_int_equal(block_write(&c->blocks[i], &source, 7), 0);
	}
	chain_writer_release(&writer);
}

static void release_chained(struct chained *c)
{
	for (uint32_t i = 0; i < CHAINED; i++)
		buf_release(&c->blocks[i]);
}

/* With those that it needs; gives how many these were. */
static uint32_t open_chained(struct block *b, const struct chained *c, uint32_t i)
{
	struct block_head head;

	assert_int_equal(block_read_head(buf_view(&c->blocks[i]), &head), 0);
	assert_int_equal(head.number, 7 + i);
	const uint32_t first = block_needs(b, &head) - 7;
	for (uint32_t k = first; k < i; k++)
		assert_int_equal(block_pass(b, buf_view(&c->blocks[k])), 0);
	assert_int_equal(block_open(b, buf_view(&c->blocks[i])), 0);
	assert_int_equal(b->events.left, c->bytes[i]);
	assert_memory_equal(b->events.at, c->events[i], c->bytes[i]);
	return i - first;
}

static void test_chain(void **state)
{
	struct random random = {.state = 6};
	struct block b = {0};
	struct chained c;
	(void)state;

	make_chained(&c, true);
	assert_in_range(c.blocks[0].used, 2000, 4096);
	assert_in_range(c.blocks[5].used, BLOCK_HEAD_BYTES, 600);
	for (uint32_t i = 0; i < CHAINED; i++)
		assert_int_equal(open_chained(&b, &c, i), 0);
	for (uint32_t i = CHAINED; i-- > 0;)
		assert_int_equal(open_chained(&b, &c, i), i == 7 ? 7 : 0);
	for (int i = 0; i < 2000; i++)
		open_chained(&b, &c, random_below(&random, CHAINED));
	block_release(&b);
	release_chained(&c);
}

/* Times apart, a block alone is packed as well as one without any. */
static void test_times_stand_apart(void **state)
{
	struct block b = {0};
	struct chained c;
	(void)state;

	make_chained(&c, false);
	for (uint32_t i = 0; i < CHAINED; i++) {
		assert_int_equal(open_chained(&b, &c, i), 0);
		assert_int_equal(b.head.needs_minor, 4);
	}
	block_release(&b);
	release_chained(&c);
}

#define LOOSE_BLOCK (128u << 10)

/* Block after block until a chain has begun; the last one is open afterwards. */
static void begin_chain(struct chain_writer *writer, struct block *b, uint32_t variety)
{
	struct random random = {.state = 5};
	struct pl_buf out = {0}, events = {0};
	struct block_head head = {.process = 1, .thread = 3};
	struct stack s = {0};
	struct pl_map bodies = {0};

	do {
		buf_reset(&events);
		for (uint32_t i = 0; i < LOOSE_BLOCK; i++)
			buf_u8(&events, (uint8_t)(0x80 | random_below(&random, variety)));
		buf_reset(&out);
		const struct pl_view part = buf_view(&events);
		const struct block_source source = {.head = &head,
			.stack = &s,
			.bodies = &bodies,
			.parts = &part,
			.part_count = 1,
			.chain = writer};
		assert_int_equal(block_write(&out, &source, 7), 0);
		head.number++;
	} while (writer->blocks > 1 || head.number == 1);
	assert_int_equal(block_open(b, buf_view(&out)), 0);
	assert_int_equal(b->events.left, events.used);
	assert_memory_equal(b->events.at, events.at, events.used);
	buf_release(&events);
	buf_release(&out);
}

/* A chain that packs badly is followed by one that is searched less, and the other way round. */
static void test_loose_chain(void **state)
{
	struct chain_writer writer = {0};
	struct block b = {0};
	(void)state;

	begin_chain(&writer, &b, 120);
	assert_true(writer.loose);
	chain_break(&writer); /* too short to judge it */
	assert_true(writer.loose);
	begin_chain(&writer, &b, 1);
	assert_false(writer.loose);
	block_release(&b);
	chain_writer_release(&writer);
}

static void test_chain_is_refused(void **state)
{
	struct block b = {0};
	struct chained c;
	(void)state;

	make_chained(&c, true);
	assert_int_equal(block_open(&b, buf_view(&c.blocks[3])), PL_ERR_FORMAT);
	open_chained(&b, &c, 2);
	/* One that does not follow, and one of another chain. */
	assert_int_equal(block_open(&b, buf_view(&c.blocks[4])), PL_ERR_FORMAT);
	assert_int_equal(block_open(&b, buf_view(&c.blocks[9])), PL_ERR_FORMAT);
	open_chained(&b, &c, 3);
	/* A damaged one ends what is known of the chain; others do not. */
	c.blocks[4].at[c.blocks[4].used - 1] ^= 0x55;
	assert_int_equal(block_open(&b, buf_view(&c.blocks[4])), PL_ERR_FORMAT);
	c.blocks[4].at[c.blocks[4].used - 1] ^= 0x55;
	assert_int_equal(open_chained(&b, &c, 4), 4);
	block_release(&b);
	release_chained(&c);
}

static void test_hostile_chain(void **state)
{
	struct random random = {.state = 8};
	struct block b = {0};
	struct chained c;
	(void)state;

	make_chained(&c, true);
	for (int i = 0; i < 20000; i++) {
		struct pl_buf *hit = &c.blocks[random_below(&random, 4)];
		size_t at = BLOCK_HEAD_BYTES +
			    random_below(&random, (uint32_t)(hit->used - BLOCK_HEAD_BYTES));
		uint8_t before = hit->at[at];
		hit->at[at] = (uint8_t)random_next(&random);
		block_open(&b, buf_view(&c.blocks[random_below(&random, 5)]));
		for (uint32_t k = 0; k < 5; k++)
			block_pass(&b, buf_view(&c.blocks[k]));
		hit->at[at] = before;
	}
	block_release(&b);
	release_chained(&c);
}

static void test_refuses_no_events(void **state)
{
	struct stack s = {0};
	struct pl_map bodies = {0};
	struct pl_buf b = {0};
	struct block_head head = {.process = 1};
	const struct block_source source = {.head = &head,
		.stack = &s,
		.bodies = &bodies,
		.parts = &(const struct pl_view){.at = (const uint8_t *)"\0", .left = 1},
		.part_count = 1};
	(void)state;

	assert_int_equal(block_write(&b, &source, 0), PL_ERR_FORMAT);
	buf_release(&b);
}

/* The head is under its own check; what is after it must not crash a reader who has no other. */
static void test_hostile(void **state)
{
	struct pl_buf b = {0};
	struct block block = {0};
	struct block_head head;
	struct random random = {.state = 5};
	(void)state;

	make(&b, 0);
	for (size_t i = 0; i < BLOCK_HEAD_BYTES; i++) {
		b.at[i] ^= 0x20;
		assert_int_equal(block_read_head(buf_view(&b), &head), PL_ERR_FORMAT);
		b.at[i] ^= 0x20;
	}
	for (int i = 0; i < 50000; i++) {
		size_t at = BLOCK_HEAD_BYTES +
			    random_below(&random, (uint32_t)(b.used - BLOCK_HEAD_BYTES));
		uint8_t before = b.at[at];
		b.at[at] = (uint8_t)random_next(&random);
		if (block_open(&block, buf_view(&b)) == 0) {
			struct event e;
			while (block.events.left &&
				event_read(&block.events, &block.stack.calls, &e) == 0)
				stack_apply(&block.stack, &e);
		}
		if (i % 3)
			b.at[at] = before;
	}
	for (size_t n = 0; n < b.used; n++)
		assert_true(block_open(&block, view_of(b.at, n)) != 0);
	block_release(&block);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_greenlets),
		cmocka_unit_test(test_known_calls),
		cmocka_unit_test(test_known_resumes),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_times_stand_apart),
		cmocka_unit_test(test_loose_chain),
		cmocka_unit_test(test_chain_is_refused),
		cmocka_unit_test(test_hostile_chain),
		cmocka_unit_test(test_refuses_no_events),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
