#include "cmd/calls_node.h"

#include <stdlib.h>
#include <string.h>
#include "base/map.h"

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

/* Two nodes of the same shape are the same to a reader, but for their values, times and tasks. */
void call_node_shape(struct call_node *n)
{
	const uint64_t words[] = {
		(uint64_t)(uintptr_t)n->code,
		(uint64_t)(uint32_t)n->caller_line << 32 | (uint32_t)n->line,
		(uint64_t)n->begin << 32 | n->end,
		n->type ? hash_bytes(n->type, strlen(n->type)) : 0,
		n->text ? hash_bytes(n->text, strlen(n->text)) : 0, n->gap,
		n->shape, /* of its children */
	};

	n->shape = hash_bytes(words, sizeof words);
}

static void fold_into(struct call_nodes *all, struct call_node *first, struct call_node *n)
{
	first->count += n->count;
	first->total_ns += n->total_ns;
	first->latest_ns = n->latest_ns;
	first->lost += n->lost;
	release_one(all, &first->to);
	first->to = n->one;
	n->one = (struct call_one){0};
	call_node_free(all, n);
}

void call_node_append(struct call_nodes *all, struct call_node *n, bool fold)
{
	struct call_node *parent = n->parent, *last = parent->last;

	if (fold && last && last->shape == n->shape) {
		fold_into(all, last, n);
		return;
	}
	if (last)
		last->next = n;
	else
		parent->first = n;
	parent->last = n;
	n->next = NULL;
	const uint64_t words[] = {parent->shape, n->shape};
	parent->shape = hash_bytes(words, sizeof words);
}

struct call_node *call_node_next(const struct call_node *top, struct call_node *n)
{
	if (n->first)
		return n->first;
	while (n != top && !n->next)
		n = n->parent;
	return n == top ? NULL : n->next;
}
