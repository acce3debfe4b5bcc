#define _GNU_SOURCE
#include "base/nearest.h"
#include "expr/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	uint32_t needs;
	const char *meaning;
} rows[] = {
#define X(constant, word, needs, meaning) [FIELD_##constant] = {word, needs, meaning},
	EXPR_FIELDS(X)
#undef X
};

uint32_t field_needs(enum expr_field field)
{
	return rows[field].needs;
}

const struct expr_field_row *expr_field_row(size_t index)
{
	static const struct expr_field_row words[] = {
#define X(constant, word, needs, meaning) {word, meaning},
		EXPR_FIELDS(X)
#undef X
	};

	return index < FIELD_VARIABLE ? &words[index] : NULL;
}

#define OF(kind)	(1u << PL_EVENT_##kind)
#define CALLS		(OF(CALL) | OF(RESUME) | OF(THROW))
#define ENDS		(OF(RETURN) | OF(YIELD) | OF(UNWIND))
#define WITH_ARGUMENTS	(CALLS | ENDS)
#define WITH_RESULTS	(OF(RETURN) | OF(YIELD))
#define WITH_EXCEPTIONS (OF(THROW) | OF(UNWIND) | OF(RAISE) | OF(RERAISE) | OF(HANDLED))

uint32_t field_kinds(enum expr_field field)
{
	switch (field) {
	case FIELD_DURATION:
		return ENDS;
	case FIELD_ARGS:
	case FIELD_VARIABLE:
		return WITH_ARGUMENTS;
	case FIELD_ARG:
	case FIELD_VALUE:
	case FIELD_TYPE:
		return WITH_ARGUMENTS | WITH_EXCEPTIONS;
	case FIELD_RESULT:
		return WITH_RESULTS;
	case FIELD_EXCEPTION:
		return WITH_EXCEPTIONS;
	default:
		return UINT32_MAX;
	}
}

/* What the same is called in dump, query and report. */
static const struct {
	const char *word;
	enum expr_field field;
} others[] = {{"code", FIELD_FUNC}, {"function", FIELD_FUNC}};

enum expr_field field_find(struct pl_text word)
{
	for (enum expr_field f = 0; f < FIELD_VARIABLE; f++)
		if (text_is(word, rows[f].word))
			return f;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (text_is(word, others[i].word))
			return others[i].field;
	return FIELD_COUNT;
}

const char *field_nearest(struct pl_text word)
{
	const char *words[FIELD_VARIABLE + 8];
	char copy[64];
	size_t n = 0;

	for (; n < FIELD_VARIABLE; n++)
		words[n] = rows[n].word;
	words[n++] = "None";
	words[n++] = "True";
	words[n++] = "False";
	words[n++] = "not";
	words[n] = NULL;
	snprintf(copy, sizeof copy, "%.*s", (int)(word.length < 63 ? word.length : 63), word.at);
	return nearest_word(copy, words);
}

/* A column is one of characters. */
int fault_say(const struct expr *e, struct expr_fault *fault, size_t at, const char *format, ...)
{
	va_list arguments;

	fault->column = 1;
	fault->unknown[0] = 0;
	for (size_t i = 0; i < at && e->text[i]; i++)
		fault->column += ((unsigned char)e->text[i] & 0xc0) != 0x80;
	va_start(arguments, format);
	vsnprintf(fault->what, sizeof fault->what, format, arguments);
	va_end(arguments);
	return PL_ERR_ARGUMENT;
}
