/* A source: what gives events beside the recorder, for the processes of a recording.
 *
 *	collector                                source
 *	  before the command starts   start ---> finds what it needs, or says in one line what is
 *	                                         missing and what would give it: the recording goes
 *	                                         on without it
 *	  each turn of its loop       look ----> for what must not wait: the tick
 *	  each round                  drain ---> host.event for each event; host.lost
 *	  a process has ended         ended
 *	  a copy is about to be made  flush
 *	  at the end                  stop ----> gives what is left, and takes its probes away
 *
 * All that a source is able to do is a table of operations, one for each source; one that is NULL
 * is not wanted. The collector's own sources, the tick and the looks at threads, are behind the
 * same table, and give no events.
 *
 * A source describes its kinds of events (format/source_events.h); the collector writes that down,
 * so a reader needs to know none of them. Times are on CLOCK_MONOTONIC, which the collector turns
 * into ticks of the recording.
 */
#ifndef PL_SOURCE_SOURCE_H
#define PL_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "format/source_events.h"
#include "os/clock.h"

#define SOURCE_WHY_BYTES 256

struct source;
struct process;

/* What happened in a process. The fields are as its kind describes them. */
struct source_event {
	uint32_t kind;	    /* number in the source's table, from 1 */
	uint32_t pid;	    /* as the collector sees it */
	uint32_t native_id; /* of the thread, as its own process sees it */
	int64_t mono_ns;    /* CLOCK_MONOTONIC: when it ended */
	uint64_t ticks;	    /* on the recording's clock, in place of that; 0: not known */
	struct pl_view fields;
};

/* Of the collector. */
struct source_host {
	void (*event)(struct source *s, const struct source_event *e);
	/* So many events of the process never came; pid 0: nobody knows whose. */
	void (*lost)(struct source *s, uint32_t pid, uint64_t count);
	/* So many names for values of a field, in all kinds: each the value as a zigzag, then the
	 * name as a string. */
	void (*names)(struct source *s, uint32_t field, uint32_t count, struct pl_view names);
	/* What comes from now on belongs to another program: it has done an exec. */
	void (*cut)(struct source *s, uint32_t pid);
};

/* Whom to look at: all that this process starts, and what these start. */
struct source_tree {
	uint32_t starter_pid; /* as the collector sees it; it is not looked at itself */
	const char *arena_path;
	enum clock_source clock; /* of the recording's ticks */
	uint32_t pid_space;	 /* the collector's */
};

struct source_operations {
	const char *name;
	const struct source_kind *kinds; /* NULL: it gives no events */
	uint32_t kind_count;
	/* 0; negative: it cannot run, and s->why says why, and what helps. */
	int (*start)(struct source *s, const struct source_tree *tree);
	void (*look)(struct source *s, int64_t now_ns);
	void (*drain)(struct source *s, int64_t now_ns);
	void (*ended)(struct source *s, struct process *p);
	void (*flush)(struct source *s);
	void (*stop)(struct source *s);
};

struct source {
	const struct source_operations *operations;
	void *self;	  /* of the operations: owned by them, from start to stop */
	const char *wish; /* what the user gave with its option; NULL: nothing */
	const struct source_host *host;
	void *owner;	 /* of the host */
	uint32_t number; /* in the recording; 0: it gives no events */
	bool runs;
	char why[SOURCE_WHY_BYTES];
};

/* Run one operation of each source that runs, in their order. */
void sources_look(struct source *all, uint32_t count, int64_t now_ns);
void sources_drain(struct source *all, uint32_t count, int64_t now_ns);
void sources_ended(struct source *all, uint32_t count, struct process *p);
void sources_flush(struct source *all, uint32_t count);
/* In the reverse order: the last one started is the first to stop. */
void sources_stop(struct source *all, uint32_t count);
/* 0, or negative, with s->why. */
int source_start(struct source *s, const struct source_tree *tree);

#endif
