/* Code that the user of a program did not write: of the standard library, installed, or made by
 * them, as the methods of a dataclass are; and code that is not known (NULL). */
#ifndef PL_SESSION_LIBRARY_H
#define PL_SESSION_LIBRARY_H

#include <string.h>
#include "pathline/pathline.h"

static inline bool code_is_library(const struct pl_code *code)
{
	const char *file = code ? pl_code_file(code) : "<";

	return strstr(file, "/lib/python3") || strstr(file, "/site-packages/") ||
	       strstr(file, "/dist-packages/") || file[0] == '<';
}

#endif
