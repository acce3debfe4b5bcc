/* The processes of a recording, from their slots in the arena to their ends.
 *
 * A process is over when the system says so, or when it became another program. Only then are its
 * streams final: the next look at them is the last one. After it THREAD_END and PROCESS_END are
 * written, and its slot is free again.
 */
#ifndef PL_COLLECTOR_PROCESSES_H
#define PL_COLLECTOR_PROCESSES_H

#include <limits.h>
#include "base/map.h"
#include "base/view.h"
#include "collector/sample.h"
#include "os/watch.h"
#include "ring/arena.h"

struct collector;
struct loss;

/* LIVE until it has ended or is another program; OVER until its streams were looked at; DRAINED
 * until its end is written. Between OVER and DRAINED there is exactly one look, which sees what it
 * wrote last, because it was over before. */
enum process_life {
	LIFE_LIVE = 0,
	LIFE_OVER,    /* it writes no more; its streams have not been looked at since */
	LIFE_DRAINED, /* they have */
};

struct process {
	uint32_t number, parent, pid, slot;
	enum process_life life;
	bool execed;
	uint64_t over_ticks;
	/* CLOCK_MONOTONIC; until then `record` may say how it ended; 0: not asked yet */
	int64_t patience_ns;
	uint64_t lost;	   /* according to its GAP events */
	bool stopped_told; /* a LOSS says that its recorder switched itself off */
	struct watch watch;
	struct sample_process sample;
	char directory[PATH_MAX]; /* where it was when it was first seen; "": not known */
	char stdlib_dir[PATH_MAX];
};

struct processes {
	struct process **all; /* owned; those that are not over and written */
	uint32_t count, room;
	/* number -> pid of those that became a program that has not told of itself */
	struct pl_map execed;
	uint32_t seen_next; /* next_process at the last look at the slots */
	bool incomplete;    /* a slot was being filled in then */
	/* a living pid counts only if it maps the arena, because it may be used again by now */
	bool by_mapping;
	bool some_ended;   /* the epoll had something to say */
	bool word_due;	   /* `record` lives, and has not said how its program ended */
	bool known_status; /* main_status is the status of main_pid from wait(2) */
	bool silent;	   /* they need not say that they exit (collector_start.attached) */
	int main_pid, main_status;
	int epoll; /* its members are pidfds; -1: none */
};

struct process *processes_find(const struct processes *p, uint32_t number);
/* Look at the slots, and find processes that have ended. Call it before a look at the streams: that
 * look is then the last one for those that are LIFE_OVER here. */
void processes_look(struct collector *c);
/* To be called after that look: processes that were over are drained. */
void processes_looked(struct collector *c);
/* Write the ends of drained processes, and forget them. A process whose end is not known waits a
 * while, as long as `record` may still say how it ended. */
void processes_end(struct collector *c, int64_t now_ns);
/* What a PROCESS message, or its record, says of a process. */
struct process_word {
	uint32_t number, parent, pid;
	uint32_t how; /* enum message_how */
	uint64_t ticks;
	struct pl_view command, executable, interpreter, stdlib_dir;
	struct pl_view directory; /* empty in a message */
};
/* 0, or PL_ERR_FORMAT. */
int process_word_read(struct pl_view v, struct process_word *out);
/* Remember where its files are, and correct `how`: the message of an exec may come when the slot
 * that shows it is free again. NULL: there is no such live process. */
const struct process *process_describe(struct collector *c, struct process_word *w);
/* Take a LOSS of a process that a dead collector wrote, so that it is not told again. */
void process_was_told(struct collector *c, const struct loss *l);
/* Is any process alive that can still write? */
bool processes_live(const struct processes *p);
void processes_release(struct processes *p);

#endif
