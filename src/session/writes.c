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

static bool is_line(const struct pl_event *e)
{
	return e->kind == PL_EVENT_LINE || e->kind == PL_EVENT_AGAIN;
}

/* What a frame has before its first line, others wrote: variables of enclosing functions. */
static bool is_first_of_frame(const struct variables *v, const struct pl_event *at)
{
	struct frame_path f = {.r = v->r, .stop = v->stop};
	const struct pl_event *e = NULL;
	int code;

	frame_path_begin(&f, at, at->depth);
	do
		code = frame_path_back(&f, &e, NULL);
	while (code == 0 && e->seq >= at->seq);
	const bool first = code == 0 && e->kind == PL_EVENT_CALL;
	frame_path_release(&f);
	return first;
}

/* An event that has all variables has also those that nothing wrote. */
int write_is_shown(
	struct variables *v, const struct pl_event *e, const char *name, struct pl_err *err)
{
	if (!has_variable(e, name))
		return PL_END;
	if (!(e->variables.flags & PL_VALUES_ALL))
		return is_first_of_frame(v, e) ? PL_END : 0;
	v->near_all = true;
	int code = variables_at(v, e, e->depth, err);
	const struct variable *one = code == 0 ? variables_find(v, name, strlen(name)) : NULL;
	return code ? code : one && one->seq == e->seq ? 0 : PL_END;
}

static void put_found(struct write_found *found, const struct variable *one)
{
	struct pl_value value = one->value;

	value.name = (struct pl_text){0};
	pl_value_text(&value, found->text, sizeof found->text);
	found->line = one->line;
	found->shown = found->seq = one->seq;
}

/* What the variable was at the frame's last event up to this seq: that was written earlier. */
static int write_up_to(const struct write_search *w, const struct pl_event *at, uint64_t seq,
	struct write_found *found, struct pl_err *err)
{
	struct frame_path f = {.r = w->r, .stop = w->stop};
	struct variables v = {.r = w->r, .stop = w->stop};
	const struct pl_event *e = NULL;
	const struct variable *one = NULL;
	int code;

	frame_path_begin(&f, at, w->depth);
	do
		code = frame_path_back(&f, &e, err);
	while (code == 0 && (e->seq > seq || e->kind == PL_EVENT_GAP));
	if (code == 0)
		code = variables_at(&v, e, e->depth, err);
	if (code == 0)
		one = variables_find(&v, w->name, strlen(w->name));
	if (code == 0 && !one)
		code = PL_END;
	if (code == 0)
		put_found(found, one);
	while (code == 0 && found->line > 0 && e->seq >= found->shown)
		code = frame_path_back(&f, &e, err);
	if (code == 0 && found->line > 0 && is_line(e))
		found->seq = e->seq;
	variables_release(&v);
	frame_path_release(&f);
	return code;
}

/* If the event itself shows it, and no line wrote it, the one before that is meant. */
static int write_before(const struct write_search *w, const struct pl_event *at,
	struct write_found *found, struct pl_err *err)
{
	int code = write_up_to(w, at, at->seq, found, err);

	if (code == 0 && found->seq >= at->seq)
		code = at->seq ? write_up_to(w, at, at->seq - 1, found, err) : PL_END;
	return code;
}

/* Where it is shown, all that is known of it. */
static int read_shown(const struct write_search *w, struct variables *v, const struct pl_event *e,
	struct write_found *found, struct pl_err *err)
{
	v->near_all = false;
	int code = variables_at(v, e, e->depth, err);
	const struct variable *one = code == 0 ? variables_find(v, w->name, strlen(w->name)) : NULL;

	if (code == 0 && one)
		put_found(found, one);
	return code == 0 && !one ? PL_END : code;
}

static int write_after(const struct write_search *w, const struct pl_event *at,
	struct write_found *found, struct pl_err *err)
{
	struct frame_path f = {.r = w->r, .stop = w->stop};
	struct variables v = {.r = w->r, .stop = w->stop};
	const struct pl_event *e = NULL;
	const bool here = at->depth == w->depth && is_line(at);
	uint64_t line = here ? at->seq : UINT64_MAX; /* seq of the frame's last event, if a line */
	int code, shown = PL_END;

	frame_path_begin(&f, at, w->depth);
	while (shown == PL_END) {
		code = frame_path_forward(&f, &e, err);
		if (code)
			break;
		shown = here && line == at->seq ? PL_END : write_is_shown(&v, e, w->name, err);
		if (shown == PL_END)
			line = is_line(e) ? e->seq : UINT64_MAX;
	}
	if (shown == 0)
		shown = read_shown(w, &v, e, found, err);
	if (shown == 0 && found->line > 0 && line != UINT64_MAX)
		found->seq = line;
	variables_release(&v);
	frame_path_release(&f);
	return code < 0 ? code : shown;
}

int write_find(const struct write_search *w, const struct pl_event *at, struct write_found *found,
	struct pl_err *err)
{
	*found = (struct write_found){0};
	return w->back ? write_before(w, at, found, err) : write_after(w, at, found, err);
}
