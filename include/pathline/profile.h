/* A profile: counts and times of lines, functions and calling contexts, from the path and samples.
 *
 *	pl_profile_new(&profile, r, &(struct pl_profile_wanted){.range = {.process = 1}}, &err);
 *	t = pl_profile_tables(profile);
 *	for (i = 0; i < t->function_count; i++)
 *		use(&t->functions[i]);        such as: f, 12 calls, 1.5 s
 *
 * Counts are exact. The time between two stamps of a thread is exact; how it is divided among the
 * code that ran in it comes from samples (times.h), and has an error. Own time is that of the code
 * itself and of the C code that it calls. Cumulated time also has that of the Python code that it
 * calls; it counts once, however often the code is on the stack. The time for which an event loop
 * waits with nothing to do belongs to no code.
 *
 * Calling contexts are exact, except in recursion: code that is already on the stack gets one node
 * below its first node, however deep the recursion is. So recursion does not make the tree grow.
 *
 * Memory grows with the lines and contexts that ran, not with the length of the path. A profile
 * belongs to the caller, who frees it before closing the recording. All times are in ns.
 */
#ifndef PATHLINE_PROFILE_H
#define PATHLINE_PROFILE_H

#include "pathline/times.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct pl_profile_wanted {
	struct pl_times_range range; /* all zero but process: the whole path of all its threads */
	bool tasks; /* separate contexts by task (asyncio, trio, greenlets), and fill `tasks` */
	bool exceptions;     /* fill `exceptions`; this makes reading slower */
	int64_t blocking_ns; /* fill `blocks` with what took at least this long; 0: do not */
	/* Threads that share the work, where it can be divided. 0: as many as there are cores, if
	 * the recording is large enough. */
	uint32_t workers;
	/* Called now and then, in the caller's thread, with the part that is done, 0 to 1. If it
	 * returns false, the work stops, with PL_END. NULL: not called. */
	bool (*progress)(void *context, double done);
	void *context;
};

/* The longest of several durations, in wall-clock time without idle waits: at most the cumulated
 * time. */
struct pl_longest {
	int64_t ns;	  /* 0: none was long enough to be measured */
	int64_t error_ns; /* ns is at most this much too high or too low */
	int64_t at_ns;	  /* when it began, CLOCK_REALTIME; 0 if ns is 0 */
	int64_t to_ns;	  /* when it ended, likewise */
	uint32_t thread;  /* in which it was */
};

struct pl_profile_line {
	struct pl_line_time time; /* hits, samples, own times and their error */
	int64_t cumulated_ns;
	struct pl_longest longest; /* of a pass: until the next line of its frame */
	/* It may have run once more than `hits` says, after the last event of a path that breaks
	 * off. */
	bool possible;
};

struct pl_profile_function {
	const struct pl_code *code; /* NULL: no Python code ran */
	uint64_t calls, resumes, throws;
	uint64_t samples;
	int64_t computing_ns, waiting_ns; /* own time */
	int64_t cumulated_ns, error_ns;	  /* error_ns is of cumulated_ns, as in pl_line_time */
	struct pl_longest longest;	  /* from a call or resume until it returns or yields */
};

/* Calls of one function at one line of another. */
struct pl_profile_call {
	const struct pl_code *caller; /* NULL: the callee is the bottom of a stack */
	int32_t line;		      /* of the caller, 0: not known */
	const struct pl_code *callee;
	uint64_t calls, resumes, throws;
	int64_t cumulated_ns; /* while such a call is on the stack */
};

/* A calling context. Parents come before their children; node 0 is the root, without code. */
struct pl_profile_node {
	uint32_t parent;
	bool recursive; /* the same code is already on the stack: it is the code of the parent */
	const struct pl_code *code;
	const char *task; /* the task of which this is the root; NULL: none, or not wanted */
	int32_t line;	  /* of the caller, 0: not known */
	uint64_t calls, resumes, throws;
	int64_t own_ns, waiting_ns; /* waiting_ns is part of own_ns */
	int64_t cumulated_ns;	    /* own_ns and that of all nodes below */
};

struct pl_profile_task {
	/* Its number in the process. 0: the recording is older than format 1.9, or this is the sum
	 * of the tasks for which there was no room. */
	uint64_t number;
	const char *name;   /* its last name; "": not known */
	uint64_t stretches; /* the number of times that it began or went on */
	int64_t run_ns, wait_ns;
	int64_t wait_error_ns;	   /* as in pl_line_time */
	int64_t first_ns, last_ns; /* CLOCK_REALTIME of its first and last event */
	struct pl_longest longest; /* of the times that it ran without a return to the event loop */
	const struct pl_code *code; /* that took most of the longest; NULL: not known */
	int32_t line;
	/* Where it waits when its thread's path ends, which is in wait_ns: of the coroutines that
	 * await each other the innermost one that is neither of the standard library nor installed,
	 * or of these the innermost one. NULL: it does not wait. */
	const struct pl_code *wait_code;
	int32_t wait_line;
};

enum pl_block_kind {
	PL_BLOCK_STILL,	  /* a thread ran no other line meanwhile */
	PL_BLOCK_LOOP,	  /* a pass of the event loop kept it busy, with all callbacks and tasks */
	PL_BLOCK_CALLBACK /* one callback or task did so, in a longer pass */
};

/* Something that took long. Its stack is that of the node, and then `code` and `line`: those at
 * which the thread was, or that took most of the time. What says that of nearly the same time is
 * one block: that of the loop, before that of the callback, before that of the thread. */
struct pl_profile_block {
	enum pl_block_kind kind;
	/* At that line, or at one that ran later without an event: the path breaks off here, and no
	 * sample says where the thread was. */
	bool or_later;
	uint32_t thread;
	struct pl_longest time;
	/* The pass of the line is the last one between these two events of the thread. */
	uint64_t from_seq, before_seq;
	uint32_t node;
	const struct pl_code *code;
	int32_t line;
	uint64_t task_id; /* as in pl_profile_task; 0: no task, or not known */
	const char *task; /* its last name; NULL: none, or not known */
};

enum pl_exception_end {
	PL_EXCEPTION_HANDLED,	/* by an except clause, or replaced by another exception */
	PL_EXCEPTION_SWALLOWED, /* by C code that a line called */
	PL_EXCEPTION_UNHANDLED, /* it left the bottom frame of a stack, or the path ends there */
};

struct pl_profile_exception {
	const char *type;
	const struct pl_code *raised;
	int32_t raised_line;
	enum pl_exception_end end;
	bool task;   /* it left the first frame of a task or a greenlet, and ended thereby */
	bool thread; /* it left the bottom frame of another thread than 0, and ended it thereby */
	/* Unhandled, in thread 0: the code of the bottom frame that it left. */
	const struct pl_code *bottom;
	const struct pl_code *handled; /* that handled it; NULL: none */
	int32_t handled_line;
	uint64_t count;
	/* Of these the one that was raised last: the event that raised it. */
	uint32_t last_thread;
	uint64_t last_seq;
	int64_t last_ns;
};

struct pl_profile_tables {
	/* Each table has the row with the largest value first. */
	const struct pl_profile_line *lines; /* by own time */
	size_t line_count;
	const struct pl_profile_function *functions; /* by own time */
	size_t function_count;
	const struct pl_profile_call *calls; /* by cumulated time */
	size_t call_count;
	const struct pl_profile_node *nodes; /* the tree, as described at the node */
	size_t node_count;
	const struct pl_profile_task *tasks; /* by run time */
	size_t task_count;
	const struct pl_profile_block *blocks; /* by time */
	size_t block_count;
	const struct pl_profile_exception *exceptions; /* by count */
	size_t exception_count;
	int64_t idle_ns;      /* event loops had nothing to do; belongs to no line */
	int64_t lost_ns;      /* in gaps */
	int64_t sum_ns;	      /* own times of all lines + idle_ns + lost_ns: the recorded time */
	int64_t tick_ns;      /* a duration can be wrong by this at each of its ends */
	uint64_t more_blocks; /* blocks for which there was no room */
	bool folded; /* there were more contexts than are kept; some are directly below the root */
};

struct pl_profile;
/* 0; PL_END: `progress` stopped it; PL_ERR_NOT_FOUND, PL_ERR_MEMORY, PL_ERR_IO. Damage is a gap,
 * not an error. */
int pl_profile_new(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err);
void pl_profile_free(struct pl_profile *p); /* NULL is fine */
/* All tables. They belong to the profile. */
const struct pl_profile_tables *pl_profile_tables(const struct pl_profile *p);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
