/* Sampling: look from outside where threads are, at times that no program can be in step with.
 *
 *   events say       what ran, exactly; and when, at each tick
 *   samples say      how the time between two ticks is divided among the lines that ran in it
 *
 * A look reads three places of the program's memory (process_vm_readv): the thread's state, its
 * frame, and the recorder's record of the frame's code; and one file, which says whether the thread
 * runs or waits. The program runs meanwhile, so what is read may not belong together. A position is
 * accepted if the record says that it belongs to the code object that the frame names, and if the
 * frame is within its instructions; all others are dropped and counted. If the frame's code is
 * known to have no record, or is left out, the frame below it counts. If the thread waits, it is
 * looked at once more after its state: it waits if it was at the same place both times.
 *
 *   look    before the tick: a thread stamps its next event after a tick, and should not be seen
 *           doing that
 *   drain   after messages were read: by then every code that was seen is known
 *
 * The cost is bounded: a fixed number of looks at a time, SAMPLE_PERIOD_NS on average between two
 * times; a thread that waits at one place is looked at less and less often. A sample says how many
 * looks it represents.
 *
 * If the system does not allow looking (Yama, another user), the recording says so, once for each
 * process. A process that has just ended is not reported.
 */
#ifndef PL_COLLECTOR_SAMPLE_H
#define PL_COLLECTOR_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>
#include "base/buf.h"
#include "source/source.h"

struct collector;
struct process;

#define SAMPLE_PERIOD_NS INT64_C(2000000)
#define SAMPLES_AT_ONCE	 8 /* threads looked at */
#define SAMPLE_QUIET_FROM                                                                          \
	8 /* a waiting thread is looked at less often after it was seen at one place this often */
#define SAMPLE_QUIET_MAX    16	/* the least often: once in this many times */
#define SAMPLE_FILES_MAX    256 /* kept open, of those that say whether a thread runs */
#define SAMPLE_RECORDS_KEPT 64

/* Of a thread, in its stream. All zero was never looked at. */
struct sample_thread {
	int file;	     /* descriptor + 1 of its /proc/…/stat, 0: none */
	uint32_t quiet;	     /* looks in a row that found it waiting at one place */
	uint64_t due;	     /* number of the time at which it is to be looked at again */
	uint64_t seen;	     /* and of the last one */
	uint32_t code, unit; /* then */
	bool waiting;
};

/* Of a process. */
struct sample_process {
	bool off;	  /* nothing can be read there, or no longer */
	bool told;	  /* `refused` was written to the recording */
	uint32_t refused; /* errno */
	uint32_t dropped; /* since the last record */
	struct {
		/* addresses there; whether they are right is seen when they are read */
		uint64_t code, record;
	} known[SAMPLE_RECORDS_KEPT]; /* by address, hashed */
	struct pl_buf rows;	      /* of the next record */
	uint32_t count;
	uint64_t open_ticks, close_ticks;
	int64_t since_ns; /* since when there are some */
};

/* Seen, and not settled yet. */
struct sample_seen {
	uint32_t process, thread, code, unit, weight;
	uint64_t ticks;
	bool waiting;
};

struct sampler {
	int64_t next_ns; /* when to look again, CLOCK_MONOTONIC */
	uint64_t times;	 /* looked so often */
	uint64_t random; /* state of the jitter; never 0 once in use */
	uint32_t at;	 /* stream to begin with */
	uint32_t files;	 /* open ones */
	struct sample_seen seen[SAMPLES_AT_ONCE];
	uint32_t seen_count;
};

/* From 3/4 to 5/4 of a period, evenly. */
int64_t sampler_jitter(struct sampler *s, int64_t period_ns);

/* Behind the collector's table of sources. */
extern const struct source_operations sample_source;
static inline void sample_thread_release(struct sample_thread *t)
{
	if (t->file)
		close(t->file - 1);
	t->file = 0;
}

#endif
