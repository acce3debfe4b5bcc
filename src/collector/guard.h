/* The guard of the arena's mapping: if somebody cuts the file short, its reader must not end.
 *
 * Reading a page of a mapping after the end of its file is a SIGBUS. Pathline never makes an arena
 * shorter, and arena_map has compared the file's length with what the arena says. But a file can be
 * cut at any time after that, so no comparison is enough, and a finisher runs in the user's own
 * `dump` or `info`. The guard puts memory of zeros in place of what is gone, from the missing page
 * to the end of the mapping:
 *
 *	mapping  | head | chunk 0 | chunk 1 | chunk 2 |      read of chunk 1: SIGBUS
 *	file     | head | chunk 0 |                          cut here
 *	then     | head | chunk 0 | 0 0 0 0 | 0 0 0 0 |      a private mapping; the read gives 0
 *
 * All readers of an arena treat its bytes as hostile. Zeros are a free chunk, a free slot, or bytes
 * that are not events.
 *
 * There is one guard in a process, because it uses a signal. It begins when the arena is mapped,
 * and ends before that is unmapped.
 */
#ifndef PL_COLLECTOR_GUARD_H
#define PL_COLLECTOR_GUARD_H

#include <stdbool.h>
#include "ring/arena.h"

/* Begin. A SIGBUS at any other address does what it did before. If the arena is not mapped, nothing
 * is guarded. */
void guard_begin(const struct arena *a);
/* Has anything been replaced since? */
bool guard_torn(void);
/* May be called without guard_begin. */
void guard_end(void);

#endif
