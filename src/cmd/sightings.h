/* Sightings: where the value of a name, or of a part of it, was captured: from the events of a
 * process, in the order in which they ran.
 *
 *	left                      a variable or an argument
 *	self.total                of each object that had the name `self`, wherever it is seen then
 *	return yield send raise   what left a frame, or came into it; also return.total
 *
 * Variables (record --values lines) say what a line wrote: the one at which the frame was before
 * the event that has them. Values of calls say what was passed and returned. A part of an object
 * can have been written by other code than that whose event shows it first; the object's class and
 * id say which one it is, as long as it lives.
 */
#ifndef PL_CMD_SIGHTINGS_H
#define PL_CMD_SIGHTINGS_H

#include "cmd/sighted_names.h"
#include "cmd/sighted_state.h"
#include "cmd/text.h"
#include "session/value_path.h"

/* How it came to be seen: word, meaning. */
#define SIGHTING_HOWS(X)                                                                           \
	X(WROTE, "wrote", "a line of the frame wrote it")                                          \
	X(ARGUMENT, "argument", "it was passed to a call")                                         \
	X(RETURN, "return", "a call returned it")                                                  \
	X(YIELD, "yield", "it was yielded or awaited")                                             \
	X(SEND, "send", "it was sent to a frame that goes on")                                     \
	X(RAISE, "raise", "it belongs to an exception")                                            \
	X(SEEN, "seen", "it was there; which line wrote it is not known")

enum sighting_how {
#define X(constant, word, meaning) SIGHTING_##constant,
	SIGHTING_HOWS(X)
#undef X
};

struct sighting {
	const struct pl_event
		*event; /* that has it; where a line was asked for, that of the line */
	enum sighting_how how;
	struct pl_value value; /* UNSET: it is not bound, or not there */
	struct text text;      /* of it; ends with NUL */
	uint64_t id;	       /* of the object whose part it is; 0: of none */
	struct pl_text class_name;
	const struct pl_code *code; /* of the line that wrote or passed it */
	int32_t line;		    /* 0: not known */
};

#define SIGHTINGS_EVENT_IDS 64

struct sightings {
	/* in */
	struct value_path path;
	const char *function; /* a pattern (expr/named.h); NULL: all */
	const char *file;     /* with line: the values at this line, each time that it begins */
	int32_t line;
	uint64_t id;  /* only of this object; 0: of all */
	bool lines;   /* the recording has values of lines */
	bool changes; /* without values that are equal to the last one of the frame or object */
	bool (*write)(void *context, const struct sighting *s); /* false: no more is wanted */
	void *context;
	/* out */
	uint64_t code_events; /* that were asked for: calls of the functions, or runs of the line */
	uint64_t value_events; /* of these functions, with values */
	uint64_t root_seen;    /* values that have the name of the path's root */
	uint64_t written;
	struct sighted_names names; /* while root_seen is 0 those of roots, later those of parts */
	bool stopped, failed;
	/* all zero at the beginning */
	struct pl_map codes; /* owned: address -> 1 wanted, 2 not */
	struct sighted_state state;
	struct pl_map results;	/* owned: code -> hash of its last value that no frame keeps */
	struct pl_frame *stack; /* owned */
	size_t stack_room;
	char *buffer;				 /* owned: of texts */
	uint64_t event_ids[SIGHTINGS_EVENT_IDS]; /* objects that were seen in this event */
	size_t event_id_count;
};

/* Before the first event of each process: ids, threads and frames are its own. 0, PL_ERR_MEMORY. */
int sightings_begin(struct sightings *s);
/* The next event, which the cursor has just given. 0, PL_ERR_MEMORY. */
int sightings_take(struct sightings *s, const struct pl_cursor *c, const struct pl_event *e);
void sightings_release(struct sightings *s);

const char *sighting_how_name(enum sighting_how how);

#endif
