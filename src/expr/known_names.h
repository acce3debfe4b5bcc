/* Names that there are, and which of them someone may have meant who gave another one:
 *
 *	; nearest: orders, 1,204 calls
 *	; there is: MainThread; worker; …
 */
#ifndef PL_EXPR_KNOWN_NAMES_H
#define PL_EXPR_KNOWN_NAMES_H

#include "base/map.h"
#include "pathline/values.h"

#define KNOWN_NAMES_MAX	  4096 /* different names that are compared; the rest is not */
#define KNOWN_NAMES_BYTES 256  /* of what is said */

/* All zero: none. */
struct known_names {
	char **words;	 /* owned; KNOWN_NAMES_MAX and a NULL */
	uint64_t *calls; /* owned; of each; 0: it is not said */
	size_t count;
	struct pl_map places; /* owned: hash -> index + 1 */
};

/* A name that is there already has more calls. Without memory it is not added. */
void known_names_add(struct known_names *names, struct pl_text name, uint64_t calls);
bool known_names_has(const struct known_names *names, struct pl_text name);
/* NULL: none is near. */
const char *known_names_nearest(const struct known_names *names, struct pl_text given);
/* The nearest one; none is near: those that were called most. "": there are none. */
void known_names_say(
	const struct known_names *names, struct pl_text given, char text[KNOWN_NAMES_BYTES]);
void known_names_release(struct known_names *names);

/* What was given, without the signs that stand for anything. */
#define PLAIN_WORD_BYTES 64
void known_names_plain(struct pl_text given, char word[PLAIN_WORD_BYTES]);

#endif
