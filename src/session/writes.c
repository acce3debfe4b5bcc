#include "session/writes.h"

#include <string.h>

/* Does the event have the variable among its own? */
static bool has_variable(const struct pl_event *e, const char *name)
{
	const size_t length = strlen(name);
	struct pl_values rest = e->variables;
	struct pl_value value;

	while (rest.at && pl_values_next(&rest, &value) == 0)
		if (value.name.length == length && !memcmp(value.name.at, name, length))
			return true;
	return false;
}

/* An event that has all variables has also those that nothing wrote. */
int write_is_shown(
	struct variables *v, const struct pl_event *e, const char *name, struct pl_err *err)
{
	if (!has_variable(e, name))
		return PL_END;
	if (!(e->variables.flags & PL_VALUES_ALL))
		return 0;
	v->near_all = true;
	int code = variables_at(v, e, e->depth, err);
	const struct variable *one = code == 0 ? variables_find(v, name, strlen(name)) : NULL;
	return code ? code : one && one->seq == e->seq ? 0 : PL_END;
}

/* What the variable was at the frame's event before: that was written earlier. */
static int write_before(
	const struct write_search *w, const struct pl_event *at, uint64_t *seq, struct pl_err *err)
{
	struct frame_path f = {.r = w->r, .stop = w->stop};
	struct variables v = {.r = w->r, .stop = w->stop};
	const struct pl_event *e = NULL;
	const struct variable *one = NULL;
	int code;

	frame_path_begin(&f, at, w->depth);
	do
		code = frame_path_back(&f, &e, err);
	while (code == 0 && (e->seq >= at->seq || e->kind == PL_EVENT_GAP));
	if (code == 0)
		code = variables_at(&v, e, e->depth, err);
	if (code == 0)
		one = variables_find(&v, w->name, strlen(w->name));
	if (code == 0 && !one)
		code = PL_END;
	if (code == 0)
		*seq = one->seq;
	variables_release(&v);
	frame_path_release(&f);
	return code;
}

static int write_after(
	const struct write_search *w, const struct pl_event *at, uint64_t *seq, struct pl_err *err)
{
	struct frame_path f = {.r = w->r, .stop = w->stop};
	struct variables v = {.r = w->r, .stop = w->stop};
	const struct pl_event *e = NULL;
	int code, shown = PL_END;

	frame_path_begin(&f, at, w->depth);
	while (shown == PL_END) {
		code = frame_path_forward(&f, &e, err);
		if (code)
			break;
		shown = write_is_shown(&v, e, w->name, err);
	}
	if (shown == 0)
		*seq = e->seq;
	variables_release(&v);
	frame_path_release(&f);
	return code < 0 ? code : shown;
}

int write_find(
	const struct write_search *w, const struct pl_event *at, uint64_t *seq, struct pl_err *err)
{
	return w->back ? write_before(w, at, seq, err) : write_after(w, at, seq, err);
}
