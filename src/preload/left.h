/* Programs that a recorded one starts and that no recording can follow: counted in the arena, so
 * that the recording says so.
 *
 * A program without an interpreter has the arena mapped no more; it opens it for this moment. Where
 * the arena cannot be reached either (after a chroot), only a Python can still tell.
 * Async-signal-safe.
 */
#ifndef PL_PRELOAD_LEFT_H
#define PL_PRELOAD_LEFT_H

#include "ring/arena.h"

/* `path` is the program's, as it was given. */
void left_out(enum left_kind kind, const char *path);

#endif
