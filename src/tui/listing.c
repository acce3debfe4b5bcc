#include "tui/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tui/lexer.h"

/* The largest number of a line that a code can have; further lines of a file are not shown. */
#define LINES_MAX (1 << 24)

/* There is no call that says how many lines a text has: the number is doubled until there is no
 * such line, and then halved in on. low exists (or is 0), high does not. */
static int32_t count_lines(struct pl_recording *r, const struct pl_code *code)
{
	struct pl_text text;
	int32_t low = 0, high = 1;

	while (high < LINES_MAX && !pl_source_line(r, code, high, &text, NULL)) {
		low = high;
		high *= 2;
	}
	while (low + 1 < high) {
		int32_t middle = low + (high - low) / 2;
		if (pl_source_line(r, code, middle, &text, NULL))
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* Without a text, the rows are those up to the last line that any code of this file is known to
 * have: numbers and hits can be shown even so. */
static int32_t last_line(const struct pl_code *code, const struct executed *e)
{
	int32_t last = pl_code_first_line(code), lines[256];
	size_t n = pl_code_lines(code, lines, 256);

	for (size_t i = 0; i < n && i < 256; i++)
		last = lines[i] > last ? lines[i] : last;
	for (size_t i = 0; e->done && i < e->table.count; i++)
		if (e->table.rows[i].line > last && pl_code_same_text(e->table.rows[i].code, code))
			last = e->table.rows[i].line;
	return last < 1 ? 1 : last < LINES_MAX ? last : LINES_MAX;
}

static void listing_mark(struct listing *s, int32_t line, unsigned what)
{
	if (line > 0 && line <= s->lines)
		s->what[line] |= (uint8_t)what;
}

static void learn_code(struct listing *s, const struct pl_code *code)
{
	size_t n = pl_code_lines(code, NULL, 0);
	int32_t *lines = calloc(n + 1, sizeof *lines);

	if (lines)
		n = pl_code_lines(code, lines, n);
	for (size_t i = 0; lines && i < n; i++)
		listing_mark(s, lines[i], SOURCE_CAN);
	free(lines);
}

static void add_code(struct listing *s, const struct pl_code *code)
{
	s->codes[s->code_count++] = code;
	learn_code(s, code);
}

/* In characters, tabs as one: only compared within a block, which Python wants indented alike. -1:
 * a line that says nothing, blank or a comment. */
static int indent_of(struct pl_text text)
{
	int indent = 0;

	for (size_t i = 0; i < text.length; i++, indent++)
		if (text.at[i] != ' ' && text.at[i] != '\t')
			return text.at[i] == '#' ? -1 : indent;
	return -1;
}

static bool is_def(struct pl_text text, int indent)
{
	const char *at = text.at + indent;
	size_t left = text.length - (size_t)indent;

	return (left > 4 && !memcmp(at, "def ", 4)) || (left > 10 && !memcmp(at, "async def ", 10));
}

/* Finds the bodies of functions that never ran, of which the recording has no code: what is
 * indented deeper than their def. Without it a function that nobody called would look as if it had
 * no code, where "never" is right. A guess from the text, so it is used only where no code answers:
 * a def whose line, or whose decorator's line above, is the first of a code has been called.
 * is_first: first lines of codes. */
static void learn_unborn(struct listing *s, const uint8_t *is_first)
{
	int def = -1;

	for (int32_t line = 1; line <= s->lines; line++) {
		struct pl_text text;
		int indent = listing_text(s, line, &text) ? indent_of(text) : -1;
		if (indent < 0)
			continue;
		if (def >= 0 && indent > def) {
			listing_mark(s, line, SOURCE_CAN);
			continue;
		}
		def = is_def(text, indent) && !is_first[line] && !is_first[line - 1] ? indent : -1;
	}
}

/* The table of `executed` is sorted by code, so the rows of a code stand together, and each code is
 * added once. Once for each file: has_what says that it is done. */
void listing_learn(struct listing *s, const struct executed *e)
{
	uint8_t *is_first;

	if (!e->done || !s->what || s->has_what)
		return;
	free(s->codes);
	s->codes = calloc(e->table.count + 1, sizeof *s->codes);
	s->code_count = 0;
	if (!s->codes)
		return;
	is_first = calloc((size_t)s->lines + 1, 1);
	memset(s->what, 0, (size_t)s->lines + 1);
	for (size_t i = 0; i < e->table.count; i++) {
		const struct pl_count *row = &e->table.rows[i];
		if (!pl_code_same_text(row->code, s->code))
			continue;
		int32_t first = pl_code_first_line(row->code);
		if (is_first && first > 0 && first <= s->lines)
			is_first[first] = 1;
		if (!i || e->table.rows[i - 1].code != row->code)
			add_code(s, row->code);
		if (row->kind == PL_EVENT_LINE)
			listing_mark(s, row->line, SOURCE_CAN | SOURCE_RAN);
	}
	for (size_t i = 0; i < e->possible.count; i++)
		if (pl_code_same_text(e->possible.rows[i].code, s->code))
			listing_mark(s, e->possible.rows[i].line, SOURCE_CAN | SOURCE_MAY);
	if (is_first && !s->missing)
		learn_unborn(s, is_first);
	free(is_first);
	s->has_what = true;
}

int listing_show(struct listing *s, struct pl_recording *r, const struct pl_code *code,
	const struct executed *e)
{
	struct pl_err why = {0};
	struct pl_text text;

	listing_release(s);
	*s = (struct listing){.r = r, .code = code, .file = pl_code_file(code)};
	if (pl_source_line(r, code, 1, &text, &why)) {
		s->missing = true;
		snprintf(
			s->why, sizeof s->why, "%s", why.used ? pl_err_text(&why) : "no such line");
	}
	s->lines = s->missing ? last_line(code, e) : count_lines(r, code);
	s->what = calloc((size_t)s->lines + 1, 1);
	s->states = calloc((size_t)s->lines + 2, 1);
	s->hits = calloc((size_t)s->lines + 1, sizeof *s->hits);
	s->states_to = 1;
	if (!s->what || !s->states || !s->hits) {
		listing_release(s);
		return PL_ERR_MEMORY;
	}
	listing_learn(s, e);
	return 0;
}

void listing_release(struct listing *s)
{
	free(s->what);
	free(s->states);
	free(s->hits);
	free(s->codes);
	*s = (struct listing){.lines = 0};
}

bool listing_text(const struct listing *s, int32_t line, struct pl_text *text)
{
	*text = (struct pl_text){.at = "", .length = 0};
	return !s->missing && line > 0 && line <= s->lines &&
	       !pl_source_line(s->r, s->code, line, text, NULL);
}

/* What a line leaves open depends on all lines above it. They are read once, as far down as was
 * asked for; states[n] is final for n <= states_to. */
uint8_t listing_state(struct listing *s, int32_t line)
{
	for (; s->states_to < line && s->states_to <= s->lines; s->states_to++) {
		struct lexer l = {.state = s->states[s->states_to]};
		struct pl_text text;
		enum lexeme kind;
		if (listing_text(s, s->states_to, &text))
			while (lexer_next(&l, text.at, text.length, &kind))
				;
		s->states[s->states_to + 1] = l.state;
	}
	return line > 0 && line <= s->lines ? s->states[line] : 0;
}
