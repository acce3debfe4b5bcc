/* A profile while the path is walked (profile.c), and afterwards (tables.c). */
#ifndef PL_TRACE_PROFILE_H
#define PL_TRACE_PROFILE_H

#include "pathline/profile.h"
#include "trace/flights.h"
#include "trace/samples.h"
#include "trace/seek.h"
#include "trace/share.h"

#define TIME_NS_MAX  (INT64_MAX / 4) /* 73 years; the sum of two does not overflow */
#define RECENT_SPANS 1024u	     /* a power of two */
#define LEFT_MAX     64u
#define BLOCKS_MAX   4096u
#define TASKS_MAX    65536u /* the last one has the sum of all others */

/* A task, while it is counted. */
struct profile_task {
	struct pl_profile_task public; /* its name is owned */
	uint64_t first, last;	       /* ticks */
	uint32_t line;		       /* where most of the longest stretch was, + 1 */
};

/* What took most of a span. */
struct profile_recent {
	uint64_t ticks;
	uint32_t line, node;
	double ns;
};

/* Where the top frame was before a row, and the depth of the stack. */
struct stood {
	uint32_t depth;
	const struct pl_code *code;
	int32_t line;
};

/* A frame whose line was over in the tail of a span. When it was over is known at the end of the
 * span. */
struct profile_left {
	struct context_frame frame; /* as it was */
	struct stood stood;	    /* code NULL: its line began in the tail */
	uint32_t tail;		    /* rows of the tail up to there */
	bool gone;		    /* the frame was left */
};

/* At the border of a part (parts.h): a frame that is open there, or a line or frame that ended and
 * began in an earlier part. */
struct profile_border {
	uint32_t thread, depth;
	const struct pl_code *code; /* of what ended */
	int32_t line;
	bool of_frame;
	uint64_t since, entered; /* of what ended: `since` is the time of the end */
};

struct profile_borders {
	struct profile_border *at; /* owned */
	uint32_t count, room;
};

struct pl_profile {
	struct pl_recording *r;
	struct pl_profile_wanted wanted;
	struct share share;
	struct contexts contexts;
	struct strides strides;
	struct flights flights;
	double idle_ns, lost_ns;
	uint64_t blocks_done, blocks_all;
	int64_t tick_ns;

	struct profile_task *tasks; /* owned */
	uint32_t task_count, task_room;
	struct pl_map task_index; /* hash of its number, or name -> index + 1 */
	/* owned: BLOCKS_MAX; the first block_count are a heap, with the shortest on top */
	struct pl_profile_block *blocks;
	uint32_t block_count;
	uint64_t more_blocks;

	uint32_t part, parts; /* parts 0: it is not divided */
	struct profile_borders open_frames, ended;

	/* of the thread */
	uint64_t last_block; /* its part ends before this block, dropped ones counted */
	bool fresh;	     /* a part begins: since when frames are there is not known */
	struct walk walk;
	struct thread_entry *thread;
	struct samples_walk samples;
	struct sample sample; /* the next one of the thread */
	bool has_sample;
	uint64_t implied; /* rows without an event so far */
	uint64_t open_ticks;
	/* the wait of its event loop in the span that is being closed */
	uint64_t idle_from, idle_to;
	bool open;
	struct profile_recent recent[RECENT_SPANS];
	uint32_t recent_count;
	struct profile_left left[LEFT_MAX];
	uint32_t left_count;
	uint32_t tail_line; /* depth of the frame whose line began in the tail; 0: none */
	struct pl_err *err;

	struct pl_profile_tables tables; /* each owned */
};

/* Update a longest duration with one between two times (as in context_frame). Is it the new
 * longest? */
bool profile_longest(const struct pl_profile *p, struct pl_longest *l, uint64_t from, uint64_t to);

/* Make an empty profile, then gather all of its part. Results as pl_profile_new; PL_END + 1:
 * progress stopped it. */
int profile_begin(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err);
int profile_gather(struct pl_profile *p, struct pl_err *err);

/* tables.c: set p->tables. PL_ERR_MEMORY. */
int profile_finish(struct pl_profile *p);
void profile_release_tables(struct pl_profile *p);

#endif
