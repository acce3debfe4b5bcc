/* Names that occurred in the values of a recording, to tell a person who asked for another one. */
#ifndef PL_CMD_SIGHTED_NAMES_H
#define PL_CMD_SIGHTED_NAMES_H

#include "base/map.h"
#include "pathline/pathline.h"

/* Further ones are not kept. */
#define SIGHTED_NAMES_MAX 4096u

/* All zero is empty. */
struct sighted_names {
	struct pl_map known;			  /* owned: hashes of those that are there */
	const char *words[SIGHTED_NAMES_MAX + 1]; /* owned, each; ends with NULL */
	size_t count;
};

/* false: no memory. */
bool sighted_names_add(struct sighted_names *names, struct pl_text name);
/* Names of the attributes of an object, of the fields of a named tuple, and keys of a dict. */
bool sighted_names_add_parts(struct sighted_names *names, const struct pl_value *value);
/* Those that are nearest to the word, or else the first ones, as a text: "left, last, item". At
 * most `max` bytes with the NUL; "": there are none. */
void sighted_names_say(const struct sighted_names *names, const char *word, char *text, size_t max);
void sighted_names_release(struct sighted_names *names);

#endif
