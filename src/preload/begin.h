/* Always on: a recording that the program's environment asks for, and not `pathline record`.
 *
 *	LD_PRELOAD=<ours>  PATHLINE_DIR=/var/log/app/pathline
 *
 * If that directory exists, and there is an interpreter in the program, `pathline service --begin`
 * is started, which makes a recording below it; the programs that this one starts join as always.
 * If it does not exist, nothing is done: one system call, and the variables stay as they are.
 */
#ifndef PL_PRELOAD_BEGIN_H
#define PL_PRELOAD_BEGIN_H

#include <stdbool.h>
#include <stddef.h>

/* The directory that the environment names, whether it exists or not; NULL: none. */
const char *begin_named(char *const *env);
/* Does it exist? */
bool begin_wanted(const char *directory);
/* Start the recording, and wait for its arena's path. false: there is none, and a log in the
 * directory has the reason. The program must have one thread. */
bool begin_recording(const char *directory, char *arena, size_t size);

#endif
