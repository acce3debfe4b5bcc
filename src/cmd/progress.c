#include "cmd/progress.h"

#include <stdio.h>
#include <unistd.h>
#include "base/units.h"

#define BAR_WIDTH  30
#define LEFT_MAX_S 9e9

static double seconds_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

struct progress progress_begin(void)
{
	struct progress p = {.wanted = isatty(2)};

	clock_gettime(CLOCK_MONOTONIC, &p.begin);
	return p;
}

void progress_show(struct progress *p, double done)
{
	char bar[BAR_WIDTH + 1], left[UNITS_BYTES];
	double now = p->wanted ? seconds_since(&p->begin) : 0;

	if (now < 1 || now < p->shown + 0.1)
		return;
	p->shown = now;
	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < (int)(done * BAR_WIDTH) ? '#' : '.';
	bar[BAR_WIDTH] = 0;
	const double left_s = done > 0 ? now / done - now : 0;
	units_duration(left, left_s < LEFT_MAX_S ? (int64_t)(left_s * 1e9) : INT64_MAX);
	dprintf(2, "\r[%s] %3.0f%%, %s left ", bar, 100 * done, left);
}

void progress_end(const struct progress *p)
{
	if (p->shown > 0)
		dprintf(2, "\r%60s\r", "");
}
