/* Bodies out and in again; and bytes that no writer wrote: cut, changed, random, and with counts
 * beyond all memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/varint.h"
#include "format/body.h"
#include "lib/alloc.h"
#include "lib/random.h"
#include "lib/views.h"

static void random_rows(struct random *r, struct flow_graph *g)
{
	uint32_t unit = 0, line_unit = 0;

	for (uint32_t i = 0; i < g->line_count; i++) {
		g->lines[i] = (struct flow_line){line_unit, (int32_t)(random_next(r) >> 33)};
		line_unit += 1 + random_below(r, 200);
	}
	g->start_count = 0;
	for (uint32_t i = 0; i < g->block_count; i++) {
		struct flow_block *b = &g->blocks[i];
		b->unit = unit;
		b->start = random_below(r, 2) ? g->start_count++ : FLOW_NONE;
		b->flags = random_below(r, 8) ? random_below(r, 128) : (uint32_t)random_next(r);
		if (b->flags & FLOW_BLOCK_RETURNS) /* of a code only one kind is silent */
			b->flags &= ~(uint32_t)FLOW_BLOCK_SILENT;
		b->flags &= ~(uint32_t)FLOW_BLOCK_PASSES; /* its edges are random */
		if (b->start != FLOW_NONE)
			g->starts[b->start] = (struct flow_start){
				unit, (int32_t)(random_next(r) >> 33), random_below(r, 2) > 0};
		unit += 1 + random_below(r, 200);
	}
	g->unit_count = (unit > line_unit ? unit : line_unit) + 1;
}

static void random_edges(struct random *r, struct flow_graph *g)
{
	g->edge_count = 0;
	for (uint32_t i = 0; i < g->block_count; i++) {
		struct flow_block *b = &g->blocks[i];
		b->first_edge = g->edge_count;
		b->edge_count = random_below(r, 5);
		for (uint32_t k = 0; k < b->edge_count; k++) {
			uint32_t to = random_below(r, g->block_count);
			g->edges[g->edge_count++] = (struct flow_edge){to,
				g->blocks[to].start == FLOW_NONE ? FLOW_NEVER : random_below(r, 3)};
		}
	}
}

/* So many names, of one byte each. */
static struct arguments some_arguments(uint32_t count)
{
	return (struct arguments){count, view_of("\1a\1b\1c\1d", 2 * count), count / 2};
}

static struct body random_body(struct random *r)
{
	uint32_t n = random_below(r, 60);
	struct body b = {.file = view_of("a\0b.py", 6),
		.name = view_of("f", random_below(r, 2)),
		.first_line = (int32_t)random_next(r),
		.flags = (uint32_t)random_next(r),
		.version = (uint16_t)random_next(r),
		.graph = {.start_count = n,
			.block_count = n,
			.edge_count = 5 * n,
			.line_count = random_below(r, 60)}};

	assert_int_equal(flow_graph_init(&b.graph), 0);
	b.graph.analysed = n > 0;
	b.arguments = some_arguments(random_below(r, 5));
	random_rows(r, &b.graph);
	random_edges(r, &b.graph);
	assert_int_equal(flow_graph_check(&b.graph), 0);
	return b;
}

static void expect_equal(const struct flow_graph *a, const struct flow_graph *b)
{
	assert_int_equal(a->unit_count, b->unit_count);
	assert_int_equal(a->analysed, b->analysed);
	assert_int_equal(a->line_count, b->line_count);
	for (uint32_t i = 0; i < a->line_count; i++)
		assert_true(a->lines[i].unit == b->lines[i].unit &&
			    a->lines[i].line == b->lines[i].line);
	assert_int_equal(a->start_count, b->start_count);
	for (uint32_t i = 0; i < a->start_count; i++) {
		assert_int_equal(a->starts[i].unit, b->starts[i].unit);
		assert_int_equal(a->starts[i].line, b->starts[i].line);
		assert_int_equal(a->starts[i].witness, b->starts[i].witness);
	}
	assert_int_equal(a->block_count, b->block_count);
	for (uint32_t i = 0; i < a->block_count; i++)
		assert_memory_equal(&a->blocks[i], &b->blocks[i], sizeof a->blocks[i]);
	assert_int_equal(a->edge_count, b->edge_count);
	for (uint32_t i = 0; i < a->edge_count; i++)
		assert_true(
			a->edges[i].to == b->edges[i].to && a->edges[i].fires == b->edges[i].fires);
}

static void comes_back_as_it_was(void **state)
{
	struct random r = {5};
	struct pl_buf out = {0};

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct body a = random_body(&r), b;
		buf_reset(&out);
		body_write(&out, &a);
		assert_false(out.failed);
		assert_int_equal(body_read(buf_view(&out), &b), 0);
		assert_int_equal(a.first_line, b.first_line);
		assert_int_equal(a.flags, b.flags);
		assert_int_equal(a.version, b.version);
		assert_int_equal(b.file.left, 6);
		assert_memory_equal(b.file.at, "a\0b.py", 6);
		assert_int_equal(a.name.left, b.name.left);
		expect_equal(&a.graph, &b.graph);
		assert_int_equal(a.arguments.count, b.arguments.count);
		expect_view(a.arguments.names, b.arguments.names);
		assert_int_equal(a.arguments.after_star, b.arguments.after_star);
		body_release(&a);
		body_release(&b);
		body_release(&b);
	}
	buf_release(&out);
}

/* Reads from memory that ends where the bytes end. Whatever comes out is sound. */
static int read_exactly(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct body b;

	assert_non_null(copy);
	if (n)
		memcpy(copy, bytes, n);
	alloc_bytes = 0;
	int err = body_read(view_of(copy, n), &b);
	assert_true(err == 0 || err == PL_ERR_FORMAT);
	assert_true(alloc_bytes <= 8 * n);
	if (err == 0) {
		assert_int_equal(flow_graph_check(&b.graph), 0);
		body_release(&b);
	}
	free(copy);
	return err;
}

static void refuses_what_is_cut(void **state)
{
	struct random r = {11};
	struct pl_buf out = {0};

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct body a = random_body(&r);
		buf_reset(&out);
		body_write(&out, &a);
		size_t arguments = a.arguments.count ? 1 + a.arguments.names.left : 0;
		const size_t graph = out.used - arguments - (arguments != 0);
		for (size_t n = 0; n < out.used; n++) {
			/* up to the graph is a body before 1.12, up to the names one of it */
			bool whole = n == graph || (arguments && n == out.used - 1);
			assert_int_equal(read_exactly(out.at, n), whole ? 0 : PL_ERR_FORMAT);
		}
		if (!arguments)
			buf_put(&out, "\0\0", 2);
		buf_u8(&out, 7); /* of a later minor version */
		assert_int_equal(read_exactly(out.at, out.used), 0);
		body_release(&a);
	}
	buf_release(&out);
}

static void has_arguments_in_their_order(void **state)
{
	struct arguments a = some_arguments(3);
	struct pl_view name = {0};

	(void)state;
	for (const char *wanted = "abc"; *wanted; wanted++) {
		assert_true(arguments_next(&a, &name));
		expect_view(name, view_of(wanted, 1));
	}
	assert_false(arguments_next(&a, &name));
}

static void survives_changed_bytes(void **state)
{
	struct random r = {13};
	struct pl_buf out = {0};
	unsigned refused = 0;

	(void)state;
	for (int round = 0; round < 30000; round++) {
		struct body a = random_body(&r);
		buf_reset(&out);
		body_write(&out, &a);
		for (uint32_t i = random_below(&r, 4); i != UINT32_MAX; i--)
			out.at[random_below(&r, (uint32_t)out.used)] ^=
				(uint8_t)(1 + random_below(&r, 255));
		refused += read_exactly(out.at, out.used) < 0;
		body_release(&a);
	}
	assert_true(refused > 5000 && refused < 30000);
	buf_release(&out);
}

static void survives_random_bytes(void **state)
{
	struct random r = {17};
	uint8_t bytes[80];

	(void)state;
	for (int round = 0; round < 200000; round++) {
		random_fill(&r, bytes, sizeof bytes);
		if (round % 2)
			for (size_t i = 0; i < sizeof bytes; i++)
				bytes[i] &= 3;
		read_exactly(bytes, random_below(&r, sizeof bytes + 1));
	}
}

/* A head with these counts, and a few bytes after it. */
static int read_counts(uint64_t lines, uint64_t starts, uint64_t blocks, uint64_t edges)
{
	struct pl_buf out = {0};
	const uint64_t head[] = {0, 0, 0, 0, 0x30d, 100};

	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		buf_varint(&out, head[i]);
	buf_u8(&out, 1);
	buf_varint(&out, lines);
	buf_varint(&out, starts);
	buf_varint(&out, blocks);
	buf_varint(&out, edges);
	for (int i = 0; i < 64; i++)
		buf_u8(&out, 0);
	int err = read_exactly(out.at, out.used);
	buf_release(&out);
	return err;
}

static void asks_for_no_more_than_the_bytes_hold(void **state)
{
	(void)state;
	assert_int_equal(read_counts(0, 0, 0, 0), 0);
	assert_int_equal(read_counts(1, 0, 0, 0), 0);
	assert_int_equal(read_counts(UINT32_MAX, 0, 0, 0), PL_ERR_FORMAT);
	assert_int_equal(read_counts(0, UINT32_MAX, 0, 0), PL_ERR_FORMAT);
	assert_int_equal(read_counts(0, 0, UINT32_MAX, 0), PL_ERR_FORMAT);
	assert_int_equal(read_counts(0, 0, 0, UINT32_MAX), PL_ERR_FORMAT);
	assert_int_equal(
		read_counts(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX), PL_ERR_FORMAT);
	assert_int_equal(read_counts((uint64_t)1 << 32, 0, 0, 0), PL_ERR_FORMAT);
	assert_int_equal(read_counts(UINT64_MAX, 0, 0, 0), PL_ERR_FORMAT);
}

/* A body of one line, one start, one block and one edge, with one number of it replaced. */
static int read_with(size_t which, uint64_t value)
{
	uint64_t numbers[] = {0, 0, 2, 0, 0x30d, 4, 1, 1, 1, 1, 1, 0, 2, 1, 2, 0, 1, 1, 1 << 2};
	struct pl_buf out = {0};

	numbers[which] = value;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		buf_varint(&out, numbers[i]);
	int err = read_exactly(out.at, out.used);
	buf_release(&out);
	return err;
}

static void refuses_numbers_out_of_range(void **state)
{
	const uint64_t wrap = (uint64_t)1 << 32;

	(void)state;
	assert_int_equal(read_with(0, 0), 0);
	assert_int_equal(read_with(2, wrap), PL_ERR_FORMAT); /* the first line: 2^31 */
	assert_int_equal(read_with(2, wrap - 1), 0);
	assert_int_equal(read_with(3, wrap), PL_ERR_FORMAT);
	assert_int_equal(read_with(4, 0x10000), PL_ERR_FORMAT);
	assert_int_equal(read_with(6, 2), PL_ERR_FORMAT);
	assert_int_equal(read_with(11, wrap), PL_ERR_FORMAT); /* units, which would wrap to 0 */
	assert_int_equal(read_with(13, wrap << 1 | 1), PL_ERR_FORMAT);
	assert_int_equal(read_with(15, wrap), PL_ERR_FORMAT);
	assert_int_equal(read_with(18, zigzag(-(int64_t)wrap - 1) << 2), PL_ERR_FORMAT);
	assert_int_equal(read_with(18, zigzag((int64_t)wrap - 1) << 2), PL_ERR_FORMAT);
	assert_int_equal(read_with(18, 1 << 2 | 3), PL_ERR_FORMAT);
}

static void fails_without_memory(void **state)
{
	struct random r = {19};
	struct pl_buf out = {0};
	struct body a = random_body(&r), b;
	unsigned refused = 0;
	int err;

	(void)state;
	body_write(&out, &a);
	do {
		alloc_grant = refused + 1;
		err = body_read(buf_view(&out), &b);
		refused += alloc_grant == 0;
		assert_int_equal(err, alloc_grant == 0 ? PL_ERR_MEMORY : 0);
	} while (err < 0);
	alloc_grant = 0;
	assert_int_equal(refused, 1);
	body_release(&a);
	body_release(&b);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_as_it_was),
		cmocka_unit_test(refuses_what_is_cut),
		cmocka_unit_test(has_arguments_in_their_order),
		cmocka_unit_test(survives_changed_bytes),
		cmocka_unit_test(survives_random_bytes),
		cmocka_unit_test(asks_for_no_more_than_the_bytes_hold),
		cmocka_unit_test(refuses_numbers_out_of_range),
		cmocka_unit_test(fails_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
