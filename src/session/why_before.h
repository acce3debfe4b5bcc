/* Which handler was at work when an exception was raised.
 */
#ifndef PL_SESSION_WHY_BEFORE_H
#define PL_SESSION_WHY_BEFORE_H

#include "session/why.h"

struct why_before {
	const struct pl_event *raise; /* of the exception that was raised meanwhile */
	const char *type;	      /* of the one that was handled; NULL: not known */
};

/* The handled event of the innermost handler that was at work then, in the frame of `raise` or in
 * one below. 0; PL_END: there was none, as far as is known; or an error. */
int why_before(
	struct why *w, const struct why_before *b, struct pl_event *handled, struct pl_err *err);

/* The text of a line without its indentation, whose columns are added to *indent; at NULL: it is
 * not known. */
struct pl_text why_source(
	struct pl_recording *r, const struct pl_code *code, int32_t line, size_t *indent);

#endif
