#include "session/value_question.h"

#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "session/value_path.h"

#define NEAR_MAX 128

/* "len(rows)" -> "rows", in the caller's memory; false: it is no such call. */
#define QUESTION_BYTES 1024
static bool cut_length(const char *text, char inside[QUESTION_BYTES])
{
	size_t n = strlen(text);

	if (strncmp(text, "len(", 4) || text[n - 1] != ')' || n - 5 >= QUESTION_BYTES)
		return false;
	memcpy(inside, text + 4, n - 5);
	inside[n - 5] = 0;
	return true;
}

/* The names as texts with a NUL; the nearest of the first ones. */
static void find_near_variable(struct value_question *q, const struct variables *v)
{
	char names[NEAR_MAX][VALUE_NAME_BYTES];
	const char *known[NEAR_MAX + 1] = {NULL};

	for (size_t n = 0; n < v->count && n < NEAR_MAX; n++) {
		snprintf(names[n], VALUE_NAME_BYTES, "%.*s", (int)v->all[n].name.length,
			v->all[n].name.at);
		known[n] = names[n];
	}
	const char *near = nearest_word(q->name, known);
	snprintf(q->near, sizeof q->near, "%s", near ? near : "");
}

static enum value_answer answer_length(struct value_question *q)
{
	const uint64_t length = q->value.length;

	switch (q->value.kind) {
	case PL_VALUE_STR:
	case PL_VALUE_BYTES:
	case PL_VALUE_BYTEARRAY:
	case PL_VALUE_MEMORYVIEW:
	case PL_VALUE_LIST:
	case PL_VALUE_TUPLE:
	case PL_VALUE_SET:
	case PL_VALUE_FROZENSET:
	case PL_VALUE_DEQUE:
	case PL_VALUE_DICT:
	case PL_VALUE_NAMEDTUPLE:
		q->value = (struct pl_value){.kind = PL_VALUE_INT, .integer = (int64_t)length};
		return ANSWER_VALUE;
	default:
		return q->value.kind == PL_VALUE_CUT ? ANSWER_NOT_KEPT : ANSWER_NO_LENGTH;
	}
}

static enum value_answer answer_path(
	struct value_question *q, const struct variables *v, const struct value_path *path)
{
	snprintf(q->name, sizeof q->name, "%.*s", (int)path->root.length, path->root.at);
	q->variable = variables_find(v, path->root.at, path->root.length);
	if (!q->variable) {
		find_near_variable(q, v);
		return ANSWER_NO_VARIABLE;
	}
	if (q->variable->value.kind == PL_VALUE_UNSET)
		return ANSWER_UNSET;
	const enum value_found found = value_path_find(path, 0, &q->variable->value, &q->value);
	if (found != VALUE_FOUND)
		return found == VALUE_ABSENT ? ANSWER_ABSENT : ANSWER_NOT_KEPT;
	q->value.name = (struct pl_text){0};
	return q->length ? answer_length(q) : ANSWER_VALUE;
}

void value_question_ask(struct value_question *q, const struct variables *v, const char *text)
{
	char inside[QUESTION_BYTES];
	struct value_path path;

	*q = (struct value_question){.length = cut_length(text, inside)};
	snprintf(q->path, sizeof q->path, "%.*s", VALUE_NAME_BYTES - 1, q->length ? inside : text);
	q->answer = value_path_read(&path, q->length ? inside : text, NULL)
			    ? ANSWER_NOT_UNDERSTOOD
			    : answer_path(q, v, &path);
}
