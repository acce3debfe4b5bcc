/* The guard over the arena's mapping: a file that somebody else cuts short must not end who reads
 * it.
 *
 * Reading a page of a mapping behind the end of its file is a SIGBUS. Nobody of Pathline ever makes
 * an arena shorter, and arena_map has compared the file's length with what the arena says of
 * itself; but a file can be cut at any moment after that, so no comparison is enough, and a
 * finisher runs in the user's own `dump` or `info`. The guard puts memory of zeros in place of what
 * is gone, from the page that was met to the mapping's end:
 *
 *   mapping  | head | chunk 0 | chunk 1 | chunk 2 |      read of chunk 1: SIGBUS
 *   file     | head | chunk 0 |                          cut here
 *   then     | head | chunk 0 | 0 0 0 0 | 0 0 0 0 |      a private mapping; the read goes on, and finds 0
 *
 * All that reads an arena takes its bytes for hostile: zeros are a free chunk, a free slot, or
 * bytes that are no event.
 *
 * One guard a process, since it is a signal's: begun when the arena is mapped, ended before it is
 * unmapped.
 */
#ifndef PL_COLLECTOR_GUARD_H
#define PL_COLLECTOR_GUARD_H

#include <stdbool.h>
#include "ring/arena.h"

/* From now on; a SIGBUS of anything else does what it did before. An arena that is not mapped is
 * none to guard. */
void guard_begin(const struct arena *a);
/* Has anything been replaced since? */
bool guard_torn(void);
/* Also when there is none. */
void guard_end(void);

#endif
