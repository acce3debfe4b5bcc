/* A regular expression that a user typed, for texts of rows. */
#ifndef PL_TUI_PATTERN_H
#define PL_TUI_PATTERN_H

#include <regex.h>
#include "tui/prompt.h"

/* All zero: none, and every text has it. */
struct pattern {
	char text[PROMPT_BYTES]; /* as it was typed; "": none */
	regex_t regex;
	bool plain;		   /* it has no special characters: it is looked for as it is */
	char needed[PROMPT_BYTES]; /* what matches has this in it; "": not known */
};

/* false: it is no regular expression; then the pattern is as it was. */
bool pattern_set(struct pattern *p, const char *text);
bool pattern_has(const struct pattern *p, const char *text);
void pattern_release(struct pattern *p);

#endif
