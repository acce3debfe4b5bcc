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
	case PL_EVENT_RERAISE:
		return true;
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
		return row->offset != UINT32_MAX;
	default:
		return false;
	}
}

/* Variables are of a frame all whose lines have an event. A row that was filled in is never one of
 * its rows; it is told by what still waits behind it. */
static bool may_have_variables(const struct thread_path *p, const struct pl_event *row)
{
	switch (row->kind) {
	case PL_EVENT_LINE:
	case PL_EVENT_AGAIN:
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
	case PL_EVENT_RAISE:
	case PL_EVENT_RERAISE:
	case PL_EVENT_HANDLED:
	case PL_EVENT_UNWIND:
		return !p->holds && !p->silent && !p->pops && p->told_next == p->told_count;
	default:
		return false;
	}
}

/* A section that is damaged is told once for its block, whose rows then have no values. */
static int open_row_section(struct row_section *s, struct thread_path *p, uint32_t kind)
{
	s->end = 0;
	s->block = (uint64_t)p->blocks.number + 1;
	int code = block_open_section(&p->blocks.block, kind, &s->room, &s->all);
	s->rest = s->all;
	if (code == PL_ERR_FORMAT)
		block_reader_note(&p->blocks, kind == EVENT_VALUES
						      ? "the values of the block are damaged"
						      : "the variables of the block are damaged");
	return code == PL_ERR_FORMAT ? 0 : code;
}

/* Is the event that ends at `end` the first with a row from `at` on? What can be between them are
 * marks, and frames that are popped or linked: to read these, no known calls are needed. So there
 * are none; what was read before is forgotten only if there was something, because to empty the
 * tables takes longer than all else. */
static bool are_before(struct event_calls *none, const struct block *b, size_t at, size_t end)
{
	struct pl_view v = view_of(b->events.at + at, end - at);
	struct event e;

	if (none->print || none->resumes_print)
		*none = (struct event_calls){0};
	while (v.left && event_read(&v, none, &e) == 0)
		if (event_counts(e.kind))
			return !v.left;
	return false;
}

/* Among those of the section: it can only be the last one in front of the event's end, as each is
 * directly before its own event. Rows are mostly asked for in their order. */
static bool find_in_section(struct row_values *v, struct row_section *s, const struct block *b,
	size_t end, struct pl_view *found)
{
	struct block_section at, next;
	struct pl_view bytes;
	bool some = false;

	if (end < s->end)
		s->rest = s->all;
	s->end = end;
	for (at = next = s->rest; block_section_next(&next, &bytes) && next.at < end; at = next) {
		s->rest = at;
		*found = bytes;
		some = true;
	}
	at = s->rest;
	return some && block_section_next(&at, &bytes) && are_before(&v->none, b, at.at, end);
}

/* An event of this kind can be among the others. Then the path has passed it, as `passed`. */
static bool find_on_path(struct row_values *v, const struct thread_path *p, struct pl_view passed,
	size_t end, struct pl_view *found)
{
	const struct block *b = &p->blocks.block;

	if (!passed.at)
		return false;
	const size_t at = (size_t)(passed.at + passed.left - b->events.at);
	*found = passed;
	return at < end && are_before(&v->none, b, at, end);
}

/* The bytes of the event of this kind that is in front of the row's own. *found is empty: there is
 * none. */
static int find_before_row(
	struct row_values *v, struct thread_path *p, uint32_t kind, struct pl_view *found)
{
	struct row_section *s = kind == EVENT_VALUES ? &v->values : &v->variables;
	const struct block *b = &p->blocks.block;
	const size_t end = b->events.left - p->events.left;
	int code = 0;

	*found = (struct pl_view){0};
	if (s->block != (uint64_t)p->blocks.number + 1)
		code = open_row_section(s, p, kind);
	if (code == 0 && !find_in_section(v, s, b, end, found) &&
		!find_on_path(v, p, kind == EVENT_VALUES ? p->values : p->variables, end, found))
		*found = (struct pl_view){0};
	return code;
}

int row_values_put(struct row_values *v, struct thread_path *p, struct pl_event *row)
{
	struct pl_view found;
	int code = 0;

	if (!p->blocks.open)
		return 0;
	if (may_have_values(row)) {
		code = find_before_row(v, p, EVENT_VALUES, &found);
		if (code == 0 && found.at)
			values_open(found, &row->values); /* damaged: none */
	}
	if (code == 0 && may_have_variables(p, row)) {
		code = find_before_row(v, p, EVENT_VARIABLES, &found);
		if (code == 0 && found.at)
			variables_open(found, &row->variables);
	}
	return code;
}

void row_values_release(struct row_values *v)
{
	buf_release(&v->values.room);
	buf_release(&v->variables.room);
	*v = (struct row_values){0};
}
