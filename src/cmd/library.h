/* Where the libraries are that come into programs. */
#ifndef PL_CMD_LIBRARY_H
#define PL_CMD_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

/* Beside the binary in a build directory, or where it was installed: its real path. */
bool library_find(const char *name, char path[PATH_MAX]);
/* Say so, and return the exit code. */
int library_missing(const char *command, const char *name);

#endif
