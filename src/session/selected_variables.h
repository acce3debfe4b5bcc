/* The variables of the selected frame at the position of a session: kept until either changes,
 * because a screen asks each time it draws.
 */
#ifndef PL_SESSION_SELECTED_VARIABLES_H
#define PL_SESSION_SELECTED_VARIABLES_H

#include "session/variables.h"

struct session;

/* In a session; all zero is empty. */
struct selected_variables {
	struct variables v;
	struct pl_position of; /* for which they are, and the frame */
	uint64_t seq;
	size_t frame;
	bool known;
};

/* The number of the selected frame on the stack, from the bottom one, 0. false: there is none. */
bool session_frame_depth(struct session *s, uint32_t *depth);
/* 0: *out is valid until the session's next operation; PL_END: there is no frame, or it was
 * stopped; an error. */
int session_variables(struct session *s, const struct variables **out, struct pl_err *err);
/* The recording was refreshed. */
void selected_variables_forget(struct selected_variables *v);

#endif
