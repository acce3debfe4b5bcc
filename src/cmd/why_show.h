/* What `why` prints: exceptions with their frames, as text or as JSON.
 */
#ifndef PL_CMD_WHY_SHOW_H
#define PL_CMD_WHY_SHOW_H

#include "cmd/json.h"
#include "session/ran.h"
#include "session/variables.h"
#include "session/why.h"

struct why_show {
	struct why *why; /* not owned, as all but `variables` */
	struct out *out;
	const struct crash *crash;
	const char *ended; /* what became of it: "ended the main thread" */
	struct variables variables;
	bool of_calls; /* out: some values were those of calls */
	bool some;     /* out: some variable was there */
	char *text;    /* owned: WHY_SHOW_TEXT bytes */
};

#define WHY_SHOW_TEXT 8192

/* 0, or PL_ERR_MEMORY. */
int why_show_init(struct why_show *s);
void why_show_release(struct why_show *s);

/* 0; PL_END: stopped; or an error. */
int why_show_text(struct why_show *s, struct pl_err *err);
int why_show_json(struct why_show *s, struct pl_err *err);

/* The variables of the frame of a raise, as far as `why` shows them: into s->variables. */
int why_show_variables(struct why_show *s, const struct pl_event *at, struct pl_err *err);
/* Names of a module that are its imports and definitions say nothing about a failure. */
bool why_show_is_wanted(const struct variables *all, const struct variable *v);
/* After the exceptions: where the other tasks and threads were then. */
int why_show_others(struct why_show *s, struct pl_err *err);
/* The text of a line, without its indentation. */
struct text why_show_source(const struct why_show *s, const struct pl_code *code, int32_t line);

#endif
