#include "bytecode/straight.h"

#include "bytecode/opcode.h"
#include "bytecode/table.h"

/* Is the line table sound up to the end of the code, and does each of its lines fire LINE? *last:
 * the line of the last unit. Read as by bytecode_graph: if the table ends too early the rest has no
 * line. Where distances are cut, LINE may not tell two lines apart; but after the first RESUME, at
 * `resume`, it always fires. In a module that has line 0. */
static bool has_lines(
	const struct opcode_version *v, const struct bytecode *b, uint32_t resume, int32_t *last)
{
	const uint32_t count = (uint32_t)(b->code.left / 2);
	struct line_reader reader = {.v = b->line_table, .line = b->first_line};
	struct line_row row = {.line = LINE_NONE};
	bool cut = false;
	int err = 0;

	for (uint32_t end = 0; end < count && err == 0;) {
		err = line_read(&reader, &row);
		end += row.units;
		if (err == 0 && row.line != LINE_NONE) {
			/* further on, no line is before the first */
			end += row.line < b->first_line || end >= count
				       ? line_read_same(&reader)
				       : line_read_near(&reader, count - end);
			row.line = reader.line;
		}
		cut |= v->delta_cut && row.line != LINE_NONE && row.line < b->first_line &&
		       end > resume + 1;
	}
	*last = err == 0 ? row.line : LINE_NONE;
	return err >= 0 && !cut;
}

/* In 3.11 whether a line is reported depends on more than the line. A RESUME that is not at the
 * first event belongs to a generator. */
static bool is_known(const struct opcode_version *v, const struct bytecode *b)
{
	return v && !v->traced && !b->except_table.left && b->code.left / 2 < FLOW_NONE;
}

/* A start after an instruction that does not change the line may fire or not. */
static bool start_may_follow(const struct opcode *o)
{
	return o->class == OPCODE_EXTENDED_ARG ||
	       (o->class == OPCODE_PLAIN && !(o->marks & OPCODE_NO_START));
}

bool bytecode_is_straight(const struct bytecode *b, bool *silent)
{
	const struct opcode_version *v = opcode_version_find(b->version);
	const uint32_t count = (uint32_t)(b->code.left / 2);
	const struct opcode *o = NULL;
	uint32_t at = 0, resume = 0;
	bool begun = false;
	int32_t last;

	if (!is_known(v, b))
		return false;
	for (; at < count; at += 1u + o->caches) {
		o = &v->opcodes[b->code.at[2 * (size_t)at]];
		if (start_may_follow(o))
			continue;
		bool early = v->early_resume && b->code.at[2 * (size_t)at + 1] == RESUME_EARLY;
		if (o->class != OPCODE_RESUME || begun || early)
			break;
		begun = true;
		resume = at;
	}
	if (!begun || at + 1 != count || o->class != OPCODE_RETURN ||
		!has_lines(v, b, resume, &last))
		return false;
	*silent = last > 0;
	return true;
}
