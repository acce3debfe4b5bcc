/* The words and signs of an expression.
 *
 *	args . qty >= 10 and name == 'it\'s'
 *	NAME .  NAME GE NUMBER NAME NAME EQ STRING
 *
 * Words such as `and` are names here.
 */
#ifndef PL_EXPR_TOKEN_H
#define PL_EXPR_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/view.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_INT,
	TOKEN_FLOAT,
	TOKEN_DURATION, /* integer: ns */
	TOKEN_STRING,
	TOKEN_EQ,
	TOKEN_NE,
	TOKEN_LT,
	TOKEN_LE,
	TOKEN_GT,
	TOKEN_GE,
	TOKEN_MATCHES,	   /* ~ */
	TOKEN_NOT_MATCHES, /* !~ */
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_OPEN_ITEM, /* [ */
	TOKEN_CLOSE_ITEM,
	TOKEN_COMMA,
	TOKEN_DOT,
	TOKEN_MINUS,
	TOKEN_FAULT, /* `fault` says why */
};

struct token {
	enum token_kind kind;
	size_t at, end; /* in the text */
	int64_t integer;
	double real;	   /* of a number, also of an int that is too large (TOKEN_FLOAT) */
	const char *fault; /* lasts */
};

/* Reads from the front. */
struct tokens {
	const char *text; /* ends with NUL */
	size_t next;
	/* Room for the characters of strings: as long as the text is enough. Not owned. */
	char *room;
	size_t used;
	struct pl_view string; /* of the last STRING: in the room */
};

void token_take(struct tokens *t, struct token *out);

#endif
