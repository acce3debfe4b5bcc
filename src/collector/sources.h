/* The sources of a recording, and what they give, on its way to disk.
 *
 *	source --event--> rows of its process, in memory --due--> SOURCE_EVENTS in a segment
 *
 * Rows are written when there are many of them, when a moment has passed, and when their process
 * has ended. A process is recorded only once its Python has begun; what it did before that waits a
 * little for its number.
 */
#ifndef PL_COLLECTOR_SOURCES_H
#define PL_COLLECTOR_SOURCES_H

#include "base/buf.h"
#include "os/clock.h"
#include "source/source.h"

struct collector;

/* Rows of a source in a process that are not written yet. */
struct source_rows {
	uint32_t source, pid;
	struct source_head head;
	struct source_row last;
	struct pl_buf rows; /* owned */
	int64_t since_ns;   /* since when there are some; 0: there are none */
	/* It has done an exec: rows are of no process up to this number. The program that it runs
	 * now may have a later one, or none. */
	bool cut;
	uint32_t cut_number;
};

/* The tick, the looks at threads, the kernel, native functions. */
#define COLLECTOR_SOURCES_MAX 4

struct collector_sources {
	struct source all[COLLECTOR_SOURCES_MAX];
	uint32_t count;
	struct source_rows *rows; /* owned, each of them too */
	uint32_t row_count, row_room;
	uint32_t at;			/* index of the one that was found last */
	struct clock_point before, now; /* between which, about, events are */
};

/* Start them. Those that give events are described in the recording, also where they cannot run;
 * then `why` says the first reason, else it is "". */
struct collector_start;
void collector_sources_begin(
	struct collector *c, const struct collector_start *start, char why[SOURCE_WHY_BYTES]);
/* Of each turn of the loop, and of each round. */
void collector_sources_look(struct collector *c, int64_t now_ns);
void collector_sources_drain(struct collector *c, int64_t now_ns);
/* The process has ended, and its end is about to be forgotten. */
void collector_sources_ended(struct collector *c, struct process *p);
/* What they gave so far is written. */
void collector_sources_flush(struct collector *c);
/* Before END: all that is left is written. */
void collector_sources_end(struct collector *c);
void collector_sources_release(struct collector *c);

#endif
