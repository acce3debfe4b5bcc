/* Times: where the time of a recording went, from its stamps and samples.
 *
 * Counts come from the path and are exact. The time between two stamps of a thread is exact. How
 * that time is divided among the lines that ran in it comes from samples, and has an error.
 *
 * All times are in ns. Only the thread that uses the recording may call these functions.
 */
#ifndef PATHLINE_TIMES_H
#define PATHLINE_TIMES_H

#include "pathline/recording.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- samples ---- */

/* Where a thread was when the collector looked. */
struct pl_sample {
	uint32_t process, thread;
	int64_t time_ns;
	const struct pl_code *code; /* of the innermost recorded frame */
	int32_t line;		    /* 0: it has none */
	uint32_t offset;	    /* code unit */
	bool waiting;		    /* the thread neither ran nor waited for a processor */
	uint32_t weight;	    /* the number of looks that this sample represents */
};

/* The samples of a process, in order of time. They belong to the caller, who frees them before
 * closing the recording. */
struct pl_samples;
int pl_samples_new(
	struct pl_samples **out, struct pl_recording *r, uint32_t process, struct pl_err *err);
/* Give the next sample. PL_END: there is none (in a live recording: so far). Damaged samples are
 * skipped, and counted as damage of the recording. */
int pl_samples_next(struct pl_samples *s, struct pl_sample *sample, struct pl_err *err);
void pl_samples_free(struct pl_samples *s); /* NULL is fine */

/* ---- times of lines ---- */

/* Does an event of this kind begin a pass of its line? Then the line begins to run, or a loop that
 * stays on the line goes round again. */
static inline bool pl_event_is_pass(enum pl_event_kind kind)
{
	return kind == PL_EVENT_LINE || kind == PL_EVENT_AGAIN;
}

struct pl_line_time {
	const struct pl_code *code; /* NULL: no Python code ran */
	int32_t line;
	/* Passes of the line (pl_event_is_pass). If `passes` of the recording is "none" or "",
	 * loops that stay on the line count once. */
	uint64_t hits;
	uint64_t samples;     /* looks that saw the line; 0: its time is estimated from its hits */
	int64_t computing_ns; /* own time, without that of what it calls */
	int64_t waiting_ns;   /* asleep, or waiting for a lock, a file or another thread */
	/* of the sum of both, one standard deviation, above or below: in two of three cases it is
	 * at most this */
	int64_t error_ns;
};

/* What is wanted. If all is zero except `process`: the whole path of all its threads. */
struct pl_times_range {
	uint32_t process;
	bool one_thread;
	uint32_t thread;
	int64_t from_ns, to_ns; /* CLOCK_REALTIME; 0: from the start, to the end */
};

/* The lines, the one with the most time first. Their own times, idle_ns and lost_ns add up to the
 * recorded time of the threads. Belongs to the caller, who frees it before closing the
 * recording. */
struct pl_times;
int pl_times_new(struct pl_times **out, struct pl_recording *r, const struct pl_times_range *range,
	struct pl_err *err);
void pl_times_free(struct pl_times *t); /* NULL is fine */
size_t pl_times_count(const struct pl_times *t);
/* NULL: there is no such index. */
const struct pl_line_time *pl_times_line(const struct pl_times *t, size_t index);
/* Time in which event loops had nothing to do. It belongs to no line. */
int64_t pl_times_idle_ns(const struct pl_times *t);
/* Time of gaps. */
int64_t pl_times_lost_ns(const struct pl_times *t);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
