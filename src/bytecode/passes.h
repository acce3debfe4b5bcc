/* Which jumps back can be another pass of a loop that has no LINE (the event AGAIN). This is
 * computed once for each code, so that loops whose every pass fires LINE cost nothing, and loops
 * that never fire one need no memory of their frames.
 *
 * At any time the path of a frame is known up to a unit, `told`:
 *
 *	a frame begins         told = 0
 *	LINE at unit u         told = u + 1; or u, if a loop takes its next item there: then the
 *	                       LINE enters the loop, and is no pass of it
 *	a jump from s to d     where LINE does not fire at d on arrival, and d <= s:
 *	                       AGAIN if told <= d; else told = d
 *
 * In words: a jump is AGAIN when no LINE has fired at d or later units since the last jump back to
 * d or before it. Code is laid out so that what is before a loop has lower units than its head, and
 * an outer loop's head lower ones than an inner loop's. So a LINE at d or later has fired since the
 * loop was entered, and a jump to before d enters the loop anew.
 *
 * The marks below give the same result with less work: nothing needs to be done at a LINE or jump
 * that has no mark.
 */
#ifndef PL_BYTECODE_PASSES_H
#define PL_BYTECODE_PASSES_H

#include "bytecode/bytecode.h"

enum pass_mark {
	PASS_ALWAYS = 1, /* a jump back that is AGAIN each time: told is never above its target */
	PASS_CHECK = 2,	 /* a jump back that is AGAIN depending on told */
	/* a jump back that is never AGAIN, or always, but lowers told for a later CHECK */
	PASS_TRACK = 4,
	PASS_TELLS = 8, /* a line start whose LINE may be the last one before a CHECK */
	/* beside TELLS: the LINE enters a loop, whose next item is taken there */
	PASS_ENTERS = 16,
};

/* Set the marks of units; marks: g->unit_count bytes, all zero. *checks: there is a CHECK among
 * them. A jump without a mark may be disabled. Returns 0, or PL_ERR_MEMORY, with no mark set. A
 * graph that is not analysed gets no marks. */
int bytecode_passes(
	const struct bytecode *b, const struct flow_graph *g, uint8_t *marks, bool *checks);

#endif
