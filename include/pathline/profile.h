/* A profile: what the exact path and the samples say of lines, functions and who called whom.
 *
 *	pl_profile_new(&profile, r, &(struct pl_profile_wanted){.range = {.process = 1}}, &err);
 *	t = pl_profile_tables(profile);
 *	for (i = 0; i < t->function_count; i++)               t->functions[i]: f, 12 calls, 1.5 s
 *
 * Counts are exact. Times between two stamps of a thread are exact too; how such a span is shared by what ran in it comes from
 * samples (times.h) and has an error. Own times are of the code itself and the C code that it calls; cumulated ones have what
 * it calls as well, and a moment counts once however often it is on the stack. The wait of an event loop that has nothing to do is
 * nobody's.
 *
 * Calling contexts are exact but for recursion: a code that is on the stack already is one node below its first one, however
 * deep it goes, so a recursion does not make the tree grow for ever.
 *
 * Memory is that of the lines and contexts that ran, not of the path. A profile belongs to the caller, who frees it before the
 * recording is closed.
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
	bool tasks; /* tell contexts of tasks (asyncio, trio, greenlets) apart, and fill `tasks` */
	bool exceptions;     /* fill `exceptions`; the path is then walked slower */
	int64_t blocking_ns; /* fill `blocks` with what took at least so long; 0: not */
	uint32_t
		workers; /* threads that share the work where it can be cut; 0: as many as there are cores, if it is worth it */
	/* Called now and then, by the caller's thread, with the part that is done, 0 to 1; false stops it: PL_END. NULL: not wanted. */
	bool (*progress)(void *context, double done);
	void *context;
};

/* How long the longest of something took, by the wall clock. */
struct pl_longest {
	int64_t ns;	  /* 0: none took long enough to be told from none */
	int64_t error_ns; /* it is at most so far off */
	int64_t at_ns;	  /* CLOCK_REALTIME, when it began; 0 where ns is */
};

struct pl_profile_line {
	struct pl_line_time time; /* hits, samples, own times and their error */
	int64_t cumulated_ns;
	struct pl_longest longest; /* pass: until the next line of its frame */
};

struct pl_profile_function {
	const struct pl_code *code; /* NULL: nothing of Python ran */
	uint64_t calls, resumes, throws;
	uint64_t samples;
	int64_t computing_ns, waiting_ns; /* own */
	int64_t cumulated_ns, error_ns;	  /* error: of cumulated_ns, as pl_line_time's */
	struct pl_longest longest;	  /* from an entry or resume until it is left */
};

/* Calls of one function at one line of another. */
struct pl_profile_call {
	const struct pl_code *caller; /* NULL: it is the bottom of a stack */
	int32_t line;		      /* of the caller, 0: not known */
	const struct pl_code *callee;
	uint64_t calls, resumes, throws;
	int64_t cumulated_ns; /* while that call is on the stack */
};

/* A calling context. Parents come before their children; node 0 is the root, without code. */
struct pl_profile_node {
	uint32_t parent;
	bool recursive; /* the code is on the stack below it already, as its parent */
	const struct pl_code *code;
	const char *task; /* it is the root of that task; NULL: of none, or not asked for */
	int32_t line;	  /* of the caller, 0: not known */
	uint64_t calls, resumes, throws;
	int64_t own_ns, waiting_ns; /* the latter is part of it */
	int64_t cumulated_ns;	    /* with all that is below it */
};

struct pl_profile_task {
	uint64_t
		number; /* in its process; 0: recorded before format 1.9, or the sum of those that are too many */
	const char *name;   /* the last that it had; "": not known */
	uint64_t stretches; /* it began or went on so often */
	int64_t run_ns, wait_ns;
	int64_t first_ns, last_ns;  /* CLOCK_REALTIME of its first and last event */
	struct pl_longest longest;  /* stretch without giving the loop back */
	const struct pl_code *code; /* where most of that went; NULL: not known */
	int32_t line;
};

enum pl_block_kind {
	PL_BLOCK_STILL, /* a thread ran no other line meanwhile */
	PL_BLOCK_LOOP	/* a callback or task kept the event loop busy */
};

/* Something took long. Its stack is that of the node, and a line of that code. */
struct pl_profile_block {
	enum pl_block_kind kind;
	uint32_t thread;
	struct pl_longest time;
	uint32_t node;
	const struct pl_code *code; /* where it stood, or most of it went */
	int32_t line;
};

enum pl_exception_end {
	PL_EXCEPTION_HANDLED,	/* by an except, or by what took its place */
	PL_EXCEPTION_SWALLOWED, /* by C code that a line called */
	PL_EXCEPTION_UNHANDLED, /* it left the bottom of a stack, or the path ends there */
};

struct pl_profile_exception {
	const char *type;
	const struct pl_code *raised;
	int32_t raised_line;
	enum pl_exception_end end;
	const struct pl_code *handled; /* NULL: nowhere */
	int32_t handled_line;
	uint64_t count;
};

struct pl_profile_tables {
	const struct pl_profile_line *lines; /* by falling own time */
	size_t line_count;
	const struct pl_profile_function *functions; /* by falling own time */
	size_t function_count;
	const struct pl_profile_call *calls; /* by falling cumulated time */
	size_t call_count;
	const struct pl_profile_node *nodes;
	size_t node_count;
	const struct pl_profile_task *tasks; /* by falling run time */
	size_t task_count;
	const struct pl_profile_block *blocks; /* by falling time */
	size_t block_count;
	const struct pl_profile_exception *exceptions; /* by falling count */
	size_t exception_count;
	int64_t idle_ns; /* event loops had nothing to do: nobody's */
	int64_t lost_ns; /* of gaps */
	int64_t sum_ns; /* own times of all lines, idle_ns and lost_ns: the threads' recorded time */
	int64_t tick_ns;      /* a time can be off by that at each of its ends */
	uint64_t more_blocks; /* that found no room */
	bool folded; /* there were more contexts than are kept: some are directly below the root */
};

struct pl_profile;
/* 0; PL_END: progress stopped it; PL_ERR_NOT_FOUND, PL_ERR_MEMORY, PL_ERR_IO. Damage is a gap, and no error. */
int pl_profile_new(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err);
void pl_profile_free(struct pl_profile *p); /* NULL is fine */
/* All of it; belongs to the profile. */
const struct pl_profile_tables *pl_profile_tables(const struct pl_profile *p);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
