/* What is between the quotes of a JSON string.
 *
 * A byte that is not UTF-8 becomes the lone surrogate that Python's surrogateescape makes of it
 * ("\udcff"), so that json.loads(…) and os.fsencode give the bytes back. A surrogate that is
 * written as Python's surrogatepass does becomes that surrogate.
 */
#ifndef PL_BASE_JSON_ESCAPE_H
#define PL_BASE_JSON_ESCAPE_H

#include "base/buf.h"

void json_escape(struct pl_buf *out, const char *at, size_t length);
/* A name of a recording, in which 0xc0 0x80 stands for NUL. */
void json_escape_name(struct pl_buf *out, const char *at, size_t length);

#endif
