/* The outcome of an operation as text: what --plain, --json and the screen show of it. */
#ifndef PL_SESSION_ANSWER_H
#define PL_SESSION_ANSWER_H

#include "session/session.h"

/* Make s->why and s->note of the outcome of an operation that returned `code`. A text that is there
 * already is left as it is. */
void answer_outcome(struct session *s, int code);
/* The note of the outcome. */
void answer_note(struct session *s);

/* As the command that would set it: "3: b app.py:12 if hits == 2". */
void answer_stop(struct session *s, const struct stop *stop);
/* All of them on one line, in the order in which they were set. */
void answer_stops(struct session *s);

/* answer_values.c: what was done, refused, and noted about variables. */
void answer_variables(struct session *s);
void answer_value(struct session *s);
void answer_no_value(struct session *s);
void answer_written(struct session *s);

#endif
