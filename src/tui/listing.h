/* A text as the recording has it: its lines, what each leaves open for colours, which can run and
 * which did. */
#ifndef PL_TUI_LISTING_H
#define PL_TUI_LISTING_H

#include "session/executed.h"

enum listing_line {
	SOURCE_CAN = 1, /* it can begin to run */
	SOURCE_RAN = 2, /* and did, in some thread */
	SOURCE_MAY = 4, /* it may have begun after the last event of a thread that was killed */
};

/* All zero is empty; then lines is 0. */
struct listing {
	struct pl_recording *r;	    /* not owned */
	const struct pl_code *code; /* a code of the text; belongs to the recording */
	const char *file;	    /* its name; belongs to the recording */
	int32_t lines;
	bool missing;	   /* there is no text; lines is then the last line that is known */
	char why[256];	   /* why it is missing */
	uint8_t *what;	   /* owned: enum listing_line, [lines + 1] */
	uint8_t *states;   /* owned: enum lexer_state at each beginning, [lines + 2] */
	int32_t states_to; /* lines whose state is known */
	uint64_t *hits;	   /* owned: [lines + 1] */
	const struct pl_code **codes; /* owned: those of the text that ran, once has_what */
	size_t code_count;
	bool has_hits, has_what;
};

/* Another file, or the same again. 0 or PL_ERR_MEMORY. */
int listing_show(struct listing *s, struct pl_recording *r, const struct pl_code *code,
	const struct executed *e);
void listing_release(struct listing *s);
/* Which lines ran, once e is done. */
void listing_learn(struct listing *s, const struct executed *e);
/* The text of a line; false: there is none. */
bool listing_text(const struct listing *s, int32_t line, struct pl_text *text);
/* The lexer's state at the beginning of a line. */
uint8_t listing_state(struct listing *s, int32_t line);

#endif
