/* A text is kept as it was recorded. Where its lines begin is computed when the first one is asked
 * for. */
#include "trace/source.h"

#include <stdlib.h>
#include "trace/code.h"

/* Lines end as in Python: LF, CR LF, or CR. Returns where the next line begins. */
static size_t line_end(struct pl_view text, size_t at, size_t *length)
{
	size_t end = at;

	while (end < text.left && text.at[end] != '\n' && text.at[end] != '\r')
		end++;
	*length = end - at;
	if (end + 1 < text.left && text.at[end] == '\r' && text.at[end + 1] == '\n')
		end++;
	return end + 1;
}

static size_t count_text_lines(struct pl_view text)
{
	size_t count = 0, length;

	for (size_t at = 0; at < text.left; at = line_end(text, at, &length))
		count++;
	return count;
}

/* Where each line begins. Counted first, so that the array has the right size. */
static int split_lines(struct source *s)
{
	size_t count, at = 0, length;

	if (s->split)
		return 0;
	count = count_text_lines(s->text);
	s->lines = malloc((count + 1) * sizeof *s->lines);
	if (!s->lines)
		return PL_ERR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		s->lines[i] = (uint32_t)at;
		at = line_end(s->text, at, &length);
	}
	s->line_count = count;
	s->split = true;
	return 0;
}

void source_release(struct source *s)
{
	free(s->lines);
}

/* The text is a view into the recording, valid while that is open. Why a text is missing was noted
 * by the recorder. */
int pl_source_line(struct pl_recording *r, const struct pl_code *c, int32_t line,
	struct pl_text *text, struct pl_err *err)
{
	const uint64_t *found = c->source ? map_find(&r->sources, c->source - 1) : NULL;
	struct source *s = found ? (struct source *)(uintptr_t)*found : NULL;

	if (!s)
		return pl_err_cause(
			err, PL_ERR_NOT_FOUND, "%s: its text was not recorded", c->file);
	if (*s->reason)
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "%s: %s", c->file, s->reason);
	if (split_lines(s))
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the lines of %s", c->file);
	if (line < 1 || (size_t)line > s->line_count)
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "%s: it has no line %d", c->file, line);
	text->at = (const char *)s->text.at + s->lines[line - 1];
	line_end(s->text, s->lines[line - 1], &text->length);
	return 0;
}
