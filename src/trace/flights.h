/* Exceptions, from where they are raised to where they are handled.
 *
 *	RAISE f:3   UNWIND f   RAISE g:9   HANDLED g:10   (RERAISE g:12: a finally had it)   ...
 *	                                                                        handled at g:10
 *
 * A flight begins with a RAISE that is not the continuation of another flight. When it is handled
 * it is counted at once, and subtracted again if it continues from there. If it leaves a frame and
 * does not arrive in the frame below, the C code between them swallowed it. If its frame continues
 * after it, it was swallowed there, as the StopIteration that ends a loop or an await.
 *
 * A frame lets go of the generator of its loop before the exception leaves it. The flight waits
 * meanwhile:
 *
 *	RAISE f:3   THROW gen   RAISE gen:7   UNWIND gen   UNWIND f   ...
 *	            `------- another flight ----------'    the first one again
 */
#ifndef PL_TRACE_FLIGHTS_H
#define PL_TRACE_FLIGHTS_H

#include "base/map.h"
#include "pathline/profile.h"
#include "trace/contexts.h"

#define FLIGHTS_MAX 65536u

/* One that is on its way. */
struct flight {
	const char *type;
	const struct pl_code *code; /* where it was raised */
	int32_t line;
	uint32_t thread_number; /* and which event of the path that was */
	uint64_t raised_seq;
	int64_t raised_ns;
	uint64_t seq; /* of its last event */
	/* where it was last; after it left a frame, the frame below */
	const struct pl_code *at_code;
	int32_t at_line;
	uint32_t level; /* the depth of that frame */
	bool left;	/* the last event was that it left a frame */
	bool thrown;	/* or a THROW after that, into the frame that awaits */
	/* Of the frame that it left last: */
	bool task;		      /* it was the first of a task or a greenlet */
	bool thread;		      /* the bottom one of another thread than 0, which ended */
	const struct pl_code *bottom; /* its code, if it was the bottom one of thread 0 */
};

/* Which event raised it. */
struct flight_before {
	uint32_t thread;
	uint64_t seq;
	int64_t ns;
};

#define FLIGHTS_HELD 8

struct flights {
	struct pl_profile_exception *rows; /* owned: public ones, as they are counted */
	/* owned, of each row: the one that was its last, before that which is now */
	struct flight_before *before;
	uint32_t count, room;
	struct pl_map places; /* hash of a row -> index + 1 */
	bool open;	      /* `now` has begun in this thread and has not ended */
	struct flight now;
	struct flight held[FLIGHTS_HELD]; /* they wait until finalisers have run */
	uint32_t held_count;
};

/* To be called after a row of the thread. The contexts have its frame as the top one, even if it is
 * gone by now. `bottom`: the frame is the first one of its thread. PL_ERR_MEMORY. */
int flights_row(struct flights *f, struct contexts *x, const struct pl_event *row, bool bottom);
/* To be called after UNWIND: where the frame below is. */
void flights_below(struct flights *f, const struct pl_code *code, int32_t line);
/* To be called before the first row of a thread. */
void flights_restart(struct flights *f);
/* The thread's path ends, before the row with this number. */
int flights_end(struct flights *f, uint64_t next_seq);
void flights_release(struct flights *f);

#endif
