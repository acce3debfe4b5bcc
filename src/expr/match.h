/* Texts compared with patterns. */
#ifndef PL_EXPR_MATCH_H
#define PL_EXPR_MATCH_H

#include <string.h>
#include "base/buf.h"
#include "pathline/recording.h"

enum match_how {
	MATCH_EQUAL, /* % is any run of characters, \% is %; all else is itself */
	MATCH_LIKE,  /* as SQLite's LIKE: also _ is any character, and a is A */
};

/* Is there a % in the pattern that is not \%? */
bool match_is_pattern(struct pl_text pattern);
bool match_text(struct pl_text pattern, struct pl_text text, enum match_how how);

/* The module of a file, into the room: "/home/me/shop/cart.py" -> "home.me.shop.cart". */
struct pl_text match_module(const char *file, struct pl_buf *room);

/* Is this the whole name, or the end of it after a separator? */
static inline bool match_is_end(const char *whole, char separator, struct pl_text part)
{
	const size_t length = strlen(whole), before = length - part.length;

	return part.length && part.length <= length &&
	       !memcmp(whole + before, part.at, part.length) &&
	       (!before || whole[before - 1] == separator);
}

/* Is this the whole name? It may be NULL. */
static inline bool match_is_whole(const char *whole, struct pl_text part)
{
	return whole && strlen(whole) == part.length && !memcmp(whole, part.at, part.length);
}

/* The next part of a name that can stand for it: all of it, then what is after each separator.
 * false: there is none. */
static inline bool match_next_end(struct pl_text *name, char separator)
{
	const char *found =
		name->length && separator ? memchr(name->at, separator, name->length) : NULL;

	if (!found)
		return false;
	name->length -= (size_t)(found + 1 - name->at);
	name->at = found + 1;
	return true;
}

#endif
