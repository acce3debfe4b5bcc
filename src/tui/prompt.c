#include "tui/prompt.h"

#include <stdlib.h>
#include <string.h>

/* A byte of a character that is not its first: the cursor never stands before one. */
static bool is_middle(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void prompt_release(struct prompt *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->history[i]);
	*p = (struct prompt){.open = false};
}

static void prompt_set(struct prompt *p, const char *text)
{
	size_t n = strlen(text);

	n = n < PROMPT_BYTES ? n : PROMPT_BYTES - 1;
	memcpy(p->text, text, n);
	p->text[n] = 0;
	p->at = n;
}

void prompt_begin(struct prompt *p, const char *text)
{
	p->open = true;
	p->shown = p->count;
	prompt_set(p, text);
}

/* The same line twice in a row is kept once. Without memory the line is done, but not
 * remembered. */
void prompt_end(struct prompt *p)
{
	p->open = false;
	if (!p->text[0] || (p->count && !strcmp(p->history[p->count - 1], p->text)))
		return;
	char *kept = strdup(p->text);
	if (!kept)
		return;
	if (p->count == PROMPT_HISTORY) {
		free(p->history[0]);
		memmove(p->history, p->history + 1, (PROMPT_HISTORY - 1) * sizeof *p->history);
		p->count--;
	}
	p->history[p->count++] = kept;
}

void prompt_insert(struct prompt *p, const char *bytes, size_t n)
{
	size_t length = strlen(p->text);

	if (length + n >= PROMPT_BYTES)
		return;
	memmove(p->text + p->at + n, p->text + p->at, length - p->at + 1);
	memcpy(p->text + p->at, bytes, n);
	p->at += n;
}

void prompt_left(struct prompt *p)
{
	while (p->at && is_middle(p->text[--p->at]))
		;
}

void prompt_right(struct prompt *p)
{
	if (p->text[p->at])
		p->at++;
	while (is_middle(p->text[p->at]))
		p->at++;
}

void prompt_delete(struct prompt *p)
{
	size_t end = p->at;

	prompt_left(p);
	memmove(p->text + p->at, p->text + end, strlen(p->text + end) + 1);
}

void prompt_earlier(struct prompt *p)
{
	if (p->shown)
		prompt_set(p, p->history[--p->shown]);
}

/* After the last line of the history comes an empty one. */
void prompt_later(struct prompt *p)
{
	if (p->shown < p->count)
		p->shown++;
	prompt_set(p, p->shown < p->count ? p->history[p->shown] : "");
}
