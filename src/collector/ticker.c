#include "collector/ticker.h"

#include <time.h>

#define SECOND_NS INT64_C(1000000000)
/* Since the last record the distance of the clocks has changed by more than this: CLOCK_REALTIME
 * was set or slewed, or the machine slept. */
#define STEP_NS INT64_C(1000000)
/* Of the first records. Two of them tell how fast the ticks are, so who follows the recording knows
 * times soon. */
#define EARLY_NS  (20 * STEP_NS)
#define FIRST_NS  SECOND_NS
#define PERIOD_NS (10 * SECOND_NS)
/* Of a recording that is old the records are as far apart as 1/360 of its age: after an hour more
 * than PERIOD_NS. meta is never dropped, and at PERIOD_NS it would grow by 190 MB a year. */
#define AGE_SHARE 360
#define LAST_NS	  (600 * SECOND_NS)

static int64_t distance_ns(int64_t age_ns)
{
	const int64_t share_ns = age_ns / AGE_SHARE;

	if (share_ns < PERIOD_NS)
		return PERIOD_NS;
	return share_ns < LAST_NS ? share_ns : LAST_NS;
}

static int64_t read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

void ticker_read(enum clock_source source, struct ticker_now *now)
{
	now->mono_ns = read_ns(CLOCK_MONOTONIC);
	now->real_ns = read_ns(CLOCK_REALTIME);
	now->boot_ns = read_ns(CLOCK_BOOTTIME);
	now->ticks = clock_ticks(source);
}

void ticker_store(struct ticker *t, _Atomic uint64_t *word, uint64_t ticks)
{
	if (t->last_ticks && ticks > t->last_ticks && ticks - t->last_ticks > t->gap_ticks)
		t->gap_ticks = ticks - t->last_ticks;
	t->last_ticks = ticks;
	atomic_store_explicit(word, ticks, memory_order_relaxed);
}

static bool stepped(int64_t was, int64_t is)
{
	return is - was > STEP_NS || was - is > STEP_NS;
}

bool ticker_due(const struct ticker *t, const struct ticker_now *now)
{
	return !t->started || now->mono_ns >= t->next_ns ||
	       stepped(t->real_off_ns, now->real_ns - now->mono_ns) ||
	       stepped(t->boot_off_ns, now->boot_ns - now->mono_ns);
}

uint64_t ticker_recorded(struct ticker *t, const struct ticker_now *now)
{
	uint64_t gap = t->gap_ticks;

	if (!t->started)
		t->start_ns = now->mono_ns;
	const int64_t since_ns = now->mono_ns - t->start_ns;
	t->started = true;
	t->next_ns = since_ns < EARLY_NS   ? t->start_ns + EARLY_NS
		     : since_ns < FIRST_NS ? t->start_ns + FIRST_NS
					   : now->mono_ns + distance_ns(since_ns);
	t->real_off_ns = now->real_ns - now->mono_ns;
	t->boot_off_ns = now->boot_ns - now->mono_ns;
	t->gap_ticks = 0;
	return gap;
}
