/* Why something ended by an exception: the exception with the frames that it went through, and the
 * exceptions that led to it, each likewise.
 *
 *	KeyError       handled in book         all[1], WHY_CAUSE of 0
 *	SoldOut        ended the main thread   all[0]
 *
 * What Python prints as the cause, or as having been handled meanwhile, is found in the path: the
 * handler that raised the next exception, or that called what did. Where values were kept, they say
 * whether there is one, and of which type; else the source text does, as far as it can.
 */
#ifndef PL_SESSION_WHY_H
#define PL_SESSION_WHY_H

#include "session/crash.h"
#include "session/valued.h"

#define WHY_EXCEPTIONS 16
/* Python's limit of recursion, and a few more. */
#define WHY_FRAMES  2048
#define WHY_MESSAGE 4096

enum why_link {
	WHY_ASKED,
	WHY_CAUSE,   /* its __cause__: raise … from it */
	WHY_CONTEXT, /* its __context__: it was handled when the other was raised */
	WHY_PART,    /* one of an exception group's */
};

struct why_exception {
	enum why_link link;
	size_t of;		 /* index of the exception that it led to */
	const char *type;	 /* valid as the recording; or in `own`; "": not known */
	char *own, *message;	 /* owned; message NULL: not kept, "": none */
	struct pl_event raise;	 /* where it was raised first; kind GAP: its path was not found */
	struct pl_event end;	 /* where it was handled or ended something, or `raise` */
	struct pl_event *frames; /* owned: a raise of each, the outermost first */
	size_t count;
};

/* All zero but r and stop is ready. */
struct why {
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* as in pathline/search.h */
	struct why_exception all[WHY_EXCEPTIONS];
	size_t count;
	bool more;	      /* there was no room for others */
	struct valued valued; /* for the caller, too */
};

/* Fill `all` from the exception of of->type that came to of->end: an unwind, a handled or a raise.
 * 0 or an error. */
int why_find(struct why *w, const struct crash *of, struct pl_err *err);
void why_release(struct why *w);

/* The last raise event at or before `seq` of the thread, and where its exception was handled in the
 * end, or what it ended. If the event at `seq` is a call, and an exception ended it, that is meant.
 * 0; PL_END: none was raised; or an error. */
int why_at(struct why *w, const struct pl_position *thread, uint64_t seq, struct crash *out,
	struct pl_err *err);

#endif
