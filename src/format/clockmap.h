/* From ticks to time: CLOCK records relate the recording's clock to CLOCK_MONOTONIC and
 * CLOCK_REALTIME.
 *
 *   mono ^                            x P3     P0 to P1, P2 to P3: the usual slope
 *        |                          .
 *        |                        .            P1 to P2: an odd period, here a suspend: ticks went
 *        |        P1  suspend   .              on, time stood still
 *        |       x . . . . . . x
 *        |     .                 P2
 *        |   x P0
 *        +------------------------------> ticks
 *
 * Between two points the clock is a straight line. A period whose slope differs from the others had
 * a suspend (ticks went on, time stood still) or a stop of the ticks. There, time has the usual
 * slope, forward from the point before, or backward from the point after. Outside of all points the
 * nearest good slope continues.
 *
 * CLOCK_REALTIME is mono plus the difference at the point before. A step of it (NTP, suspend) takes
 * effect at the first point that saw it; how wrong a time before that point can be is part of its
 * error. A step backward does not turn time around: time stands still until the clock has caught
 * up. So time never goes backward with ticks, in whatever order it is asked for.
 *
 * The points come from a file, so every sum is clamped, and none can overflow.
 *
 * Pure: it reads no clock. Tests use invented ones.
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
	int64_t error_ns;   /* the two clocks were read within this time */
	uint64_t gap_ticks; /* the longest time between two ticks of the collector since the sample
			       before; 0: not known */
};

struct clockmap_point {
	struct clock_sample s;
	int64_t floor_ns; /* CLOCK_REALTIME is at least this from here on */
};

/* Invariant: the ticks of points grow strictly, and mono never falls. */
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

/* PL_ERR_FORMAT: the sample is not after the last one, and is not added. PL_ERR_MEMORY. */
int clockmap_add(struct clockmap *m, const struct clock_sample *s);
/* Call it once after adding, and before asking. */
void clockmap_settle(struct clockmap *m);
/* Without any point every time is 0, and the error says that nothing is known. */
void clockmap_time(const struct clockmap *m, uint64_t ticks, struct clock_time *out);
/* This number of ticks in ns, by the usual slope. */
int64_t clockmap_span(const struct clockmap *m, uint64_t ticks);
void clockmap_release(struct clockmap *m);

#endif
