/* Each code's costs are in the row of its body, number + 1, because codes with equal bodies are one
 * function for a reader. Row 0 has the events of codes that were never described. */
#include "collector/costs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "format/block.h"

/* Asked for each event, so the rows of the last codes are kept by their numbers. */
static uint32_t row_of(struct costs *c, const struct bodies *b, uint32_t code)
{
	uint32_t place = code % COSTS_RECENT;

	if (c->recent[place].code == code && code)
		return c->recent[place].row;
	const uint64_t *body = map_find(&b->codes, code);
	uint32_t row = body ? (uint32_t)*body : 0;
	c->recent[place].row = row;
	c->recent[place].code = row ? code : 0; /* it may yet be described */
	return row;
}

/* Room for this row; new rows are 0. */
static bool costs_grow(struct costs *c, uint32_t row)
{
	uint32_t room = c->room ? c->room : 256;

	while (room <= row)
		room *= 2;
	uint64_t(*rows)[PL_EVENT_KIND_COUNT] = realloc(c->rows, room * sizeof *rows);
	if (!rows)
		return false;
	memset(rows + c->room, 0, (room - c->room) * sizeof *rows);
	c->rows = rows;
	c->room = room;
	return true;
}

/* An event that enters a frame belongs to the code that is entered. All others belong to the code
 * of the top frame. Asked before the stack is changed. */
static uint32_t code_of(const struct stack *s, const struct event *e)
{
	if (e->kind == EVENT_ENTER || e->kind == EVENT_RESUME || e->kind == EVENT_THROW)
		return e->code;
	return s->depth ? stack_top(s)->code : 0;
}

void costs_add(struct costs *c, const struct bodies *b, uint32_t code, enum event_kind kind,
	uint64_t count)
{
	uint32_t row = row_of(c, b, code);

	if (row < c->room || costs_grow(c, row))
		c->rows[row][event_row(kind)] += count;
}

void costs_count(
	struct costs *c, const struct bodies *b, const struct stack *s, const struct event *e)
{
	if (event_counts(e->kind))
		costs_add(c, b, code_of(s, e), e->kind, 1);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool any(const uint64_t row[PL_EVENT_KIND_COUNT])
{
	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		if (row[k])
			return true;
	return false;
}

/* Rows without any event are left out. */
void costs_write(const struct costs *c, struct store *out)
{
	struct pl_buf b = {0};

	if (!c->on)
		return;
	buf_varint(&b, own_cpu_ns());
	buf_varint(&b, PL_EVENT_KIND_COUNT);
	for (uint32_t row = 0; row < c->room; row++) {
		if (!any(c->rows[row]))
			continue;
		buf_varint(&b, row);
		for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
			buf_varint(&b, c->rows[row][k]);
	}
	store_put(out, RECORD_COSTS, &b);
	buf_release(&b);
}

void costs_release(struct costs *c)
{
	free(c->rows);
	*c = (struct costs){0};
}
