#include "cmd/replay_values.h"

#include "cmd/values.h"

static const char *const states[] = {
	[VARIABLES_KNOWN] = "known",
	[VARIABLES_NOT_KEPT] = "not-kept",
	[VARIABLES_LOST] = "lost",
};

/* line: null if it is not known, 0 if it is an argument as it was passed. */
static void put_variable(struct json *j, const struct variable *v)
{
	struct pl_value value = v->value;

	value.name = (struct pl_text){0};
	json_open(j, NULL, '{');
	values_json_text(j, "name", v->name);
	json_text(j, "stars", v->stars);
	values_json_value(j, "value", &value);
	json_bool(j, "of_call", v->of_call);
	json_bool(j, "unsure", v->unsure);
	json_bool(j, "changed", v->changed);
	json_u64(j, "seq", v->seq);
	if (v->line == VARIABLE_LINE_UNKNOWN)
		json_null(j, "line");
	else
		json_i64(j, "line", v->line);
	json_close(j, '}');
}

static void put_variables(struct json *j, struct session *s)
{
	const struct variables *v;

	if (session_variables(s, &v, NULL))
		return;
	json_text(j, "state", states[v->state]);
	json_open(j, "variables", '[');
	for (size_t i = 0; i < v->count; i++)
		put_variable(j, &v->all[i]);
	json_close(j, ']');
}

void replay_values_json(struct json *j, struct session *s)
{
	if (s->outcome.done == DONE_VARIABLES)
		put_variables(j, s);
	else if (s->outcome.done == DONE_VALUE)
		values_json_value(j, "value", &s->outcome.question.value);
}
