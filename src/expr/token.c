#define _GNU_SOURCE
#include "expr/token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool begins_name(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- numbers ---- */

static const struct {
	const char *word;
	double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9},
	{"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};

static void take_fault(struct token *out, const char *fault)
{
	out->kind = TOKEN_FAULT;
	out->fault = fault;
}

static void take_unit(struct token *out, const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strlen(units[i].word) != length || memcmp(units[i].word, word, length))
			continue;
		if (out->real * units[i].ns >= 9e18) {
			take_fault(out, "it is longer than 292 years");
			return;
		}
		out->kind = TOKEN_DURATION;
		out->integer = (int64_t)(out->real * units[i].ns + 0.5);
		return;
	}
	take_fault(out, "a unit is ns, us, ms, s, m, h or d");
}

/* "10", "1_000", "1.5", "1e3", "5ms" */
static void take_number(struct tokens *t, struct token *out)
{
	char digits[64];
	size_t used = 0, at = t->next;
	bool whole = true;

	for (; used + 2 < sizeof digits; at++) { /* an exponent takes two */
		const char c = t->text[at], after = c ? t->text[at + 1] : 0;
		const bool exponent = (c == 'e' || c == 'E') &&
				      (is_digit(after) || ((after == '-' || after == '+') &&
								  is_digit(t->text[at + 2])));
		if (c == '_' && is_digit(after))
			continue;
		if (!is_digit(c) && !(c == '.' && is_digit(after)) && !exponent)
			break;
		whole &= is_digit(c);
		digits[used++] = c;
		if (exponent)
			digits[used++] = t->text[++at];
	}
	digits[used] = 0;
	errno = 0;
	out->integer = strtoll(digits, NULL, 10);
	out->real = strtod(digits, NULL);
	out->kind = whole && errno != ERANGE ? TOKEN_INT : TOKEN_FLOAT;
	const size_t unit = at;
	while (begins_name((unsigned char)t->text[at]) || is_digit(t->text[at]))
		at++;
	t->next = at;
	if (used + 2 >= sizeof digits)
		take_fault(out, "the number is too long");
	else if (at > unit)
		take_unit(out, t->text + unit, at - unit);
}

/* ---- strings ---- */

static int hex_digit(char c)
{
	return is_digit(c)	      ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Those of Python, as far as a filter needs them. Another character after a backslash stays with
 * it: regular expressions have such, and patterns \%. */
static size_t take_escape(const char *at, char *to, size_t *used)
{
	static const char from[] = "ntr\\'\"", is[] = "\n\t\r\\'\"";
	const char *found = at[1] ? strchr(from, at[1]) : NULL;

	if (found) {
		to[(*used)++] = is[found - from];
		return 2;
	}
	if (at[1] == 'x' && hex_digit(at[2]) >= 0 && hex_digit(at[3]) >= 0) {
		to[(*used)++] = (char)(hex_digit(at[2]) << 4 | hex_digit(at[3]));
		return 4;
	}
	to[(*used)++] = '\\';
	return 1;
}

static void take_string(struct tokens *t, struct token *out)
{
	const char quote = t->text[t->next];
	const size_t from = t->used;
	size_t at = t->next + 1;

	while (t->text[at] && t->text[at] != quote) {
		if (t->text[at] == '\\' && t->text[at + 1])
			at += take_escape(t->text + at, t->room, &t->used);
		else
			t->room[t->used++] = t->text[at++];
	}
	out->kind = TOKEN_STRING;
	t->string = view_of(t->room + from, t->used - from);
	if (!t->text[at]) {
		take_fault(out, "the text has no end; a quote is missing");
		t->next = at;
		return;
	}
	t->next = at + 1;
}

/* ---- signs ---- */

static const struct {
	const char *text;
	enum token_kind kind;
	const char *fault;
} signs[] = {
	{"==", TOKEN_EQ, NULL},
	{"!=", TOKEN_NE, NULL},
	{"<=", TOKEN_LE, NULL},
	{">=", TOKEN_GE, NULL},
	{"!~", TOKEN_NOT_MATCHES, NULL},
	{"<>", TOKEN_FAULT, "say != for 'is not'"},
	{"&&", TOKEN_FAULT, "say: and"},
	{"||", TOKEN_FAULT, "say: or"},
	{"<", TOKEN_LT, NULL},
	{">", TOKEN_GT, NULL},
	{"~", TOKEN_MATCHES, NULL},
	{"(", TOKEN_OPEN, NULL},
	{")", TOKEN_CLOSE, NULL},
	{"[", TOKEN_OPEN_ITEM, NULL},
	{"]", TOKEN_CLOSE_ITEM, NULL},
	{",", TOKEN_COMMA, NULL},
	{".", TOKEN_DOT, NULL},
	{"-", TOKEN_MINUS, NULL},
	{"=", TOKEN_FAULT, "say == to compare"},
	{"!", TOKEN_FAULT, "say: not"},
	{"+", TOKEN_FAULT, "there is no arithmetic"},
	{"*", TOKEN_FAULT, "there is no arithmetic"},
	{"/", TOKEN_FAULT, "there is no arithmetic"},
};

static void take_sign(struct tokens *t, struct token *out)
{
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		const size_t length = strlen(signs[i].text);
		if (strncmp(t->text + t->next, signs[i].text, length))
			continue;
		t->next += length;
		out->kind = signs[i].kind;
		out->fault = signs[i].fault;
		return;
	}
	t->next++;
	take_fault(out, "it means nothing here");
}

void token_take(struct tokens *t, struct token *out)
{
	t->next += strspn(t->text + t->next, " \t\n\r");
	const char c = t->text[t->next];

	*out = (struct token){.at = t->next};
	if (!c)
		out->kind = TOKEN_END;
	else if (is_digit(c))
		take_number(t, out);
	else if (c == '\'' || c == '"')
		take_string(t, out);
	else if (begins_name((unsigned char)c)) {
		while (begins_name((unsigned char)t->text[t->next]) || is_digit(t->text[t->next]))
			t->next++;
		out->kind = TOKEN_NAME;
	} else {
		take_sign(t, out);
	}
	out->end = t->next;
}
