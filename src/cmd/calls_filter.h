/* --filter of `calls`: which calls are shown. What is below one that is not is shown in its place.
 *
 * When a call begins, its arguments are known, and not how it ends. So the answer may be that it
 * depends on the end. While nothing is shown that is still open, the path up to the next call that
 * can be selected is passed over.
 */
#ifndef PL_CMD_CALLS_FILTER_H
#define PL_CMD_CALLS_FILTER_H

#include "cmd/calls_node.h"
#include "cmd/expression.h"

/* Of one thread. */
struct calls_filter {
	/* in */
	struct expression *x; /* not owned; its process is that of the thread */
	const struct pl_thread *thread;
	const volatile sig_atomic_t *stop; /* NULL: never */
	/* all zero at the beginning */
	int64_t first_ns, last_ns; /* calls that begin before or after are not wanted */
	bool past;		   /* the search has passed last_ns */
	struct frames known;
	uint64_t known_to;	      /* events before this seq were put in */
	const struct pl_values *args; /* of the one that was put in last */
	struct expr_subject now;      /* of the last event */
	struct pl_search *search;     /* owned */
};

static inline bool calls_filter_is_on(const struct calls_filter *f)
{
	return f->x && f->x->expr;
}

/* Before the first event, which is the one at `seq`: generators that began before it and may go on
 * are looked for, as their arguments are those of their call. 0 or an error. */
int calls_filter_start(
	struct calls_filter *f, struct pl_recording *r, uint64_t seq, struct pl_err *err);
/* To be called for each event that is read. 0; PL_ERR_MEMORY. */
int calls_filter_event(struct calls_filter *f, const struct pl_event *e);
/* Is the call wanted that begins with the last event? continues: its beginning was not read. */
enum expr_answer calls_filter_begin(
	struct calls_filter *f, const struct pl_event *e, bool continues);
/* What the arguments of a call are that goes on (resume, throw); NULL: not known. */
const struct pl_values *calls_filter_args(const struct calls_filter *f);
/* Is a call wanted that has ended, or of which the end is known? args: of one that goes on. */
bool calls_filter_ended(
	struct calls_filter *f, const struct call_node *n, const struct pl_values *args);
/* Is this event, which is no call, wanted? */
bool calls_filter_has(struct calls_filter *f, const struct pl_event *e);

/* The first event from seq on that may be wanted, or with which a call begins that may be. *seq:
 * UINT64_MAX: there is none. 0 or an error. */
int calls_filter_next(
	struct calls_filter *f, struct pl_recording *r, uint64_t *seq, struct pl_err *err);
void calls_filter_release(struct calls_filter *f);

#endif
