/* What `history` cannot show, because the recording does not have it, said below its table: a limit
 * dropped it, there was no time or room for it, or a function wrote a global, whose values are
 * captured with the lines of the module alone.
 */
#ifndef PL_CMD_HISTORY_MISSING_H
#define PL_CMD_HISTORY_MISSING_H

#include "pathline/pathline.h"

/* All zero is valid. */
struct history_missing {
	uint64_t gaps[PL_GAP_REASON_COUNT];
	int64_t evicted_to_ns;	    /* of an evicted gap, the latest time */
	uint64_t types_alone;	    /* events of whose values there are only the types */
	const struct pl_code *body; /* of a module that has the name; NULL: none */
};

/* An event of a thread that is selected. */
void history_missing_note(struct history_missing *m, const struct pl_event *e);
/* The name was seen in this code. */
void history_missing_note_code(struct history_missing *m, const struct pl_code *code);
/* To stderr: what was lost or not kept. */
void history_missing_say(const struct history_missing *m);
/* Likewise, if functions write the name, of which the values were asked for. */
void history_missing_say_global(
	const struct history_missing *m, struct pl_recording *r, struct pl_text name);

#endif
