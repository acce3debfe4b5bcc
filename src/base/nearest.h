/* The known word that a person may have meant. */
#ifndef PL_BASE_NEAREST_H
#define PL_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* The nearest word of `known` (which ends with NULL) by edit distance. NULL: none is near; at most
 * a third of the longer word's letters may differ. */
const char *nearest_word(const char *word, const char *const *known);

/* The same, word after word: is it near enough, and nearer than *edits, at first SIZE_MAX? Then its
 * distance is the new *edits. */
bool nearest_is_nearer(const char *word, const char *other, size_t *edits);

#endif
