/* Event loops, by the functions in which they wait when they have nothing to do.
 *
 * Not each wait for files is one: subprocess, multiprocessing and any program wait with a selector
 * too, perhaps within a callback of a loop. So what calls the selector decides.
 */
#ifndef PL_BASE_LOOPS_H
#define PL_BASE_LOOPS_H

#include <stdbool.h>

/* A method `select` may call that of another selector: its caller decides. Names of functions are
 * without those of their classes. */
bool loops_selects(const char *function);
/* Is this function the run of an event loop, or what waits for it? Of the file's path its end is
 * enough. */
bool loops_run(const char *file, const char *function);
/* Is a call of this function, or a part of one up to its yield, one pass of an event loop: what is
 * ready runs, each task at most once? */
bool loops_pass(const char *file, const char *function);
/* The same for a library of C: uvloop and gevent wait in theirs. `path` is its file's. */
bool loops_library(const char *path);

#endif
