/* Rows are counted by the transitions that were taken (fast_forward.h), and one by one where there
 * is none. Transitions are added up when the table is asked for, and before they are forgotten. */
#include "trace/counts.h"

#include <stdlib.h>
#include "base/map.h"
#include "trace/code.h"

/* More different rows than any program has lines. A hostile recording could have one for each
 * event. */
#define ROWS_MAX (1u << 22)

struct pl_counts {
	struct pl_recording *r;
	struct fast_forward forward;
	struct pl_count *rows; /* owned */
	size_t count, room;
	struct pl_map places; /* code's number << 36 | line << 4 | kind -> index + 1 */
	struct pl_map codes;  /* address of a code -> its number, from 1 */
	/* the last code that was looked up */
	const struct pl_code *last_code;
	uint64_t last_number;
};
_Static_assert(PL_EVENT_KIND_COUNT <= 16, "a kind is four bits of a place");

/* ---- rows ---- */

/* A small number for a code, for which a key has room as it has not for an address. 0: no
 * memory. */
static uint64_t code_number(struct pl_counts *c, const struct pl_code *code)
{
	if (c->last_number && code == c->last_code)
		return c->last_number;
	uint64_t *number = map_put(&c->codes, (uintptr_t)code);
	if (!number)
		return 0;
	if (!*number)
		*number = c->codes.used;
	c->last_code = code;
	return c->last_number = *number;
}

static struct pl_count *add_count_row(struct pl_counts *c)
{
	if (c->count == c->room) {
		size_t room = c->room ? c->room * 2 : 256;
		struct pl_count *rows =
			room <= ROWS_MAX ? realloc(c->rows, room * sizeof *rows) : NULL;
		if (!rows)
			return NULL;
		c->rows = rows;
		c->room = room;
	}
	return &c->rows[c->count++];
}

static int count_transition_row(void *context, const struct pl_count *row)
{
	struct pl_counts *c = context;
	const struct pl_code *code = code_first(row->code);
	uint64_t number = code_number(c, code);
	uint64_t *place =
		number ? map_put(&c->places, number << 36 | (uint64_t)(uint32_t)row->line << 4 |
						     (uint64_t)row->kind)
		       : NULL;

	if (!place)
		return PL_ERR_MEMORY;
	if (!*place) {
		struct pl_count *new = add_count_row(c);
		if (!new)
			return PL_ERR_MEMORY;
		*new = *row;
		new->code = code;
		new->events = 0;
		*place = c->count;
	}
	c->rows[*place - 1].events += row->events;
	return 0;
}

static int add_event(void *context, const struct pl_event *e)
{
	return count_transition_row(context,
		&(struct pl_count){.code = e->code, .line = e->line, .kind = e->kind, .events = 1});
}

static int take_counted_transitions(void *context)
{
	struct pl_counts *c = context;

	return fast_forward_take(&c->forward, count_transition_row, c);
}

int counts_walk(struct pl_counts *c, struct walk *w, const struct fast_forward_limit *limit,
	struct pl_err *err)
{
	const struct walk_visit visit = {.forward = &c->forward,
		.row = add_event,
		.full = take_counted_transitions,
		.context = c};
	int code = walk_go_on(w, limit, &visit, err);

	return code == PL_ERR_MEMORY ? pl_err_cause(err, code, "counting a path") : code;
}

const struct pl_recording *counts_recording(const struct pl_counts *c)
{
	return c->r;
}

/* ---- the API ---- */

int pl_counts_new(struct pl_counts **out, struct pl_recording *r, struct pl_err *err)
{
	struct pl_counts *c = calloc(1, sizeof *c);

	if (!c)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for counts");
	c->r = r;
	*out = c;
	return 0;
}

void pl_counts_free(struct pl_counts *c)
{
	if (!c)
		return;
	fast_forward_release(&c->forward);
	map_release(&c->places);
	map_release(&c->codes);
	free(c->rows);
	free(c);
}

static int compare_count_place(const void *a, const void *b)
{
	const struct pl_count *x = a, *y = b;
	int code = code_order(x->code, y->code);

	if (code)
		return code;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* The rows were sorted: find again where each of them is. */
static void find_places(struct pl_counts *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct pl_count *row = &c->rows[i];
		uint64_t key = code_number(c, row->code) << 36 |
			       (uint64_t)(uint32_t)row->line << 4 | (uint64_t)row->kind;
		uint64_t *place = map_find(&c->places, key);
		if (place) /* each row has one */
			*place = i + 1;
	}
}

/* Sorting moves the rows, so their places are found again: counting can go on after the table was
 * asked for, which is valid until then. */
int pl_counts_table(struct pl_counts *c, struct pl_count_table *out, struct pl_err *err)
{
	int code = take_counted_transitions(c);

	*out = (struct pl_count_table){0};
	if (code)
		return pl_err_cause(err, code, "no memory for counts");
	if (c->count)
		qsort(c->rows, c->count, sizeof *c->rows, compare_count_place);
	find_places(c);
	out->rows = c->rows;
	out->count = c->count;
	for (size_t i = 0; i < c->count; i++)
		out->totals[c->rows[i].kind] += c->rows[i].events;
	return 0;
}
