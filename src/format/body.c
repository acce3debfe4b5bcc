/* A body's bytes, after file, name, first line, flags, version, and the counts:
 *
 *	lines    (unit - the one before, line - the one before as zigzag)…
 *	starts   (unit - the one before << 1 | witness, line - the one before as zigzag)…
 *	blocks   (unit - the one before, flags << 1 | has a start, number of edges)…
 *	edges    (to - from - 1 as zigzag << 2 | fires)…      of each block in turn
 *	[arguments]
 *
 * Rows are sorted by unit, so differences are small, and most are a byte.
 */
#include "format/body.h"

#include "base/varint.h"

/* The least bytes of a row. Counts are compared with these before memory is asked for. */
#define LINE_BYTES_MIN	2
#define START_BYTES_MIN 2
#define BLOCK_BYTES_MIN 3
#define EDGE_BYTES_MIN	1

/* The most bytes of a row: each of its numbers has at most 36 bits. */
#define NUMBER_BYTES 6
#define LINE_BYTES   (2 * NUMBER_BYTES)
#define START_BYTES  (2 * NUMBER_BYTES)
#define BLOCK_BYTES  (3 * NUMBER_BYTES)
#define EDGE_BYTES   NUMBER_BYTES

/* Each of these writes all rows to p, which has room for them, and returns the byte after them. */

static uint8_t *write_lines(uint8_t *p, const struct flow_graph *g)
{
	struct flow_line before = {0};

	for (uint32_t i = 0; i < g->line_count; i++) {
		const struct flow_line *l = &g->lines[i];
		p = varint_write(p, l->unit - before.unit);
		p = varint_write(p, zigzag((int64_t)l->line - before.line));
		before = *l;
	}
	return p;
}

static uint8_t *write_starts(uint8_t *p, const struct flow_graph *g)
{
	uint32_t unit = 0;
	int32_t line = 0;

	for (uint32_t i = 0; i < g->start_count; i++) {
		const struct flow_start *s = &g->starts[i];
		p = varint_write(p, (uint64_t)(s->unit - unit) << 1 | s->witness);
		p = varint_write(p, zigzag((int64_t)s->line - line));
		unit = s->unit;
		line = s->line;
	}
	return p;
}

static uint8_t *write_blocks(uint8_t *p, const struct flow_graph *g)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		p = varint_write(p, b->unit - before);
		p = varint_write(p, (uint64_t)b->flags << 1 | (b->start != FLOW_NONE));
		p = varint_write(p, b->edge_count);
		before = b->unit;
	}
	return p;
}

static uint8_t *write_edges(uint8_t *p, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t k = 0; k < b->edge_count; k++) {
			const struct flow_edge *e = &g->edges[b->first_edge + k];
			p = varint_write(p, zigzag((int64_t)e->to - i - 1) << 2 | e->fires);
		}
	}
	return p;
}

/* The most that the rows can have: room is asked for once. */
static size_t rows_take(const struct flow_graph *g)
{
	return (size_t)LINE_BYTES * g->line_count + (size_t)START_BYTES * g->start_count +
	       (size_t)BLOCK_BYTES * g->block_count + (size_t)EDGE_BYTES * g->edge_count;
}

static void write_graph_rows(struct pl_buf *out, const struct flow_graph *g)
{
	uint8_t *to = buf_reserve(out, rows_take(g));

	if (!to)
		return;
	uint8_t *p = write_edges(write_blocks(write_starts(write_lines(to, g), g), g), g);
	out->used += (size_t)(p - to);
}

#define OTHER_NUMBERS 11

void body_write(struct pl_buf *out, const struct body *b)
{
	const struct flow_graph *g = &b->graph;

	buf_reserve(out, b->file.left + b->name.left + b->arguments.names.left +
				 OTHER_NUMBERS * PL_VARINT_MAX + rows_take(g));
	buf_string(out, b->file.at, b->file.left);
	buf_string(out, b->name.at, b->name.left);
	buf_varint(out, zigzag(b->first_line));
	buf_varint(out, b->flags);
	buf_varint(out, b->version);
	buf_varint(out, g->unit_count);
	buf_u8(out, g->analysed);
	buf_varint(out, g->line_count);
	buf_varint(out, g->start_count);
	buf_varint(out, g->block_count);
	buf_varint(out, g->edge_count);
	write_graph_rows(out, g);
	if (b->arguments.count)
		arguments_write(out, &b->arguments);
}

/* Add a delta to *value, which must stay within 32 bits. */
static int add_u32(uint32_t *value, uint64_t delta)
{
	if (delta > UINT32_MAX - *value)
		return PL_ERR_FORMAT;
	*value += (uint32_t)delta;
	return 0;
}

static int read_i32_delta(struct pl_view *v, int32_t *value)
{
	uint64_t delta;

	if (view_varint_max(v, (uint64_t)UINT32_MAX << 1, &delta) < 0)
		return PL_ERR_FORMAT;
	int64_t sum = *value + unzigzag(delta);
	if (sum > INT32_MAX || sum < INT32_MIN)
		return PL_ERR_FORMAT;
	*value = (int32_t)sum;
	return 0;
}

static int read_lines(struct pl_view *v, const struct flow_graph *g)
{
	struct flow_line at = {0};
	uint64_t delta;

	for (uint32_t i = 0; i < g->line_count; i++) {
		if (view_varint(v, &delta) < 0 || add_u32(&at.unit, delta) < 0 ||
			read_i32_delta(v, &at.line) < 0)
			return PL_ERR_FORMAT;
		g->lines[i] = at;
	}
	return 0;
}

static int read_starts(struct pl_view *v, const struct flow_graph *g)
{
	struct flow_start at = {0};
	uint64_t delta;

	for (uint32_t i = 0; i < g->start_count; i++) {
		if (view_varint(v, &delta) < 0 || add_u32(&at.unit, delta >> 1) < 0 ||
			read_i32_delta(v, &at.line) < 0)
			return PL_ERR_FORMAT;
		at.witness = delta & 1;
		g->starts[i] = at;
	}
	return 0;
}

static int read_blocks(struct pl_view *v, const struct flow_graph *g)
{
	struct flow_block at = {0};
	uint32_t start = 0;
	uint64_t delta, flags;

	for (uint32_t i = 0; i < g->block_count; i++) {
		if (view_varint(v, &delta) < 0 || add_u32(&at.unit, delta) < 0 ||
			view_varint_max(v, (uint64_t)UINT32_MAX << 1 | 1, &flags) < 0 ||
			view_varint_u32(v, &at.edge_count) < 0)
			return PL_ERR_FORMAT;
		at.flags = (uint32_t)(flags >> 1);
		at.start = flags & 1 ? start++ : FLOW_NONE;
		g->blocks[i] = at;
		if (add_u32(&at.first_edge, at.edge_count) < 0)
			return PL_ERR_FORMAT;
	}
	return 0;
}

/* The edges of block `from`. The graph must still have them: *left is what remains. The blocks'
 * counts were not compared with the graph's before, and first_edge is their running sum.
 * flow_graph_check finds edges that remain at the end. */
static int read_block_edges(
	struct pl_view *v, const struct flow_graph *g, uint32_t from, uint32_t *left)
{
	const struct flow_block *b = &g->blocks[from];
	uint64_t code;

	if (b->edge_count > *left)
		return PL_ERR_FORMAT;
	*left -= b->edge_count;
	for (uint32_t i = 0; i < b->edge_count; i++) {
		if (view_varint(v, &code) < 0)
			return PL_ERR_FORMAT;
		int64_t to = (int64_t)from + 1 + unzigzag(code >> 2);
		if (to < 0 || to >= g->block_count)
			return PL_ERR_FORMAT;
		g->edges[b->first_edge + i] =
			(struct flow_edge){.to = (uint32_t)to, .fires = code & 3};
	}
	return 0;
}

static int read_edges(struct pl_view *v, const struct flow_graph *g)
{
	uint32_t left = g->edge_count;
	int err = 0;

	for (uint32_t i = 0; i < g->block_count && err == 0; i++)
		err = read_block_edges(v, g, i, &left);
	return err;
}

/* Read the counts, and compare each with the bytes that are left: flow_graph_init asks for at most
 * eight times the bytes that were read. */
static int read_counts(struct pl_view *v, struct flow_graph *g)
{
	uint8_t analysed;

	if (view_varint_u32(v, &g->unit_count) < 0 || view_u8(v, &analysed) < 0 || analysed > 1)
		return PL_ERR_FORMAT;
	g->analysed = analysed;
	if (view_varint_u32(v, &g->line_count) < 0 || view_varint_u32(v, &g->start_count) < 0 ||
		view_varint_u32(v, &g->block_count) < 0 || view_varint_u32(v, &g->edge_count) < 0)
		return PL_ERR_FORMAT;
	uint64_t least = (uint64_t)g->line_count * LINE_BYTES_MIN +
			 (uint64_t)g->start_count * START_BYTES_MIN +
			 (uint64_t)g->block_count * BLOCK_BYTES_MIN +
			 (uint64_t)g->edge_count * EDGE_BYTES_MIN;
	return least <= v->left ? 0 : PL_ERR_FORMAT;
}

/* flow_graph_check says at the end whether it is a graph: numbers in order, starts and edges where
 * blocks have them. Readers of the graph rely on that. */
static int read_graph(struct pl_view *v, struct flow_graph *out)
{
	struct flow_graph g = {0};

	if (read_counts(v, &g) < 0)
		return PL_ERR_FORMAT;
	if (flow_graph_init(&g) < 0)
		return PL_ERR_MEMORY;
	if (read_lines(v, &g) < 0 || read_starts(v, &g) < 0 || read_blocks(v, &g) < 0 ||
		read_edges(v, &g) < 0 || flow_graph_check(&g) < 0) {
		flow_graph_release(&g);
		return PL_ERR_FORMAT;
	}
	*out = g;
	return 0;
}

/* Bytes after what is known are of a later version. file, name and arguments are views into v. */
int body_read(struct pl_view v, struct body *out)
{
	struct body b = {0};
	uint64_t version;
	int err;

	if (view_string(&v, &b.file) < 0 || view_string(&v, &b.name) < 0 ||
		read_i32_delta(&v, &b.first_line) < 0 || view_varint_u32(&v, &b.flags) < 0 ||
		view_varint_max(&v, UINT16_MAX, &version) < 0)
		return PL_ERR_FORMAT;
	b.version = (uint16_t)version;
	err = read_graph(&v, &b.graph);
	if (err == 0 && v.left && arguments_read(&v, &b.arguments)) {
		flow_graph_release(&b.graph);
		err = PL_ERR_FORMAT;
	}
	if (err == 0)
		*out = b;
	return err;
}

void body_release(struct body *b)
{
	flow_graph_release(&b->graph);
	*b = (struct body){0};
}
