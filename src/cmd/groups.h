/* The calls of functions, grouped by the value that an argument had, or a part of it (order.item):
 * how many there were, how long they took, and what came of them.
 *
 * A process or a thread is read once, forward; only what the functions do is visited. The memory
 * is bounded: beyond GROUPS_MAX values the calls with further ones are one group of their function.
 */
#ifndef PL_CMD_GROUPS_H
#define PL_CMD_GROUPS_H

#include "base/buf.h"
#include "base/map.h"
#include "cmd/expression.h"
#include "pathline/pathline.h"
#include "session/value_path.h"

#define GROUPS_MAX    65536u
#define GROUP_RESULTS 4
#define GROUP_TEXT    64 /* bytes of a result that is shown */

struct group_result {
	char text[GROUP_TEXT]; /* "9.0", "!! SoldOut" */
	uint64_t count;
};

struct group {
	const struct pl_code *code; /* the first one of its text */
	char *value;		    /* owned; as Python's repr has it, cut */
	bool others;		    /* it has the calls of all further values */
	uint64_t calls, ended, raised;
	int64_t total_ns, most_ns; /* of those that ended, with all that they called */
	/* total_ns is at most so much too high, and too low; INT64_MAX: not known */
	int64_t too_high_ns, too_low_ns;
	struct group_result results[GROUP_RESULTS];
	uint64_t other_results; /* calls with a result that had no room there */
	/* its own: of the last call that ended */
	const struct pl_thread *thread;
	uint64_t end_seq;
	int64_t latest_ns; /* it had ended by then */
};

/* All zero but what is to be given is ready. */
struct groups {
	struct pl_recording *r;	     /* not owned, as all that is given */
	const struct value_path *by; /* the argument, and the part of it; NULL: one group */
	/* Only calls of which it is true, with their ends; NULL: all. Its process is not used. */
	struct expression *filter;
	bool (*wanted)(const void *context, const struct pl_code *code);
	const void *context;
	int64_t from_ns, to_ns; /* of when a call begins */
	struct group **all;	/* owned, each as well */
	size_t count;
	bool some; /* a function that is wanted has such an argument */
	/* its own */
	size_t room;
	struct pl_map places;	 /* hash of code and value -> index + 1 */
	struct pl_map codes;	 /* code -> 1: not wanted; 2 + index of the argument */
	struct pl_map suspended; /* identity of a generator's frame -> struct open_call, owned */
	struct pl_buf open;	 /* of open_call: on the stacks of the thread */
	const struct pl_process *process;
	const struct pl_thread *thread;
};

/* Add the calls of a thread. 0 or an error. */
int groups_add(struct groups *g, uint32_t process, uint32_t thread, struct pl_err *err);
/* Those that took most come first; those without calls are removed. */
void groups_sort(struct groups *g);
void groups_release(struct groups *g);

#endif
