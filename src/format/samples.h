/* A SAMPLES record: where threads of one process stood, as the collector saw it now and then.
 *
 *	 0         4       8            16            24        28        32          36      40
 *	| process | count | open_ticks | close_ticks | dropped | refused | raw_bytes | flags | samples …
 *
 *	sample   thread | ticks since the one before | body number + 1 | unit << 1 | waiting | weight
 *
 * A position is that of the thread's innermost frame whose code the recording knows: the code's body
 * and the unit at which the frame stood. Counts of lines are exact and come from events; how time is
 * shared among lines between two time stamps comes from these.
 *
 * A sample stands for `weight` looks: who waits at one place is looked at less often. `waiting`: the
 * thread did not run and did not ask to.
 *
 * The samples are one zstd frame with flag 1, else plain; the head is never compressed, so that an
 * index need not open them.
 *
 * Pure.
 */
#ifndef PL_FORMAT_SAMPLES_H
#define PL_FORMAT_SAMPLES_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/view.h"

#define SAMPLES_HEAD_BYTES 40
#define SAMPLES_COMPRESSED 1u

/* In the order of the bytes, each little-endian. */
struct samples_head {
	uint32_t process;
	uint32_t count;
	uint64_t open_ticks;  /* of the first sample */
	uint64_t close_ticks; /* of the last */
	uint32_t dropped; /* looks that saw no position that makes sense, since the record before */
	uint32_t refused; /* errno of the system, that lets nobody look; 0: it does */
	uint32_t raw_bytes; /* of the samples in plain */
	uint32_t flags;
};

struct sample {
	uint32_t thread;
	uint32_t weight; /* at least 1 */
	uint64_t ticks;
	uint64_t body; /* number + 1 */
	uint32_t unit;
	bool waiting;
};

/* Append one behind another; `last` is the ticks of the one before, of the first open_ticks. */
void sample_write(struct pl_buf *rows, const struct sample *s, uint64_t last);
/* The payload: raw_bytes and flags are filled in here. */
void samples_write(struct pl_buf *out, const struct samples_head *head, struct pl_view rows);

/* 0, or PL_ERR_FORMAT. Eats nothing. */
int samples_read_head(struct pl_view payload, struct samples_head *out);
/* The samples in plain: of the payload itself, or in *room. 0, PL_ERR_FORMAT, PL_ERR_MEMORY. */
int samples_open(struct pl_view payload, struct samples_head *head, struct pl_buf *room,
	struct pl_view *rows);
/* Eat one. *ticks: of the one before, then of this. */
int sample_read(struct pl_view *rows, uint64_t *ticks, struct sample *out);

#endif
