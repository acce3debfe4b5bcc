/* Whose loader will start a program: one of another libc than our library's takes it for a fault of
 * the program's. */
#ifndef PL_CMD_LOADER_H
#define PL_CMD_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* true, with the loader's path in `loader`: the program at `path` (or the interpreter that a script
 * names) is musl's, and this Pathline was not built for musl. */
bool loader_is_foreign(const char *path, char *loader, size_t size);

#endif
