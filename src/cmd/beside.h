/* Rows of sources between the events of a process, in the order of the clock: what the kernel did
 * under each line.
 *
 * A row is before the first event that is certainly later. Most events have no time of their own,
 * so the place of a row among these is not known exactly; it is said where that is so.
 */
#ifndef PL_CMD_BESIDE_H
#define PL_CMD_BESIDE_H

#include "cmd/json.h"
#include "pathline/pathline.h"

/* All zero but r is ready. */
struct beside {
	struct pl_recording *r; /* not owned */
	/* by source; owned, NULL: of no process yet */
	struct beside_source {
		struct pl_source_rows *rows;
		struct pl_source_row row; /* the next one, if has_row */
		bool has_row;
	} * sources;
	uint32_t source_count;
	/* by thread: its last event */
	struct beside_thread {
		int64_t until_ns; /* it was no later */
		uint32_t depth;
		uint32_t level; /* of what a source said has begun since, and not ended */
	} * threads;		/* owned */
	uint32_t thread_count;
};

/* The rows of this process come from now on. 0, or an error. */
int beside_begin(struct beside *b, const struct pl_process *p, struct pl_err *err);
/* Take the next row that is before this time. PL_END: there is none. */
int beside_before(struct beside *b, int64_t time_ns, struct pl_source_row *row, struct pl_err *err);
/* Of a row that was taken: how many frames its thread was in, and whether events before it may also
 * be after it. */
uint32_t beside_depth(const struct beside *b, const struct pl_source_row *row, bool *unsure);
/* An event of the process was seen. */
void beside_saw(struct beside *b, const struct pl_event *e);
void beside_release(struct beside *b);

/* {"type": "source event", "source": "kernel", "kind": "syscall", …, "fields": {…}} */
void beside_json(struct json *j, const struct pl_source_row *row);

#endif
