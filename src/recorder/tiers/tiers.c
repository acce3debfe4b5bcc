/* Which tier an event concerns; all else is in hot.c and reoptimize.c. */
#include "recorder/tiers/tiers.h"

#include "bytecode/passes.h"
#include "recorder/code.h"
#include "recorder/root.h"
#include "recorder/tiers/hot.h"
#include "recorder/tiers/reoptimize.h"

bool tier_line(PyCodeObject *code, struct code_record *r, uint32_t unit)
{
	/* with this LINE; or it was hot, and its lines have been counted since */
	bool due = root.hot_lines && (r->lines_heard == root.hot_lines || reoptimize_is_due(r));

	return due && hot_begins(code, r, unit);
}

bool tier_instruction(struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit)
{
	bool heard = hot_instruction_is_heard(t, frame, r, unit);

	if (heard && unit_is_pass(unit_bits(r->units[unit])))
		return true;
	return reoptimize_is_counting(r) ? reoptimize_counts(r, unit) : heard;
}
