#include "session/variables.h"

#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "session/binds.h"
#include "session/value_path.h"

/* After so many events without values of lines it is taken that none were kept, if the recording
 * does not say. */
#define LOOK_AT	      8192
#define ARGUMENTS_MAX 256

/* One question. */
struct gathering {
	struct variables *v;
	bool has_lines;	  /* the frame has values of lines */
	bool has_call;	  /* its call has values */
	bool compared;	  /* a further event has all of them */
	bool complete;	  /* each variable is known: no new ones count */
	bool lost;	  /* values before here may not be the ones of later */
	bool ran_known;	  /* ran_seq is known */
	uint64_t ran_seq; /* of the last line that the frame ran: what was changed is after it */
	uint64_t seen;	  /* events of the frame */
	uint64_t beyond;  /* of these since it is complete */
	bool more;	  /* an event that was looked at had no room for all that changed */
	const struct pl_event *e;
};

static void release_all(struct variables *v)
{
	for (size_t i = 0; i < v->count; i++)
		free(v->all[i].bytes);
	v->count = 0;
}

void variables_release(struct variables *v)
{
	release_all(v);
	free(v->all);
	frame_path_release(&v->frame);
	v->all = NULL;
	v->room = 0;
}

const struct variable *variables_find(const struct variables *v, const char *name, size_t length)
{
	for (size_t i = 0; i < v->count; i++)
		if (value_text_is(v->all[i].name, (struct pl_text){name, length}))
			return &v->all[i];
	return NULL;
}

/* ---- one value ---- */

/* A variable of an event: its bytes as they are there. */
struct found_value {
	struct pl_text name;
	struct pl_values bytes; /* the value's, with the name in front if `named` */
	bool named;
};

static struct variable *add_variable(struct gathering *g, struct pl_err *err)
{
	struct variables *v = g->v;

	struct variable *all = array_room(v->all, v->count, &v->room, sizeof *all);
	if (!all) {
		pl_err_cause(err, PL_ERR_MEMORY, "no memory for variables");
		return NULL;
	}
	v->all = all;
	v->all[v->count] = (struct variable){.stars = "", .seq = g->e->seq};
	return &v->all[v->count];
}

/* Its name and value move to memory of the variable's own. */
static int keep_variable(
	struct gathering *g, const struct found_value *f, uint64_t rank, struct pl_err *err)
{
	struct variable *v = add_variable(g, err);
	struct pl_values rest = f->bytes;

	if (!v)
		return PL_ERR_MEMORY;
	v->bytes = malloc(f->name.length + f->bytes.bytes + 1);
	if (!v->bytes)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a variable");
	memcpy(v->bytes, f->bytes.at, f->bytes.bytes);
	memcpy(v->bytes + f->bytes.bytes, f->name.at, f->name.length);
	rest.at = v->bytes;
	if (pl_values_next(&rest, &v->value)) { /* it could be read a moment before */
		free(v->bytes);
		return 0;
	}
	v->name = (struct pl_text){(const char *)v->bytes + f->bytes.bytes, f->name.length};
	v->value_bytes = f->bytes.bytes;
	v->waits = true;
	v->unsure = g->more;
	v->first = g->e->seq;
	v->rank = rank;
	g->v->count++;
	return 0;
}

/* The bytes of a value without its name, to compare two of them. */
static struct pl_text bare_value(
	const unsigned char *bytes, size_t length, const struct pl_text *name)
{
	const char *from = name ? name->at + name->length : (const char *)bytes;

	return (struct pl_text){from, length - (size_t)(from - (const char *)bytes)};
}

static bool is_same_value(const struct variable *v, const struct found_value *f)
{
	const struct pl_text one =
		bare_value(v->bytes, v->value_bytes, v->value.name.at ? &v->value.name : NULL);
	const struct pl_text other =
		bare_value(f->bytes.at, f->bytes.bytes, f->named ? &f->name : NULL);

	return value_text_is(one, other);
}

/* An earlier mention of a variable that is known. If its value is not known to be written there,
 * it may be an older one's. `all`: the event has it, though it need not have changed. */
static void trace_writer(
	struct gathering *g, struct variable *v, const struct found_value *f, bool all)
{
	v->first = g->e->seq;
	if (v->has_writer)
		return;
	if (!is_same_value(v, f)) {
		v->has_writer = true;
		return;
	}
	v->seq = g->e->seq;
	v->waits = true;
	v->has_writer = !all;
}

/* ---- one event ---- */

/* The line of this event wrote what the event after it shows. What a frame has before its first
 * line was written by others. */
static void settle_lines(struct gathering *g)
{
	const bool begins = g->e->kind == PL_EVENT_CALL;

	for (size_t i = 0; i < g->v->count; i++) {
		struct variable *v = &g->v->all[i];
		v->settled = v->waits;
		if (v->waits)
			v->line = begins ? VARIABLE_LINE_UNKNOWN : g->e->line;
		v->waits = false;
	}
}

/* This event had no room for all that changed. What it does not have may have changed before its
 * line: then nobody knows which line wrote it. */
static void doubt_writers(struct gathering *g)
{
	for (size_t i = 0; i < g->v->count; i++) {
		struct variable *v = &g->v->all[i];
		if (v->settled && v->first != g->e->seq)
			v->line = VARIABLE_LINE_UNKNOWN;
	}
	g->more = true;
}

static int gather_one(
	struct gathering *g, const struct found_value *f, uint64_t rank, struct pl_err *err)
{
	const bool all = g->e->variables.flags & PL_VALUES_ALL;
	struct variable *known =
		(struct variable *)variables_find(g->v, f->name.at, f->name.length);
	const size_t before = g->v->count;

	if (known) {
		known->rank = rank;
		trace_writer(g, known, f, all);
		return 0;
	}
	if (g->complete)
		return 0;
	int code = keep_variable(g, f, rank, err);
	if (code == 0 && g->v->count > before)
		g->v->all[before].has_writer = !all;
	return code;
}

static int gather_variables(struct gathering *g, struct pl_err *err)
{
	struct pl_values rest = g->e->variables;
	struct pl_value value;
	uint64_t rank = 0;
	int code = 0;

	if (!rest.at)
		return 0;
	g->has_lines = true;
	while (code == 0) {
		struct found_value f = {.bytes = rest, .named = true};
		if (pl_values_next(&rest, &value))
			break;
		f.name = value.name;
		f.bytes.bytes = (uint32_t)(rest.at - f.bytes.at);
		/* a comprehension's variable that is gone hid it: it is told once more */
		if (value.kind == PL_VALUE_UNSET && value_name_is_among(rest, value.name))
			continue;
		code = gather_one(g, &f, rank++, err);
	}
	if (PL_VALUES_MORE(g->e->variables.flags))
		doubt_writers(g);
	if (g->e->variables.flags & PL_VALUES_ALL) {
		g->compared = g->complete;
		g->complete = true;
	}
	return code;
}

/* The call has the arguments, in the order of their names. Each was written by it, unless a line
 * did so later. */
static int gather_arguments(struct gathering *g, struct pl_err *err)
{
	struct pl_argument names[ARGUMENTS_MAX];
	const size_t count = pl_code_arguments(g->e->code, names, ARGUMENTS_MAX);
	struct pl_values rest = g->e->values;
	struct pl_value value;
	int code = 0;

	g->has_call = rest.at;
	for (size_t i = 0; code == 0 && i < count && i < ARGUMENTS_MAX; i++) {
		struct found_value f = {.name = names[i].name, .bytes = rest};
		if (pl_values_next(&rest, &value))
			break;
		f.bytes.bytes = (uint32_t)(rest.at - f.bytes.at);
		code = gather_one(g, &f, i, err);
	}
	for (size_t i = 0; i < g->v->count; i++) {
		struct variable *v = &g->v->all[i];
		v->has_writer = true;
		v->waits = false;
		v->line = v->seq == g->e->seq ? 0 : v->line;
	}
	return code;
}

/* The frame's last event may be a line, which did not run yet: what the last line before it changed
 * is at events after that line's own. */
static void find_ran(struct gathering *g)
{
	const enum pl_event_kind kind = g->e->kind;
	const bool is_line = kind == PL_EVENT_LINE || kind == PL_EVENT_AGAIN;

	if (g->ran_known || !(kind == PL_EVENT_CALL || (is_line && g->seen)))
		return;
	g->ran_seq = is_line ? g->e->seq : UINT64_MAX; /* no line ran: none changed anything */
	g->ran_known = true;
}

static int gather_event(struct gathering *g, struct pl_err *err)
{
	int code = 0;

	if (g->e->kind == PL_EVENT_GAP) {
		g->lost = true;
		return 0;
	}
	if (!g->v->code)
		g->v->code = g->e->code;
	find_ran(g);
	settle_lines(g);
	g->seen++;
	g->beyond += g->complete;
	code = gather_variables(g, err);
	if (code == 0 && g->e->kind == PL_EVENT_CALL)
		code = gather_arguments(g, err);
	return code;
}

/* ---- the whole ---- */

static bool all_have_writers(const struct gathering *g)
{
	for (size_t i = 0; i < g->v->count; i++)
		if (!g->v->all[i].has_writer || g->v->all[i].waits)
			return false;
	return true;
}

/* Is nothing of interest before this event? */
static bool gathering_is_done(const struct gathering *g)
{
	if (g->lost || (g->v->near_all && g->compared))
		return true;
	return g->complete && g->ran_known &&
	       (all_have_writers(g) || (g->v->patience && g->beyond >= g->v->patience));
}

/* How many events of a frame to visit until its call is enough, if none of them has variables:
 * where values of lines were kept, all. */
static uint64_t events_to_visit(struct pl_recording *r)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	if (!info.values[0])
		return LOOK_AT;
	return strcmp(info.values, "lines") ? 1 : UINT64_MAX;
}

static int compare_variables(const void *one, const void *other)
{
	const struct variable *a = one, *b = other;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Arguments come before all else: their rank is their number, and seqs are never 0 for others. */
static void mark_arguments(struct gathering *g)
{
	struct pl_argument names[ARGUMENTS_MAX];
	const size_t count = g->v->code ? pl_code_arguments(g->v->code, names, ARGUMENTS_MAX) : 0;

	for (size_t i = 0; i < count && i < ARGUMENTS_MAX; i++) {
		struct variable *v = (struct variable *)variables_find(
			g->v, names[i].name.at, names[i].name.length);
		if (!v)
			continue;
		v->stars = names[i].stars;
		v->first = 0;
		v->rank = i;
	}
}

static void finish(struct gathering *g, const struct pl_event *last)
{
	struct variables *v = g->v;
	const bool whole = last && (last->kind == PL_EVENT_CALL || last->kind == PL_EVENT_OUTSIDE);

	mark_arguments(g);
	for (size_t i = 0; i < v->count; i++) {
		struct variable *one = &v->all[i];
		one->of_call = !g->has_lines && g->has_call;
		one->changed = one->has_writer && g->ran_known && one->seq > g->ran_seq;
		if (one->waits || !one->has_writer)
			one->line = VARIABLE_LINE_UNKNOWN;
		else if (!binds_value(v->r, v->code, one->line, &one->value, one->name))
			one->line = VARIABLE_LINE_OTHER;
	}
	if (v->count)
		qsort(v->all, v->count, sizeof *v->all, compare_variables);
	v->state = g->complete			? VARIABLES_KNOWN
		   : g->lost || !whole		? VARIABLES_LOST
		   : g->v->count || g->has_call ? VARIABLES_KNOWN
						: VARIABLES_NOT_KEPT;
}

int variables_at(struct variables *v, const struct pl_event *at, uint32_t depth, struct pl_err *err)
{
	struct gathering g = {.v = v};
	struct pl_event last = {0};
	int code = 0;

	release_all(v);
	v->code = NULL;
	v->frame.r = v->r;
	v->frame.stop = v->stop;
	const uint64_t visits = events_to_visit(v->r);
	g.has_lines = visits == UINT64_MAX;
	frame_path_begin(&v->frame, at, depth);
	while (code == 0 && !gathering_is_done(&g)) {
		code = frame_path_back(&v->frame, &g.e, err);
		if (code)
			break;
		last = *g.e;
		code = gather_event(&g, err);
		v->frame.to_begin = g.seen >= visits && !g.has_lines;
	}
	if (code < 0)
		return code;
	if (v->stop && *v->stop)
		return PL_END;
	finish(&g, g.seen ? &last : NULL);
	return 0;
}
