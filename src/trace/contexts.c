#include "trace/contexts.h"

#include <stdlib.h>
#include "format/stack.h"

#define NODES_MAX (1u << 18)
#define EDGES_MAX (1u << 19)
#define SITES_MAX (1u << 19) /* with more, calls are no longer separated by their callers */
#define SETS_MAX  (1u << 16)
#define SET_MAX	  256u /* sites of one recursion; more are left out */
#define DEPTH_MAX 512u /* of the tree, in which no code occurs twice on a path */

/* Make room for one more of `bytes`; false: no memory. */
static bool room_for(void **at, uint32_t count, uint32_t *room, size_t bytes)
{
	if (count < *room)
		return true;
	uint32_t more = *room ? *room * 2 : 256;
	void *grown = realloc(*at, more * bytes);
	if (!grown)
		return false;
	*at = grown;
	*room = more;
	return true;
}

int contexts_more_frames(struct contexts *x)
{
	void *frames = x->frames;
	bool room = room_for(&frames, x->depth, &x->room, sizeof *x->frames);

	x->frames = frames;
	return room ? 0 : PL_ERR_MEMORY;
}

/* ---- nodes ---- */

/* `touched` has room for each node, so that contexts_rows, on the way of each transition, needs no
 * check. */
static uint32_t add_context_node(struct contexts *x, uint32_t parent, uint32_t site, uint32_t set)
{
	if (x->node_count == x->node_room) {
		uint32_t room = x->node_room ? x->node_room * 2 : 1024;
		struct context_node *nodes = realloc(x->nodes, room * sizeof *nodes);
		if (nodes)
			x->nodes = nodes;
		uint32_t *touched = realloc(x->touched, room * sizeof *touched);
		if (touched)
			x->touched = touched;
		if (!nodes || !touched)
			return UINT32_MAX;
		x->node_room = room;
	}
	x->nodes[x->node_count] = (struct context_node){.parent = parent,
		.site = site,
		.set = set,
		.depth = x->node_count ? x->nodes[parent].depth + 1 : 0};
	return x->node_count++;
}

/* The number of a site, which is made if it is new; UINT32_MAX: no memory. Sites with the same hash
 * have keys in a row. */
static uint32_t find_site(struct contexts *x, const struct context_site *s)
{
	const uint64_t words[] = {(uintptr_t)s->callee, (uintptr_t)s->caller,
		(uint64_t)s->task << 32 | (uint32_t)s->line};
	uint64_t key = hash_bytes(words, sizeof words), *place;

	for (;; key++) {
		place = map_put(&x->site_map, key);
		if (!place)
			return UINT32_MAX;
		if (!*place)
			break;
		const struct context_site *known = &x->sites[*place - 1];
		if (known->callee == s->callee && known->caller == s->caller &&
			known->line == s->line && known->task == s->task)
			return (uint32_t)(*place - 1);
	}
	void *sites = x->sites;
	bool room = room_for(&sites, x->site_count, &x->site_room, sizeof *x->sites);
	x->sites = sites;
	if (!room)
		return UINT32_MAX;
	x->sites[x->site_count++] = *s;
	*place = x->site_count;
	return x->site_count - 1;
}

/* ---- sets of sites ---- */

/* Sorted, without doubles: so equal sets have equal bytes. */
struct set {
	uint32_t items[SET_MAX];
	uint32_t count;
};

static void set_add(struct set *s, uint32_t site)
{
	uint32_t at = 0;

	while (at < s->count && s->items[at] < site)
		at++;
	if ((at < s->count && s->items[at] == site) || s->count == SET_MAX)
		return;
	memmove(s->items + at + 1, s->items + at, (s->count - at) * sizeof *s->items);
	s->items[at] = site;
	s->count++;
}

static void add_set_members(const struct contexts *x, uint32_t set, struct set *to)
{
	for (uint32_t i = set ? x->set_ends[set - 1] : 0; set && i < x->set_ends[set]; i++)
		set_add(to, x->set_items[i]);
}

static bool room_for_set(struct contexts *x, uint32_t used, uint32_t count)
{
	void *ends = x->set_ends, *items = x->set_items;
	bool room = room_for(&ends, x->set_count, &x->set_room, sizeof *x->set_ends);

	x->set_ends = ends;
	while (room && used + count > x->item_room) {
		room = room_for(&items, x->item_room, &x->item_room, sizeof *x->set_items);
		x->set_items = items;
	}
	return room;
}

static bool is_set(const struct contexts *x, uint32_t set, const struct set *s)
{
	const uint32_t from = x->set_ends[set - 1];

	return x->set_ends[set] - from == s->count &&
	       !memcmp(x->set_items + from, s->items, s->count * sizeof *s->items);
}

/* Its number, from 1; 0: no room for another. */
static uint32_t find_set(struct contexts *x, const struct set *s)
{
	uint64_t *place = map_put(&x->set_index, hash_bytes(s->items, s->count * sizeof *s->items));

	if (!place)
		return 0;
	if (*place && is_set(x, (uint32_t)*place, s))
		return (uint32_t)*place;
	uint32_t used = x->set_ends[x->set_count - 1];
	if (x->set_count >= SETS_MAX || !room_for_set(x, used, s->count))
		return 0;
	memcpy(x->set_items + used, s->items, s->count * sizeof *s->items);
	x->set_ends[x->set_count] = used + s->count;
	*place = x->set_count;
	return x->set_count++;
}

/* ---- edges ---- */

/* The nearest node on the way to the root that has the code; 0: none. */
static uint32_t find_above(const struct contexts *x, uint32_t node, const struct pl_code *code)
{
	while (node && x->sites[x->nodes[node].site].callee != code)
		node = x->nodes[node].parent;
	return node;
}

/* `above` is on the way from `from` to the root and has the callee's code. The recursion gets a
 * node beside it, with the set of the sites between the two:
 *
 *	main <- fib <- fib {fib:4}        one node for all depths that came by line 4 only
 *	            <- fib {fib:4, fib:5} and one for those that came by both
 *
 * A recursive node is never the child of another one (base), so the tree stays as deep as there are
 * different codes. If there are too many sets, the call counts for `above`, and the tree is marked
 * as folded.
 */
static uint32_t recursive_node(struct contexts *x, uint32_t above, uint32_t from, uint32_t site)
{
	uint32_t base = x->nodes[above].set ? x->nodes[above].parent : above;
	struct set s = {.count = 0};

	add_set_members(x, x->nodes[above].set, &s);
	for (uint32_t n = from; n != above && s.count < SET_MAX; n = x->nodes[n].parent) {
		add_set_members(x, x->nodes[n].set, &s);
		set_add(&s, x->nodes[n].site);
	}
	set_add(&s, site);
	uint32_t set = find_set(x, &s);
	if (!set) {
		x->folded = true;
		return above;
	}
	uint64_t *place = map_put(&x->set_map, (uint64_t)base << 32 | set);
	if (!place)
		return UINT32_MAX;
	if (!*place) {
		uint32_t node = add_context_node(x, base, x->nodes[base].site, set);
		if (node == UINT32_MAX)
			return node;
		*place = (uint64_t)node + 1;
	}
	return (uint32_t)(*place - 1);
}

static uint32_t edge_target(struct contexts *x, uint32_t from, uint32_t site)
{
	const struct pl_code *callee = x->sites[site].callee;
	uint32_t above = find_above(x, from, callee);

	if (above)
		return recursive_node(x, above, from, site);
	return add_context_node(x, from, site, 0);
}

uint32_t contexts_near(const struct contexts *x, const struct pl_code *code)
{
	for (uint32_t i = x->depth; i--;)
		if (x->frames[i].code == code)
			return x->frames[i].node;
	return 0;
}

uint32_t contexts_loose(struct contexts *x, const struct pl_code *code)
{
	uint32_t edge = contexts_edge(x, 0, &(struct context_site){.callee = code});

	return edge == UINT32_MAX ? 0 : x->edges[edge].to;
}

/* Bounded: beyond the limits of the tree a call that is not in it yet is put below the root, and
 * with too many sites only the callee is told apart. */
uint32_t contexts_edge(struct contexts *x, uint32_t from, const struct context_site *wanted)
{
	struct context_site plain = {.callee = wanted->callee};
	uint32_t site = find_site(x, x->site_count < SITES_MAX ? wanted : &plain), to;
	uint64_t *place = NULL;

	if (site == UINT32_MAX)
		return site;
	if (from && (x->node_count >= NODES_MAX || x->edge_count >= EDGES_MAX ||
			    x->nodes[from].depth >= DEPTH_MAX)) {
		uint64_t *known = map_find(&x->edge_map, (uint64_t)from << 32 | site);
		x->folded |= !known;
		from = known ? from : 0;
	}
	place = map_put(&x->edge_map, (uint64_t)from << 32 | site);
	if (!place)
		return UINT32_MAX;
	if (*place)
		return (uint32_t)(*place - 1);
	void *edges = x->edges;
	bool room = room_for(&edges, x->edge_count, &x->edge_room, sizeof *x->edges);
	x->edges = edges;
	to = room ? edge_target(x, from, site) : UINT32_MAX;
	if (to == UINT32_MAX)
		return to;
	x->edges[x->edge_count++] = (struct context_edge){.from = from, .to = to, .site = site};
	*place = x->edge_count;
	return x->edge_count - 1;
}

/* ---- frames ---- */

/* A frame that began at this very stamp has taken no time, and is not told. */
static void leave_top(struct contexts *x)
{
	const struct context_frame *f = &x->frames[x->depth - 1];

	if (f->entered != x->now)
		x->left(x->who, f);
	x->depth--;
}

/* Is the frame the root of a task? Then its owner gives it a number. */
static uint32_t task_of_frame(struct contexts *x, struct thread_path *p, uint32_t i)
{
	const struct stack_task *task = stack_task_at(&p->stack, i);

	return task && task->frame == i ? x->task(x->who, task) : 0;
}

/* The path has a frame more: the site is its code, called at the line where the frame below it
 * is. */
static int enter_next(struct contexts *x, struct thread_path *p)
{
	const uint32_t i = x->depth;
	const struct stack_frame *f = &p->stack.frames[i];
	const struct stack_frame *below = i ? f - 1 : NULL;
	const struct pl_code *caller = below ? thread_path_code_of(p, below->code) : NULL;
	uint32_t task = task_of_frame(x, p, i);
	const struct context_site site = {.callee = code_first(thread_path_code_of(p, f->code)),
		.caller = code_first(caller),
		.line = caller ? code_place_line(
					 caller, stack_place_of(&p->stack, i - 1), below->value)
			       : 0,
		.task = x->by_task ? task : 0};
	uint32_t edge = contexts_edge(x, i ? x->frames[i - 1].node : 0, &site);

	if (edge == UINT32_MAX || contexts_push(x, edge, f->gen, ENTRY_NONE))
		return PL_ERR_MEMORY;
	x->frames[i].task = task;
	return 0;
}

/* How many frames from the bottom are unchanged. Within a block the stack has kept its least depth
 * since contexts_sync marked it. In another block frames are compared, by generator and code: a
 * frame that was left and entered again between two blocks, with an equal one in its place, is not
 * noticed. */
static uint32_t frames_unchanged(const struct contexts *x, const struct thread_path *p)
{
	uint32_t most = p->stack.depth < x->depth ? p->stack.depth : x->depth, i = 0;

	if (x->block_off == p->blocks.stream.off && x->block_file == p->blocks.stream.file)
		return p->stack.min_depth < most ? p->stack.min_depth : most;
	while (i < most && x->frames[i].gen == p->stack.frames[i].gen &&
		x->frames[i].code == code_first(thread_path_code_of(p, p->stack.frames[i].code)))
		i++;
	return i;
}

/* What is thrown into a coroutine goes to the innermost one that it awaits. When it leaves that,
 * the next one is popped, as it was only linked, and thrown into: it has not ended meanwhile. */
static bool was_thrown_on(const struct contexts *x, const struct thread_path *p, uint32_t i)
{
	const struct stack_frame *f = stack_top(&p->stack);
	const struct stack_task *task = stack_running_task(&p->stack);

	if (!f || i >= x->depth || i + 1 != p->stack.depth || f->raised != RAISED_AGAIN ||
		!f->gen || f->gen != x->frames[i].gen ||
		code_first(thread_path_code_of(p, f->code)) != x->frames[i].code)
		return false;
	if (task && task->frame == i && p->renamed)
		p->renamed(p->who, task);
	return true;
}

int contexts_sync(struct contexts *x, struct thread_path *p)
{
	uint32_t same = frames_unchanged(x, p);
	int code = 0;

	same += was_thrown_on(x, p, same);
	while (x->depth > same)
		leave_top(x);
	while (code == 0 && x->depth < p->stack.depth)
		code = enter_next(x, p);
	x->block_off = p->blocks.stream.off;
	x->block_file = p->blocks.stream.file;
	stack_mark(&p->stack);
	return code;
}

/* The task was told after its root frame was entered: that entry moves to the edge of the task. */
int contexts_task(struct contexts *x, struct thread_path *p)
{
	struct context_frame *f = x->depth ? &x->frames[x->depth - 1] : NULL;

	const struct stack_task *task = stack_running_task(&p->stack);

	if (!f || !task)
		return 0;
	f->task = x->task(x->who, task);
	if (!x->by_task || x->sites[x->edges[f->edge].site].task == f->task)
		return 0;
	struct context_site site = x->sites[x->edges[f->edge].site];
	site.task = f->task;
	uint32_t edge = contexts_edge(x, x->edges[f->edge].from, &site);
	if (edge == UINT32_MAX)
		return PL_ERR_MEMORY;
	f = &x->frames[x->depth - 1];
	x->edges[f->edge].entries[f->entry]--;
	x->edges[edge].entries[f->entry]++;
	f->edge = edge;
	f->node = x->edges[edge].to;
	return 0;
}

void contexts_restart(struct contexts *x)
{
	x->depth = 0;
	x->block_off = 0;
	x->block_file = 0;
}

void contexts_forget_transitions(struct contexts *x)
{
	memset(x->cache, 0, CONTEXT_CACHE * sizeof *x->cache);
}

/* ---- on the stack ---- */

void contexts_sites(const struct contexts *x, uint32_t node,
	void (*visit)(void *context, uint32_t site), void *context)
{
	for (; node; node = x->nodes[node].parent) {
		const uint32_t set = x->nodes[node].set;
		for (uint32_t i = set ? x->set_ends[set - 1] : 0; set && i < x->set_ends[set]; i++)
			visit(context, x->set_items[i]);
		visit(context, x->nodes[node].site);
	}
}

/* ---- the whole ---- */

/* Site 0 and node 0 are the root's: 0 can then say "none" for both. */
int contexts_init(struct contexts *x)
{
	x->cache = calloc(CONTEXT_CACHE, sizeof *x->cache);
	x->set_ends = calloc(256, sizeof *x->set_ends);
	x->set_room = 256;
	x->set_count = 1; /* 0 is none */
	if (!x->cache || !x->set_ends || find_site(x, &(struct context_site){0}) == UINT32_MAX ||
		add_context_node(x, 0, 0, 0) == UINT32_MAX)
		return PL_ERR_MEMORY;
	return 0;
}

void contexts_release(struct contexts *x)
{
	free(x->frames);
	free(x->nodes);
	free(x->touched);
	free(x->sites);
	free(x->edges);
	free(x->set_items);
	free(x->set_ends);
	free(x->cache);
	map_release(&x->site_map);
	map_release(&x->edge_map);
	map_release(&x->set_map);
	map_release(&x->set_index);
	*x = (struct contexts){0};
}
