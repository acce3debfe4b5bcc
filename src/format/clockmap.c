#include "format/clockmap.h"

#include <stdlib.h>
#include "pathline/error.h"

#define MEDIAN_OF 31
#define DRIFT_PER                                                                                  \
	2000 /* after the last point: 1 ns of error for each 2,000 ns, the most that NTP slews */
#define ODD_SLOPE_PER	 500 /* a period is odd if its slope differs by more than 1 in 500 */
#define NANOS_A_TICK_MAX 1   /* no TSC runs slower than 1 GHz */

/* ---- sums of numbers from a file: clamped, they do not wrap ---- */

static int64_t add_clamped(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int64_t subtract_clamped(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return b < 0 ? INT64_MAX : INT64_MIN;
	return difference;
}

static int64_t clamped_magnitude(int64_t v)
{
	return v < 0 ? subtract_clamped(0, v) : v;
}

static int64_t from_double(double v)
{
	if (!(v < 9.2e18))
		return INT64_MAX;
	return v < -9.2e18 ? INT64_MIN : (int64_t)v;
}

static int64_t ticks_in_ns(uint64_t ticks, double slope)
{
	return from_double((double)ticks * slope);
}

int64_t clockmap_span(const struct clockmap *m, uint64_t ticks)
{
	return ticks_in_ns(ticks, m->slope > 0 ? m->slope : NANOS_A_TICK_MAX);
}

int clockmap_add(struct clockmap *m, const struct clock_sample *s)
{
	const struct clockmap_point *last = m->count ? &m->points[m->count - 1] : NULL;

	if (s->error_ns < 0 ||
		(last && (s->ticks <= last->s.ticks || s->mono_ns < last->s.mono_ns)))
		return PL_ERR_FORMAT;
	if (m->count == m->room) {
		size_t room = m->room ? m->room * 2 : 16;
		struct clockmap_point *points = realloc(m->points, room * sizeof *points);
		if (!points)
			return PL_ERR_MEMORY;
		m->points = points;
		m->room = room;
	}
	m->points[m->count++] = (struct clockmap_point){.s = *s};
	return 0;
}

/* ---- a period: between points i and i + 1 ---- */

/* Nanoseconds a tick, between two points. */
static double period_slope(const struct clockmap *m, size_t i)
{
	const struct clock_sample *a = &m->points[i].s, *b = &m->points[i + 1].s;

	return (double)subtract_clamped(b->mono_ns, a->mono_ns) / (double)(b->ticks - a->ticks);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The upper median of some periods across the recording. Of two periods it is the one in which
 * ticks did not outrun time. */
static double usual_slope(const struct clockmap *m)
{
	double slopes[MEDIAN_OF];
	size_t periods = m->count - 1;
	size_t n = periods < MEDIAN_OF ? periods : MEDIAN_OF;

	for (size_t i = 0; i < n; i++)
		slopes[i] = period_slope(m, i * periods / n);
	qsort(slopes, n, sizeof *slopes, by_value);
	return slopes[n / 2];
}

/* By how much ticks went further than time, at the usual slope; 0 if the period is a usual one.
 * Short periods are noisy because of the errors at their ends, long ones because of drift; neither
 * makes a period odd. */
static int64_t period_excess(const struct clockmap *m, size_t i)
{
	const struct clock_sample *a = &m->points[i].s, *b = &m->points[i + 1].s;
	int64_t time = subtract_clamped(b->mono_ns, a->mono_ns);
	int64_t excess = subtract_clamped(ticks_in_ns(b->ticks - a->ticks, m->slope), time);
	int64_t noise = add_clamped(add_clamped(add_clamped(a->error_ns, b->error_ns),
					    add_clamped(a->error_ns, b->error_ns)),
		time / ODD_SLOPE_PER);

	return clamped_magnitude(excess) > noise ? excess : 0;
}

/* Of CLOCK_REALTIME to CLOCK_MONOTONIC, at a point. */
static int64_t realtime_offset(const struct clockmap *m, size_t i)
{
	return subtract_clamped(m->points[i].s.real_ns, m->points[i].s.mono_ns);
}

/* A step of CLOCK_REALTIME in the period; 0 if it is within the errors. */
static int64_t period_step(const struct clockmap *m, size_t i)
{
	int64_t step = clamped_magnitude(
		subtract_clamped(realtime_offset(m, i + 1), realtime_offset(m, i)));
	int64_t noise = add_clamped(m->points[i].s.error_ns, m->points[i + 1].s.error_ns);

	return step > noise ? step : 0;
}

/* A period in which ticks and time do not agree, mostly because the machine was suspended: ticks
 * may go on or stand still then. When it happened is not known. The limits of the time: not before
 * `backward`, computed from the next point, and not after `forward`, computed from the last one.
 *
 *	time   a |......forward ->         <- backward......| b
 */
static void odd_inside(
	const struct clockmap *m, size_t i, uint64_t ticks, int64_t excess, struct clock_time *out)
{
	const struct clock_sample *a = &m->points[i].s, *b = &m->points[i + 1].s;
	int64_t forward = add_clamped(a->mono_ns, ticks_in_ns(ticks - a->ticks, m->slope));
	int64_t backward = subtract_clamped(b->mono_ns, ticks_in_ns(b->ticks - ticks, m->slope));
	int64_t least = backward > a->mono_ns ? backward : a->mono_ns;
	int64_t most = forward < b->mono_ns ? forward : b->mono_ns;
	size_t side = i;

	if (excess < 0) {
		out->mono_ns = most;
		out->error_ns = add_clamped(out->error_ns, clamped_magnitude(excess));
	} else if (excess <= subtract_clamped(b->mono_ns, a->mono_ns)) {
		out->mono_ns = least;
		out->error_ns = add_clamped(
			out->error_ns, most > least ? subtract_clamped(most, least) : 0);
	} else if (forward <= b->mono_ns) {
		/* one suspend, longer than the rest of the period: this event came before it,
		 * ... */
		out->mono_ns = forward;
	} else {
		/* ... and this one after it, when CLOCK_REALTIME had made its step */
		out->mono_ns = least;
		out->error_ns = a->error_ns > b->error_ns ? a->error_ns : b->error_ns;
		side = i + 1;
	}
	out->real_ns = add_clamped(out->mono_ns, realtime_offset(m, side));
}

/* Between two points: a straight line, if the period is a usual one. */
static void time_between_points(
	const struct clockmap *m, size_t i, uint64_t ticks, struct clock_time *out)
{
	const struct clock_sample *a = &m->points[i].s, *b = &m->points[i + 1].s;
	int64_t excess = period_excess(m, i);

	out->error_ns = add_clamped(
		a->error_ns > b->error_ns ? a->error_ns : b->error_ns, period_step(m, i));
	if (!excess) {
		out->mono_ns =
			add_clamped(a->mono_ns, ticks_in_ns(ticks - a->ticks, period_slope(m, i)));
		out->real_ns = add_clamped(out->mono_ns, realtime_offset(m, i));
		return;
	}
	odd_inside(m, i, ticks, excess, out);
}

/* After the last point its own period is the best guess, unless it was an odd one. */
static double last_slope(const struct clockmap *m)
{
	if (m->count < 2)
		return m->slope;
	return period_excess(m, m->count - 2) ? m->slope : period_slope(m, m->count - 2);
}

/* Before the first point or after the last one: further on at the same speed, with an error that
 * grows. */
static void time_beyond_points(
	const struct clockmap *m, size_t i, uint64_t ticks, struct clock_time *out)
{
	const struct clock_sample *p = &m->points[i].s;
	bool later = ticks >= p->ticks;
	uint64_t distance = later ? ticks - p->ticks : p->ticks - ticks;
	double slope = later ? last_slope(m) : m->slope;

	if (slope > 0) {
		int64_t away = ticks_in_ns(distance, slope);
		out->mono_ns =
			later ? add_clamped(p->mono_ns, away) : subtract_clamped(p->mono_ns, away);
		out->error_ns = add_clamped(p->error_ns, away / DRIFT_PER);
	} else {
		/* one point, and a clock of unknown speed: only a bound is known */
		int64_t away = ticks_in_ns(distance, NANOS_A_TICK_MAX);
		out->mono_ns = later ? p->mono_ns : subtract_clamped(p->mono_ns, away);
		out->error_ns = add_clamped(p->error_ns, away);
	}
	out->real_ns = add_clamped(out->mono_ns, realtime_offset(m, i));
}

/* The last point at or before the ticks, or count if there is none. */
static size_t point_before(const struct clockmap *m, uint64_t ticks)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (m->points[middle].s.ticks <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : m->count;
}

static int64_t point_gap(const struct clockmap *m, size_t i)
{
	uint64_t ticks = m->points[i].s.gap_ticks;

	return ticks ? clockmap_span(m, ticks) : INT64_MAX;
}

static void time_of_ticks(
	const struct clockmap *m, size_t i, uint64_t ticks, struct clock_time *out)
{
	if (i == m->count)
		time_beyond_points(m, 0, ticks, out);
	else if (i + 1 == m->count)
		time_beyond_points(m, i, ticks, out);
	else
		time_between_points(m, i, ticks, out);
}

/* The floor of a point is the greatest real time just before any point up to it: what comes after
 * is not earlier. It is computed here once, so that times can be asked for in any order. */
void clockmap_settle(struct clockmap *m)
{
	int64_t floor = INT64_MIN;

	m->slope = m->ticks_are_ns ? 1 : m->count > 1 ? usual_slope(m) : 0;
	for (size_t i = 0; i < m->count; i++) {
		struct clock_time before;
		if (i) {
			time_of_ticks(m, i - 1, m->points[i].s.ticks - 1, &before);
			floor = before.real_ns > floor ? before.real_ns : floor;
		}
		m->points[i].floor_ns = floor;
	}
}

/* Real time is raised to the floor of the last point, and its error by as much: times of a thread's
 * events never go backward. */
void clockmap_time(const struct clockmap *m, uint64_t ticks, struct clock_time *out)
{
	size_t i;

	*out = (struct clock_time){.error_ns = INT64_MAX, .gap_ns = INT64_MAX};
	if (!m->count)
		return;
	i = point_before(m, ticks);
	time_of_ticks(m, i, ticks, out);
	if (i < m->count && out->real_ns < m->points[i].floor_ns) {
		out->error_ns = add_clamped(
			out->error_ns, subtract_clamped(m->points[i].floor_ns, out->real_ns));
		out->real_ns = m->points[i].floor_ns;
	}
	out->gap_ns = point_gap(m, i + 1 < m->count ? i + 1 : m->count - 1);
}

void clockmap_release(struct clockmap *m)
{
	free(m->points);
	*m = (struct clockmap){0};
}
