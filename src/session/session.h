/* A session: a replay, what a front end needs beside its position, and what came of the last
 * operation (operations.h) or command (words.h).
 */
#ifndef PL_SESSION_SESSION_H
#define PL_SESSION_SESSION_H

#include "session/executed.h"
#include "session/hits.h"
#include "session/outcome.h"
#include "session/selected_variables.h"

#define WHY_MAX	      4096
#define SESSION_TYPES 256 /* types of exceptions that are known by name */

/* Ready if all zero except replay.r and replay.stop, once replay_start was called. */
struct session {
	struct replay replay;
	size_t frame;		/* the selected one: its distance from the innermost frame */
	struct pattern pattern; /* of the last search */
	bool pattern_back;
	struct executed executed; /* counted by known_executed, or by the screen */
	const char
		*types[SESSION_TYPES]; /* of raised exceptions; the recording's; by known_types */
	size_t type_count;
	bool has_types;
	struct hits *hits; /* owned: of the thread of hits_at; by session_hits */
	struct pl_position hits_at;
	struct selected_variables variables; /* by session_variables */
	char variable[VALUE_NAME_BYTES];     /* that commands without a name mean; "": none */
	bool quit;
	/* of the last operation, or command */
	struct outcome outcome;
	/* of the last command: what answer.h made of the outcome */
	char why[WHY_MAX]; /* shown instead of a row; "": the position is the answer */
	char note[512];	   /* shown beside the row; "": nothing */
	bool seen_noted;   /* the note says where a thread was seen last */
};

void session_release(struct session *s);

#endif
