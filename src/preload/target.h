/* The program that exec is about to start: would its loader load our library?
 *
 * Only if it is an ELF file of our class and machine that asks for our loader, hence for our libc.
 * A library of another kind makes ld.so talk on stderr, a static program would show our variables
 * to its children, and a program with rights of its own (set-user-ID, capabilities) ignores
 * LD_PRELOAD. A script is what its interpreter is. What cannot be read is left alone.
 *
 * All are async-signal-safe, use little stack and leave errno as it was.
 */
#ifndef PL_PRELOAD_TARGET_H
#define PL_PRELOAD_TARGET_H

#include <stdbool.h>

/* As execveat names it; `flags` are AT_EMPTY_PATH and AT_SYMLINK_NOFOLLOW. */
bool target_at(int dirfd, const char *path, int flags);
/* As execvp and posix_spawnp find it: along PATH, and a text without #! is run by the shell. */
bool target_in_path(const char *file);

#endif
