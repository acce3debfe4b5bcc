/* What a continue stops at: numbered, listed, cleared. */
#ifndef PL_SESSION_STOPS_H
#define PL_SESSION_STOPS_H

#include "expr/expr.h"
#include "session/bindings.h"

#define STOPS_MAX	   64
#define STOP_NAME_MAX	   1024
#define STOP_CONDITION_MAX 256

enum stop_kind {
	STOP_LINE,  /* a line begins to run; with `hits`, only that time, counted in its thread */
	STOP_CALL,  /* a function is called */
	STOP_ENTRY, /* the same, and where its frame resumes after it was suspended */
	STOP_RAISE, /* an exception arises, of this type or of any */
	STOP_WRITE, /* a variable changes in a frame of a function, which begins at `line` */
};

struct stop {
	uint32_t number; /* from 1, never reused */
	enum stop_kind kind;
	char name[STOP_NAME_MAX]; /* of file, function, type or variable; "": any type */
	int32_t line;
	const struct pl_code *code; /* of STOP_WRITE: a code of the function; the recording's */
	uint64_t hits;		    /* 0: each */
	char condition[STOP_CONDITION_MAX]; /* as it was typed; "": none */
	struct expr *expr;		    /* of it; owned by the list; NULL: none */
	uint64_t met_seq; /* of the event at which it was true last, if there is one */
	bool once;	  /* it is removed where a search stops at it; only STOP_LINE, STOP_CALL */
	/* the seq at which `hits` is reached in the thread that was asked for last; UINT64_MAX:
	 * nowhere */
	uint32_t process, thread;
	bool known;
	uint64_t hit_seq;
};

/* All zero is empty. */
struct stops {
	struct stop rows[STOPS_MAX];
	size_t count;
	uint32_t last; /* number */
	struct {
		/* of the last frame that ended with an exception, during a search, or of the THROW
		 * right after it into what awaits; UINT64_MAX: none */
		uint64_t seq;
		uint32_t depth; /* of that frame */
	} unwound;
	uint64_t begin;		  /* of the search */
	bool no_lines;		  /* the recording has no values of lines */
	struct bindings bindings; /* for conditions */
	struct pl_map has_line;	  /* owned: a stop and a code -> 1: the code has its line; 2: not */
};

void stops_release(struct stops *s);
/* Remove all of them. */
void stops_empty(struct stops *s);

/* Does `part` name this file: all of it, or its end after a slash? For names: after a dot. */
bool stop_names(const char *whole, const char *part, char separator);
/* NULL: there is no room. */
struct stop *stops_add(struct stops *s, enum stop_kind kind, const char *name, int32_t line);
bool stops_clear(struct stops *s, uint32_t number);
/* The stop of this kind at this place, or NULL. Two names of one file are the same place. */
struct stop *stops_find(struct stops *s, enum stop_kind kind, const char *name, int32_t line);
/* The same, with this condition; "": with none. */
struct stop *stops_find_if(struct stops *s, enum stop_kind kind, const char *name, int32_t line,
	const char *condition);
/* That of a variable of a function, or NULL. */
struct stop *stops_find_write(struct stops *s, const char *name, const struct pl_code *code);
/* The kinds of events that can have variables; pl_wanted.kinds. */
uint32_t stops_write_kinds(void);
/* Several codes can be of one function: it was compiled again, or is of another process. */
bool stops_one_function(const struct pl_code *a, const struct pl_code *b);
/* Do events need their values for stops_match? */
bool stops_need_values(const struct stops *s);
/* For a search (pathline/search.h): events of these kinds, with such a row, may be at a stop. */
uint32_t stops_kinds(const struct stops *s);
bool stops_may(struct stops *s, const struct pl_count *row);
/* To be called before events are matched that a search finds in the path from seq on, or before
 * it. Stops at one hit do not take part: see stops_hit. 0; PL_ERR_MEMORY. */
int stops_begin(struct stops *s, const struct path *p, uint64_t seq);
/* 0, or PL_END: none of them stops here; an error. To be called for each event that may stop. */
int stops_match(struct stops *s, struct path *p, const struct pl_event *e, struct pl_err *err);
/* A search has stopped at this event: remove the stops of it that are for once. Returns how many
 * these were. */
size_t stops_arrive(struct stops *s, const struct pl_event *e);
/* Which event of `in`: the first one, or the last one, at which a line has run as often as its stop
 * says. UINT64_MAX: there is none, or the path's `stop` became other than 0. 0 or an error. */
int stops_hit(
	struct stops *s, struct path *p, const struct seqs *in, uint64_t *seq, struct pl_err *err);

#endif
