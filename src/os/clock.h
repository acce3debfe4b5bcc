/* The clocks of the machine: ticks for stamps, and the two clocks they are compared with.
 *
 * Ticks are the TSC where it is invariant, else CLOCK_MONOTONIC in nanoseconds. Which one is
 * decided once per recording, by clock_choose, and handed on in the arena.
 */
#ifndef PL_OS_CLOCK_H
#define PL_OS_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum clock_source { CLOCK_TSC = 0, CLOCK_MONO = 1 };

/* CLOCK_TSC if the processor says that the TSC is constant and never stops, and the kernel has not
 * marked it unstable. */
enum clock_source clock_choose(void);

static inline uint64_t clock_ticks(enum clock_source source)
{
	struct timespec t;

#if defined(__x86_64__)
	if (source == CLOCK_TSC)
		return __rdtsc();
#endif
	(void)source;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One comparison of the clocks. */
struct clock_point {
	uint64_t ticks;
	int64_t mono_ns;
	int64_t real_ns;
	int64_t error_ns; /* the readings are at most this far apart */
};
/* The best of a few tries. */
struct clock_point clock_compare(enum clock_source source);

#endif
