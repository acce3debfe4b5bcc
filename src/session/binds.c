#define _GNU_SOURCE
#include "session/binds.h"

#include <string.h>
#include "base/view.h"

/* Of a function's lines, to know whether one is the middle of a statement. */
#define LINES_MAX 2000

/* ---- words ---- */

/* Also of UTF-8. */
static bool is_word(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* The next word from *at on; what is before it is in `gap`. false: there is none. */
static bool next_word(struct pl_text line, size_t *at, struct pl_text *gap, struct pl_text *word)
{
	size_t begin = *at, end;

	while (begin < line.length && !is_word(line.at[begin]))
		begin++;
	for (end = begin; end < line.length && is_word(line.at[end]); end++)
		;
	*gap = (struct pl_text){line.at + *at, begin - *at};
	*word = (struct pl_text){line.at + begin, end - begin};
	*at = end;
	return word->length > 0;
}

static bool word_is(struct pl_text word, const char *text)
{
	return strlen(text) == word.length && !memcmp(word.at, text, word.length);
}

/* What follows one of them can be bound. */
static bool is_binding_word(struct pl_text word)
{
	static const char *const words[] = {
		"as", "case", "class", "def", "del", "for", "import", "type"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (word_is(word, words[i]))
			return true;
	return false;
}

/* Is there a = from here on that is no comparison? */
static bool is_assigned(struct pl_text line, size_t at)
{
	for (; at < line.length; at++) {
		if (line.at[at] != '=')
			continue;
		const char before = at ? line.at[at - 1] : ' ';
		const bool twice = at + 1 < line.length && line.at[at + 1] == '=';
		const bool shifts =
			at > 1 && (before == '<' || before == '>') && line.at[at - 2] == before;
		if (!twice && (shifts || !strchr("=<>!", before)))
			return true;
		at += twice;
	}
	return false;
}

/* Names that are written in another way: of a private attribute, or in another form of Unicode. */
static bool has_other_form(struct pl_text name)
{
	for (size_t i = 0; i < name.length; i++)
		if ((unsigned char)name.at[i] >= 0x80)
			return true;
	return name.length > 2 && name.at[0] == '_' &&
	       memmem(name.at + 1, name.length - 1, "__", 2);
}

bool binds_name(struct pl_text line, struct pl_text name, bool continues)
{
	struct pl_text gap = line, word = line;
	bool after = false, import = false, first = true;

	if (continues || has_other_form(name))
		return true;
	for (size_t at = 0; next_word(line, &at, &gap, &word); first = false) {
		const char before = gap.length ? gap.at[gap.length - 1] : ' ';
		if (first && before == '@')
			return true;
		if (word.length == name.length && !memcmp(word.at, name.at, name.length) &&
			before != '.' && (after || is_assigned(line, at)))
			return true;
		after |= is_binding_word(word);
		import |= word_is(word, "import");
	}
	return import && memchr(gap.at, '*', gap.length);
}

/* ---- statements ---- */

/* Brackets that are open after the line. Those in texts count as well: then it is not known. */
static long open_brackets(struct pl_text line, long open)
{
	for (size_t i = 0; i < line.length; i++) {
		if (strchr("([{", line.at[i]) && line.at[i])
			open++;
		if (strchr(")]}", line.at[i]) && line.at[i])
			open--;
	}
	return open;
}

/* Is the line in brackets, or one of several lines, or is that not known? */
static bool is_part_of_more(struct pl_recording *r, const struct pl_code *code, int32_t line)
{
	const int32_t begin = pl_code_first_line(code);
	struct pl_text text;
	long open = 0;

	if (begin <= 0 || line < begin || line - begin > LINES_MAX)
		return true;
	for (int32_t n = begin; n <= line; n++) {
		if (pl_source_line(r, code, n, &text, NULL) < 0)
			return true;
		const bool goes_on = text.length && text.at[text.length - 1] == '\\';
		open = open_brackets(text, open);
		if (n >= line - 1 && (open || goes_on))
			return true;
	}
	return false;
}

static bool can_change_inside(const struct pl_value *value)
{
	switch (value->kind) {
	case PL_VALUE_NONE:
	case PL_VALUE_FALSE:
	case PL_VALUE_TRUE:
	case PL_VALUE_INT:
	case PL_VALUE_LONG:
	case PL_VALUE_FLOAT:
	case PL_VALUE_COMPLEX:
	case PL_VALUE_STR:
	case PL_VALUE_BYTES:
		return false;
	default:
		return true;
	}
}

bool binds_value(struct pl_recording *r, const struct pl_code *code, int32_t line,
	const struct pl_value *value, struct pl_text name)
{
	struct pl_text text;

	if (!code || line <= 0 || can_change_inside(value) || value->type.length ||
		pl_source_line(r, code, line, &text, NULL) < 0)
		return true;
	return binds_name(text, name, false) || is_part_of_more(r, code, line);
}
