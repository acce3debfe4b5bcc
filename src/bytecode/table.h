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
 *	     15     no line; later entries count from the line before it
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

/* 0; PL_END after the last one; PL_ERR_FORMAT: a number has too many groups, or the line is out of
 * range. */
int line_read(struct line_reader *r, struct line_row *out);
/* After a row that has a line: skip the entries that stay on it, as most do. Returns their
 * units. */
uint32_t line_read_same(struct line_reader *r);
/* Likewise, also those that go one or two lines further on, as r->line does then; no entry after
 * `units_most` units. */
uint32_t line_read_near(struct line_reader *r, uint32_t units_most);

/* The same entries with all their fields. */
struct position_row {
	uint32_t units;
	int32_t line;	  /* LINE_NONE: these units have none */
	int32_t end_line; /* same as line if there are no columns */
	int32_t column;	  /* in bytes of UTF-8 from the line's start; -1: none */
	int32_t end_column;
};

/* As line_read; also PL_ERR_FORMAT: the entry is cut. */
int position_read(struct line_reader *r, struct position_row *out);

/* An exception entry: exceptions of the range go to `target` (Objects/exception_handling_notes.txt
 * in CPython 3.11). start, length and target are in units, depth is that of the value stack:
 *
 *	| start | length | target | depth << 1 | lasti |
 */
struct handler_row {
	uint32_t start;
	uint32_t length;
	uint32_t target;
};

/* 0; PL_END after the last one; PL_ERR_FORMAT: the entry is cut, or a number is too large. */
int handler_read(struct pl_view *v, struct handler_row *out);

#endif
