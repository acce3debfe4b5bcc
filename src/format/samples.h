/* A SAMPLES record: where threads of one process were when the collector looked.
 *
 *    0         4       8            16            24        28        32          36      40
 *   | process | count | open_ticks | close_ticks | dropped | refused | raw_bytes | flags | samples
 *
 *   sample   thread | ticks since the one before | body number + 1 | unit << 1 | waiting | weight
 *
 * A sample gives the thread's innermost frame whose code the recording knows: the code's body, and
 * the unit at which the frame was. Counts of lines are exact and come from events; samples say how
 * the time between two stamps is divided among lines.
 *
 * A sample represents `weight` looks, because a thread that waits at one place is looked at less
 * often. `waiting`: the thread neither ran nor waited for a processor.
 *
 * With flag 1 the samples are one zstd frame, else plain. The head is never compressed, so an index
 * need not decompress anything.
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
	uint32_t dropped;     /* looks without a valid position, since the record before */
	uint32_t refused;     /* errno, if the system does not allow looking; else 0 */
	uint32_t raw_bytes;   /* of the samples in plain */
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

/* Append a sample. `last` is the ticks of the sample before; for the first, open_ticks. */
void sample_write(struct pl_buf *rows, const struct sample *s, uint64_t last);
/* Append the payload. raw_bytes and flags are set here. */
void samples_write(struct pl_buf *out, const struct samples_head *head, struct pl_view rows);

/* 0, or PL_ERR_FORMAT. The view is unchanged. */
int samples_read_head(struct pl_view payload, struct samples_head *out);
/* The plain samples: in the payload itself, or in *room. 0, PL_ERR_FORMAT, PL_ERR_MEMORY. */
int samples_open(struct pl_view payload, struct samples_head *head, struct pl_buf *room,
	struct pl_view *rows);
/* Read one. *ticks: of the sample before on entry, of this one afterwards. */
int sample_read(struct pl_view *rows, uint64_t *ticks, struct sample *out);

#endif
