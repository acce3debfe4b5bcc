/* From what was gathered to what is shown: cumulated times, sums, order.
 *
 * Own times belong to contexts. A context knows all sites on the stack in it, so each site, line
 * and function there gets the context's own time once. In which contexts of its code the own time
 * of a line was is not known. So it is assumed to be spread evenly over all of them, and what was
 * below another pass of the same line is not counted again.
 */
#include "trace/profile.h"

#include <stdlib.h>
#include "trace/code.h"

/* ---- numbers ---- */

/* Limited, so that the sum of two does not overflow: a hostile recording can say anything. */
static int64_t rounded_ns(double v)
{
	return v < (double)TIME_NS_MAX ? (int64_t)(v + 0.5) : TIME_NS_MAX;
}

/* The sum of two rounded times. */
static int64_t add_times_ns(int64_t a, int64_t b)
{
	return a + b < TIME_NS_MAX ? a + b : TIME_NS_MAX;
}

/* By Newton's method, from above; the C library's would need another library. */
static double square_root(double v)
{
	double root = v > 1 ? v : 1, next = (root + v / root) / 2;

	for (int i = 0; i < 64 && next < root; i++) {
		root = next;
		next = (root + v / root) / 2;
	}
	return root;
}

/* ---- cumulated times ---- */

struct cumulate {
	struct pl_profile *p;
	const struct contexts *x;
	/* number of the context, from 1: what is marked with it has its time already */
	uint32_t now;
	double ns, sure_ns;
	uint32_t own_code;
	uint32_t *site_code, *site_line; /* for each site: its callee, its line + 1 or 0 */
	uint32_t *site_mark, *line_mark, *code_mark;
	double *site_ns, *line_ns, *code_ns, *code_sure_ns;
	double *line_inside; /* own time of its code while the line is on the stack below */
	double *code_own;
	double all_ns;	  /* own times of all lines */
	double unseen_ns; /* time in which no look found a line, if that is more than a little */
};

/* Of n samples, a share of p is right within sqrt(p (1 - p) / n). Relative to itself that is
 * sqrt((1 - p) / (p n)), and p n are its own samples. */
static int64_t error_of(const struct cumulate *c, double ns, double samples)
{
	double rest = c->all_ns > 0 ? 1 - ns / c->all_ns : 0;
	double error = ns * square_root(rest > 0 ? rest / (samples + 0.5) : 0);

	return rounded_ns((error < ns ? error : ns) + c->unseen_ns);
}

/* Of the time of a line or function. */
struct sure {
	double ns, all_ns; /* what stamps prove of it, and of all */
	const struct share_doubt *doubt;
};

/* What stamps prove is not estimated, only the rest is, from its part of the samples. With few or
 * no samples the rest can be as long as the gaps between them. */
static int64_t error_of_rest(
	const struct cumulate *c, double ns, double samples, const struct sure *sure)
{
	const double rest = ns > sure->ns ? ns - sure->ns : 0;
	const int64_t unseen = rounded_ns(hidden_error_ns(sure->doubt));
	struct cumulate others = *c;
	int64_t error = 0;

	if (sure->ns > 0) {
		others.all_ns = c->all_ns > sure->all_ns ? c->all_ns - sure->all_ns : 0;
		others.unseen_ns = c->all_ns > 0 ? c->unseen_ns * others.all_ns / c->all_ns : 0;
		samples *= ns > 0 ? rest / ns : 0;
	}
	if (rest >= 1 || !(sure->ns > 0))
		error = error_of(&others, rest, samples);
	return error > unseen ? error : unseen;
}

/* About so many samples were of that time. */
static double samples_of(const struct cumulate *c, double ns)
{
	return c->all_ns > 0 ? c->p->share.looks_all * ns / c->all_ns : 0;
}

/* Looks without a position may all have been of one line. A few of them have been of any: they are
 * those at which the thread moved on meanwhile. */
#define FEW_LOOKS 0.1

static double unseen_ns(const struct pl_profile *p, double all_ns)
{
	double dropped = 0;

	for (size_t i = 0; i < p->r->sample_count; i++)
		if (p->r->samples[i].head.process == p->wanted.range.process)
			dropped += p->r->samples[i].head.dropped;
	double part = dropped > 0 ? dropped / (dropped + p->share.looks_all) : 0;
	return part > FEW_LOOKS ? all_ns * part : 0;
}

static void release_cumulate(struct cumulate *c)
{
	free(c->site_code);
	free(c->site_line);
	free(c->site_mark);
	free(c->line_mark);
	free(c->code_mark);
	free(c->site_ns);
	free(c->line_ns);
	free(c->code_ns);
	free(c->code_sure_ns);
	free(c->line_inside);
	free(c->code_own);
}

/* Make the lines and codes that occur only in sites, so that none is made later. */
static int name_sites(struct cumulate *c)
{
	struct share *s = &c->p->share;

	for (uint32_t i = 0; i < c->x->site_count; i++) {
		const struct context_site *site = &c->x->sites[i];
		const struct shared_line *l =
			site->caller ? share_line(s, site->caller, site->line) : NULL;
		if (site->caller && !l)
			return PL_ERR_MEMORY;
		c->site_line[i] = l ? (uint32_t)(l - s->lines) + 1 : 0;
		c->site_code[i] = share_code(s, site->callee);
		if (c->site_code[i] == UINT32_MAX)
			return PL_ERR_MEMORY;
	}
	return 0;
}

static int begin_cumulate(struct cumulate *c)
{
	const size_t sites = c->x->site_count;

	c->site_code = calloc(sites, sizeof *c->site_code);
	c->site_line = calloc(sites, sizeof *c->site_line);
	c->site_mark = calloc(sites, sizeof *c->site_mark);
	c->site_ns = calloc(sites, sizeof *c->site_ns);
	if (!c->site_code || !c->site_line || !c->site_mark || !c->site_ns || name_sites(c))
		return PL_ERR_MEMORY;
	const size_t lines = c->p->share.line_count + 1, codes = c->p->share.code_count + 1;
	c->line_mark = calloc(lines, sizeof *c->line_mark);
	c->line_ns = calloc(lines, sizeof *c->line_ns);
	c->line_inside = calloc(lines, sizeof *c->line_inside);
	c->code_mark = calloc(codes, sizeof *c->code_mark);
	c->code_ns = calloc(codes, sizeof *c->code_ns);
	c->code_sure_ns = calloc(codes, sizeof *c->code_sure_ns);
	c->code_own = calloc(codes, sizeof *c->code_own);
	return c->code_sure_ns && c->line_mark && c->line_ns && c->line_inside && c->code_mark &&
			       c->code_ns && c->code_own
		       ? 0
		       : PL_ERR_MEMORY;
}

/* The context's own time belongs to this site, its callee and its line, each once (the marks),
 * however often they are on the stack. */
static void add_to_site(void *context, uint32_t site)
{
	struct cumulate *c = context;
	uint32_t code = c->site_code[site], line = c->site_line[site];

	if (c->site_mark[site] == c->now)
		return;
	c->site_mark[site] = c->now;
	c->site_ns[site] += c->ns;
	if (c->code_mark[code] != c->now) {
		c->code_ns[code] += c->ns;
		c->code_sure_ns[code] += c->sure_ns;
	}
	c->code_mark[code] = c->now;
	if (!line || c->line_mark[line - 1] == c->now)
		return;
	c->line_mark[line - 1] = c->now;
	c->line_ns[line - 1] += c->ns;
	if (c->p->share.lines[line - 1].of_code == c->own_code)
		c->line_inside[line - 1] += c->ns;
}

/* Context by context. One without own time adds nothing. */
static int cumulate_contexts(struct cumulate *c)
{
	int code = begin_cumulate(c);

	for (uint32_t i = 0; code == 0 && i < c->x->node_count; i++) {
		const struct context_node *n = &c->x->nodes[i];
		c->ns = n->ns[0] + n->ns[1];
		c->sure_ns = n->sure_ns;
		if (!(c->ns > 0))
			continue;
		c->now = i + 1;
		c->own_code = c->site_code[n->site];
		c->code_own[c->own_code] += c->ns;
		contexts_sites(c->x, i, add_to_site, c);
	}
	return code;
}

/* ---- tables ---- */

/* Never NULL for an empty table: NULL is "no memory". */
static void *alloc_table(size_t count, size_t bytes)
{
	return calloc(count ? count : 1, bytes);
}

/* All tables are sorted by time, the most first; equal ones by what a person reads, so that two
 * runs print the same. */
static int by_falling(double x, double y)
{
	return x == y ? 0 : x < y ? 1 : -1;
}

static int by_own(const void *a, const void *b)
{
	const struct pl_profile_line *x = a, *y = b;
	int order = by_falling((double)(x->time.computing_ns + x->time.waiting_ns),
		(double)(y->time.computing_ns + y->time.waiting_ns));

	if (!order)
		order = by_falling((double)x->time.hits, (double)y->time.hits);
	if (!order)
		order = code_order(x->time.code, y->time.code);
	return order ? order : x->time.line < y->time.line ? -1 : x->time.line > y->time.line;
}

/* A sum of times is estimated from samples, but the longest pass is measured between two events of
 * the path. So the sum is at least that, as far as its own error allows. */
static int64_t at_least_longest(int64_t ns, int64_t error_ns, const struct pl_longest *l)
{
	int64_t most = add_times_ns(ns, error_ns);

	if (l->ns <= ns)
		return ns;
	return l->ns < most ? l->ns : most;
}

/* The longest took at least as long as the mean, which is known better if all took long, and at
 * most as long as all. In a range, a pass that began before it has time, but is not counted. */
static struct pl_longest bounded_longest(
	const struct cumulate *c, const struct pl_longest *l, int64_t ns, uint64_t times)
{
	struct pl_longest longest = *l;
	int64_t mean = times ? ns / (int64_t)(times < INT64_MAX ? times : INT64_MAX) : 0;

	if (l->ns && l->ns < mean && !c->p->range_from)
		longest.ns = mean;
	if (longest.ns > ns)
		longest.ns = ns;
	if (!longest.ns)
		return (struct pl_longest){0};
	return longest;
}

static struct pl_profile_line line_row(const struct cumulate *c, const struct shared_line *l)
{
	const uint32_t i = (uint32_t)(l - c->p->share.lines);
	double own = l->ns[0] + l->ns[1], of_code = c->code_own[l->of_code];
	double inside = of_code > 0 ? c->line_inside[i] / of_code : 0;
	double sum = c->line_ns[i] + own * (inside < 1 ? 1 - inside : 0);
	const struct sure sure = {l->sure_ns, c->p->share.sure_all_ns, &l->doubt};
	int64_t error = error_of_rest(c, own, (double)l->samples, &sure);
	int64_t of_sum = error_of(c, sum, samples_of(c, sum));
	int64_t all =
		at_least_longest(rounded_ns(sum), of_sum > error ? of_sum : error, &l->longest);

	return (struct pl_profile_line){
		.time = {.code = l->code,
			.line = l->line,
			.hits = l->hits,
			.samples = l->samples,
			.computing_ns = rounded_ns(l->ns[0]),
			.waiting_ns = rounded_ns(l->ns[1]),
			.error_ns = add_times_ns(error, rounded_ns(l->unsure_ns))},
		.cumulated_ns = all,
		.longest = bounded_longest(c, &l->longest, all, l->hits),
		.possible = l->possible};
}

static int make_lines(const struct cumulate *c)
{
	const struct share *s = &c->p->share;
	struct pl_profile_line *rows = alloc_table(s->line_count, sizeof *rows);
	size_t count = 0;

	if (!rows)
		return PL_ERR_MEMORY;
	for (uint32_t i = 0; i < s->line_count; i++) {
		const struct shared_line *l = &s->lines[i];
		if (l->hits || l->samples || l->possible || l->ns[0] + l->ns[1] > 0 ||
			c->line_ns[i] > 0)
			rows[count++] = line_row(c, l);
	}
	qsort(rows, count, sizeof *rows, by_own);
	c->p->tables.lines = rows;
	c->p->tables.line_count = count;
	return 0;
}

static int by_function(const void *a, const void *b)
{
	const struct pl_profile_function *x = a, *y = b;
	int order = by_falling((double)(x->computing_ns + x->waiting_ns),
		(double)(y->computing_ns + y->waiting_ns));

	if (!order)
		order = by_falling(
			(double)(x->calls + x->resumes), (double)(y->calls + y->resumes));
	return order ? order : code_order(x->code, y->code);
}

static void add_own(const struct cumulate *c, struct pl_profile_function *rows)
{
	const struct share *s = &c->p->share;

	for (uint32_t i = 0; i < s->line_count; i++) {
		const struct shared_line *l = &s->lines[i];
		struct pl_profile_function *f = &rows[l->of_code];
		f->computing_ns = add_times_ns(f->computing_ns, rounded_ns(l->ns[0]));
		f->waiting_ns = add_times_ns(f->waiting_ns, rounded_ns(l->ns[1]));
	}
}

/* One row for each code, at its number; those that neither ran nor have time are left out. */
static int make_functions(const struct cumulate *c)
{
	const struct share *s = &c->p->share;
	const struct contexts *x = c->x;
	struct pl_profile_function *rows = alloc_table(s->code_count, sizeof *rows);
	size_t count = 0;

	if (!rows)
		return PL_ERR_MEMORY;
	for (uint32_t i = 0; i < x->edge_count; i++) {
		struct pl_profile_function *f = &rows[c->site_code[x->edges[i].site]];
		f->calls += x->edges[i].entries[ENTRY_CALL];
		f->resumes += x->edges[i].entries[ENTRY_RESUME];
		f->throws += x->edges[i].entries[ENTRY_THROW];
	}
	add_own(c, rows);
	for (uint32_t i = 0; i < s->code_count; i++) {
		struct pl_profile_function f = rows[i];
		double ns = c->code_ns[i];
		const struct sure sure = {
			c->code_sure_ns[i], s->sure_calls_all_ns, &s->codes[i].doubt};
		f.code = s->codes[i].code;
		f.samples = s->codes[i].samples;
		f.error_ns = add_times_ns(error_of_rest(c, ns, samples_of(c, ns), &sure),
			rounded_ns(s->codes[i].unsure_ns));
		f.cumulated_ns =
			f.code ? at_least_longest(rounded_ns(ns), f.error_ns, &s->codes[i].longest)
			       : add_times_ns(f.computing_ns, f.waiting_ns);
		f.longest = bounded_longest(
			c, &s->codes[i].longest, f.cumulated_ns, f.calls + f.resumes + f.throws);
		if (f.calls || f.resumes || f.throws || f.cumulated_ns)
			rows[count++] = f;
	}
	qsort(rows, count, sizeof *rows, by_function);
	c->p->tables.functions = rows;
	c->p->tables.function_count = count;
	return 0;
}

static int by_call(const void *a, const void *b)
{
	const struct pl_profile_call *x = a, *y = b;
	int order = by_falling((double)x->cumulated_ns, (double)y->cumulated_ns);

	if (!order)
		order = by_falling(
			(double)(x->calls + x->resumes), (double)(y->calls + y->resumes));
	if (!order)
		order = code_order(x->callee, y->callee);
	if (!order)
		order = code_order(x->caller, y->caller);
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* One row for each site: a callee, and a line that calls it. */
static int make_calls(const struct cumulate *c)
{
	const struct contexts *x = c->x;
	struct pl_profile_call *rows = alloc_table(x->site_count, sizeof *rows);
	size_t count = 0;

	if (!rows)
		return PL_ERR_MEMORY;
	for (uint32_t i = 0; i < x->edge_count; i++) {
		struct pl_profile_call *r = &rows[x->edges[i].site];
		r->calls += x->edges[i].entries[ENTRY_CALL];
		r->resumes += x->edges[i].entries[ENTRY_RESUME];
		r->throws += x->edges[i].entries[ENTRY_THROW];
	}
	for (uint32_t i = 0; i < x->site_count; i++) {
		struct pl_profile_call r = rows[i];
		r.caller = x->sites[i].caller;
		r.line = x->sites[i].line;
		r.callee = x->sites[i].callee;
		r.cumulated_ns = rounded_ns(c->site_ns[i]);
		if (r.callee && (r.calls || r.resumes || r.throws || r.cumulated_ns))
			rows[count++] = r;
	}
	qsort(rows, count, sizeof *rows, by_call);
	c->p->tables.calls = rows;
	c->p->tables.call_count = count;
	return 0;
}

static const char *task_name(const struct pl_profile *p, uint32_t task)
{
	return p->wanted.tasks && task ? p->tasks[task - 1].public.name : NULL;
}

/* A parent has a smaller index than its children, so from the last node to the first each sum is
 * complete when it is added to the parent's. */
static int make_nodes(const struct cumulate *c)
{
	const struct contexts *x = c->x;
	struct pl_profile_node *rows = alloc_table(x->node_count, sizeof *rows);
	double *sums = alloc_table(x->node_count, sizeof *sums);

	for (uint32_t i = 0; rows && sums && i < x->node_count; i++) {
		const struct context_node *n = &x->nodes[i];
		const struct context_site *site = &x->sites[n->site];
		sums[i] = n->ns[0] + n->ns[1];
		rows[i] = (struct pl_profile_node){.parent = n->parent,
			.recursive = n->set != 0,
			.code = site->callee,
			.line = site->line,
			.task = n->set ? NULL : task_name(c->p, site->task),
			.own_ns = rounded_ns(sums[i]),
			.waiting_ns = rounded_ns(n->ns[1])};
	}
	for (uint32_t i = 0; rows && sums && i < x->edge_count; i++) {
		struct pl_profile_node *r = &rows[x->edges[i].to];
		r->calls += x->edges[i].entries[ENTRY_CALL];
		r->resumes += x->edges[i].entries[ENTRY_RESUME];
		r->throws += x->edges[i].entries[ENTRY_THROW];
	}
	for (uint32_t i = x->node_count; rows && sums && i--;) {
		rows[i].cumulated_ns = rounded_ns(sums[i]);
		if (i)
			sums[x->nodes[i].parent] += sums[i];
	}
	free(sums);
	c->p->tables.nodes = rows;
	c->p->tables.node_count = x->node_count;
	return rows && sums ? 0 : PL_ERR_MEMORY;
}

static int by_run(const void *a, const void *b)
{
	const struct pl_profile_task *x = a, *y = b;
	int order = by_falling((double)x->run_ns, (double)y->run_ns);

	if (!order)
		order = by_falling((double)x->stretches, (double)y->stretches);
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* What runs in a task is what is below its roots, except below the roots of other tasks. */
static int run_times(const struct cumulate *c, struct pl_profile_task *rows)
{
	const struct contexts *x = c->x;
	uint32_t *tasks = alloc_table(x->node_count, sizeof *tasks);

	if (!tasks)
		return PL_ERR_MEMORY;
	for (uint32_t i = 1; i < x->node_count; i++) {
		const struct context_node *n = &x->nodes[i];
		uint32_t own = n->set ? 0 : x->sites[n->site].task;
		tasks[i] = own ? own : tasks[n->parent];
		if (!tasks[i])
			continue;
		struct pl_profile_task *t = &rows[tasks[i] - 1];
		t->run_ns = add_times_ns(t->run_ns, rounded_ns(n->ns[0] + n->ns[1]));
	}
	free(tasks);
	return 0;
}

/* That of the time that it ran, as of a function's, and those of its first and last event. */
static int64_t task_error(const struct cumulate *c, int64_t run_ns)
{
	const double ns = (double)run_ns;
	const int64_t error = error_of(c, ns, samples_of(c, ns));

	return add_times_ns(error, add_times_ns(c->p->tick_ns, c->p->tick_ns));
}

/* A task waits while it exists and does not run: from its first event to its last, or to where it
 * was seen waiting at the end. */
static int make_tasks(const struct cumulate *c)
{
	struct pl_profile *p = c->p;
	struct pl_profile_task *rows = alloc_table(p->task_count, sizeof *rows);

	if (!rows)
		return PL_ERR_MEMORY;
	p->tables.tasks = rows;
	p->tables.task_count = p->wanted.tasks ? p->task_count : 0;
	for (uint32_t i = 0; i < p->task_count; i++) {
		const struct profile_task *t = &p->tasks[i];
		rows[i] = t->public;
		rows[i].first_ns = recording_time(p->r, t->first);
		rows[i].last_ns = recording_time(p->r, t->last);
		if (!t->waits_to)
			rows[i].wait_code = NULL;
		if (t->line) {
			rows[i].code = p->share.lines[t->line - 1].code;
			rows[i].line = p->share.lines[t->line - 1].line;
		}
	}
	int code = run_times(c, rows);
	for (uint32_t i = 0; i < p->task_count; i++) {
		const uint64_t waits_to = p->tasks[i].waits_to;
		int64_t alive;
		if (rows[i].stretches < 2 && !waits_to) /* it never waited */
			continue;
		int64_t to_ns = waits_to ? recording_time(p->r, waits_to) : rows[i].last_ns;
		if (__builtin_sub_overflow(to_ns, rows[i].first_ns, &alive))
			alive = TIME_NS_MAX;
		rows[i].wait_ns = alive > rows[i].run_ns ? alive - rows[i].run_ns : 0;
		rows[i].wait_error_ns = task_error(c, rows[i].run_ns);
	}
	qsort(rows, p->tables.task_count, sizeof *rows, by_run);
	return code;
}

static int by_length(const void *a, const void *b)
{
	const struct pl_profile_block *x = a, *y = b;
	int order = by_falling((double)x->time.ns, (double)y->time.ns);

	return order ? order : x->time.at_ns < y->time.at_ns ? -1 : x->time.at_ns > y->time.at_ns;
}

static int by_count(const void *a, const void *b)
{
	const struct pl_profile_exception *x = a, *y = b;
	int order = by_falling((double)x->count, (double)y->count);

	if (!order)
		order = code_order(x->raised, y->raised);
	if (!order && x->raised_line != y->raised_line)
		return x->raised_line < y->raised_line ? -1 : 1;
	if (!order)
		order = strcmp(x->type, y->type);
	return order				   ? order
	       : x->handled_line < y->handled_line ? -1
						   : x->handled_line > y->handled_line;
}

/* Is that time within a longer one, and the rest of that neither long nor a large part of it? */
static bool is_nearly_all(
	const struct pl_profile *p, const struct pl_profile_block *b, const struct pl_longest *of)
{
	const double error = (double)b->time.error_ns + (double)of->error_ns;
	const double before = (double)b->time.at_ns - (double)of->at_ns;
	const double rest = (double)of->ns - (double)b->time.ns;

	if (before < -error || before > rest + error || rest < -error)
		return false;
	return rest < (double)p->wanted.blocking_ns || rest <= (double)of->ns / 8 ||
	       (b->kind == PL_BLOCK_STILL && rest <= error);
}

/* Does the block say what one of its loop says, or of a callback in which it is? */
static bool is_told(const struct pl_profile *p, const struct pl_profile_block *b)
{
	for (uint32_t i = 0; i < p->block_count && !b->or_later && b->kind != PL_BLOCK_LOOP; i++) {
		const struct pl_profile_block *l = &p->blocks[i];
		if (l->kind != PL_BLOCK_STILL && l->kind != b->kind && l->thread == b->thread &&
			l->code == b->code && l->line == b->line && l->task_id == b->task_id &&
			is_nearly_all(p, b, &l->time))
			return true;
	}
	return false;
}

static int make_blocks(struct pl_profile *p)
{
	struct pl_profile_block *rows = alloc_table(p->block_count, sizeof *rows);
	uint32_t count = 0;

	if (!rows)
		return PL_ERR_MEMORY;
	for (uint32_t i = 0; i < p->block_count; i++) {
		const struct pl_profile_block *b = &p->blocks[i];
		if (is_told(p, b))
			continue;
		rows[count] = *b;
		if (b->task_id) {
			const struct pl_profile_task *t = &p->tasks[b->task_id - 1].public;
			rows[count].task_id = t->number;
			rows[count].task = t->name;
		}
		count++;
	}
	if (count)
		qsort(rows, count, sizeof *rows, by_length);
	p->tables.blocks = rows;
	p->tables.block_count = count;
	p->tables.more_blocks = p->more_blocks;
	return 0;
}

/* Exceptions that went on from their handler were counted there, and taken off again: a row of 0 is
 * none. */
static void make_others(struct pl_profile *p)
{
	struct flights *f = &p->flights;
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->count; i++)
		if (f->rows[i].count)
			f->rows[count++] = f->rows[i];
	if (count)
		qsort(f->rows, count, sizeof *f->rows, by_count);
	p->tables.exceptions = f->rows;
	p->tables.exception_count = count;
}

static int make_all(struct cumulate *c)
{
	struct pl_profile *p = c->p;
	double all_ns = 0;

	for (uint32_t i = 0; i < p->share.line_count; i++)
		all_ns += p->share.lines[i].ns[0] + p->share.lines[i].ns[1];
	c->all_ns = all_ns;
	c->unseen_ns = unseen_ns(p, all_ns);
	p->tables.idle_ns = rounded_ns(p->idle_ns);
	p->tables.lost_ns = rounded_ns(p->lost_ns);
	p->tables.sum_ns = rounded_ns(all_ns + p->idle_ns + p->lost_ns);
	p->tables.tick_ns = p->tick_ns;
	p->tables.folded = p->contexts.folded;
	int code = make_lines(c);
	if (code == 0)
		code = make_functions(c);
	if (code == 0)
		code = make_calls(c);
	if (code == 0)
		code = make_nodes(c);
	if (code == 0)
		code = make_tasks(c);
	if (code == 0)
		code = make_blocks(p);
	make_others(p);
	return code;
}

int profile_finish(struct pl_profile *p)
{
	struct cumulate c = {.p = p, .x = &p->contexts};
	int code = cumulate_contexts(&c);

	if (code == 0)
		code = make_all(&c);
	release_cumulate(&c);
	return code;
}

void profile_release_tables(struct pl_profile *p)
{
	free((void *)p->tables.lines);
	free((void *)p->tables.functions);
	free((void *)p->tables.calls);
	free((void *)p->tables.nodes);
	free((void *)p->tables.tasks);
	free((void *)p->tables.blocks);
}
