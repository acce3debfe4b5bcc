/* Where the time went: what the recording's stamps and samples say of its lines.
 *
 * Counts are exact: they are counted from the path. Times between two stamps of a thread are exact,
 * too; how such a span is shared by the lines that ran in it comes from samples, and has an error.
 */
#ifndef PATHLINE_TIMES_H
#define PATHLINE_TIMES_H

#include "pathline/recording.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- samples ---- */

/* Where a thread stood when the collector looked. */
struct pl_sample {
	uint32_t process, thread;
	int64_t time_ns;
	const struct pl_code *code; /* of the innermost frame that is recorded */
	int32_t line;		    /* 0 where it has none */
	uint32_t offset;	    /* code unit */
	bool waiting;		    /* it did not run, nor ask to */
	uint32_t weight;	    /* stands for so many looks */
};

/* The samples of a process, by growing time. Belongs to the caller, who frees it before the recording
 * is closed. */
struct pl_samples;
int pl_samples_new(
	struct pl_samples **out, struct pl_recording *r, uint32_t process, struct pl_err *err);
/* PL_END behind the last one (of a live recording: so far). What is damaged is passed over, and
 * counted as a damage of the recording. */
int pl_samples_next(struct pl_samples *s, struct pl_sample *sample, struct pl_err *err);
void pl_samples_free(struct pl_samples *s); /* NULL is fine */

/* ---- times of lines ---- */

/* Does an event of this kind begin a pass of its line? The line begins to run, or a loop that stays
 * on it goes round again. */
static inline bool pl_event_is_pass(enum pl_event_kind kind)
{
	return kind == PL_EVENT_LINE || kind == PL_EVENT_AGAIN;
}

struct pl_line_time {
	const struct pl_code *code; /* NULL: nothing of Python ran */
	int32_t line;
	uint64_t hits; /* passes of the line, as pl_event_is_pass; in a recording whose `passes` is
			* "none" or "", those of loops that stay on the line are not among them */
	uint64_t samples;     /* looks that saw it; 0: its share is a guess from its hits */
	int64_t computing_ns; /* own: not that of what it calls */
	int64_t waiting_ns;   /* it slept, or waited for a lock, a file, another thread */
	int64_t error_ns; /* of the sum of both; two times out of three it is no more than this */
};

/* What is asked for. All zero but process: the whole path of all its threads. */
struct pl_times_range {
	uint32_t process;
	bool one_thread;
	uint32_t thread;
	int64_t from_ns, to_ns; /* CLOCK_REALTIME; 0: from its beginning, to its end */
};

/* The lines by falling time. Own times, idle_ns and lost_ns add up to the threads' recorded time. */
struct pl_times;
int pl_times_new(struct pl_times **out, struct pl_recording *r, const struct pl_times_range *range,
	struct pl_err *err);
void pl_times_free(struct pl_times *t); /* NULL is fine */
size_t pl_times_count(const struct pl_times *t);
const struct pl_line_time *pl_times_line(
	const struct pl_times *t, size_t index); /* NULL behind the last */
/* Time in which event loops had nothing to do: nobody's. */
int64_t pl_times_idle_ns(const struct pl_times *t);
/* Time of gaps. */
int64_t pl_times_lost_ns(const struct pl_times *t);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
