/* Random numbers that a test can repeat: the same seed gives the same run everywhere. */
#ifndef PL_TESTS_RANDOM_H
#define PL_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* From 0 to n-1; n > 0. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)(random_next(r) % n);
}

static inline void random_fill(struct random *r, void *out, size_t n)
{
	unsigned char *bytes = out;

	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)random_next(r);
}

#endif
