#include "tui/lexer.h"

#include <string.h>

/* Of the newest Python, with `match` and `case`, which are names elsewhere: a colour too many does
 * no harm. Which version ran makes no difference. */
static const char *const keywords[] = {"False", "None", "True", "and", "as", "assert", "async",
	"await", "break", "case", "class", "continue", "def", "del", "elif", "else", "except",
	"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match",
	"nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes above ASCII count as letters: what else they may be makes no difference to colours. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_keyword(const char *at, size_t n)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strlen(keywords[i]) == n && !memcmp(keywords[i], at, n))
			return true;
	return false;
}

static bool is_triple(const char *at, size_t left)
{
	return left >= 3 && at[1] == at[0] && at[2] == at[0];
}

/* From inside a string to after its end, or to the end of the line. */
static size_t string_end(struct lexer *l, const char *text, size_t length, size_t i)
{
	char quote = l->state == LEXER_TRIPLE_SINGLE || l->state == LEXER_SINGLE ? '\'' : '"';
	bool triple = l->state == LEXER_TRIPLE_SINGLE || l->state == LEXER_TRIPLE_DOUBLE;

	for (; i < length; i++) {
		if (text[i] == '\\') {
			if (++i == length) /* an escaped line end: the string goes on */
				return length;
		} else if (text[i] == quote && (!triple || is_triple(text + i, length - i))) {
			l->state = LEXER_CODE;
			return i + (triple ? 3 : 1);
		}
	}
	if (!triple)
		l->state = LEXER_CODE;
	return length;
}

/* Bytes of a string's prefix before its quote; SIZE_MAX: no string begins here. */
static size_t prefix_of(const char *at, size_t left)
{
	size_t n = 0;

	while (n < 2 && n < left && strchr("rRbBuUfFtT", at[n]) && at[n])
		n++;
	return n < left && (at[n] == '"' || at[n] == '\'') ? n : SIZE_MAX;
}

static size_t take_string(struct lexer *l, const char *text, size_t length, size_t quote)
{
	bool triple = is_triple(text + quote, length - quote);

	if (text[quote] == '"')
		l->state = triple ? LEXER_TRIPLE_DOUBLE : LEXER_DOUBLE;
	else
		l->state = triple ? LEXER_TRIPLE_SINGLE : LEXER_SINGLE;
	return string_end(l, text, length, quote + (triple ? 3 : 1));
}

/* A keyword, or the name after def or class, which has a colour of its own even if it is a keyword
 * by itself (def match). */
static size_t take_word(struct lexer *l, const char *text, size_t length, enum lexeme *kind)
{
	size_t end = l->at;

	while (end < length && (is_letter(text[end]) || is_digit(text[end])))
		end++;
	bool keyword = is_keyword(text + l->at, end - l->at);
	*kind = l->names ? LEX_NAME : keyword ? LEX_KEYWORD : LEX_PLAIN;
	l->names = (end - l->at == 3 && !memcmp(text + l->at, "def", 3)) ||
		   (end - l->at == 5 && !memcmp(text + l->at, "class", 5));
	return end;
}

/* Also what is not a number in Python, such as 1.2.3: it does not run, but is shown. */
static size_t take_number(const char *text, size_t length, size_t i)
{
	while (i < length &&
		(is_digit(text[i]) || is_letter(text[i]) || text[i] == '.' ||
			((text[i] == '+' || text[i] == '-') && (text[i - 1] | 32) == 'e')))
		i++;
	return i;
}

static size_t take_plain(const char *text, size_t length, size_t i)
{
	for (i++; i < length; i++)
		if (is_letter(text[i]) || is_digit(text[i]) || strchr("\"'#@", text[i]))
			break;
	return i;
}

/* One piece outside a string. A @ is a decorator only as the first thing in a line; else it is the
 * operator. */
static size_t take_code(struct lexer *l, const char *text, size_t length, enum lexeme *kind)
{
	const char *at = text + l->at;
	size_t prefix = prefix_of(at, length - l->at);

	if (*at == '#') {
		*kind = LEX_COMMENT;
		return length;
	}
	if (prefix != SIZE_MAX) {
		*kind = LEX_STRING;
		return take_string(l, text, length, l->at + prefix);
	}
	if (*at == '@' && !l->begun) {
		size_t end = l->at + 1;
		while (end < length &&
			(is_letter(text[end]) || is_digit(text[end]) || text[end] == '.'))
			end++;
		*kind = LEX_DECORATOR;
		return end;
	}
	if (is_digit(*at)) {
		*kind = LEX_NUMBER;
		return take_number(text, length, l->at + 1);
	}
	if (is_letter(*at))
		return take_word(l, text, length, kind);
	*kind = LEX_PLAIN;
	return take_plain(text, length, l->at);
}

size_t lexer_next(struct lexer *l, const char *text, size_t length, enum lexeme *kind)
{
	size_t from = l->at;

	if (from >= length)
		return 0;
	if (l->state != LEXER_CODE) {
		*kind = LEX_STRING;
		l->at = string_end(l, text, length, from);
	} else {
		l->at = take_code(l, text, length, kind);
	}
	for (size_t i = from; i < l->at && !l->begun; i++)
		l->begun = text[i] != ' ' && text[i] != '\t';
	return l->at - from;
}
