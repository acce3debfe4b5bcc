/* Divide the time of a span between two stamps among lines and contexts.
 *
 *   stamp S0        rows of the span                  S1: the next stamp of the thread
 *     |  a  b  a  b  a  b  ...  a  c                   |
 *     |<------ at most a tick ----->|<-- only the last row can have taken this --|
 *               x     x                    x             samples within the span
 *
 * The time of a span is exact. How it is divided is estimated, from three sources in this order:
 *
 *   1. where the rows are: all events of a span came within a tick of the collector, so the rest of
 *      the time belongs to what ran last: from the last recorded event on, the tail
 *   2. the samples within the span
 *   3. the cost of a row of that line, from all samples: (samples + A) / (rows + A / mean). This is
 *      the mean cost for a line that was never seen, and its own for one that was seen often
 *
 * 2 and 3 are added; 3 has the weight of PRIOR looks. In a loop of microseconds a span has
 * hundreds of rows and at most one sample, so it is divided as all such loops were. For a line that
 * blocks long, the samples of that time decide.
 *
 * A row is the part of the path up to the next row. It belongs to the line that runs after it; a
 * call belongs to the first line of the callee. The time of a line is divided among the contexts of
 * its code by their rows in the span; the time of the tail belongs to the context in which it was.
 */
#ifndef PL_TRACE_SHARE_H
#define PL_TRACE_SHARE_H

#include "base/map.h"
#include "pathline/profile.h"
#include "trace/contexts.h"

#define TAIL_MAX 64 /* rows of a tail; of a longer one the last rows */

/* The gaps between looks in which a line or a function can have run without being seen, in all
 * spans: their sum, and the sum of their products with the distance of the looks around each. */
struct share_doubt {
	double hidden_ns, apart_ns2;
	double span_hidden_ns, span_apart_ns; /* of the span */
};

struct shared_line {
	const struct pl_code *code; /* NULL: no Python code ran */
	int32_t line;
	uint32_t of_code; /* index */
	uint64_t hits, samples;
	double rows;	/* of all spans, approximately; its cost is computed from this */
	double seen[2]; /* weights of samples: computing, waiting */
	double ns[2];
	double sure_ns; /* of them, in spans of this line alone: stamps prove them */
	struct share_doubt doubt;
	double unsure_ns; /* of the ends of paths: may be its time, without a sample */
	bool possible;	  /* it may have run there */
	struct pl_longest longest;
	/* of the span */
	double span_seen[2], span_ns[2], tail_ns;
	double span_rows;
	uint32_t tail_rows;
	bool touched;
	double recent_ns; /* 0 but in blocks_most */
};

struct shared_code {
	const struct pl_code *code;
	uint64_t samples;
	struct pl_longest longest;
	struct share_doubt doubt;
	uint32_t node; /* one of its contexts, 0: none yet */
	/* samples saw the code before its path did: this time belongs to its first context */
	double owed_ns[2];
	double unsure_ns;   /* as of a line, cumulated */
	uint32_t unsure_of; /* that has this time of a thread, number + 1 */
	/* of the span */
	double span_ns[2];
	double span_rows;
	bool touched;
};

/* All zero except r is valid. */
struct share {
	struct pl_recording *r;
	struct shared_line *lines; /* owned */
	uint32_t line_count, line_room;
	struct shared_code *codes; /* owned */
	uint32_t code_count, code_room;
	struct pl_map places;	/* code index << 32 | line -> index + 1 */
	struct pl_map code_map; /* address of a code -> index + 1 */
	double rows_all, seen_all;
	double looks_all;	  /* weights of samples as they are stored */
	double sure_all_ns;	  /* of all lines */
	double sure_calls_all_ns; /* of all contexts */
	/* of the span */
	uint32_t *touched; /* owned: lines; line_room of them */
	uint32_t touched_count;
	uint32_t *touched_codes; /* owned; code_room of them */
	uint32_t touched_code_count;
	struct share_tail {
		uint32_t line, node, task; /* task: as in profile_task_of; set for blocks */
	} tail[TAIL_MAX];
	uint32_t tail_count;
	/* the last place that was looked up */
	const struct pl_code *last_code;
	int32_t last_line;
	uint32_t last;
};

/* By the first of a code's plans. Valid until the next line is made; NULL: no memory. */
struct shared_line *share_line(struct share *s, const struct pl_code *plan, int32_t line);
/* UINT32_MAX: no memory. */
uint32_t share_code(struct share *s, const struct pl_code *code);

/* This number of rows of the span belongs to that line. PL_ERR_MEMORY. */
int share_rows(struct share *s, const struct pl_code *code, int32_t line, double rows);
/* A sample of the span. */
int share_sample(
	struct share *s, const struct pl_code *code, int32_t line, double weight, bool waiting);
/* A row of the tail, in that node; share_rows must get it too. */
int share_tail(struct share *s, const struct pl_code *code, int32_t line, uint32_t node);
void share_begin_tail(struct share *s);
/* Take back the tail's last row, if there is one. */
void share_shorten_tail(struct share *s);

/* Divide the span's time; at least tail_ns of it belongs to the tail. Afterwards lines have their
 * span_ns, until share_forget. */
void share_out(struct share *s, struct contexts *x, double ns, double tail_ns);
/* Are all rows of the span, so far, of one line; of one context? */
bool share_is_one(const struct share *s);
bool share_is_one_call(const struct share *s, const struct contexts *x);
/* Was anything of this line in the span, so far? */
bool share_touched(struct share *s, const struct pl_code *code, int32_t line);
/* To be called after share_out for a span of one context, and one line or not, if the stamps at
 * both its ends are the times of its ends: all its time is theirs, and nothing of that is
 * estimated. */
void share_sure(struct share *s, struct contexts *x, double ns, bool one_line);
/* The line that got most of the span's time, or of its tail if there is one; NULL: none. *node: its
 * context, 0: not known. */
const struct shared_line *share_most(const struct share *s, uint32_t *node);
void share_forget(struct share *s, struct contexts *x);
/* To be called after the last span: time that is still owed goes to contexts of its own. */
void share_settle(struct share *s, struct contexts *x);
void share_release(struct share *s);

#endif
