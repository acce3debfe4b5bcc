/* What the searches for crashes share: crash.c finds ends, crash_origin.c goes back from one. */
#ifndef PL_SESSION_CRASH_LOOK_H
#define PL_SESSION_CRASH_LOOK_H

#include "session/crash.h"

/* co_flags: coroutines, those of types.coroutine, asynchronous generators */
#define CO_AWAITED 0x380u

/* A thread that is searched. */
struct crash_look {
	struct pl_recording *r; /* not owned */
	const struct crash_bounds *bounds;
	const struct pl_process *process;
	const struct pl_thread *thread;
	const struct pl_code *bottom; /* of the thread's first frame; NULL: not known */
	uint64_t bound;		      /* seq: events before it are not looked at */
	bool filtered; /* threading's own frames may be left out: then their events are missing */
	bool valued;   /* the recording has values */
	struct pl_buf *raises; /* of origin: of pl_event, see crash_trace; NULL: not wanted */
	struct pl_err *err;
};

/* Did the user interrupt the search? */
static inline bool crash_look_is_stopped(const struct crash_look *l)
{
	return l->bounds->stop && *l->bounds->stop;
}

/* Generators keep their identity while their depth changes. */
bool crash_same_frame(const struct pl_event *a, const struct pl_event *b);

/* Set c->raise, and fill l->raises, from c->end and c->type. 0, also if none was found; or an
 * error. */
int crash_origin(const struct crash_look *l, struct crash *c);

/* An exception that a task may have handed over. */
struct crash_handed {
	const char *type;
	uint64_t id;	 /* of the object; 0: not known */
	uint64_t before; /* seq: it ended the task before that */
	uint64_t since;	 /* seq: of the event with which what got it began to wait */
	bool same_alone; /* only what is known to be the same object */
};

enum crash_same { CRASH_OTHER, CRASH_MAY_BE, CRASH_SAME };
/* Is what ended there the object with this id? */
enum crash_same crash_is_same(const struct crash_look *l, const struct crash *c, uint64_t id);

/* The task that it ended. 0; PL_END: none; or an error. */
int crash_task_end(
	const struct crash_look *l, const struct crash_handed *wanted, struct crash *out);

#endif
