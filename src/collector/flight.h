/* The flight recorder: a recording that is kept in memory, of which the newest is written out when
 * something happens.
 *
 *	/dev/shm/pathline-1000-….flight/   meta, events.000007, …    by the store, as on disk
 *	                     | a trigger: all that is there is copied, with an END
 *	                     v
 *	FOLDER/261128-101112-name/         a recording like any other
 *
 * The recording in memory is a recording like any other in a directory on tmpfs: so limits,
 * readers, snapshots and finishers are the same. The alternative, descriptors without names, would
 * be lost with the collector.
 *
 * What triggers: an exception that nobody handled and slow sections, of which the recorder tells in
 * the arena (flight_wanted); a process that a signal ended; the death of the collector itself. A
 * trigger is acted on a moment later, so that what follows from it is in the recording, and at once
 * where the recording ends. Triggers that come shortly after are taken together, and their number
 * is limited: a program with 1,000 exceptions a second must not fill the disk.
 */
#ifndef PL_COLLECTOR_FLIGHT_H
#define PL_COLLECTOR_FLIGHT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct collector;
struct arena_head;

#define FLIGHT_NAME_BYTES 256
#define FLIGHT_AFTER_NS	  INT64_C(500000000)   /* from a trigger to the copy */
#define FLIGHT_APART_NS	  INT64_C(10000000000) /* from one copy to the next, at least */
#define FLIGHTS_MAX	  20		       /* copies of a run, beside that of its end */

/* What the command says. */
struct flight_wish {
	int64_t span_ns;    /* so much is kept; 0: it is no flight recorder */
	const char *folder; /* absolute: where recordings are written */
	const char *name;   /* of the program, for their names */
};

/* All zero: it is no flight recorder. */
struct flight {
	bool on;
	char folder[PATH_MAX], name[FLIGHT_NAME_BYTES];
	uint32_t heard; /* of the arena's flight_wanted */
	bool wanted;
	int64_t wanted_ns, written_ns; /* the last trigger; the last copy, if there is one */
	uint32_t written;	       /* copies */
	int failed;		       /* errno of the last copy, if it failed */
	char last[PATH_MAX];	       /* the last copy; "": none */
};

/* How much there may be: `limit_bytes`, but at most half of what is free in memory; 0: what it is
 * without a limit given. */
uint64_t flight_limit(uint64_t limit_bytes);

/* The collector begins: what was wished is in its state and in the arena. */
void flight_begin(struct collector *c, const struct flight_wish *wish);
/* Take over from a collector that died: then there is a trigger. */
void flight_resume(struct collector *c);
/* Something happened. */
void flight_trigger(struct collector *c, int64_t now_ns);
/* Look at the arena, and copy if it is time. */
void flight_round(struct collector *c, int64_t now_ns);
/* The END is written: copy what is still to be copied, and remove the directory in memory. */
void flight_end(struct collector *c);

#endif
