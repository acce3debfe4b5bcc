/* A code as its recorder saw it, if the collector makes the body (format/body.h). This is straight
 * code, for which the recorder needs no graph (bytecode/straight.h).
 *
 *   number | unit | file string | name string | first line zigzag | flags | interpreter version |
 *   co_code string | co_linetable string | arguments
 *
 * All numbers are varints.
 */
#ifndef PL_FORMAT_RAW_CODE_H
#define PL_FORMAT_RAW_CODE_H

#include "base/buf.h"
#include "base/view.h"
#include "format/arguments.h"

struct raw_code {
	uint32_t number;
	uint32_t unit;	     /* text unit (format/code_text.h); 0: none */
	struct pl_view file; /* views into the bytes that were read */
	struct pl_view name;
	int32_t first_line;
	uint32_t flags;	  /* co_flags */
	uint16_t version; /* 0x030c for 3.12 */
	struct pl_view code;
	struct pl_view line_table;
	struct arguments arguments; /* if its values are kept */
};

/* If there is no memory, `out` says so. */
void raw_code_write(struct pl_buf *out, const struct raw_code *r);
/* 0 or PL_ERR_FORMAT. */
int raw_code_read(struct pl_view v, struct raw_code *out);

#endif
