#include "session/writes.h"

#include <stdio.h>
#include <string.h>
#include "session/value_path.h"

static const struct variable *find_root(const struct variables *v, const struct value_path *path)
{
	return variables_find(v, path->root.at, path->root.length);
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
static int root_is_shown(struct variables *v, const struct pl_event *e,
	const struct value_path *path, struct pl_err *err)
{
	if (!e->variables.at || !value_name_is_among(e->variables, path->root))
		return PL_END;
	if (!(e->variables.flags & PL_VALUES_ALL))
		return is_first_of_frame(v, e) ? PL_END : 0;
	v->near_all = true;
	int code = variables_at(v, e, e->depth, err);
	const struct variable *one = code == 0 ? find_root(v, path) : NULL;
	return code ? code : one && one->seq == e->seq ? 0 : PL_END;
}

/* A value by which two of a part are compared. */
#define PART_BYTES 8192
struct part {
	bool known; /* there was a variable that had or could have it */
	enum value_found found;
	uint64_t id;
	char text[PART_BYTES];
};

static void part_take(struct part *part, const struct value_path *path, const struct variable *one)
{
	struct pl_value value;

	*part = (struct part){.known = one, .found = VALUE_ABSENT};
	if (!one || one->value.kind == PL_VALUE_UNSET)
		return;
	part->found = value_path_find(path, 0, &one->value, &value);
	if (part->found != VALUE_FOUND)
		return;
	value.name = (struct pl_text){0};
	part->id = value.members.bytes ? value.id : 0;
	pl_value_text(&value, part->text, sizeof part->text);
}

static bool part_is(const struct part *a, const struct part *b)
{
	return a->known == b->known && a->found == b->found && a->id == b->id &&
	       !strcmp(a->text, b->text);
}

/* Without parts, whatever was kept. */
static bool is_plain(const struct pl_value *value)
{
	return value->kind == PL_VALUE_NONE || value->kind == PL_VALUE_TRUE ||
	       value->kind == PL_VALUE_FALSE || value->kind == PL_VALUE_INT ||
	       value->kind == PL_VALUE_FLOAT || value->kind == PL_VALUE_STR;
}

static void put_found(
	struct write_found *found, const struct value_path *path, const struct variable *one)
{
	struct pl_value value = one->value;
	const bool set = one->value.kind != PL_VALUE_UNSET || !path->count;
	const enum value_found is =
		set ? value_path_find(path, 0, &one->value, &value) : VALUE_ABSENT;

	if (is == VALUE_FOUND) {
		value.name = (struct pl_text){0};
		pl_value_text(&value, found->text, sizeof found->text);
	} else {
		snprintf(found->text, sizeof found->text, "%s",
			is == VALUE_ABSENT || is_plain(&value) ? "<unset>" : "<not kept>");
	}
	found->line = one->line;
	found->shown = found->seq = one->seq;
}

/* What is searched for, as it is read. */
struct search {
	const struct write_search *w;
	struct value_path path;
};

/* A write of the variable, and what the part was then. */
struct part_found {
	struct write_found write;
	struct part part;
};

/* What the variable was at the frame's last event up to this seq: that was written earlier. */
static int write_up_to(const struct search *s, const struct pl_event *at, uint64_t seq,
	struct part_found *found, struct pl_err *err)
{
	struct write_found *write = &found->write;
	struct frame_path f = {.r = s->w->r, .stop = s->w->stop};
	struct variables v = {.r = s->w->r, .stop = s->w->stop};
	const struct pl_event *e = NULL;
	const struct variable *one = NULL;
	int code;

	frame_path_begin(&f, at, s->w->depth);
	do
		code = frame_path_back(&f, &e, err);
	while (code == 0 && (e->seq > seq || e->kind == PL_EVENT_GAP));
	if (code == 0)
		code = variables_at(&v, e, e->depth, err);
	if (code == 0)
		one = find_root(&v, &s->path);
	if (code == 0 && !one)
		code = PL_END;
	part_take(&found->part, &s->path, one);
	if (code == 0)
		put_found(write, &s->path, one);
	while (code == 0 && write->line > 0 && e->seq >= write->shown)
		code = frame_path_back(&f, &e, err);
	if (code == 0 && write->line > 0 && is_line(e))
		write->seq = e->seq;
	variables_release(&v);
	frame_path_release(&f);
	return code;
}

/* Of a part: the variable was written without it since; the write that is meant was before. */
static int part_before(const struct search *s, const struct pl_event *at, struct part_found *found,
	struct pl_err *err)
{
	struct part_found before = {.write = {0}};
	int code = 0;

	while (code == 0 && found->write.shown) {
		code = write_up_to(s, at, found->write.shown - 1, &before, err);
		if (code || !part_is(&before.part, &found->part) ||
			before.write.shown >= found->write.shown)
			break;
		found->write = before.write;
	}
	return code < 0 ? code : 0;
}

/* If the event itself shows it, and no line wrote it, the one before that is meant. */
static int write_before(const struct search *s, const struct pl_event *at,
	struct write_found *found, struct pl_err *err)
{
	struct part_found last = {.write = {0}};
	int code = write_up_to(s, at, at->seq, &last, err);

	if (code == 0 && last.write.seq >= at->seq)
		code = at->seq ? write_up_to(s, at, at->seq - 1, &last, err) : PL_END;
	if (code == 0 && s->path.count)
		code = part_before(s, at, &last, err);
	*found = last.write;
	if (code == 0 && found->seq >= at->seq)
		code = PL_END;
	return code;
}

/* Where it is shown, all that is known of it. */
static int read_shown(const struct search *s, struct variables *v, const struct pl_event *e,
	struct write_found *found, struct pl_err *err)
{
	v->near_all = false;
	int code = variables_at(v, e, e->depth, err);
	const struct variable *one = code == 0 ? find_root(v, &s->path) : NULL;

	if (code == 0 && one)
		put_found(found, &s->path, one);
	return code == 0 && !one ? PL_END : code;
}

/* The event shows the variable: has the part another value than before? 0, PL_END or an error. */
static int part_is_shown(
	const struct search *s, struct variables *v, const struct pl_event *e, struct pl_err *err)
{
	struct part_found then = {.part = {.found = VALUE_ABSENT}};
	struct part now;
	const struct pl_event at = *e;

	v->near_all = false;
	int code = variables_at(v, &at, at.depth, err);
	if (code)
		return code;
	part_take(&now, &s->path, find_root(v, &s->path));
	code = at.seq ? write_up_to(s, &at, at.seq - 1, &then, err) : PL_END;
	if (code < 0)
		return code;
	then.part.known = now.known;
	return part_is(&now, &then.part) ? PL_END : 0;
}

static int path_is_shown(
	const struct search *s, struct variables *v, const struct pl_event *e, struct pl_err *err)
{
	const int code = root_is_shown(v, e, &s->path, err);

	return code || !s->path.count ? code : part_is_shown(s, v, e, err);
}

int write_is_shown(
	struct variables *v, const struct pl_event *e, const char *name, struct pl_err *err)
{
	const struct write_search w = {.r = v->r, .stop = v->stop, .name = name, .depth = e->depth};
	struct search s = {.w = &w};
	const int code = value_path_read(&s.path, name, err);

	return code ? code : path_is_shown(&s, v, e, err);
}

static int write_after(const struct search *s, const struct pl_event *at, struct write_found *found,
	struct pl_err *err)
{
	struct frame_path f = {.r = s->w->r, .stop = s->w->stop};
	struct variables v = {.r = s->w->r, .stop = s->w->stop};
	const struct pl_event *e = NULL;
	const bool here = at->depth == s->w->depth && is_line(at);
	uint64_t line = here ? at->seq : UINT64_MAX; /* seq of the frame's last event, if a line */
	int code, shown = PL_END;

	frame_path_begin(&f, at, s->w->depth);
	while (shown == PL_END) {
		code = frame_path_forward(&f, &e, err);
		if (code)
			break;
		shown = here && line == at->seq ? PL_END : path_is_shown(s, &v, e, err);
		if (shown == PL_END)
			line = is_line(e) ? e->seq : UINT64_MAX;
	}
	if (shown == 0)
		shown = read_shown(s, &v, e, found, err);
	if (shown == 0 && found->line > 0 && line != UINT64_MAX)
		found->seq = line;
	variables_release(&v);
	frame_path_release(&f);
	return code < 0 ? code : shown;
}

int write_find(const struct write_search *w, const struct pl_event *at, struct write_found *found,
	struct pl_err *err)
{
	struct search s = {.w = w};
	const int code = value_path_read(&s.path, w->name, err);

	*found = (struct write_found){0};
	if (code)
		return code;
	return w->back ? write_before(&s, at, found, err) : write_after(&s, at, found, err);
}
