/* What ran, by name: lines, functions, types of exceptions. A stop at something that never ran is
 * refused, and the refusal names what is similar. */
#ifndef PL_SESSION_KNOWN_H
#define PL_SESSION_KNOWN_H

#include "session/session.h"

/* Did it ever run, in any thread of any process? 0: it did. PL_END: it did not, and the outcome has
 * a refusal and what is near; or an error. */
int known_line(struct session *s, const char *file, int32_t line, struct pl_err *err);
int known_function(struct session *s, const char *name, struct pl_err *err);
int known_exception(struct session *s, const char *type, struct pl_err *err);

/* The same for a variable: was it ever bound in this function? */
int known_variable(
	struct session *s, const struct pl_code *code, const char *name, struct pl_err *err);

/* The name that a person may have meant: a mistyped one, or one of which a part was typed. NULL:
 * none. known ends with NULL. */
const char *known_meant(const char *name, const char **known);

/* Count what ran, if that was not done yet. 0; PL_END: it was interrupted; or an error. */
int known_executed(struct session *s, struct pl_err *err);
/* Collect the types of exceptions into s->types, if that was not done yet. As known_executed. */
int known_types(struct session *s, struct pl_err *err);

#endif
