/* Requests: what a server did for each of its callers, found by the frames of applications, so that
 * no middleware is needed. A request is
 *
 *	WSGI      a call with the arguments environ and start_response
 *	ASGI      a call with the arguments scope, receive and send; not the lifespan's
 *	celery    a call of trace_task in celery/app/trace.py
 *	rq        a call of Job.perform in rq/job.py
 *
 * Names of arguments are those of values, where they were recorded; otherwise the source says them.
 * Of applications that call each other, the outermost one is the request. It ends when its frame
 * does: what a WSGI application gives to be iterated over later is not part of it.
 */
#ifndef PL_SESSION_REQUESTS_H
#define PL_SESSION_REQUESTS_H

#include <signal.h>
#include "pathline/pathline.h"

#define REQUEST_ROUTE_BYTES 128
#define REQUEST_TYPE_BYTES  48

enum request_kind { REQUEST_WSGI, REQUEST_ASGI, REQUEST_CELERY, REQUEST_RQ };

struct request {
	uint32_t number; /* from 1, in the order in which they began */
	enum request_kind kind;
	uint32_t process, thread;
	uint64_t seq, end_seq; /* of the call, and of its last event */
	uint64_t task_id;      /* 0: it ran in no task */
	int64_t begin_ns, end_ns;
	int64_t begin_error_ns; /* it began at begin_ns, or up to so much later */
	int64_t error_ns;	/* of end_ns - begin_ns: it may be so much less, or more */
	int64_t suspended_ns;	/* of a coroutine: while others ran */
	/* Looks at its thread meanwhile, and how many saw it wait; not of coroutines, which share
	 * their thread. */
	uint64_t looks, waiting_looks;
	bool open;	 /* it has not ended where the path ends */
	uint64_t raised; /* exceptions that code of the user raised meanwhile */
	/* "GET /orders/:n": the method and the path, with numbers left out; if they were not
	 * recorded, the name of the application's function, of that of a task its own */
	char route[REQUEST_ROUTE_BYTES];
	char target[REQUEST_ROUTE_BYTES]; /* the path as it was; "": not known */
	char error[REQUEST_TYPE_BYTES];	  /* the type of the exception that ended it; "": none */
};

/* All zero: none. */
struct requests {
	struct request *rows; /* owned, by number */
	size_t count, room;
};

/* Find all of them. `stop` may be NULL. 0; PL_END: it was stopped; or an error. */
int requests_find(struct requests *all, struct pl_recording *r, const volatile sig_atomic_t *stop,
	struct pl_err *err);
void requests_release(struct requests *all);

/* The time in which it waited: suspended, or as the looks at its thread say, which is an estimate.
 * -1: it is not known, as it was not looked at. */
int64_t request_waiting_ns(const struct request *q);

/* The word of a kind: "wsgi". */
const char *request_kind_name(enum request_kind kind);

#endif
