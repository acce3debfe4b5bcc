/* A regular expression, as a user typed it. All that is searched goes through it: `~` of an
 * expression, / and ? of a replay and of the help, & of the reader. */
#ifndef PL_EXPR_PATTERN_H
#define PL_EXPR_PATTERN_H

#include <regex.h>
#include "pathline/recording.h"

#define PATTERN_WHY_BYTES 128

/* All zero: none, and every text has it. */
struct pattern {
	char *text; /* owned: as it was typed; NULL: none */
	regex_t regex;
	bool plain;   /* it has no special characters: it is looked for as it is */
	char *needed; /* owned: what matches has this in it; "": not known */
};

/* "" is none. 0; PL_ERR_ARGUMENT: it is no regular expression, and why, if that is not NULL, says
 * where; PL_ERR_MEMORY. After a failure the pattern is as it was. */
int pattern_read(struct pattern *p, const char *text, bool any_case, char why[PATTERN_WHY_BYTES]);
bool pattern_has(const struct pattern *p, const char *text);
/* In a text that has no NUL at its end. */
bool pattern_is_in(const struct pattern *p, struct pl_text text);
void pattern_release(struct pattern *p);

#endif
