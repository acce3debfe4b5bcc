/* Which jumps back can be another pass of a loop that no LINE tells (the event AGAIN): found once a
 * code, so that loops whose every pass fires LINE cost nothing, and loops that never fire one need
 * no memory of their frames.
 *
 * A frame is at any time told up to a unit, `told`:
 *
 *	a frame begins         told = 0
 *	LINE at unit u         told = u + 1
 *	a jump from s to d     where LINE does not fire at d on arrival, and d <= s:
 *	                       AGAIN if told <= d; else told = d
 *
 * In words: it is one when no LINE has fired from d on since the last jump back to d or before it.
 * Code lies so that what is before a loop has lower units than its head, and an outer loop's head
 * lower ones than an inner's: a LINE from d on fired since the loop was entered, and a jump to
 * before d enters it anew.
 *
 * The marks below do the same with less: on a LINE or jump without them nothing needs to be done.
 */
#ifndef PL_BYTECODE_PASSES_H
#define PL_BYTECODE_PASSES_H

#include "bytecode/bytecode.h"

enum pass_mark {
	PASS_ALWAYS = 1, /* a jump back that is AGAIN each time: told is never above its target */
	PASS_CHECK = 2,	 /* a jump back that is AGAIN when told says so */
	/* a jump back that is never AGAIN, or always, but lowers what a CHECK behind it sees */
	PASS_TRACK = 4,
	PASS_TELLS = 8, /* a line start whose LINE may be the last one before a CHECK */
};

/* Set the marks of units; marks are g->unit_count bytes, all zero. *checks: a CHECK is among them.
 * A jump without a mark is none of these and may be switched off. Gives 0; PL_ERR_MEMORY: none is
 * set. A graph that is not analysed has none. */
int bytecode_passes(
	const struct bytecode *b, const struct flow_graph *g, uint8_t *marks, bool *checks);

#endif
