/* A folder of recordings: directories with names by time, and a link to the latest. */
#ifndef PL_OS_FOLDER_H
#define PL_OS_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#define FOLDER_LATEST "latest"

/* A directory that only its user can read, whatever the umask: that is the program's, and may be
 * one under which directories are unusable. false: errno says why. */
bool folder_make_private(const char *path);
/* FOLDER/261128-101112-name, and -2, -3 for others of the same second. 0, or an errno. */
int folder_make_named(const char *folder, const char *name, char path[PATH_MAX]);
/* A directory of this process's own, in memory: FOLDER_IN_MEMORY/pathline-1000-….ENDING. 0, or an
 * errno. */
#define FOLDER_IN_MEMORY "/dev/shm"
int folder_make_in_memory(const char *ending, char path[PATH_MAX]);
/* Let the link lead to this entry of the folder. Atomic. */
void folder_set_latest(const char *folder, const char *name);

#endif
