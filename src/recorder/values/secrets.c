/* Names of secrets. */
#include "recorder/values/secrets.h"

#include <string.h>
#include "filter/glob.h"
#include "recorder/values/secret_table.h"

struct phrase {
	const char *text;
	unsigned place; /* enum secret_place */
};

/* The rows of each letter; the last one has no text. */
static const struct phrase *const phrases['z' + 1] = {
#define ROW(text, place) {text, place},
#define X(letter, list)	 [letter] = (const struct phrase[]){list(ROW){NULL, 0}},
	SECRET_LETTERS(X)
#undef X
#undef ROW
};

/* Letters with which a phrase may begin within a word. */
static const uint8_t within_words['z' + 1] = {
#define ROW(text, place) | ((place)&SECRET_ENDS)
#define X(letter, list)	 [letter] = 0 list(ROW),
	SECRET_LETTERS(X)
#undef X
#undef ROW
};

static const char *const about_first[] = {
#define X(text) text,
	SECRET_ABOUT_FIRST(X)
#undef X
};

static const char *const about_last[] = {
#define X(text) text,
	SECRET_ABOUT_LAST(X)
#undef X
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct name {
	const char *at;
	size_t length;
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* A byte of UTF-8 counts as a letter that no phrase has. */
static bool is_letter(char c)
{
	return is_upper(c) || is_lower(c) || (c & 0x80);
}

static char lowered(char c)
{
	return is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

/* Is there a word's edge before byte i? In "HTTPSession" before the S, by the letter after it. */
static bool is_edge(struct name n, size_t i)
{
	if (i == 0 || i >= n.length || !is_letter(n.at[i - 1]) || !is_letter(n.at[i]))
		return true;
	if (!is_upper(n.at[i]))
		return false;
	return !is_upper(n.at[i - 1]) || (i + 1 < n.length && is_lower(n.at[i + 1]));
}

static bool has_letter(struct name n, size_t from, size_t to)
{
	for (; from < to; from++)
		if (is_letter(n.at[from]))
			return true;
	return false;
}

/* The end of the phrase's letters, which begin at byte i; 0: they are not there. */
static size_t letters_end(struct name n, size_t i, const char *text)
{
	for (; *text; text++) {
		if (*text == ' ') {
			while (i < n.length && !is_letter(n.at[i]))
				i++;
			continue;
		}
		if (i >= n.length || lowered(n.at[i]) != *text)
			return 0;
		i++;
	}
	return i;
}

/* edge: a word begins here. */
static bool has_phrase(struct name n, size_t i, bool edge, const struct phrase *p)
{
	unsigned place = p->place;
	size_t end = edge || place & SECRET_ENDS ? letters_end(n, i, p->text) : 0;

	if (!end)
		return false;
	if ((place & SECRET_INSIDE) == SECRET_INSIDE)
		return true;
	if (!is_edge(n, end)) {
		if (place & SECRET_ONE || lowered(n.at[end]) != 's' || !is_edge(n, end + 1))
			return false;
		end++;
	}
	if (place & (SECRET_LAST | SECRET_WHOLE) && has_letter(n, end, n.length))
		return false;
	return !(place & SECRET_WHOLE) || !has_letter(n, 0, i);
}

static bool has_phrase_at(struct name n, size_t i)
{
	unsigned char first = (unsigned char)n.at[i] | 0x20; /* a capital becomes small */

	if (first > 'z' || !phrases[first] || i + 1 >= n.length)
		return false;
	bool edge = is_edge(n, i);
	if (!edge && !within_words[first])
		return false;
	const char second = lowered(n.at[i + 1]);
	for (const struct phrase *p = phrases[first]; p->text; p++)
		if (p->text[1] == second && has_phrase(n, i, edge, p))
			return true;
	return false;
}

static bool is_one_of(struct name word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (letters_end(word, 0, list[i]) == word.length)
			return true;
	return false;
}

/* "has_password", "token_type": something about a secret. */
static bool is_about(struct name n)
{
	size_t from, to;

	while (n.length && !is_letter(n.at[n.length - 1]))
		n.length--;
	for (; n.length && !is_letter(*n.at); n.length--)
		n.at++;
	for (to = 1; !is_edge(n, to); to++)
		;
	if (is_one_of((struct name){n.at, to}, about_first, COUNT(about_first)))
		return true;
	for (from = n.length - 1; !is_edge(n, from); from--)
		;
	return is_one_of(
		(struct name){n.at + from, n.length - from}, about_last, COUNT(about_last));
}

/* ---- the user's ---- */

static struct pl_view added; /* written once, before anything reads it */

void secret_names_add(struct pl_view patterns)
{
	added = patterns;
}

static bool is_added(struct name n)
{
	char text[SECRET_NAME_BYTES];
	size_t length = n.length < sizeof text ? n.length : sizeof text, line;

	for (size_t i = 0; i < length; i++)
		text[i] = lowered(n.at[i]);
	for (struct pl_view v = added; v.left; v.at += line + 1, v.left -= line + 1) {
		const uint8_t *end = memchr(v.at, '\n', v.left);
		if (!end)
			break;
		line = (size_t)(end - v.at);
		if (glob_match(view_of(v.at, line), view_of(text, length), 0))
			return true;
	}
	return false;
}

bool secret_name(const char *name, size_t length)
{
	struct name n = {name, length};

	if (added.left && is_added(n))
		return true;

	for (size_t i = 0; i < length; i++)
		if (has_phrase_at(n, i))
			return !is_about(n);
	return false;
}
