/* The two tables of a code object, as CPython 3.11 and later write them: lines by unit, and
 * exception handlers.
 *
 * Both are runs of entries whose first byte has the top bit, and both hold numbers in groups of six
 * bits. Rows come out one at a time; nothing is allocated. Damage ends the run.
 */
#ifndef PL_BYTECODE_TABLE_H
#define PL_BYTECODE_TABLE_H

#include "base/view.h"

/* A location entry (Objects/locations.md in CPython 3.11):
 *
 *	| 1 kind:4 units-1:3 | what the kind has, up to the next byte with the top bit |
 *
 *	kind 0-9    columns only: the line of the entry before
 *	     10-12  line + (kind - 10), then columns
 *	     13     line + svarint
 *	     14     line + svarint, then end line and columns
 *	     15     no line; the line goes on behind it as it was before
 */
struct line_reader {
	struct pl_view v;
	int32_t line; /* co_firstlineno at first */
};

struct line_row {
	uint32_t units;
	int32_t line; /* LINE_NONE: these units have none */
};
#define LINE_NONE (-1)

/* 0; PL_END behind the last one; PL_ERR_FORMAT: no number has so many groups, or no line is so far.
 */
int line_read(struct line_reader *r, struct line_row *out);
/* Behind a row that has a line: passes over the entries that stay on it, as most do, and gives how many units they have. */
uint32_t line_read_same(struct line_reader *r);

/* The same entries with all that they have. */
struct position_row {
	uint32_t units;
	int32_t line;	  /* LINE_NONE: these units have none */
	int32_t end_line; /* as line, if it has no columns */
	int32_t column;	  /* in bytes of UTF-8 from the line's begin; -1: it has none */
	int32_t end_column;
};

/* As line_read; also PL_ERR_FORMAT: the entry is cut. */
int position_read(struct line_reader *r, struct position_row *out);

/* An exception entry, of which a range's exceptions go to `target`
 * (Objects/exception_handling_notes.txt in CPython 3.11):
 *
 *	| start | length | target | depth << 1 | lasti |        in units; depth is of the value stack
 */
struct handler_row {
	uint32_t start;
	uint32_t length;
	uint32_t target;
};

/* 0; PL_END behind the last one; PL_ERR_FORMAT: the entry is cut, or a number too large. */
int handler_read(struct pl_view *v, struct handler_row *out);

#endif
