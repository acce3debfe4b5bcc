/* The known word that somebody may have meant. */
#ifndef PL_BASE_NEAREST_H
#define PL_BASE_NEAREST_H

/* The nearest of `known` (NULL at its end) by edit distance, or NULL when none is near: at most a
 * third of the longer word's letters may differ. */
const char *nearest_word(const char *word, const char *const *known);

#endif
