/* Sampling: where threads stand, looked at from outside, at times that nothing in the program can
 * be in step with.
 *
 *   events tell      what ran, exactly; and when, at each tick
 *   samples tell     how the time between two ticks is shared among the lines that ran in it
 *
 * A look reads three places of the program's memory (process_vm_readv): the thread's state, its
 * frame, the recorder's record of the frame's code; and one file, for whether it runs or waits. The
 * program goes on meanwhile, so what is read can be torn. A position is believed when the record
 * says that it is of the very code object that the frame names, and the frame stands within its
 * instructions; every other is dropped, and counted. Where a frame's code is known to have no
 * record, or one of code that is left out, the frame below counts. Who waits is looked at once more
 * behind its state: it waits where it was seen both times, or nowhere.
 *
 *   samples_take     in front of the tick: a thread stamps its next event behind a tick, and is not to
 *                    be seen doing that
 *   samples_settle   behind the reading of messages: by then every code that was seen is known
 *
 * The cost is bounded: so many looks at a time, SAMPLE_PERIOD_NS on average between two times, and
 * who waits at one place is looked at less and less often. A sample says for how many times it
 * stands.
 *
 * Where the system lets nobody look (Yama, another user) that is told in the recording, once for
 * each process; a process that has just gone is no news.
 */
#ifndef PL_COLLECTOR_SAMPLE_H
#define PL_COLLECTOR_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>
#include "base/buf.h"

struct collector;
struct process;

#define SAMPLE_PERIOD_NS INT64_C(2000000)
#define SAMPLES_AT_ONCE	 8 /* threads looked at */
#define SAMPLE_QUIET_FROM                                                                          \
	8 /* who waits is looked at less often when it was seen at one place so often */
#define SAMPLE_QUIET_MAX    16	/* the least often: every so many times */
#define SAMPLE_FILES_MAX    256 /* kept open, of those that say whether a thread runs */
#define SAMPLE_RECORDS_KEPT 64

/* Of a thread: in its stream. All zero is one that was never looked at. */
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
	bool off;	  /* nothing can be read there, or nothing more */
	bool told;	  /* `refused` is in the recording */
	uint32_t refused; /* errno */
	uint32_t dropped; /* since the last record */
	struct {
		uint64_t code, record; /* addresses there; which is right shows when it is read */
	} known[SAMPLE_RECORDS_KEPT];  /* by address, hashed */
	struct pl_buf rows;	       /* of the next record */
	uint32_t count;
	uint64_t open_ticks, close_ticks;
	int64_t since_ns; /* since when there are some */
};

/* Seen, and not settled. */
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

void samples_take(struct collector *c, int64_t now_ns);
void samples_settle(struct collector *c, int64_t now_ns);
/* What a process has left to say; it is forgotten. */
void samples_end_process(struct collector *c, struct process *p);
void samples_flush(struct collector *c);
static inline void sample_thread_release(struct sample_thread *t)
{
	if (t->file)
		close(t->file - 1);
	t->file = 0;
}

#endif
