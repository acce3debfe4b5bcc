#include "trace/values.h"

#include "format/value.h"

/* Can rows of this kind have values? A return or yield without an event has none. */
static bool may_have_values(const struct pl_event *row)
{
	switch (row->kind) {
	case PL_EVENT_CALL:
	case PL_EVENT_RESUME:
	case PL_EVENT_THROW:
	case PL_EVENT_RAISE:
		return true;
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
		return row->offset != UINT32_MAX;
	default:
		return false;
	}
}

/* A section that is damaged is told once for its block, whose rows then have no values. */
static int open_values(struct row_values *v, struct thread_path *p)
{
	v->end = 0;
	v->block = (uint64_t)p->blocks.number + 1;
	int code = block_open_section(&p->blocks.block, EVENT_VALUES, &v->room, &v->all);
	v->rest = v->all;
	if (code == PL_ERR_FORMAT)
		block_reader_note(&p->blocks, "the values of the block are damaged");
	return code == PL_ERR_FORMAT ? 0 : code;
}

/* Is the event that ends at `end` the first with a row from `at` on? What can be between them are
 * marks, and frames that are popped or linked: to read these, no known calls are needed. */
static bool are_before(const struct block *b, size_t at, size_t end)
{
	struct event_calls calls = {0};
	struct pl_view v = view_of(b->events.at + at, end - at);
	struct event e;

	while (v.left && event_read(&v, &calls, &e) == 0)
		if (event_counts(e.kind))
			return !v.left;
	return false;
}

/* Among those of the section. Rows are mostly asked for in their order. */
static bool find_in_section(
	struct row_values *v, const struct block *b, size_t end, struct pl_view *found)
{
	struct block_section next;
	struct pl_view bytes;

	if (end < v->end)
		v->rest = v->all;
	v->end = end;
	for (next = v->rest; block_section_next(&next, &bytes) && next.at < end; v->rest = next)
		if (are_before(b, next.at, end)) {
			*found = bytes;
			return true;
		}
	return false;
}

/* An event VALUES can be among the others. Then the path has passed it. */
static bool find_on_path(const struct thread_path *p, size_t end, struct pl_view *found)
{
	const struct block *b = &p->blocks.block;

	if (!p->values.at)
		return false;
	const size_t at = (size_t)(p->values.at + p->values.left - b->events.at);
	*found = p->values;
	return at < end && are_before(b, at, end);
}

int row_values_put(struct row_values *v, struct thread_path *p, struct pl_event *row)
{
	const struct block *b = &p->blocks.block;
	struct pl_view found;
	int code = 0;

	if (!p->blocks.open || !may_have_values(row))
		return 0;
	if (v->block != (uint64_t)p->blocks.number + 1)
		code = open_values(v, p);
	const size_t end = b->events.left - p->events.left;
	if (code == 0 && (find_in_section(v, b, end, &found) || find_on_path(p, end, &found)))
		values_open(found, &row->values); /* damaged: none */
	return code;
}

void row_values_release(struct row_values *v)
{
	buf_release(&v->room);
	*v = (struct row_values){0};
}
