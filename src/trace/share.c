#include "trace/share.h"

#include <stdlib.h>

/* As in share.h. A: samples that each line is taken to have had, at the mean cost, before any was
 * seen: it keeps a line that was never seen from being free, and one that was seen once from being
 * dear. A program has thousands of lines and most cost next to nothing, so with 0.5 all of them
 * together took a tenth of the time from a line that sleeps. PRIOR: what all rows of a span
 * together weigh, in looks at the distance that they mostly have. A look and a stamp often come at
 * the same tick, so a span ends soon after its only look: alone, that would favour long lines. */
#define A     0.05
#define PRIOR 2

/* More different lines than any program has. A hostile recording could have one for each event. */
#define LINES_MAX (1u << 20)

/* ---- lines and codes ---- */

/* Two lists of one length: whatever is touched has room. After a failure both are as long as
 * before, or longer. */
static bool grow_shares(void **at, uint32_t **touched, uint32_t *room, size_t bytes)
{
	uint32_t more = *room ? *room * 2 : 256;
	void *grown = realloc(*at, more * bytes);
	if (grown)
		*at = grown;
	uint32_t *numbers = realloc(*touched, more * sizeof *numbers);
	if (numbers)
		*touched = numbers;
	if (!grown || !numbers)
		return false;
	*room = more;
	return true;
}

uint32_t share_code(struct share *s, const struct pl_code *code)
{
	uint64_t *place = map_put(&s->code_map, (uintptr_t)code);
	void *codes = s->codes;

	if (!place)
		return UINT32_MAX;
	if (*place)
		return (uint32_t)(*place - 1);
	if (s->code_count == s->code_room) {
		bool grown =
			grow_shares(&codes, &s->touched_codes, &s->code_room, sizeof *s->codes);
		s->codes = codes;
		if (!grown)
			return UINT32_MAX;
	}
	s->codes[s->code_count++] = (struct shared_code){.code = code};
	*place = s->code_count;
	return s->code_count - 1;
}

static struct shared_line *add_line(struct share *s)
{
	void *lines = s->lines;

	if (s->line_count == LINES_MAX)
		return NULL;
	if (s->line_count == s->line_room) {
		bool grown = grow_shares(&lines, &s->touched, &s->line_room, sizeof *s->lines);
		s->lines = lines;
		if (!grown)
			return NULL;
	}
	s->lines[s->line_count] = (struct shared_line){0};
	return &s->lines[s->line_count++];
}

/* A line is mostly asked for several times in a row: the last one needs no look-up. */
struct shared_line *share_line(struct share *s, const struct pl_code *plan, int32_t line)
{
	const struct pl_code *code = code_first(plan);

	if (s->line_count && code == s->last_code && line == s->last_line)
		return &s->lines[s->last];
	uint32_t index = share_code(s, code);
	if (index == UINT32_MAX)
		return NULL;
	uint64_t *place = map_put(&s->places, (uint64_t)index << 32 | (uint32_t)line);
	if (!place)
		return NULL;
	if (!*place) {
		struct shared_line *l = add_line(s);
		if (!l)
			return NULL;
		l->code = code;
		l->line = line;
		l->of_code = index;
		*place = s->line_count;
	}
	s->last_code = code;
	s->last_line = line;
	s->last = (uint32_t)(*place - 1);
	return &s->lines[s->last];
}

/* ---- a span ---- */

/* The line has a part in this span: share_forget clears only those. */
static struct shared_line *touch_line(struct share *s, const struct pl_code *code, int32_t line)
{
	struct shared_line *l = share_line(s, code, line);

	if (l && !l->touched) {
		l->touched = true;
		s->touched[s->touched_count++] = (uint32_t)(l - s->lines);
	}
	return l;
}

int share_rows(struct share *s, const struct pl_code *code, int32_t line, double rows)
{
	struct shared_line *l = touch_line(s, code, line);

	if (!l)
		return PL_ERR_MEMORY;
	l->span_rows += rows;
	return 0;
}

int share_sample(
	struct share *s, const struct pl_code *code, int32_t line, double weight, bool waiting)
{
	struct shared_line *l = touch_line(s, code, line);

	if (!l)
		return PL_ERR_MEMORY;
	l->span_seen[waiting] += weight;
	return 0;
}

void share_begin_tail(struct share *s)
{
	for (uint32_t i = 0; i < s->tail_count; i++)
		s->lines[s->tail[i].line].tail_rows = 0;
	s->tail_count = 0;
}

int share_tail(struct share *s, const struct pl_code *code, int32_t line, uint32_t node)
{
	struct shared_line *l = touch_line(s, code, line);

	if (!l)
		return PL_ERR_MEMORY;
	if (s->tail_count == TAIL_MAX) {
		s->lines[s->tail[0].line].tail_rows--;
		memmove(s->tail, s->tail + 1, --s->tail_count * sizeof *s->tail);
	}
	s->tail[s->tail_count++] =
		(struct share_tail){.line = (uint32_t)(l - s->lines), .node = node};
	l->tail_rows++;
	return 0;
}

void share_shorten_tail(struct share *s)
{
	if (s->tail_count)
		s->lines[s->tail[--s->tail_count].line].tail_rows--;
}

/* The cost of a row of the line, in samples: its own mean, closer to the mean of all if little of
 * it was seen. */
static double row_cost(const struct share *s, const struct shared_line *l)
{
	double mean = s->seen_all > 0 && s->rows_all > 0 ? s->seen_all / s->rows_all : 1;

	return (l->seen[0] + l->seen[1] + A) / (l->rows + A / mean);
}

/* The weights of a line in its span: of all its rows, and of those in the tail; computing and
 * waiting. */
struct weights {
	double all[2], tail[2];
};

/* A row weighs what rows of this line cost in all, with as much waiting as its samples had; a
 * sample weighs itself. */
static struct weights weigh_line(
	const struct share *s, const struct shared_line *l, double cost_all)
{
	double seen = l->seen[0] + l->seen[1], waits = seen > 0 ? l->seen[1] / seen : 0;
	double look = s->looks_all > 0 ? s->seen_all / s->looks_all : 1;
	double row = PRIOR * look * row_cost(s, l) / cost_all;
	const double part[2] = {1 - waits, waits};
	struct weights w;

	for (int k = 0; k < 2; k++) {
		w.all[k] = row * l->span_rows * part[k] + l->span_seen[k];
		w.tail[k] = row * l->tail_rows * part[k] + (l->tail_rows ? l->span_seen[k] : 0);
	}
	return w;
}

/* Divide the span's time among lines, with the tail's part of each kept apart. */
static void share_lines(struct share *s, double ns, double tail_ns)
{
	double cost = 0, all = 0, tail = 0;

	for (uint32_t i = 0; i < s->touched_count; i++) {
		struct shared_line *l = &s->lines[s->touched[i]];
		if (l->span_rows < l->tail_rows) /* it may only be known there */
			l->span_rows = l->tail_rows;
		cost += row_cost(s, l) * l->span_rows;
	}
	for (uint32_t i = 0; i < s->touched_count && cost > 0; i++) {
		struct weights w = weigh_line(s, &s->lines[s->touched[i]], cost);
		all += w.all[0] + w.all[1];
		tail += w.tail[0] + w.tail[1];
	}
	double in_tail = all > 0 ? ns * tail / all : 0;
	if (in_tail < tail_ns)
		in_tail = tail_ns;
	for (uint32_t i = 0; i < s->touched_count && all > 0; i++) {
		struct shared_line *l = &s->lines[s->touched[i]];
		struct weights w = weigh_line(s, l, cost);
		for (int k = 0; k < 2; k++) {
			double of_tail = tail > 0 ? in_tail * w.tail[k] / tail : 0;
			double rest =
				all > tail ? (ns - in_tail) * (w.all[k] - w.tail[k]) / (all - tail)
					   : 0;
			l->span_ns[k] = of_tail + rest;
			l->ns[k] += of_tail + rest;
			l->tail_ns += of_tail;
		}
	}
}

static struct shared_code *touch_code(struct share *s, uint32_t index)
{
	struct shared_code *c = &s->codes[index];

	if (!c->touched) {
		c->touched = true;
		s->touched_codes[s->touched_code_count++] = index;
	}
	return c;
}

/* The tail's part of each line goes to the contexts of its rows there; the rest belongs to its
 * code. */
static void share_tails(struct share *s, struct contexts *x)
{
	for (uint32_t i = 0; i < s->tail_count; i++) {
		const struct shared_line *l = &s->lines[s->tail[i].line];
		double sum = l->span_ns[0] + l->span_ns[1];
		for (int k = 0; k < 2 && sum > 0; k++)
			x->nodes[s->tail[i].node].ns[k] +=
				l->tail_ns / l->tail_rows * l->span_ns[k] / sum;
	}
	for (uint32_t i = 0; i < s->touched_count; i++) {
		const struct shared_line *l = &s->lines[s->touched[i]];
		struct shared_code *c = touch_code(s, l->of_code);
		double sum = l->span_ns[0] + l->span_ns[1];
		for (int k = 0; k < 2 && sum > 0; k++)
			c->span_ns[k] += (sum - l->tail_ns) * l->span_ns[k] / sum;
	}
}

/* A sample saw the code, but the path between these stamps does not have it. */
static void share_unmet(struct shared_code *c, struct contexts *x)
{
	uint32_t node = c->code ? contexts_near(x, c->code) : 0;
	double *to = c->owed_ns;

	if (!node)
		node = c->node;
	if (node || !c->code)
		to = x->nodes[node].ns;
	for (int k = 0; k < 2; k++)
		to[k] += c->span_ns[k];
}

static void pay_context(struct shared_code *c, struct context_node *to)
{
	for (int k = 0; k < 2; k++) {
		to->ns[k] += c->owed_ns[k];
		c->owed_ns[k] = 0;
	}
}

void share_settle(struct share *s, struct contexts *x)
{
	for (uint32_t i = 0; i < s->code_count; i++)
		if (s->codes[i].owed_ns[0] + s->codes[i].owed_ns[1] > 0)
			pay_context(&s->codes[i], &x->nodes[contexts_loose(x, s->codes[i].code)]);
}

/* The rest of each code's time goes to its contexts by their rows. A code with time and no row was
 * seen by a sample only (share_unmet). */
static void share_contexts(struct share *s, struct contexts *x)
{
	for (uint32_t i = 0; i < x->touched_count; i++) {
		const struct context_node *n = &x->nodes[x->touched[i]];
		uint32_t index = share_code(s, x->sites[n->site].callee);
		if (index == UINT32_MAX)
			continue;
		touch_code(s, index)->span_rows += (double)n->rows;
		s->codes[index].node = x->touched[i];
		if (s->codes[index].owed_ns[0] + s->codes[index].owed_ns[1] > 0)
			pay_context(&s->codes[index], &x->nodes[x->touched[i]]);
	}
	for (uint32_t i = 0; i < x->touched_count; i++) {
		struct context_node *n = &x->nodes[x->touched[i]];
		uint32_t index = share_code(s, x->sites[n->site].callee);
		const struct shared_code *c = index != UINT32_MAX ? &s->codes[index] : NULL;
		for (int k = 0; k < 2 && c; k++)
			n->ns[k] += c->span_ns[k] * (double)n->rows / c->span_rows;
	}
	for (uint32_t i = 0; i < s->touched_code_count; i++) {
		struct shared_code *c = &s->codes[s->touched_codes[i]];
		if (c->span_rows > 0 || !(c->span_ns[0] + c->span_ns[1] > 0))
			continue;
		share_unmet(c, x);
	}
}

void share_out(struct share *s, struct contexts *x, double ns, double tail_ns)
{
	share_lines(s, ns, tail_ns);
	share_tails(s, x);
	share_contexts(s, x);
}

bool share_is_one(const struct share *s)
{
	return s->touched_count == 1;
}

bool share_is_one_call(const struct share *s, const struct contexts *x)
{
	if (!s->touched_count || x->touched_count != 1)
		return false;
	const struct pl_code *code = code_first(x->sites[x->nodes[x->touched[0]].site].callee);
	for (uint32_t i = 0; i < s->touched_count; i++)
		if (s->lines[s->touched[i]].code != code)
			return false;
	for (uint32_t i = 0; i < s->tail_count; i++)
		if (s->tail[i].node != x->touched[0])
			return false;
	return true;
}

bool share_touched(struct share *s, const struct pl_code *code, int32_t line)
{
	const struct shared_line *l = share_line(s, code, line);

	return l && l->touched;
}

void share_sure(struct share *s, struct contexts *x, double ns, bool one_line)
{
	x->nodes[x->touched[0]].sure_ns += ns;
	s->sure_calls_all_ns += ns;
	if (!one_line)
		return;
	s->lines[s->touched[0]].sure_ns += ns;
	s->sure_all_ns += ns;
}

const struct shared_line *share_most(const struct share *s, uint32_t *node)
{
	const struct shared_line *most = NULL;

	*node = 0;
	for (uint32_t i = 0; i < s->touched_count; i++) {
		const struct shared_line *l = &s->lines[s->touched[i]];
		if (l->span_ns[0] + l->span_ns[1] >
			(most ? most->span_ns[0] + most->span_ns[1] : 0))
			most = l;
	}
	for (uint32_t i = 0; i < s->tail_count && most; i++)
		if (s->tail[i].line == (uint32_t)(most - s->lines))
			*node = s->tail[i].node;
	return most;
}

void share_forget(struct share *s, struct contexts *x)
{
	for (uint32_t i = 0; i < s->touched_count; i++) {
		struct shared_line *l = &s->lines[s->touched[i]];
		l->span_rows = l->tail_ns = 0;
		l->tail_rows = 0;
		l->span_seen[0] = l->span_seen[1] = 0;
		l->span_ns[0] = l->span_ns[1] = 0;
		l->touched = false;
	}
	for (uint32_t i = 0; i < s->touched_code_count; i++) {
		struct shared_code *c = &s->codes[s->touched_codes[i]];
		c->span_ns[0] = c->span_ns[1] = c->span_rows = 0;
		c->touched = false;
	}
	for (uint32_t i = 0; i < x->touched_count; i++)
		x->nodes[x->touched[i]].rows = 0;
	s->touched_count = s->touched_code_count = s->tail_count = x->touched_count = 0;
}

void share_release(struct share *s)
{
	map_release(&s->places);
	map_release(&s->code_map);
	free(s->lines);
	free(s->codes);
	free(s->touched);
	free(s->touched_codes);
	*s = (struct share){0};
}
