/* Which loader will start a program. The loader of another libc than that of our library would
 * report the library as a fault of the program. */
#ifndef PL_CMD_LOADER_H
#define PL_CMD_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* Is the program at `path`, or the interpreter that a script names, for musl, and this Pathline not
 * built for musl? If so, `loader` is the loader's path. */
bool loader_is_foreign(const char *path, char *loader, size_t size);

#endif
