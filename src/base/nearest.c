#define _GNU_SOURCE
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 64 /* longer words are cut before the comparison */

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Edit distance, in which exchanging two neighbours is one edit. */
static size_t distance(const char *a, const char *b)
{
	size_t n = strnlen(a, WORD_MAX), m = strnlen(b, WORD_MAX);
	size_t rows[3][WORD_MAX + 1];
	size_t *older = rows[0], *old = rows[1], *now = rows[2];

	for (size_t j = 0; j <= m; j++)
		old[j] = j;
	for (size_t i = 1; i <= n; i++) {
		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = min3(
				old[j] + 1, now[j - 1] + 1, old[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				older[j - 2] + 1 < now[j])
				now[j] = older[j - 2] + 1;
		}
		size_t *spare = older;
		older = old, old = now, now = spare;
	}
	return old[m];
}

static size_t length_of(const char *word)
{
	return strnlen(word, WORD_MAX);
}

/* At most a third of the longer word may be wrong: what is further away does not help. Of several
 * the first one is taken. */
const char *nearest_word(const char *word, const char *const *known)
{
	const char *best = NULL;
	size_t least = SIZE_MAX;

	for (; *known; known++) {
		size_t longer =
			length_of(word) > length_of(*known) ? length_of(word) : length_of(*known);
		size_t d = distance(word, *known);
		if (d < least && d * 3 <= longer) {
			least = d;
			best = *known;
		}
	}
	return best;
}
