/* Python's lexical rules, as far as colours need them: one line at a time, with what the previous
 * line left open.
 *
 *	struct lexer l = {.state = state};
 *	while ((n = lexer_next(&l, text, length, &kind)))
 *		…                                      n bytes of this kind
 *	state = l.state;                               for the next line
 */
#ifndef PL_TUI_LEXER_H
#define PL_TUI_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lexeme {
	LEX_PLAIN,
	LEX_KEYWORD,
	LEX_STRING,
	LEX_COMMENT,
	LEX_NUMBER,
	LEX_DECORATOR,
	LEX_NAME, /* after def and class */
	LEXEMES
};

/* What a line leaves open: nothing, or a multi-line string. */
enum lexer_state {
	LEXER_CODE,
	LEXER_TRIPLE_SINGLE,
	LEXER_TRIPLE_DOUBLE,
	LEXER_SINGLE,
	LEXER_DOUBLE
};

/* All zero at the beginning of a file; at the beginning of a line all but state is zero. */
struct lexer {
	uint8_t state; /* enum lexer_state */
	size_t at;     /* bytes */
	bool names;    /* the last word was def or class */
	bool begun;    /* the line had something other than blanks */
};

/* The bytes of the next piece; 0: the line is over, and state is that for the next one. */
size_t lexer_next(struct lexer *l, const char *text, size_t length, enum lexeme *kind);

#endif
