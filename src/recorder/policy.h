/* The policy: which events are written, whatever follows from the path. It has two halves,
 *
 *	wishes, of the recording --> policy_of_recording --> root.policy
 *	facts, of a code         --> policy_of_code      --> its code_record.policy
 *
 * and an event is written if either half says so (policy_join). Each half is computed anew where
 * one of its wishes or facts changes. What a code may go without from the start, because it was
 * described so, is policy_omits.
 *
 * All of them are functions of their arguments alone, and know neither Python nor the root.
 *
 * A new wish is a bit of struct policy, a fact that says for which code it was asked, and a row in
 * each table of tests/unit/recorder/policy.c.
 */
#ifndef PL_RECORDER_POLICY_H
#define PL_RECORDER_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is wished of the whole recording. */
struct policy_wishes {
	bool traces;	  /* the engine is a trace function (3.11), which hears each line anyway */
	bool exact;	  /* --order exact */
	bool calls_timed; /* --clock call: each call and return is stamped */
	bool lines_timed; /* --clock line: each event is stamped */
	bool filters;	  /* some code is left out */
	bool passes;	  /* of loops; unless --passes none */
	bool compiles;	  /* there is a just-in-time compiler */
	/* a frame may be elsewhere than the path says: a debugger can move it, greenlets hide it,
	 * or another tool has interrupted it */
	bool lines;
};

/* What matters of a code that has its record. */
struct policy_facts {
	bool bottom;  /* a frame of it had no recorded caller: nothing may follow its end */
	bool section; /* it ran in a section, not long ago */
	bool values;  /* those of its calls and results are kept */
	bool lines;   /* those of its variables are kept, after each line */
};

/* Bits of one word, so that a hook loads each half once. */
struct policy {
	uint32_t returns : 1; /* each return and yield has one, also the silent ones */
	uint32_t lines : 1;   /* each line has one, and no path is assumed */
	/* its LINEs stay enabled, also those that follow from the path: with `lines`, or because a
	 * section may want them */
	uint32_t hears : 1;
	/* an end is not written by the fast path: there may be lines to look at, or frames that
	 * are left out */
	uint32_t slow_end : 1;
};

struct policy policy_of_recording(const struct policy_wishes *w);
struct policy policy_of_code(const struct policy_facts *f);

static inline struct policy policy_join(struct policy a, struct policy b)
{
	uint32_t one, other;

	_Static_assert(sizeof a == sizeof one, "one load");
	memcpy(&one, &a, sizeof one);
	memcpy(&other, &b, sizeof other);
	one |= other;
	memcpy(&a, &one, sizeof one);
	return a;
}

/* What matters of a code that is being described. */
struct policy_code {
	bool generator_like; /* its frames belong to generators, coroutines or async generators */
	/* if it is straight, nobody needs its graph at once: of a module or a class body, which
	 * runs once, or so large that the graph would take long */
	bool may_be_straight;
	/* all of its LINEs are wanted from the first run on: a section is on, or the thread has a
	 * trace function. One that was disabled would come only in the next run */
	bool watched;
	bool lines; /* its variables are kept: each line has an event, and it is never hot */
};

/* What may go without an event, where it follows from the rest. */
struct policy_omission {
	bool starts;  /* line starts that are no witnesses */
	bool returns; /* some returns and yields are silent */
	bool lines;   /* all of them: the code may be straight */
	bool passes;  /* none has an event */
	bool at_once; /* LINEs that are not needed may be disabled before the first run */
};

struct policy_omission policy_omits(const struct policy_wishes *w, const struct policy_code *c);

#endif
