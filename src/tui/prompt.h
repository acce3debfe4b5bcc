/* The prompt: the command being typed, and those typed before. Bytes of UTF-8. */
#ifndef PL_TUI_PROMPT_H
#define PL_TUI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#define PROMPT_BYTES   1024
#define PROMPT_HISTORY 128

/* All zero: closed, without a history. */
struct prompt {
	bool open;
	char text[PROMPT_BYTES];       /* ends at its NUL */
	size_t at;		       /* bytes: where the cursor is */
	char *history[PROMPT_HISTORY]; /* owned; the oldest first */
	size_t count, shown;	       /* shown: the one that is in text; count: none */
};

void prompt_release(struct prompt *p);
/* Open it, with this text in it. */
void prompt_begin(struct prompt *p, const char *text);
/* Close it, and keep what was typed in the history. */
void prompt_end(struct prompt *p);
void prompt_insert(struct prompt *p, const char *bytes, size_t n);
void prompt_left(struct prompt *p);
void prompt_right(struct prompt *p);
void prompt_delete(struct prompt *p); /* before the cursor */
void prompt_earlier(struct prompt *p);
void prompt_later(struct prompt *p);

#endif
