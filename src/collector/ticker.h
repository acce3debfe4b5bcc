/* The tick and the CLOCK records: what turns ticks into time later.
 *
 * The collector stores the current ticks in the arena about every millisecond; recorders stamp
 * their next event when that word has changed. A CLOCK record compares ticks, CLOCK_MONOTONIC and
 * CLOCK_REALTIME: at the start, 20 ms and a second after it (so that short runs have a slope, and
 * those that are followed), every ten seconds in its first hour, then at growing distance up to ten
 * minutes, when CLOCK_REALTIME was set or the machine slept, and at the end. Each has the longest
 * time between two stores since the record before it, which is the error of every stamp there.
 */
#ifndef PL_COLLECTOR_TICKER_H
#define PL_COLLECTOR_TICKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "os/clock.h"
#include "source/source.h"

/* One reading of all clocks; tests make their own. */
struct ticker_now {
	uint64_t ticks;
	int64_t mono_ns, real_ns, boot_ns;
};

struct ticker {
	enum clock_source source;
	uint64_t last_ticks; /* the last one stored */
	uint64_t gap_ticks;  /* the greatest distance of two stores since the last CLOCK record */
	int64_t start_ns,
		next_ns; /* CLOCK_MONOTONIC: of the first record; when the next one is due */
	/* CLOCK_REALTIME and CLOCK_BOOTTIME less CLOCK_MONOTONIC, at the last record */
	int64_t real_off_ns, boot_off_ns;
	bool started;
};

/* Behind the collector's table of sources; in about.c. */
extern const struct source_operations tick_source;

void ticker_read(enum clock_source source, struct ticker_now *now);
/* Store a tick. */
void ticker_store(struct ticker *t, _Atomic uint64_t *word, uint64_t ticks);
/* Is a CLOCK record due? */
bool ticker_due(const struct ticker *t, const struct ticker_now *now);
/* A record was written: what it says as tick_gap_ticks. */
uint64_t ticker_recorded(struct ticker *t, const struct ticker_now *now);

#endif
