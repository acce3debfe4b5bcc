/* Exceptions on their way: from where they are raised to where they are handled.
 *
 *	RAISE f:3   UNWIND f   RAISE g:9   HANDLED g:10   (RERAISE g:12: a finally had it)   …   handled at g:10
 *
 * A flight begins with a RAISE that no flight arrives with. Where it is handled it is counted at once, and taken back when it goes on
 * from there. One that leaves a frame and does not arrive in the one below was swallowed by the C code between.
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
	bool left;	     /* it has left a frame with the last row */
	uint64_t left_seq;   /* the row's */
	struct flight below; /* where the frame below stands then */
};

/* Behind a row of the thread; the contexts have its frame as the top one, also where it is gone by now. PL_ERR_MEMORY. */
int flights_row(struct flights *f, struct contexts *x, const struct pl_event *row);
/* Behind one of UNWIND: where the frame below stands. */
void flights_below(struct flights *f, const struct pl_code *code, int32_t line);
/* The thread's path ends. */
int flights_end(struct flights *f);
void flights_release(struct flights *f);

#endif
