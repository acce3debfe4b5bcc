#include "os/clock.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Does it have a constant rate, whatever the processor's frequency, and never stop? The kernel says
 * so by constant_tsc and nonstop_tsc, in a file that takes longer to read the more processors there
 * are. */
static int is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}

static int file_has(const char *path, const char *word)
{
	char line[8192];
	FILE *f = fopen(path, "re");
	int found = 0;

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof line, f))
		found = strstr(line, word) != NULL;
	fclose(f);
	return found;
}
#endif

enum clock_source clock_choose(void)
{
#if defined(__x86_64__)
	/* The kernel removes the TSC from this list when it finds it unstable. */
	if (file_has("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc") &&
		is_invariant())
		return CLOCK_TSC;
#endif
	return CLOCK_MONO;
}

static int64_t read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Ticks and CLOCK_REALTIME are read between two readings of CLOCK_MONOTONIC: the shorter the
 * interval, the better they belong together. An interrupt between them spoils one try, not all. */
struct clock_point clock_compare(enum clock_source source)
{
	struct clock_point best = {.error_ns = INT64_MAX};

	for (int i = 0; i < 8; i++) {
		int64_t before = read_ns(CLOCK_MONOTONIC);
		uint64_t ticks = clock_ticks(source);
		int64_t real = read_ns(CLOCK_REALTIME);
		int64_t after = read_ns(CLOCK_MONOTONIC);
		if (after - before < best.error_ns)
			best = (struct clock_point){
				ticks, before + (after - before) / 2, real, after - before};
	}
	return best;
}
