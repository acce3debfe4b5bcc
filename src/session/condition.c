#include "session/condition.h"

struct asked {
	const struct bindings *b;
	const struct bound_frame *frame;
};

/* Arguments as they were passed are those of the subject. */
static bool condition_variable(
	void *context, struct pl_text name, bool passed, struct pl_value *out)
{
	const struct asked *a = context;
	const struct pl_value *found = passed ? NULL : bindings_find(a->b, a->frame, name);

	if (found)
		*out = *found;
	return found != NULL;
}

int condition_begin(const struct expr *expr, struct bindings *b)
{
	struct pl_text name;
	int code = 0;

	for (size_t i = 0; code == 0 && expr_variable(expr, i, &name); i++)
		code = bindings_name(b, name);
	return code;
}

int condition_is_met(struct expr *expr, struct bindings *b, const struct pl_event *e, bool lasting,
	struct pl_err *err)
{
	struct asked a = {.b = b};
	struct expr_subject s = {0};
	int code = 0;

	expr_subject_of(&s, e);
	s.scope = EXPR_OF_FRAME;
	s.known = EXPR_ALL;
	s.process = pl_recording_find_process(b->r, e->position.process);
	s.thread = pl_recording_thread(b->r, e->position.process, e->position.thread);
	if (condition_needs_frames(expr)) {
		code = bindings_ask(b, e, lasting, &a.frame, err);
		if (code)
			return code;
		s.args = bindings_arguments(a.frame);
		s.variable = condition_variable;
		s.context = &a;
	}
	return expr_ask(expr, &s) == EXPR_YES ? 0 : PL_END;
}
