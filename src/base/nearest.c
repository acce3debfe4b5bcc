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

/* A bit for each character that it has, modulo 64. */
static uint64_t characters_of(const char *word)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < WORD_MAX && word[i]; i++)
		bits |= UINT64_C(1) << ((unsigned char)word[i] & 63);
	return bits;
}

/* The distance is at least so much: seen at once, as most words are far away. */
static size_t least_distance(const char *a, const char *b)
{
	const size_t n = length_of(a), m = length_of(b), lengths = n > m ? n - m : m - n;
	const uint64_t x = characters_of(a), y = characters_of(b);
	const size_t left = (size_t)__builtin_popcountll(x & ~y);
	const size_t right = (size_t)__builtin_popcountll(y & ~x);
	const size_t letters = left > right ? left : right;

	return letters > lengths ? letters : lengths;
}

/* At most a third of the longer word may be wrong: what is further away does not help. */
bool nearest_is_nearer(const char *word, const char *other, size_t *edits)
{
	const size_t longer =
		length_of(word) > length_of(other) ? length_of(word) : length_of(other);
	size_t d = least_distance(word, other);

	if (d >= *edits || d * 3 > longer)
		return false;
	d = distance(word, other);
	if (d >= *edits || d * 3 > longer)
		return false;
	*edits = d;
	return true;
}

/* Of several the first one is taken. */
const char *nearest_word(const char *word, const char *const *known)
{
	const char *best = NULL;
	size_t least = SIZE_MAX;

	for (; *known; known++)
		if (nearest_is_nearer(word, *known, &least))
			best = *known;
	return best;
}
