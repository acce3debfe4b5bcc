#include "cmd/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/units.h"

#define VALUE_BYTES   256
#define ARGUMENTS_MAX 256
/* Calls that are deeper in each other have no end here. */
#define OPEN_MAX 65536

#define BIT(kind) (1u << PL_EVENT_##kind)

/* A call that has begun and has not ended. */
struct open_call {
	const struct pl_code *code;
	uint32_t depth;
	uint64_t generator, greenlet;
	struct group *group;
	uint64_t begin_seq;
	int64_t since_ns, since_error_ns, total_ns;
	int64_t too_high_ns, too_low_ns; /* total_ns, at most */
	bool runs;
	const char *type; /* of the exception that arose last in it; the recording's */
	/* if the end decides whether it is wanted: */
	bool pending, has_task;
	unsigned char *kept, *raised_kept; /* owned: bytes of args and the task; of raised */
	struct expr_subject begin;
	struct pl_values args, raised; /* what was raised last */
};

/* ---- which codes ---- */

static size_t find_argument(const struct groups *g, const struct pl_code *code)
{
	struct pl_argument names[ARGUMENTS_MAX];
	size_t n = pl_code_arguments(code, names, ARGUMENTS_MAX);

	if (!g->by)
		return 0;
	n = n < ARGUMENTS_MAX ? n : ARGUMENTS_MAX;
	for (size_t i = 0; i < n; i++)
		if (value_text_is(names[i].name, g->by->root))
			return i;
	return SIZE_MAX;
}

/* 1: not wanted; else 2 + the index of the argument. 0: no memory. */
static uint64_t code_place(struct groups *g, const struct pl_code *code)
{
	uint64_t *place = code ? map_put(&g->codes, (uintptr_t)code) : NULL;

	if (!place)
		return code ? 0 : 1;
	if (!*place) {
		const size_t i = g->wanted(g->context, code) ? find_argument(g, code) : SIZE_MAX;
		*place = i == SIZE_MAX ? 1 : i + 2;
		g->some |= i != SIZE_MAX;
	}
	return *place;
}

static bool groups_may(void *context, const struct pl_count *row)
{
	return code_place(context, row->code) > 1;
}

/* ---- groups ---- */

static struct group *new_group(struct groups *g, const struct pl_code *code, const char *value)
{
	struct group **all = array_room(g->all, g->count, &g->room, sizeof(struct group *));

	if (!all)
		return NULL;
	g->all = all;
	struct group *group = calloc(1, sizeof *group);
	if (group)
		group->value = strdup(value);
	if (!group || !group->value) {
		free(group);
		return NULL;
	}
	group->code = code;
	g->all[g->count++] = group;
	return group;
}

/* By the places of the function, so that a file that is loaded twice has one. */
static uint64_t group_key(const struct pl_code *code, const char *value)
{
	const uint64_t words[] = {hash_bytes(pl_code_file(code), strlen(pl_code_file(code))),
		hash_bytes(pl_code_name(code), strlen(pl_code_name(code))),
		(uint64_t)pl_code_first_line(code), hash_bytes(value, strlen(value))};

	return hash_bytes(words, sizeof words);
}

/* NULL: no memory. */
static struct group *group_of(struct groups *g, const struct pl_code *code, const char *value)
{
	static const char others[] = "(other values)";
	const uint64_t key = group_key(code, value);
	const uint64_t *found = map_find(&g->places, key);

	if (found)
		return g->all[*found - 1];
	const bool full = g->count >= GROUPS_MAX;
	if (full && value != others && strcmp(value, others) != 0)
		return group_of(g, code, others);
	struct group *group = new_group(g, code, value);
	uint64_t *place = group ? map_put(&g->places, key) : NULL;
	if (!place)
		return NULL;
	group->others = full;
	*place = g->count;
	return group;
}

/* The value of the argument, or why it is not there. */
static void value_of(const struct groups *g, const struct pl_event *e, size_t index, char *text)
{
	struct pl_values rest = e->values;
	struct pl_value value, part;
	int code = 0;

	text[0] = 0;
	if (!g->by)
		return;
	for (size_t i = 0; code == 0 && i <= index; i++)
		code = pl_values_next(&rest, &value);
	if (!e->values.at || code) {
		snprintf(text, VALUE_BYTES, "(not kept)");
		return;
	}
	switch (value_path_find(g->by, 0, &value, &part)) {
	case VALUE_FOUND:
		pl_value_text(&part, text, VALUE_BYTES);
		return;
	case VALUE_ABSENT:
		snprintf(text, VALUE_BYTES, "(no such part)");
		return;
	default:
		snprintf(text, VALUE_BYTES, "(not kept)");
		return;
	}
}

/* ---- results ---- */

static void note_result(struct group *group, const char *text)
{
	for (int i = 0; i < GROUP_RESULTS; i++) {
		struct group_result *r = &group->results[i];
		if (!r->count)
			snprintf(r->text, sizeof r->text, "%s", text);
		if (!r->count || !strcmp(r->text, text)) {
			r->count++;
			return;
		}
	}
	group->other_results++;
}

static void take_result(struct group *group, const struct pl_event *e, const struct open_call *c)
{
	struct pl_values rest = e->values;
	struct pl_value value;
	char text[GROUP_TEXT];

	if (e->kind == PL_EVENT_UNWIND) {
		group->raised++;
		snprintf(text, sizeof text, "!! %.48s", c->type ? c->type : "an exception");
	} else if (pl_values_next(&rest, &value) == 0) {
		pl_value_text(&value, text, sizeof text);
	} else {
		return;
	}
	note_result(group, text);
}

/* ---- calls ---- */

static bool is_call_of(const struct open_call *c, const struct pl_event *e)
{
	return c->code == e->code && c->depth == e->depth && c->greenlet == e->greenlet &&
	       !c->generator;
}

/* The innermost call that is this one; NULL: its beginning was not seen. */
static struct open_call *find_open(struct groups *g, const struct pl_event *e)
{
	struct open_call *all = (struct open_call *)(void *)g->open.at;

	if (e->generator) {
		const uint64_t *at = map_find(&g->suspended, e->generator);
		return at ? (struct open_call *)(uintptr_t)*at : NULL; // NOLINT
	}
	for (size_t i = g->open.used / sizeof *all; i--;)
		if (is_call_of(&all[i], e))
			return &all[i];
	return NULL;
}

static void free_kept(const struct open_call *c)
{
	free(c->kept);
	free(c->raised_kept);
}

/* Those on the stack from this number on. */
static void close_from(struct groups *g, size_t number)
{
	const struct open_call *all = (const struct open_call *)(const void *)g->open.at;

	for (; g->open.used > number * sizeof *all; g->open.used -= sizeof *all)
		free_kept(&all[g->open.used / sizeof *all - 1]);
}

/* NULL is fine. */
static void free_suspended(struct open_call *c)
{
	if (c)
		free_kept(c);
	free(c);
}

/* What is above it on the stack has ended without an event. */
static void remove_open(struct groups *g, struct open_call *c, const struct pl_event *e)
{
	if (!e->generator) {
		close_from(g, (size_t)(c - (struct open_call *)(void *)g->open.at));
		return;
	}
	map_remove(&g->suspended, e->generator);
	free_suspended(c);
}

/* A call at this depth: what was there or above it has ended without an event. */
static void drop_ended(struct groups *g, const struct pl_event *e)
{
	const struct open_call *all = (const struct open_call *)(const void *)g->open.at;
	size_t count = g->open.used / sizeof *all;

	while (count && all[count - 1].greenlet == e->greenlet && all[count - 1].depth >= e->depth)
		count--;
	close_from(g, count);
}

/* ---- which calls ---- */

/* Values with bytes of their own. A text may follow them; NULL: none. */
static int copy_values(
	unsigned char **kept, struct pl_values *to, const struct pl_values *from, const char *text)
{
	const size_t bytes = from->at ? from->bytes : 0, length = text ? strlen(text) + 1 : 0;
	unsigned char *more = realloc(*kept, bytes + length + 1);

	if (!more)
		return PL_ERR_MEMORY;
	if (bytes)
		memcpy(more, from->at, bytes);
	if (length)
		memcpy(more + bytes, text, length);
	*kept = more;
	*to = *from;
	to->at = from->at ? more : NULL;
	return 0;
}

/* The event's texts and values do not last as long as the call. */
static int keep_begin(struct open_call *c, const struct pl_event *e)
{
	c->pending = true;
	c->has_task = e->task != NULL;
	c->begin.args = NULL;
	c->begin.task = NULL;
	return copy_values(&c->kept, &c->args, &e->values, e->task);
}

/* 0: it is wanted, or it may be; PL_END: it is not. */
static int ask_begin(struct groups *g, struct open_call *c, const struct pl_event *e)
{
	if (!g->filter)
		return 0;
	expr_subject_of(&c->begin, e);
	c->begin.scope = EXPR_OF_CALL;
	c->begin.known = EXPR_ALL & ~(uint32_t)EXPR_END;
	c->begin.line = pl_code_first_line(e->code);
	c->begin.process = g->process;
	c->begin.thread = g->thread;
	const enum expr_answer answer = expr_ask(g->filter->expr, &c->begin);
	return answer == EXPR_NO ? PL_END : answer == EXPR_YES ? 0 : keep_begin(c, e);
}

static bool is_wanted_at_end(
	const struct groups *g, const struct open_call *c, const struct pl_event *e)
{
	struct expr_subject s = c->begin;
	const bool unwinds = e->kind == PL_EVENT_UNWIND;

	s.known = EXPR_ALL;
	s.task = c->has_task ? (const char *)c->kept + (c->args.at ? c->args.bytes : 0) : NULL;
	s.end_kind = e->kind;
	s.args = c->args.at ? &c->args : NULL;
	s.result = e->kind == PL_EVENT_RETURN ? &e->values : NULL;
	s.exception = unwinds && c->raised.at ? &c->raised : NULL;
	s.type = unwinds ? c->type : NULL;
	s.duration_ns = c->total_ns;
	return expr_ask(g->filter->expr, &s) == EXPR_YES;
}

/* It takes over what the call owns, if it returns 0; PL_END: they are too deep. */
static int put_open(struct groups *g, const struct open_call *call, const struct pl_event *e)
{
	if (!e->generator) {
		drop_ended(g, e);
		if (g->open.used >= OPEN_MAX * sizeof *call)
			return PL_END;
		buf_put(&g->open, call, sizeof *call);
		return g->open.failed ? PL_ERR_MEMORY : 0;
	}
	uint64_t *at = map_put(&g->suspended, e->generator);
	struct open_call *kept = at ? malloc(sizeof *kept) : NULL;
	if (!kept)
		return PL_ERR_MEMORY;
	free_suspended((struct open_call *)(uintptr_t)*at); // NOLINT
	*at = (uintptr_t)kept;
	*kept = *call;
	return 0;
}

static int begin_call(struct groups *g, const struct pl_event *e)
{
	const uint64_t place = code_place(g, e->code);
	char value[VALUE_BYTES];

	if (e->time_ns < g->from_ns || e->time_ns > g->to_ns || place < 2)
		return place ? 0 : PL_ERR_MEMORY;
	value_of(g, e, place - 2, value);
	struct open_call call = {.code = e->code,
		.depth = e->depth,
		.generator = e->generator,
		.greenlet = e->greenlet,
		.begin_seq = e->seq,
		.since_ns = e->time_ns,
		.since_error_ns = e->time_error_ns,
		.runs = true};
	const int code = ask_begin(g, &call, e);
	if (code)
		return code == PL_END ? 0 : code;
	call.group = group_of(g, e->code, value);
	if (call.group)
		call.group->calls += !call.pending;
	const int put = call.group ? put_open(g, &call, e) : PL_ERR_MEMORY;
	if (put)
		free_kept(&call);
	return put == PL_END ? 0 : put;
}

/* What is between two stamps is not known of each call. But those that follow each other took no
 * more than from the earliest begin to the latest end. */
static int64_t too_low_of(
	const struct groups *g, const struct group *group, const struct open_call *c)
{
	const bool after = group->thread == g->thread && c->begin_seq > group->end_seq;
	const int64_t covered_ns = units_between(c->since_ns, group->latest_ns);

	if (c->generator || !after || c->too_low_ns == INT64_MAX)
		return c->too_low_ns;
	return c->too_low_ns > covered_ns ? c->too_low_ns - covered_ns : 0;
}

static void add_times(struct groups *g, struct open_call *c, const struct pl_event *e)
{
	struct group *group = c->group;

	group->total_ns = units_sum(group->total_ns, c->total_ns);
	group->too_high_ns = units_sum(group->too_high_ns, c->too_high_ns);
	group->too_low_ns = units_sum(group->too_low_ns, too_low_of(g, group, c));
	group->thread = g->thread;
	group->end_seq = e->seq;
	group->latest_ns = units_sum(e->time_ns, e->time_error_ns);
}

static void end_call(struct groups *g, struct open_call *c, const struct pl_event *e)
{
	struct group *group = c->group;

	if (c->pending && !is_wanted_at_end(g, c, e)) {
		remove_open(g, c, e);
		return;
	}
	group->calls += c->pending;
	group->ended++;
	add_times(g, c, e);
	if (c->total_ns > group->most_ns)
		group->most_ns = c->total_ns;
	take_result(group, e, c);
	remove_open(g, c, e);
}

static void stop_run(struct open_call *c, const struct pl_event *e)
{
	const int64_t ns = units_between(c->since_ns, e->time_ns);

	if (c->runs) {
		c->total_ns = units_sum(c->total_ns, ns);
		c->too_low_ns = units_sum(c->too_low_ns, e->time_error_ns);
		c->too_high_ns =
			units_sum(c->too_high_ns, c->since_error_ns < ns ? c->since_error_ns : ns);
	}
	c->runs = false;
}

/* A pl_wanted's `is`, which goes on to the end. */
static int groups_note(void *context, const struct pl_event *e)
{
	struct groups *g = context;

	if (e->kind == PL_EVENT_CALL) {
		const int code = begin_call(g, e);
		return code ? code : PL_END;
	}
	struct open_call *c = find_open(g, e);
	if (!c)
		return PL_END;
	switch (e->kind) {
	case PL_EVENT_RESUME:
	case PL_EVENT_THROW:
		c->since_ns = e->time_ns;
		c->since_error_ns = e->time_error_ns;
		c->runs = true;
		break;
	case PL_EVENT_YIELD:
		stop_run(c, e);
		break;
	case PL_EVENT_RETURN:
	case PL_EVENT_UNWIND:
		stop_run(c, e);
		end_call(g, c, e);
		break;
	default:
		c->type = e->type;
		return c->pending && copy_values(&c->raised_kept, &c->raised, &e->values, NULL)
			       ? PL_ERR_MEMORY
			       : PL_END;
	}
	return PL_END;
}

static void forget_suspended(struct groups *g)
{
	for (size_t i = 0; i < g->suspended.room; i++)
		if (g->suspended.slots[i].used)
			free_suspended((struct open_call *)(uintptr_t)g->suspended.slots[i]
					       .value); // NOLINT
	map_release(&g->suspended);
	g->suspended = (struct pl_map){0};
}

int groups_add(struct groups *g, uint32_t process, uint32_t thread, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = process,
		.thread = thread,
		.kinds = BIT(CALL) | BIT(RETURN) | BIT(YIELD) | BIT(RESUME) | BIT(THROW) |
			 BIT(UNWIND) | BIT(RAISE) | BIT(RERAISE),
		.may = groups_may,
		.is = groups_note,
		.context = g};
	struct pl_search *s = NULL;
	struct pl_event e;
	int code = pl_search_new(&s, g->r, &wanted, err);

	g->process = pl_recording_find_process(g->r, process);
	g->thread = pl_recording_thread(g->r, process, thread);
	if (code == 0) {
		pl_search_want_values(s, true);
		code = pl_search_next(s, 0, UINT64_MAX, &e, err);
	}
	pl_search_free(s);
	close_from(g, 0);
	forget_suspended(g);
	return code < 0 ? code : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return strcmp(x->value, y->value);
}

void groups_sort(struct groups *g)
{
	size_t count = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (g->all[i]->calls) {
			g->all[count++] = g->all[i];
			continue;
		}
		free(g->all[i]->value);
		free(g->all[i]);
	}
	g->count = count;
	if (g->count)
		qsort(g->all, g->count, sizeof *g->all, by_time);
}

void groups_release(struct groups *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->all[i]->value);
		free(g->all[i]);
	}
	free(g->all);
	map_release(&g->places);
	map_release(&g->codes);
	close_from(g, 0);
	forget_suspended(g);
	buf_release(&g->open);
	g->all = NULL;
	g->count = g->room = 0;
}
