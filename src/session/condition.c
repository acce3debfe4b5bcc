#include "session/condition.h"

/* To look for the line that wrote a value takes long, and nobody asks for it. */
#define PATIENCE 1

struct asked {
	struct variables *looked;
	const struct pl_event *e;
	struct pl_err *err;
	bool known; /* `looked` is of this event */
	int code;
};

static bool condition_variable(
	void *context, struct pl_text name, bool passed, struct pl_value *out)
{
	struct asked *a = context;

	if (!a->known && a->code == 0)
		a->code = variables_at(a->looked, a->e, a->e->depth, a->err);
	a->known = true;
	const struct variable *v =
		a->code == 0 ? variables_find(a->looked, name.at, name.length) : NULL;
	if (!v || v->value.kind == PL_VALUE_UNSET || (passed && !v->of_call && v->line))
		return false;
	*out = v->value;
	return true;
}

int condition_is_met(struct expr *expr, struct variables *looked, const struct path *p,
	const struct pl_event *e, struct pl_err *err)
{
	struct asked a = {.looked = looked, .e = e, .err = err};
	struct expr_subject s;

	looked->r = p->r;
	looked->stop = p->stop;
	looked->patience = PATIENCE;
	expr_subject_of(&s, e);
	s.scope = EXPR_OF_FRAME;
	s.known = EXPR_ALL;
	s.process = pl_recording_find_process(p->r, e->position.process);
	s.thread = pl_recording_thread(p->r, e->position.process, e->position.thread);
	if (!s.args || !s.args->at)
		s.args = NULL;
	s.variable = s.args ? NULL : condition_variable;
	s.context = &a;
	const enum expr_answer answer = expr_ask(expr, &s);
	return a.code < 0 ? a.code : answer == EXPR_YES ? 0 : PL_END;
}
