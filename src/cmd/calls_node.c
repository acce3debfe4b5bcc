#include "cmd/calls_node.h"

#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/units.h"

const char *call_begin_word(enum call_begin begin)
{
	static const char *const words[] = {
#define X(constant, word) [CALL_##constant] = word,
		CALL_BEGINS(X)
#undef X
	};

	return words[begin];
}

const char *call_end_word(enum call_end end)
{
	static const char *const words[] = {
#define X(constant, word) [CALL_##constant] = word,
		CALL_ENDS(X)
#undef X
	};

	return words[end];
}

/* ---- memory ---- */

struct call_node *call_node_new(struct call_nodes *all)
{
	struct call_node *n = all->unused;

	if (n)
		all->unused = n->next;
	else
		n = malloc(sizeof *n);
	if (!n)
		return NULL;
	memset(n, 0, sizeof *n);
	n->count = 1;
	all->held += sizeof *n;
	return n;
}

bool call_values_copy(struct call_nodes *all, struct pl_values *to, const struct pl_values *from)
{
	call_values_release(all, to);
	if (!from->at)
		return true;
	unsigned char *at = malloc((size_t)from->bytes + 1);
	if (!at)
		return false;
	memcpy(at, from->at, from->bytes);
	*to = *from;
	to->at = at;
	all->held += from->bytes;
	return true;
}

void call_values_release(struct call_nodes *all, struct pl_values *v)
{
	if (!v->at)
		return;
	all->held -= v->bytes;
	free((void *)v->at);
	*v = (struct pl_values){0};
}

static void release_one(struct call_nodes *all, struct call_one *one)
{
	call_values_release(all, &one->in);
	call_values_release(all, &one->out);
	free(one->task);
	*one = (struct call_one){0};
}

static void free_one_node(struct call_nodes *all, struct call_node *n)
{
	release_one(all, &n->one);
	release_one(all, &n->to);
	free(n->text);
	free(n->inside_task);
	all->held -= sizeof *n;
	n->next = all->unused;
	all->unused = n;
}

/* A stack can be deep, so this does not call itself: children are put in front of what is left. */
void call_node_free(struct call_nodes *all, struct call_node *n)
{
	struct call_node *left = n;

	n->next = NULL;
	while (left) {
		struct call_node *this = left;
		left = this->next;
		if (this->first) {
			this->last->next = left;
			left = this->first;
		}
		free_one_node(all, this);
	}
}

void call_nodes_release(struct call_nodes *all)
{
	while (all->unused) {
		struct call_node *next = all->unused->next;
		free(all->unused);
		all->unused = next;
	}
}

/* ---- folding ---- */

/* Two nodes of the same shape are the same to a reader, but for their values, times and tasks, and
 * for how often something is repeated. */
void call_node_shape(struct call_node *n)
{
	uint64_t words[] = {
		(uint64_t)(uintptr_t)n->code,
		(uint64_t)(uint32_t)n->caller_line << 32 | (uint32_t)n->line,
		(uint64_t)n->begin << 32 | n->end,
		n->type ? hash_bytes(n->type, strlen(n->type)) : 0,
		n->text ? hash_bytes(n->text, strlen(n->text)) : 0, n->gap, 0, /* of the children */
	};
	uint64_t *below = &words[sizeof words / sizeof *words - 1];

	for (const struct call_node *m = n->first; m; m = m->next) {
		const uint64_t pair[] = {*below, m->shape};
		*below = hash_bytes(pair, sizeof pair);
	}
	n->shape = hash_bytes(words, sizeof words);
}

/* All of it was between its first begin and its last end. */
int64_t call_node_error(const struct call_node *n)
{
	const int64_t most_ns = units_between(n->begin_ns, n->latest_ns);
	const int64_t low_ns = most_ns > n->total_ns ? most_ns - n->total_ns : 0;
	const int64_t bound_ns = low_ns > n->total_ns ? low_ns : n->total_ns;

	return n->latest_ns == INT64_MAX ? INT64_MAX
	       : n->error_ns < bound_ns	 ? n->error_ns
					 : bound_ns;
}

/* The later one of the same shape is freed. */
static void fold_later(struct call_nodes *all, struct call_node *n, struct call_node *later)
{
	struct call_one *last = later->to.seq ? &later->to : &later->one;

	n->total_ns += later->total_ns;
	n->error_ns = units_sum(n->error_ns, later->error_ns);
	n->latest_ns = later->latest_ns;
	n->lost += later->lost;
	release_one(all, &n->to);
	n->to = *last;
	*last = (struct call_one){0};
	call_node_free(all, later);
}

static void list_append(struct call_node *parent, struct call_node *n)
{
	n->parent = parent;
	n->prev = parent->last;
	n->next = NULL;
	if (parent->last)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	parent->children++;
}

/* The last `count` nodes; the first of them, with the others behind it. */
static struct call_node *list_cut(struct call_node *parent, size_t count)
{
	struct call_node *n = parent->last;

	for (size_t i = 1; i < count; i++)
		n = n->prev;
	parent->last = n->prev;
	if (n->prev)
		n->prev->next = NULL;
	else
		parent->first = NULL;
	n->prev = NULL;
	parent->children -= (uint32_t)count;
	return n;
}

struct call_node *call_node_take(struct call_node *parent)
{
	struct call_node *n = parent->first;

	parent->first = n->next;
	if (n->next)
		n->next->prev = NULL;
	else
		parent->last = NULL;
	parent->children--;
	n->next = NULL;
	return n;
}

/* The node so many places before; NULL: there are fewer. */
static struct call_node *back_from(struct call_node *n, size_t places)
{
	for (; n && places; places--)
		n = n->prev;
	return n;
}

/* Is each of the `count` nodes up to `a` as its counterpart up to `b`? */
static bool rounds_alike(const struct call_node *a, const struct call_node *b, size_t count)
{
	for (; count && a && b && a->shape == b->shape; count--) {
		a = a->prev;
		b = b->prev;
	}
	return !count;
}

/* The last nodes of the list are another round of what repeats. */
static void fold_round(struct call_nodes *all, struct call_node *repeat, struct call_node *round)
{
	repeat->to.seq = round->one.seq;
	repeat->count++;
	repeat->total_ns = repeat->error_ns = 0;
	for (struct call_node *n = repeat->first; n; n = n->next) {
		struct call_node *later = round;
		round = round->next;
		fold_later(all, n, later);
		repeat->total_ns += n->total_ns;
		repeat->error_ns = units_sum(repeat->error_ns, n->error_ns);
		repeat->latest_ns = n->latest_ns;
	}
}

/* Without memory it is not folded. */
static void make_repeat(struct call_nodes *all, struct call_node *parent, size_t count)
{
	struct call_node *repeat = call_node_new(all), *round, *first;

	if (!repeat)
		return;
	round = list_cut(parent, count);
	first = list_cut(parent, count);
	repeat->begin = CALL_REPEAT;
	repeat->end = CALL_NONE;
	repeat->one.seq = first->one.seq;
	repeat->begin_ns = first->begin_ns;
	repeat->depth = first->depth;
	while (first) {
		struct call_node *next = first->next;
		list_append(repeat, first);
		first = next;
	}
	list_append(parent, repeat);
	call_node_shape(repeat);
	fold_round(all, repeat, round);
}

/* The shortest round is taken. */
static void fold_end(struct call_nodes *all, struct call_node *parent)
{
	struct call_node *last = parent->last;

	for (size_t count = 2; count <= CALL_ROUND_MAX; count++) {
		struct call_node *before = back_from(last, count);
		if (!before)
			return;
		if (before->begin == CALL_REPEAT && before->children == count &&
			rounds_alike(last, before->last, count)) {
			fold_round(all, before, list_cut(parent, count));
			return;
		}
		if (rounds_alike(last, before, count)) {
			make_repeat(all, parent, count);
			return;
		}
	}
}

void call_node_append(struct call_nodes *all, struct call_node *n, bool fold)
{
	struct call_node *parent = n->parent, *last = parent->last;

	if (fold && last && last->shape == n->shape) {
		last->count++;
		fold_later(all, last, n);
	} else if (fold && last && last->begin == CALL_REPEAT && last->last->shape == n->shape) {
		/* the last of a round is repeated itself */
		last->total_ns += n->total_ns;
		last->error_ns = units_sum(last->error_ns, n->error_ns);
		last->latest_ns = n->latest_ns;
		fold_later(all, last->last, n);
	} else {
		list_append(parent, n);
		if (fold)
			fold_end(all, parent);
	}
}

struct call_node *call_node_next(const struct call_node *top, struct call_node *n)
{
	if (n->first)
		return n->first;
	while (n != top && !n->next)
		n = n->parent;
	return n == top ? NULL : n->next;
}
