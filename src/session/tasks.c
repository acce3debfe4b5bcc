#include "session/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* co_flags: coroutines, those of types.coroutine, asynchronous generators */
#define CO_AWAITED   0x380u
#define CO_COROUTINE 0x180u /* the first two: only these can be the coroutine of a task */

/* Looking at the lines of a thread, each of which has the task that ran it: for one task's, for
 * another one's (wanted->other), or for all names. */
struct look {
	const struct tasks *tasks;
	const struct task_wanted *wanted; /* NULL: all names are collected */
	struct task_name *names;
	size_t count, max;
};

/* Only the codes of coroutines run in a task. Greenlets run any code. */
static bool may_name_task(void *context, const struct pl_count *row)
{
	const struct look *l = context;

	return l->tasks->greenlets || (row->code && pl_code_flags(row->code) & CO_AWAITED);
}

static void name_it(struct task_name *to, const struct pl_event *e)
{
	to->number = e->task_id;
	snprintf(to->text, sizeof to->text, "%s", e->task ? e->task : "");
}

/* By number, if the recording has numbers: names can be given twice, and change. */
bool tasks_same(uint64_t number, const char *name, const struct task_name *task)
{
	if (task->number)
		return number == task->number;
	return name && !strncmp(name, task->text, sizeof task->text - 1);
}

void tasks_text(const struct task_name *task, char text[TASK_TEXT_BYTES])
{
	if (task->number)
		snprintf(text, TASK_TEXT_BYTES, "%" PRIu64 "%s%s", task->number,
			task->text[0] ? " " : "", task->text);
	else
		snprintf(text, TASK_TEXT_BYTES, "%s", task->text);
}

/* 0 ends the search: it is the one. When names are collected none is, and the last name that a task
 * had is kept. */
static int is_of_task(void *context, const struct pl_event *e)
{
	struct look *l = context;

	if (!e->task && !e->task_id)
		return PL_END;
	if (l->wanted)
		return tasks_same(e->task_id, e->task, &l->wanted->task) != l->wanted->other
			       ? 0
			       : PL_END;
	for (size_t i = 0; i < l->count; i++)
		if (tasks_same(e->task_id, e->task, &l->names[i])) {
			if (e->task)
				name_it(&l->names[i], e);
			return PL_END;
		}
	if (l->count < l->max)
		name_it(&l->names[l->count++], e);
	return PL_END;
}

/* Look at the lines of w, from the front or from the back. For a name also at the end of each
 * stretch, which has one that was set within it. */
static int search_lines(
	struct look *l, const struct task_wanted *w, struct pl_event *e, struct pl_err *err)
{
	const struct tasks *t = l->tasks;
	const uint32_t ends = 1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD | 1u << PL_EVENT_UNWIND;
	const struct pl_wanted wanted = {.process = t->process,
		.thread = t->thread,
		.kinds = 1u << PL_EVENT_LINE | (l->wanted ? 0 : ends),
		.may = may_name_task,
		.is = is_of_task,
		.context = l,
		.stop = t->stop};
	struct pl_search *search = NULL;
	int code = pl_search_new(&search, t->r, &wanted, err);

	if (code == 0)
		code = w->back ? pl_search_previous(search, w->seq, w->bound, e, err)
			       : pl_search_next(search, w->seq, w->bound, e, err);
	if (code == 0 && l->wanted)
		name_it(l->names, e);
	pl_search_free(search);
	return code;
}

int tasks_find(const struct tasks *t, const struct task_wanted *wanted, uint64_t *seq,
	struct task_name *found, struct pl_err *err)
{
	struct look l = {.tasks = t, .wanted = wanted, .names = found};
	struct pl_event e;
	int code = search_lines(&l, wanted, &e, err);

	if (code == 0)
		*seq = e.seq;
	return code;
}

struct resumed {
	const struct task_wanted *wanted;
	struct path path;
	struct pl_err *err;
};

static bool may_resume(void *context, const struct pl_count *row)
{
	(void)context;
	return row->code && pl_code_flags(row->code) & CO_COROUTINE;
}

/* A coroutine that another one awaits is resumed right after that one. Before the task's own, its
 * last yield is, or a frame of the event loop. */
static int is_resumed(void *context, const struct pl_event *e)
{
	struct resumed *s = context;
	struct pl_event before;

	if (!tasks_same(e->task_id, e->task, &s->wanted->task))
		return PL_END;
	int code = path_last(&s->path, e->seq, &before, s->err);
	if (code)
		return code;
	return before.kind == PL_EVENT_YIELD || !before.code ||
			       !(pl_code_flags(before.code) & CO_AWAITED)
		       ? 0
		       : PL_END;
}

/* With greenlets there are no suspensions to be seen. */
int tasks_resumed(
	const struct tasks *t, const struct task_wanted *w, uint64_t *seq, struct pl_err *err)
{
	struct resumed s = {.wanted = w,
		.path = {.r = t->r, .process = t->process, .thread = t->thread, .stop = t->stop},
		.err = err};
	const struct pl_wanted wanted = {.process = t->process,
		.thread = t->thread,
		.kinds = 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW,
		.may = may_resume,
		.is = is_resumed,
		.context = &s,
		.stop = t->stop};
	struct pl_search *search = NULL;
	struct pl_event e;

	if (t->greenlets || !(w->task.number || w->task.text[0]))
		return PL_END;
	int code = pl_search_new(&search, t->r, &wanted, err);
	if (code == 0)
		code = w->back ? pl_search_previous(search, w->seq, w->bound, &e, err)
			       : pl_search_next(search, w->seq, w->bound, &e, err);
	if (code == 0)
		*seq = e.seq;
	pl_search_free(search);
	path_release(&s.path);
	return code;
}

static int is_of_wanted(void *context, const struct pl_event *e)
{
	const struct look *l = context;

	return tasks_same(e->task_id, e->task, &l->wanted->task) ? 0 : PL_END;
}

int tasks_waits(
	const struct tasks *t, const struct task_name *task, uint64_t seq, struct pl_err *err)
{
	const struct task_wanted w = {.task = *task};
	struct look l = {.tasks = t, .wanted = &w};
	const struct pl_wanted wanted = {.process = t->process,
		.thread = t->thread,
		.kinds = ~(1u << PL_EVENT_AGAIN | 1u << PL_EVENT_MARK | 1u << PL_EVENT_GAP),
		.may = may_name_task,
		.is = is_of_wanted,
		.context = &l,
		.stop = t->stop};
	struct pl_search *search = NULL;
	struct pl_event e;
	int code = pl_search_new(&search, t->r, &wanted, err);

	if (code == 0)
		code = pl_search_previous(search, seq, 0, &e, err);
	pl_search_free(search);
	return code == 0 && e.kind != PL_EVENT_YIELD ? PL_END : code;
}

int tasks_list(const struct tasks *t, struct task_name *names, size_t max, size_t *count,
	struct pl_err *err)
{
	struct look l = {.tasks = t, .names = names, .max = max};
	struct pl_event e;
	int code = search_lines(&l, &(struct task_wanted){.bound = UINT64_MAX}, &e, err);

	*count = l.count;
	return code < 0 ? code : 0;
}

struct noting {
	const struct tasks *tasks;
	int (*note)(void *context, const struct pl_event *e);
	void *context;
};

/* Only coroutines get a name within their run. */
static bool may_have_name(void *context, const struct pl_count *row)
{
	const struct noting *n = context;

	return n->tasks->greenlets || (row->code && pl_code_flags(row->code) & CO_AWAITED);
}

static int note_event(void *context, const struct pl_event *e)
{
	const struct noting *n = context;

	return n->note(n->context, e);
}

int tasks_names(const struct tasks *t, int (*note)(void *context, const struct pl_event *e),
	void *context, struct pl_err *err)
{
	const uint32_t lines = 1u << PL_EVENT_LINE | 1u << PL_EVENT_AGAIN;
	struct noting noting = {.tasks = t, .note = note, .context = context};
	const struct pl_wanted wanted = {.process = t->process,
		.thread = t->thread,
		.kinds = ~lines,
		.may = may_have_name,
		.is = note_event,
		.context = &noting,
		.stop = t->stop};
	struct pl_search *search = NULL;
	struct pl_event e;
	int code = pl_search_new(&search, t->r, &wanted, err);

	if (code == 0)
		code = pl_search_next(search, 0, UINT64_MAX, &e, err);
	pl_search_free(search);
	return code < 0 ? code : 0;
}

struct named {
	struct task_name name; /* without a number */
	uint64_t number;       /* 0: none so far */
	bool several;
};

static int note_number(void *context, const struct pl_event *e)
{
	struct named *n = context;

	if (!e->task_id || !tasks_same(e->task_id, e->task, &n->name))
		return PL_END;
	n->several |= n->number && n->number != e->task_id;
	n->number = e->task_id;
	return n->several ? 0 : PL_END;
}

int tasks_number(const struct tasks *t, const char *name, uint64_t *number, struct pl_err *err)
{
	struct named n = {.number = 0};
	int code;

	snprintf(n.name.text, sizeof n.name.text, "%s", name);
	code = tasks_names(t, note_number, &n, err);
	*number = n.several ? 0 : n.number;
	return code;
}

/* By a cursor: only it knows the task of an event, see path.h. */
int tasks_at(const struct tasks *t, uint64_t seq, struct task_name *name, struct pl_err *err)
{
	struct pl_cursor *c = NULL;
	struct pl_event e = {0};
	int code = pl_cursor_new(&c, t->r, t->process, t->thread, err);

	*name = (struct task_name){0};
	if (code == 0)
		code = pl_cursor_seek_seq(c, seq, err);
	while (code == 0) {
		code = pl_cursor_next(c, &e, err);
		if (code == 0 && e.seq >= seq && e.kind != PL_EVENT_GAP)
			break;
	}
	if (code == 0 && e.seq == seq)
		name_it(name, &e);
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}
