#include "trace/code.h"

#include <stdlib.h>
#include <string.h>
#include "format/block.h"
#include "pathline/values.h"

/* The line at which a call begins, for its row before any LINE. A code that was not analysed has
 * its first line. */
static void find_entry(struct pl_code *c)
{
	const struct flow_graph *g = &c->body.graph;

	c->entry_unit = UINT32_MAX;
	c->entry_line = c->body.first_line;
	for (uint32_t i = 0; i < g->block_count; i++) {
		if (!(g->blocks[i].flags & FLOW_BLOCK_ENTRY))
			continue;
		c->entry_unit = g->blocks[i].unit;
		int32_t line = flow_line_at(g, c->entry_unit);
		if (line)
			c->entry_line = line;
		return;
	}
}

/* Of what same_but_witnesses compares, the part that is quick to hash. */
static uint64_t plan_hash(const struct pl_code *c)
{
	const uint64_t words[] = {hash_bytes(c->body.file.at, c->body.file.left),
		hash_bytes(c->body.name.at, c->body.name.left), c->source,
		(uint64_t)(uint32_t)c->body.first_line << 32 | c->body.flags,
		(uint64_t)c->body.graph.unit_count << 32 | c->body.graph.start_count,
		(uint64_t)c->body.graph.block_count << 32 | c->body.graph.edge_count};

	return hash_bytes(words, sizeof words);
}

static bool same_lines(const struct flow_graph *a, const struct flow_graph *b)
{
	if (a->line_count != b->line_count || a->start_count != b->start_count)
		return false;
	for (uint32_t i = 0; i < a->line_count; i++)
		if (a->lines[i].unit != b->lines[i].unit || a->lines[i].line != b->lines[i].line)
			return false;
	for (uint32_t i = 0; i < a->start_count; i++)
		if (a->starts[i].unit != b->starts[i].unit)
			return false;
	return true;
}

static bool same_steps(const struct flow_graph *a, const struct flow_graph *b)
{
	if (a->block_count != b->block_count || a->edge_count != b->edge_count)
		return false;
	for (uint32_t i = 0; i < a->block_count; i++)
		if (a->blocks[i].unit != b->blocks[i].unit ||
			a->blocks[i].flags != b->blocks[i].flags)
			return false;
	for (uint32_t i = 0; i < a->edge_count; i++)
		if (a->edges[i].to != b->edges[i].to || a->edges[i].fires != b->edges[i].fires)
			return false;
	return true;
}

static bool same_text(struct pl_view a, struct pl_view b)
{
	return a.left == b.left && !memcmp(a.at, b.at, a.left);
}

/* One function of the program can have several bodies: hot code is reoptimized, with other
 * witnesses. Readers of the path want one code for them: the first. */
static bool same_but_witnesses(const struct pl_code *a, const struct pl_code *b)
{
	return same_text(a->body.file, b->body.file) && same_text(a->body.name, b->body.name) &&
	       a->source == b->source && a->body.first_line == b->body.first_line &&
	       a->body.flags == b->body.flags && a->body.version == b->body.version &&
	       same_lines(&a->body.graph, &b->body.graph) &&
	       same_steps(&a->body.graph, &b->body.graph);
}

/* Equal code can be of functions whose arguments have other names: two named tuples, two lambdas of
 * a line. Where no values are kept there are no names. */
static bool same_arguments(const struct pl_code *a, const struct pl_code *b)
{
	const struct arguments *of_a = &a->body.arguments, *of_b = &b->body.arguments;

	return !of_a->count || !of_b->count ||
	       (of_a->count == of_b->count && of_a->after_star == of_b->after_star &&
		       same_text(of_a->names, of_b->names));
}

/* The first code with this hash; NULL: no memory. */
static struct pl_code *first_of(struct pl_recording *r, uint64_t hash, struct pl_code *c)
{
	uint64_t *place = map_put(&r->plans, hash);

	if (place && !*place)
		*place = (uint64_t)(uintptr_t)c;
	return place ? (struct pl_code *)(uintptr_t)*place : NULL;
}

/* Without memory, or if two hashes are equal, a code represents itself. */
static void find_first(struct pl_recording *r, struct pl_code *c)
{
	const struct pl_view names = c->body.arguments.names;
	const uint64_t hash = plan_hash(c);
	struct pl_code *first = first_of(r, hash, c);

	if (first && !same_arguments(first, c))
		first = first_of(r, hash ^ hash_bytes(names.at, names.left), c);
	if (!first || !same_but_witnesses(first, c) || !same_arguments(first, c))
		return;
	c->first = first;
	if (!first->body.arguments.count)
		first->body.arguments = c->body.arguments;
}

/* A broken body stays broken: it is not decoded again. */
static void open_body(struct pl_recording *r, struct pl_code *c)
{
	c->opened = true;
	c->broken = true;
	if (body_read(c->bytes, &c->body)) {
		c->body = (struct body){0};
		recording_damage(r, FILE_META, c->off, "a code's body cannot be decoded");
		return;
	}
	c->file = texts_keep(&r->texts, c->body.file);
	c->name = texts_keep(&r->texts, c->body.name);
	find_entry(c);
	c->broken = !c->file || !c->name;
	if (r->info.format_minor >= MINOR_WITNESSES)
		c->broken |= follow_code_init(&c->follow, &c->body.graph) != 0;
	if (!c->broken)
		find_first(r, c);
}

/* Numbers of bodies in events are one more than those in `meta`: 0 is "no code". */
struct pl_code *code_open(struct pl_recording *r, uint64_t body)
{
	uint64_t *found = body ? map_find(&r->bodies, body - 1) : NULL;
	struct pl_code *c = found ? (struct pl_code *)(uintptr_t)*found : NULL;

	if (c && !c->opened)
		open_body(r, c);
	return c && !c->broken ? c : NULL;
}

struct pl_code *code_new_unknown(struct pl_recording *r)
{
	struct pl_code *c = entries_add(&r->codes, sizeof *c);

	if (c) {
		c->opened = true;
		c->file = "?";
		c->name = "?";
		find_entry(c);
	}
	return c;
}

void code_release(struct pl_code *c)
{
	follow_code_release(&c->follow);
	if (c->opened)
		body_release(&c->body);
}

uint32_t code_place_unit(const struct pl_code *c, enum stack_place place, uint32_t value)
{
	switch (place) {
	case PLACE_UNIT:
	case PLACE_HANDLER:
		return value;
	case PLACE_START:
		return value < c->body.graph.start_count ? c->body.graph.starts[value].unit
							 : UINT32_MAX;
	case PLACE_ENTRY:
		return c->entry_unit;
	default:
		return UINT32_MAX;
	}
}

int32_t code_place_line(const struct pl_code *c, enum stack_place place, uint32_t value)
{
	if (place == PLACE_START)
		return code_start_line(c, value);
	if (place == PLACE_ENTRY)
		return c->entry_line;
	uint32_t unit = code_place_unit(c, place, value);
	return unit == UINT32_MAX ? 0 : flow_line_at(&c->body.graph, unit);
}

/* The block to which the jump at `unit` leads back; FLOW_NONE: there is no such jump. */
static uint32_t jump_target(const struct flow_graph *g, uint32_t unit)
{
	uint32_t from = flow_block_at(g, unit);

	if (from >= g->block_count || g->blocks[from].edge_count != 1)
		return FLOW_NONE;
	uint32_t to = g->edges[g->blocks[from].first_edge].to;
	return to <= from ? to : FLOW_NONE;
}

int32_t code_jump_line(const struct pl_code *c, uint32_t unit)
{
	const struct flow_graph *g = &c->body.graph;
	uint32_t to = jump_target(g, unit);
	int32_t line = flow_line_at(g, unit);

	return line || to == FLOW_NONE ? line : flow_line_ahead(g, g->blocks[to].unit);
}

bool code_jumps_back(const struct pl_code *c, uint32_t unit)
{
	return !c->body.graph.analysed || jump_target(&c->body.graph, unit) != FLOW_NONE;
}

const char *pl_code_file(const struct pl_code *c)
{
	return c->file;
}

const char *code_bare_name(const struct pl_code *c)
{
	const char *dot = strrchr(pl_code_name(c), '.');

	return dot ? dot + 1 : pl_code_name(c);
}

const char *pl_code_name(const struct pl_code *c)
{
	return c->name;
}

int32_t pl_code_first_line(const struct pl_code *c)
{
	return c->body.first_line;
}

uint32_t pl_code_flags(const struct pl_code *c)
{
	return c->body.flags;
}

/* "**" is the last one; "*" is before it, and before those that are by keyword only. */
static const char *stars_of(const struct pl_code *c, uint32_t left)
{
	const uint32_t names = (c->body.flags & ARGUMENTS_STARS) != 0;

	if (names && left == 1)
		return "**";
	const uint32_t after = names + c->body.arguments.after_star;
	return c->body.flags & ARGUMENTS_STAR && left == after + 1 ? "*" : "";
}

size_t pl_code_arguments(const struct pl_code *c, struct pl_argument *arguments, size_t max)
{
	struct arguments rest = c->body.arguments;
	struct pl_view name;

	for (size_t i = 0; i < max && arguments_next(&rest, &name); i++)
		arguments[i] = (struct pl_argument){
			.name = {.at = (const char *)name.at, .length = name.left},
			.stars = stars_of(c, rest.count + 1)};
	return c->body.arguments.count;
}

uint64_t pl_code_text(const struct pl_code *c)
{
	return c->source;
}

bool pl_code_same_text(const struct pl_code *a, const struct pl_code *b)
{
	return a && b && a->source == b->source && !strcmp(a->file, b->file);
}

/* For sorting, the same in each run: file, line, name. Codes that agree in all of these (two
 * lambdas in a line) are in the order of their addresses, which only keeps them apart. */
int code_order(const struct pl_code *x, const struct pl_code *y)
{
	if (x == y || !x || !y)
		return x == y ? 0 : !x ? -1 : 1;
	int order = strcmp(pl_code_file(x), pl_code_file(y));
	if (!order && pl_code_first_line(x) != pl_code_first_line(y))
		order = pl_code_first_line(x) < pl_code_first_line(y) ? -1 : 1;
	if (!order)
		order = strcmp(pl_code_name(x), pl_code_name(y));
	return order ? order : (uintptr_t)x < (uintptr_t)y ? -1 : 1;
}

static int by_line(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* The lines of starts: those at which LINE can fire. A line has several, so they are sorted and
 * told once. */
size_t pl_code_lines(const struct pl_code *c, int32_t *lines, size_t max)
{
	const struct flow_graph *g = &c->body.graph;
	int32_t *all = calloc(g->start_count + 1, sizeof *all);
	size_t count = 0;

	if (!all)
		return 0;
	for (uint32_t i = 0; i < g->start_count; i++)
		all[i] = g->starts[i].line;
	if (g->start_count)
		qsort(all, g->start_count, sizeof *all, by_line);
	for (uint32_t i = 0; i < g->start_count; i++) {
		if (i && all[i] == all[i - 1])
			continue;
		if (count < max)
			lines[count] = all[i];
		count++;
	}
	free(all);
	return count;
}
