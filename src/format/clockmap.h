/* From ticks to time: the recording's clock, as CLOCK records pin it to CLOCK_MONOTONIC and
 * CLOCK_REALTIME.
 *
 *	mono ^                            x P3     P0 to P1, P2 to P3: the usual slope
 *	     |                          .
 *	     |                        .            P1 to P2: an odd period, here a suspend: ticks went
 *	     |        P1  suspend   .              on, time stood still
 *	     |       x . . . . . . x
 *	     |     .                 P2
 *	     |   x P0
 *	     +------------------------------> ticks
 *
 * Between two points the clock runs straight. A period whose slope is not that of the others has
 * had a suspend (ticks went on, time stood still) or a stop of the ticks: there time runs with the
 * usual slope from the point before, or back from the point behind. Outside of the points the last
 * good slope goes on.
 *
 * CLOCK_REALTIME is mono plus the difference that the point before had: a step (NTP, suspend) takes
 * effect at the point that saw it first, and how far off a time in between can be goes into its
 * error. A step backwards must not turn time around: it stands still until the clock has caught up.
 * So time never goes backwards with ticks, whatever the order in which it is asked for.
 *
 * Samples come from a file: every sum is clamped, none may overflow.
 *
 * Pure: no clock here, only numbers; the tests' clocks are fake ones.
 */
#ifndef PL_FORMAT_CLOCKMAP_H
#define PL_FORMAT_CLOCKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A CLOCK record. */
struct clock_sample {
	uint64_t ticks;
	int64_t mono_ns;
	int64_t real_ns;
	int64_t error_ns;   /* the readings lie so close together */
	uint64_t gap_ticks; /* the longest time between two ticks of the collector since the sample
			       before; 0: not known */
};

struct clockmap_point {
	struct clock_sample s;
	int64_t floor_ns; /* CLOCK_REALTIME is at least this from here on */
};

/* Invariant: points by strictly growing ticks, mono never falling. */
struct clockmap {
	struct clockmap_point *points; /* owned */
	size_t count, room;
	double slope;	   /* ns a tick: the usual one; 0: not known (fewer than two points) */
	bool ticks_are_ns; /* the clock is CLOCK_MONOTONIC itself */
};

struct clock_time {
	int64_t mono_ns;
	int64_t real_ns;
	int64_t error_ns; /* of the conversion alone */
	int64_t gap_ns;	  /* the longest time between two ticks there; INT64_MAX: not known */
};

/* PL_ERR_FORMAT: it does not come after the last one, and is not taken. PL_ERR_MEMORY. */
int clockmap_add(struct clockmap *m, const struct clock_sample *s);
/* Once after adding, before asking. */
void clockmap_settle(struct clockmap *m);
/* Without any point everything is at 0, and the error says that nothing is known. */
void clockmap_time(const struct clockmap *m, uint64_t ticks, struct clock_time *out);
/* So many ticks, in ns, by the usual slope. */
int64_t clockmap_span(const struct clockmap *m, uint64_t ticks);
void clockmap_release(struct clockmap *m);

#endif
