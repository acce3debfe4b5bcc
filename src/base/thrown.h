/* An exception that is thrown into what awaits, as rows show it. */
#ifndef PL_BASE_THROWN_H
#define PL_BASE_THROWN_H

#include <stdbool.h>
#include "pathline/event.h"

/* What is thrown into a coroutine goes to the innermost one that it awaits. When it leaves that (an
 * UNWIND with this seq and depth), it is thrown into the one that awaits: the very next row, a
 * frame less deep. Is the row at that place? */
static inline bool thrown_goes_on(
	uint64_t left_seq, uint32_t left_depth, const struct pl_event *row)
{
	return left_seq + 1 == row->seq && left_depth == row->depth + 1;
}

#endif
