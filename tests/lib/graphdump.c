/* Code objects in, flow graphs out: what src/bytecode makes of them, for scripts to compare.
 *
 * In, one after the other, little-endian:
 *	version u16 | first line i32 | co_flags u32 | three times: bytes u32, then these
 *	(co_code, co_linetable, co_exceptiontable)
 *
 * Out, a line each, numbers in decimal:
 *	C analysed first-unit [why]	a code begins
 *	L unit line			the line from this unit on
 *	S unit line witness		a start
 *	B unit start flags		a block; start is -1 for none
 *	E block fires			an edge of the block before, to that block
 *
 * With --witnesses, starts have them as they are placed; without, none. With --time N, each is
 * built N times over, its witnesses placed, and the nanoseconds an instruction go to stderr. With
 * --walks N, each is run N times by chance and its lines told from what would be recorded
 * (walks.h), and what is called straight must be so: a line for what goes wrong, and at the end how
 * many starts are witnesses.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bytecode/bytecode.h"
#include "bytecode/straight.h"
#include "flow/witness.h"
#include "lib/straight.h"
#include "lib/walks.h"
#include "pathline/error.h"

#define PART_BYTES_MAX (64u << 20)

/* One code as it was read; the parts are owned. */
struct input {
	struct bytecode code;
	uint8_t *parts[3];
};

static int read_exactly(void *out, size_t n)
{
	return fread(out, 1, n, stdin) == n ? 0 : PL_ERR_FORMAT;
}

static void input_release(struct input *in)
{
	for (int i = 0; i < 3; i++)
		free(in->parts[i]);
	*in = (struct input){0};
}

static int read_part(uint8_t **part, struct pl_view *view)
{
	uint32_t bytes;

	if (read_exactly(&bytes, sizeof bytes) < 0 || bytes > PART_BYTES_MAX)
		return PL_ERR_FORMAT;
	/* Exactly as large as it is, so that a sanitizer sees a read past it. */
	*part = malloc(bytes ? bytes : 1);
	if (!*part)
		return PL_ERR_MEMORY;
	*view = view_of(*part, bytes);
	return read_exactly(*part, bytes);
}

/* 0; PL_END at the end of the input. */
static int input_read(struct input *in)
{
	*in = (struct input){0};
	if (fread(&in->code.version, 1, sizeof in->code.version, stdin) == 0)
		return PL_END;
	if (read_exactly(&in->code.first_line, sizeof in->code.first_line) < 0 ||
		read_exactly(&in->code.flags, sizeof in->code.flags) < 0 ||
		read_part(&in->parts[0], &in->code.code) < 0 ||
		read_part(&in->parts[1], &in->code.line_table) < 0 ||
		read_part(&in->parts[2], &in->code.except_table) < 0) {
		input_release(in);
		return PL_ERR_FORMAT;
	}
	return 0;
}

static void print_block(const struct flow_graph *g, const struct flow_block *b)
{
	printf("B %" PRIu32 " %" PRId32 " %" PRIu32 "\n", b->unit, (int32_t)b->start, b->flags);
	for (uint32_t i = 0; i < b->edge_count; i++) {
		const struct flow_edge *e = &g->edges[b->first_edge + i];
		printf("E %" PRIu32 " %d\n", e->to, (int)e->fires);
	}
}

static void print_graph(const struct flow_graph *g, uint32_t first, const char *why)
{
	printf("C %d %" PRIu32 "%s%s\n", g->analysed, first, why ? " " : "", why ? why : "");
	for (uint32_t i = 0; i < g->line_count; i++)
		printf("L %" PRIu32 " %" PRId32 "\n", g->lines[i].unit, g->lines[i].line);
	for (uint32_t i = 0; i < g->start_count; i++) {
		const struct flow_start *s = &g->starts[i];
		printf("S %" PRIu32 " %" PRId32 " %d\n", s->unit, s->line, s->witness);
	}
	for (uint32_t i = 0; i < g->block_count; i++)
		print_block(g, &g->blocks[i]);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t time_one(const struct bytecode *code, unsigned times)
{
	uint64_t begin = now_ns();

	for (unsigned i = 0; i < times; i++) {
		struct flow_graph g;
		const char *why;
		(void)bytecode_graph(code, &g, &why);
		(void)flow_place_witnesses(&g);
		flow_graph_release(&g);
	}
	return now_ns() - begin;
}

static struct {
	uint64_t codes, starts, witnesses, none, straight, lines, recorded, wrong;
	double cost, all_cost;
} sums;

static void sum_up(const struct flow_graph *g)
{
	uint64_t witnesses = 0;

	for (uint32_t i = 0; i < g->start_count; i++) {
		witnesses += g->starts[i].witness;
		sums.cost += g->starts[i].witness ? g->starts[i].frequency : 0;
		sums.all_cost += g->starts[i].frequency;
	}
	sums.codes++;
	sums.starts += g->start_count;
	sums.witnesses += witnesses;
	sums.none += !witnesses;
}

static void walk_graph(const struct flow_graph *g, unsigned times)
{
	struct flow_search search;
	struct random random = {sums.codes};
	struct made_walk *w = calloc(1, sizeof *w);

	if (!w || flow_search_init(&search, g))
		exit(1);
	*w = (struct made_walk){.g = g, .search = &search, .random = &random};
	for (unsigned i = 0; i < times; i++) {
		const char *wrong = walk_run(w);
		sums.lines += w->ran.count;
		if (wrong && !sums.wrong++)
			printf("wrong in code %" PRIu64 ": %s\n", sums.codes, wrong);
	}
	sums.recorded += w->recorded;
	flow_search_release(&search);
	free(w);
}

static void look_straight(const struct bytecode *code, const struct flow_graph *g)
{
	bool silent;

	if (!bytecode_is_straight(code, &silent))
		return;
	sums.straight++;
	if (!graph_is_straight(g, silent) && !sums.wrong++)
		printf("wrong in code %" PRIu64 ": it is not straight\n", sums.codes);
}

static int walk_one(const struct bytecode *code, unsigned times)
{
	struct flow_graph g;
	const char *why;
	int err = bytecode_graph(code, &g, &why);

	if (err == PL_ERR_MEMORY)
		return err;
	err = flow_place_witnesses(&g);
	if (err == 0)
		look_straight(code, &g);
	if (err == 0 && g.analysed) {
		sum_up(&g);
		walk_graph(&g, times);
	}
	flow_graph_release(&g);
	return err;
}

static void print_sums(void)
{
	printf("%" PRIu64 " codes, %" PRIu64
	       " starts, %.1f%% of them witnesses, %.1f%% by cost; %.0f%% of the codes have "
	       "none, %" PRIu64 " are straight; %" PRIu64
	       " lines ran, %.1f%% of them recorded; %" PRIu64 " wrong\n",
		sums.codes, sums.starts, 100.0 * (double)sums.witnesses / (double)sums.starts,
		100 * sums.cost / sums.all_cost, 100.0 * (double)sums.none / (double)sums.codes,
		sums.straight, sums.lines, 100.0 * (double)sums.recorded / (double)sums.lines,
		sums.wrong);
}

static int print_one(const struct bytecode *code, bool witnesses)
{
	struct flow_graph g;
	const char *why;
	int err = bytecode_graph(code, &g, &why);

	if (err == PL_ERR_MEMORY)
		return err;
	if (witnesses && flow_place_witnesses(&g) < 0) {
		flow_graph_release(&g);
		return PL_ERR_MEMORY;
	}
	if (flow_graph_check(&g) < 0) {
		fprintf(stderr, "graphdump: a graph that is not sound\n");
		err = PL_ERR_ARGUMENT;
	} else {
		print_graph(&g, bytecode_first_unit(code), why);
		err = 0;
	}
	flow_graph_release(&g);
	return err;
}

int main(int argc, char **argv)
{
	unsigned number = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	unsigned times = number && !strcmp(argv[1], "--time") ? number : 0;
	unsigned walks = number && !strcmp(argv[1], "--walks") ? number : 0;
	bool witnesses = argc == 2 && !strcmp(argv[1], "--witnesses");
	uint64_t ns = 0, units = 0;
	struct input in;
	int err;

	while ((err = input_read(&in)) == 0) {
		if (times) {
			ns += time_one(&in.code, times);
			units += in.code.code.left / 2 * times;
		} else if (walks) {
			err = walk_one(&in.code, walks);
		} else {
			err = print_one(&in.code, witnesses);
		}
		input_release(&in);
		if (err < 0)
			break;
	}
	if (times && units)
		fprintf(stderr, "%.2f ns a code unit\n", (double)ns / (double)units);
	if (walks)
		print_sums();
	if (err == PL_ERR_FORMAT)
		fprintf(stderr, "graphdump: the input is cut short\n");
	return err == PL_END && !sums.wrong ? 0 : 1;
}
