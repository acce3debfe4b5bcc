#include "session/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session/operations.h"

#define NAMES_KEPT	128
#define ARGUMENTS_KNOWN 256

struct variable_names {
	const struct pl_code *code; /* of which function */
	const char *wanted;
	char *names[NAMES_KEPT + 1]; /* owned: others that were there; ends with NULL */
	size_t count;
	bool found;
};

static bool names_may(void *context, const struct pl_count *row)
{
	const struct variable_names *n = context;

	return row->code && stops_one_function(row->code, n->code);
}

static void see_name(struct variable_names *n, struct pl_text name)
{
	size_t i = 0;

	n->found |= strlen(n->wanted) == name.length && !memcmp(n->wanted, name.at, name.length);
	while (i < n->count && (strlen(n->names[i]) != name.length ||
				       memcmp(n->names[i], name.at, name.length) != 0))
		i++;
	if (i == n->count && i < NAMES_KEPT && (n->names[i] = strndup(name.at, name.length)))
		n->count++;
}

/* PL_END goes on with the search. */
static int names_is(void *context, const struct pl_event *e)
{
	struct variable_names *n = context;
	struct pl_argument names[ARGUMENTS_KNOWN];
	struct pl_values rest = e->variables;
	struct pl_value value;

	if (!names_may(n, &(struct pl_count){.code = e->code}))
		return PL_END;
	if (e->kind == PL_EVENT_CALL) {
		const size_t count = pl_code_arguments(e->code, names, ARGUMENTS_KNOWN);
		for (size_t i = 0; i < count && i < ARGUMENTS_KNOWN; i++)
			see_name(n, names[i].name);
	}
	while (rest.at && pl_values_next(&rest, &value) == 0)
		see_name(n, value.name);
	return n->found ? 0 : PL_END;
}

/* The nearest one, or as many as there is room for. */
static void say_names(struct session *s, const struct variable_names *n)
{
	struct value_question *q = &s->outcome.question;
	size_t used = 0;

	s->outcome.near.name = known_meant(n->wanted, (const char **)n->names);
	q->near[0] = 0;
	if (s->outcome.near.name)
		snprintf(q->near, sizeof q->near, "%s", s->outcome.near.name);
	for (size_t i = 0; !s->outcome.near.name && i < n->count; i++) {
		if (used + strlen(n->names[i]) + 8 > sizeof q->near) {
			snprintf(q->near + used, sizeof q->near - used, ", …");
			break;
		}
		used += (size_t)snprintf(q->near + used, sizeof q->near - used, "%s%s",
			used ? ", " : "", n->names[i]);
	}
}

int known_variable(
	struct session *s, const struct pl_code *code, const char *name, struct pl_err *err)
{
	struct variable_names n = {.code = code, .wanted = name};
	int code_of_search = replay_ever_valued(&s->replay,
		&(struct pl_wanted){.kinds = stops_write_kinds() | 1u << PL_EVENT_CALL,
			.may = names_may,
			.is = names_is,
			.context = &n,
			.stop = s->replay.stop},
		err);

	if (code_of_search == PL_END && s->replay.stop && *s->replay.stop)
		session_refused(s, REFUSAL_STOPPED);
	else if (code_of_search == PL_END) {
		say_names(s, &n);
		s->outcome.near.name = s->outcome.near.name ? "" : NULL; /* it is in q->near */
		session_refused(s, REFUSAL_NEVER_BOUND);
	}
	for (size_t i = 0; i < n.count; i++)
		free(n.names[i]);
	return code_of_search;
}
