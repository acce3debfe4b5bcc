#include "cmd/statements.h"

#include <string.h>

/* What a line is made of. */
struct pieces {
	const char *word; /* the first one */
	size_t length;
	bool any;	  /* more than blanks and a comment */
	bool but_strings; /* more than strings too */
	bool assigns;
	char after; /* the first character after the word */
	char last;  /* character, without blanks and comments */
	bool body;  /* something comes after the first colon outside of brackets */
	bool colon;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* The first word of a statement, and what stands after it: these decide what kind of statement it
 * is. */
static void read_word(struct pieces *p, const char *at, size_t left)
{
	size_t n = 0;

	while (n < left && is_word(at[n]))
		n++;
	p->word = at;
	p->length = n;
	while (n < left && (at[n] == ' ' || at[n] == '\t'))
		n++;
	p->after = n < left ? at[n] : 0;
}

/* Code outside of strings and comments. Brackets that are open at the end of a line make the next
 * line go on with the statement. */
static void read_code(struct statements *s, struct pieces *p, const char *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i] == ' ' || at[i] == '\t' || at[i] == '\r' || at[i] == '\f')
			continue;
		p->body |= p->colon;
		p->any = p->but_strings = true;
		p->last = at[i];
		if (strchr("([{", at[i]) && at[i])
			s->open++;
		else if (strchr(")]}", at[i]) && at[i])
			s->open -= s->open > 0;
		else if (at[i] == '=')
			p->assigns = true;
		else if (at[i] == ':' && !s->open)
			p->colon = true;
	}
}

/* Strings are told from code by the lexer, which also knows strings of several lines. */
static void read_pieces(struct statements *s, struct pieces *p, struct pl_text text)
{
	struct lexer l = {.state = s->state};
	enum lexeme kind;
	size_t n, from = 0;

	while ((n = lexer_next(&l, text.at, text.length, &kind))) {
		if (kind == LEX_STRING) {
			p->any = true;
			p->body |= p->colon;
			p->last = text.at[from + n - 1] == '\\' ? '"' : text.at[from + n - 1];
		} else if (kind != LEX_COMMENT) {
			read_code(s, p, text.at + from, n);
		}
		from += n;
	}
	s->state = l.state;
}

static bool is_piece(const struct pieces *p, const char *word)
{
	return strlen(word) == p->length && !memcmp(p->word, word, p->length);
}

/* Has the statement any code? Texts alone have none (docstrings), nor have declarations; else,
 * finally and try only if something follows on their line. */
static bool has_code(const struct pieces *p)
{
	if (!p->but_strings || is_piece(p, "global") || is_piece(p, "nonlocal"))
		return false;
	if (is_piece(p, "else") || is_piece(p, "finally"))
		return p->body;
	if (p->after == ':' && p->length && !is_piece(p, "try")) /* of a variable: x: int */
		return p->assigns;
	return true;
}

/* A function's first line, as its code has it, is that of its first decorator. */
static enum statement begin_statement(struct statements *s, const struct pieces *p)
{
	bool decorates = *p->word == '@';

	if (!s->decorators)
		s->first = s->line;
	s->decorators = decorates;
	if (is_piece(p, "def"))
		return STATEMENT_DEF;
	if (is_piece(p, "async") && p->after == 'd')
		return STATEMENT_DEF;
	return has_code(p) ? STATEMENT_CODE : STATEMENT_NONE;
}

enum statement statements_next(struct statements *s, struct pl_text text)
{
	const bool inside = s->state != LEXER_CODE || s->open || s->continued;
	struct pieces p = {0};
	size_t i = 0;
	int indent = 0;

	for (; i < text.length && (text.at[i] == ' ' || text.at[i] == '\t'); i++)
		indent += text.at[i] == '\t' ? 8 - indent % 8 : 1;
	s->line++;
	read_pieces(s, &p, text);
	s->continued = p.last == '\\';
	if (inside || !p.any)
		return STATEMENT_NONE;
	read_word(&p, text.at + i, text.length - i);
	s->indent = indent;
	return begin_statement(s, &p);
}
