/* Which lines of a source begin a statement that has code, by their text alone: for functions that
 * never ran, of which a recording has nothing but the text.
 *
 *	def never(a,           STATEMENT_DEF
 *	          b):          none: it goes on
 *	    """Text."""        none
 *	    global x           none
 *	    if a:              STATEMENT_CODE
 *	        return [       STATEMENT_CODE
 *	            1]         none: it goes on
 *	    else:              none
 */
#ifndef PL_CMD_STATEMENTS_H
#define PL_CMD_STATEMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "pathline/pathline.h"
#include "tui/lexer.h"

enum statement {
	STATEMENT_NONE, /* no statement begins there, or it has no code */
	STATEMENT_CODE,
	STATEMENT_DEF
};

/* All zero at the beginning of a source. */
struct statements {
	uint8_t state;	 /* of the lexer */
	uint32_t open;	 /* brackets */
	bool continued;	 /* the line before ends with a backslash */
	int32_t line;	 /* the last one */
	int32_t first;	 /* of its decorators, or of itself; of STATEMENT_DEF */
	bool decorators; /* the last statement was one */
	int indent;	 /* of the last line at which a statement begins */
};

/* The next line. */
enum statement statements_next(struct statements *s, struct pl_text text);

#endif
