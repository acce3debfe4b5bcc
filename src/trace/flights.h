/* Exceptions on their way: from where they are raised to where they are handled.
 *
 *	RAISE f:3   UNWIND f   RAISE g:9   HANDLED g:10   (RERAISE g:12: a finally had it)   …   handled at g:10
 *
 * A flight begins with a RAISE that no flight arrives with. Where it is handled it is counted at once, and taken back when it goes on
 * from there. One that leaves a frame and does not arrive in the one below was swallowed by the C code between; one behind which its
 * frame goes on was swallowed there: the StopIteration at which a loop or an await ends.
 */
#ifndef PL_TRACE_FLIGHTS_H
#define PL_TRACE_FLIGHTS_H

#include "base/map.h"
#include "pathline/profile.h"
#include "trace/contexts.h"

#define FLIGHTS_MAX 65536u

struct flight {
	const char *type;
	const struct pl_code *code;
	int32_t line;
};

struct flights {
	struct pl_profile_exception *rows; /* owned: public ones, as they are counted */
	uint32_t count, room;
	struct pl_map places; /* hash of a row -> index + 1 */
	bool open;	      /* one is on its way in this thread */
	struct flight now;
	uint64_t seq;	  /* of its last row */
	bool left;	  /* it has left a frame with that */
	struct flight at; /* where it was seen last: behind that, where the frame below stands */
};

/* Behind a row of the thread; the contexts have its frame as the top one, also where it is gone by now. PL_ERR_MEMORY. */
int flights_row(struct flights *f, struct contexts *x, const struct pl_event *row);
/* Behind one of UNWIND: where the frame below stands. */
void flights_below(struct flights *f, const struct pl_code *code, int32_t line);
/* The thread's path ends, before a row of this number. */
int flights_end(struct flights *f, uint64_t next_seq);
void flights_release(struct flights *f);

#endif
