/* The variables of a frame at a position, from what was kept of its lines, or of its call.
 *
 *	struct variables v = {.r = r, .stop = &interrupted};
 *	variables_at(&v, &event, 0, &err);
 *	for (size_t i = 0; i < v.count; i++)
 *		... v.all[i].name, v.all[i].value
 *	variables_release(&v);
 *
 * It goes back in the frame until each variable is known: to an event that has all of them, or to
 * the frame's call, which has the arguments. An event that has all does not say which line wrote
 * them, so for that it goes on, as far as `patience` allows.
 */
#ifndef PL_SESSION_VARIABLES_H
#define PL_SESSION_VARIABLES_H

#include "pathline/values.h"
#include "session/frame_path.h"

/* Of variable.line: not found within `patience`, or lost; or something else wrote it than a line of
 * the frame, as another thread (binds.h). */
#define VARIABLE_LINE_UNKNOWN (-1)
#define VARIABLE_LINE_OTHER   (-2)

/* A variable of a frame, as far as it is known at a position. All texts are valid until the next
 * variables_at or release. */
struct variable {
	struct pl_text name;
	const char *stars;     /* "*", "**" of an argument, else "" */
	struct pl_value value; /* UNSET: it is not bound */
	bool of_call;	       /* the value is that of the call: values of lines were not kept */
	bool changed;	       /* by the last line that the frame ran before the position */
	bool unsure;	       /* it may have a newer value, which had no room in its event */
	uint64_t seq;	       /* of the thread's event that shows it first with this value */
	int32_t line;	       /* that wrote it; 0: it is an argument as it was passed */
	/* its own */
	unsigned char *bytes; /* owned: the name and the value */
	uint32_t value_bytes;
	bool has_writer;      /* seq and line are known */
	bool waits;	      /* for the line of the frame's event before seq */
	bool settled;	      /* that line is the one of the event that is looked at */
	uint64_t first, rank; /* in which order it was bound */
};

enum variables_state {
	VARIABLES_KNOWN,
	VARIABLES_NOT_KEPT, /* no values of the frame's code are kept, or it has no arguments */
	VARIABLES_LOST, /* its call, or what came after it, is lost or was dropped: some may lack */
};

/* All zero but r and stop is valid. */
struct variables {
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* as in struct replay */
	/* in: look at so many events of the frame for the line that wrote a value that is known;
	 * 0: at all of them */
	uint64_t patience;
	/* in: look no further than to the event before that has all variables: enough to say
	 * whether the event itself shows a new value */
	bool near_all;
	enum variables_state state; /* of the frame asked last */
	struct variable *all;	    /* owned; arguments first, then in the order of binding */
	size_t count;
	const struct pl_code *code; /* of the frame; NULL: not known */
	/* its own */
	size_t room;
	struct frame_path frame;
};

/* Of frame `depth` (0: the bottom one) of the stack after event `at`. 0 (also if count is 0),
 * PL_END: stopped, or an error. */
int variables_at(
	struct variables *v, const struct pl_event *at, uint32_t depth, struct pl_err *err);
void variables_release(struct variables *v);

/* NULL: there is none of this name. */
const struct variable *variables_find(const struct variables *v, const char *name, size_t length);

#endif
