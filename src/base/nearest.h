/* The known word that a person may have meant. */
#ifndef PL_BASE_NEAREST_H
#define PL_BASE_NEAREST_H

/* The nearest word of `known` (which ends with NULL) by edit distance. NULL: none is near; at most
 * a third of the longer word's letters may differ. */
const char *nearest_word(const char *word, const char *const *known);

#endif
