/* Time, shared among lines and contexts: what of a span between two stamps belongs to whom.
 *
 *	stamp S0        rows of the span                  S1: the next stamp of the thread
 *	  |  a  b  a  b  a  b  …  a  c                     |
 *	  |<------ at most a tick ----->|<-- only the last row can have taken this --|
 *	            x     x                    x             samples within the span
 *
 * A span's time is exact. What is not is who took it. Three things tell, in this order:
 *
 *	1. where the rows lie: all events of a span came within a tick of the collector, so what is
 *	   longer belongs to what ran last: from the last recorded event on, the tail
 *	2. the samples within the span
 *	3. what a row of that line costs by all samples: (samples + A) / (rows + A / mean), which is the
 *	   mean cost of a row for a line that was never seen, and its own for one that often was
 *
 * 2 and 3 are added, 3 with the weight of PRIOR samples: in a loop of microseconds a span has hundreds
 * of rows and at most a sample, so it is shared as all such loops were; in a line that blocks for long,
 * the samples of that very moment decide.
 *
 * A row is a piece of the path up to the next row; it is of the line that runs behind it: of an entry
 * the callee's first one. A line's time goes to the contexts of its code, by their rows in the span; that of the tail
 * to the context in which it stood.
 */
#ifndef PL_TRACE_SHARE_H
#define PL_TRACE_SHARE_H

#include "base/map.h"
#include "pathline/profile.h"
#include "trace/contexts.h"

#define TAIL_MAX 64 /* rows of a tail; of more the last ones */

struct shared_line {
	const struct pl_code *code; /* NULL: nothing of Python ran */
	int32_t line;
	uint32_t of_code; /* index */
	uint64_t hits, samples;
	double rows;	/* in all, or so; what its cost is reckoned from */
	double seen[2]; /* weights of samples: computing, waiting */
	double ns[2];
	struct pl_longest longest;
	/* of the span */
	double span_seen[2], span_ns[2], tail_ns;
	double span_rows;
	uint32_t tail_rows;
	bool touched;
};

struct shared_code {
	const struct pl_code *code;
	uint64_t samples;
	struct pl_longest longest;
	uint32_t node;	   /* a context of it, 0: none was met */
	double owed_ns[2]; /* samples saw it before the path did: of the first one that is met */
	/* of the span */
	double span_ns[2];
	double span_rows;
	bool touched;
};

/* All zero but r is ready. */
struct share {
	struct pl_recording *r;
	struct shared_line *lines; /* owned */
	uint32_t line_count, line_room;
	struct shared_code *codes; /* owned */
	uint32_t code_count, code_room;
	struct pl_map places;	/* code index << 32 | line -> index + 1 */
	struct pl_map code_map; /* address of a code -> index + 1 */
	double rows_all, seen_all;
	/* of the span */
	uint32_t *touched; /* owned: lines; line_room of them */
	uint32_t touched_count;
	uint32_t *touched_codes; /* owned; code_room of them */
	uint32_t touched_code_count;
	struct share_tail {
		uint32_t line, node;
	} tail[TAIL_MAX];
	uint32_t tail_count;
	/* the last place that was looked up */
	const struct pl_code *last_code;
	int32_t last_line;
	uint32_t last;
};

/* By the first of a code's plans. Valid until another is made; NULL: no memory. */
struct shared_line *share_line(struct share *s, const struct pl_code *plan, int32_t line);
/* UINT32_MAX: no memory. */
uint32_t share_code(struct share *s, const struct pl_code *code);

/* So many rows of the span are of that line. PL_ERR_MEMORY. */
int share_rows(struct share *s, const struct pl_code *code, int32_t line, double rows);
/* A sample of the span. */
int share_sample(
	struct share *s, const struct pl_code *code, int32_t line, double weight, bool waiting);
/* A row of the tail, in that node; share_rows has it too. */
int share_tail(struct share *s, const struct pl_code *code, int32_t line, uint32_t node);
void share_begin_tail(struct share *s);

/* Share the span's time; at least tail_ns of it belongs to the tail. Behind it lines have their span_ns until share_forget. */
void share_out(struct share *s, struct contexts *x, double ns, double tail_ns);
/* The line that got most of the span's time, of its tail if there is one; NULL: none. *node: its context, 0: not known. */
const struct shared_line *share_most(const struct share *s, uint32_t *node);
void share_forget(struct share *s, struct contexts *x);
/* Behind the last span: what is still owed goes to contexts of its own. */
void share_settle(struct share *s, struct contexts *x);
void share_release(struct share *s);

#endif
