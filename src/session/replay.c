#include "session/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session/replay_own.h"

/* ---- positions ---- */

/* A move from an earlier place drops what came after it, as in a browser. The oldest place is
 * dropped when there is no more room. */
static void remember_place(struct replay *p)
{
	if (p->visited && p->current + 1 < p->visited)
		p->visited = p->current + 1;
	if (p->joins && p->visited)
		p->visited--;
	if (p->visited == REPLAY_HISTORY) {
		memmove(p->places, p->places + 1, (REPLAY_HISTORY - 1) * sizeof *p->places);
		memmove(p->seqs, p->seqs + 1, (REPLAY_HISTORY - 1) * sizeof *p->seqs);
		p->visited--;
	}
	p->current = p->visited++;
	p->places[p->current] = p->at.position;
	p->seqs[p->current] = p->at.seq;
}

/* A window has no tasks: their names are valid only until the cursor moves. If the cursor cannot be
 * asked, there is none. */
static void stand_at(struct replay *p, const struct pl_event *e)
{
	const struct tasks t = {
		.r = p->r, .process = e->position.process, .thread = e->position.thread};

	p->at = *e;
	if (tasks_at(&t, e->seq, &p->task, NULL))
		p->task = (struct task_name){0};
	p->at.task = p->task.text[0] ? p->task.text : NULL;
	p->at.task_id = p->task.number;
}

void replay_arrive(struct replay *p, const struct pl_event *e)
{
	stand_at(p, e);
	remember_place(p);
}

void replay_follow_thread(struct replay *p, uint32_t process, uint32_t thread)
{
	if (p->path.process == process && p->path.thread == thread)
		return;
	path_reset(&p->path);
	p->path.process = process;
	p->path.thread = thread;
}

struct event_place {
	uint32_t process, thread;
	uint64_t seq;
};

/* The event at or after `at`, or else the last one of the thread. The position does not change; if
 * there is none, the window is again that of the position's thread. */
static int find_event(
	struct replay *p, const struct event_place *at, struct pl_event *to, struct pl_err *err)
{
	const struct pl_event *e;

	replay_follow_thread(p, at->process, at->thread);
	int code = path_from(&p->path, at->seq, &e, err);
	if (code == PL_END)
		code = path_before(&p->path, at->seq, &e, err);
	if (code == 0)
		*to = *e;
	else
		replay_follow_thread(p, p->at.position.process, p->at.position.thread);
	return code;
}

int replay_seq(
	struct replay *p, uint32_t process, uint32_t thread, uint64_t seq, struct pl_err *err)
{
	struct pl_event to;
	int code = find_event(p, &(struct event_place){process, thread, seq}, &to, err);

	if (code == 0)
		replay_arrive(p, &to);
	return code;
}

/* ---- where it begins ---- */

static bool may_be_module(void *context, const struct pl_count *row)
{
	(void)context;
	return row->code && !strcmp(pl_code_name(row->code), "<module>");
}

struct module_search {
	bool by_runpy;
	struct path *path;
	struct pl_err *err;
};

/* Is it the program's own module? `-m` has runpy's _run_code call it. */
static int is_own_module(void *context, const struct pl_event *e)
{
	const struct module_search *s = context;
	const struct pl_event *caller;

	if (!s->by_runpy)
		return e->depth ? PL_END : 0;
	int code = path_before(s->path, e->seq, &caller, s->err);
	if (code)
		return code;
	return caller->code && !strcmp(pl_code_name(caller->code), "_run_code") &&
			       strstr(pl_code_file(caller->code), "runpy")
		       ? 0
		       : PL_END;
}

/* With `-m` Python looks for the module first, in its own frozen code; with `-c` 3.13 keeps the
 * source first. The call of the module that is the program. PL_END: it begins otherwise, or did not
 * come so far. */
static int find_module(struct replay *p, struct pl_event *e, struct pl_err *err)
{
	const struct pl_code *first = p->at.code;
	const bool by_runpy = first && !strncmp(pl_code_file(first), "<frozen ", 8);
	struct module_search context = {.by_runpy = by_runpy, .path = &p->path, .err = err};
	const struct pl_wanted wanted = {.process = p->path.process,
		.thread = p->path.thread,
		.kinds = 1u << PL_EVENT_CALL,
		.may = may_be_module,
		.is = is_own_module,
		.context = &context,
		.stop = p->stop};
	struct pl_search *s = NULL;

	if (!by_runpy && (!first || strcmp(pl_code_name(first), "_register_code")))
		return PL_END;
	int code = pl_search_new(&s, p->r, &wanted, err);
	if (code == 0)
		code = pl_search_next(s, p->at.seq, UINT64_MAX, e, err);
	pl_search_free(s);
	if (code == 0)
		e->task = NULL;
	return code;
}

static bool is_in_text(const struct pl_event *e)
{
	return e->kind == PL_EVENT_LINE && e->line > 0;
}

/* The thread's first event is a call, mostly: the line after it is where one begins to read. The
 * only line of an empty module has the number 0. */
static int go_to_first_line(struct replay *p, struct pl_err *err)
{
	struct pl_event e = p->at, line;
	int code = find_module(p, &e, err);

	if (code < 0)
		return code;
	if (code == PL_END)
		e = p->at;
	struct pl_event at = e;
	while (!is_in_text(&at) && step_forward(&p->path, &at, STEP_LINE, &line, err) == 0) {
		if (e.kind != PL_EVENT_LINE)
			e = line;
		at = line;
	}
	replay_arrive(p, is_in_text(&at) ? &at : &e);
	return 0;
}

/* At the first process whose main thread has events. */
int replay_start(struct replay *p, struct pl_err *err)
{
	p->path.r = p->r;
	p->path.stop = p->stop;
	for (uint32_t i = 0; i < pl_recording_process_count(p->r); i++) {
		const struct pl_process *process = pl_recording_process(p->r, i);
		int code = pl_recording_thread(p->r, process->number, 0)
				   ? find_event(p, &(struct event_place){process->number, 0, 0},
					     &p->at, err)
				   : PL_END;
		if (code == PL_END)
			continue;
		return code ? code : go_to_first_line(p, err);
	}
	return PL_END;
}

void replay_release(struct replay *p)
{
	free(p->near);
	p->near = NULL;
	p->near_count = 0;
	path_release(&p->path);
	stops_release(&p->stops);
}

/* The recording has more events: what was read at its end may be different now. */
void replay_grown(struct replay *p)
{
	path_reset(&p->path);
	p->seen_known = p->end_known = false;
	p->has_moment = false;
}

/* Along the history, which keeps what comes after: `back` and then `forward` lead to the same
 * place. */
int replay_visited(struct replay *p, bool back, struct pl_err *err)
{
	if (back ? !p->current : p->current + 1 >= p->visited)
		return PL_END;
	size_t index = back ? p->current - 1 : p->current + 1;
	const struct pl_position *place = &p->places[index];
	const struct event_place at = {place->process, place->thread, p->seqs[index]};
	struct pl_event to;
	int code = find_event(p, &at, &to, err);
	if (code == 0) {
		stand_at(p, &to);
		p->current = index;
	}
	return code;
}

void replay_mark(struct replay *p, char letter)
{
	size_t i = (size_t)(letter - 'a');

	if (i < REPLAY_MARKS) {
		p->marks[i].set = true;
		p->marks[i].position = p->at.position;
		p->marks[i].seq = p->at.seq;
	}
}

int replay_to_mark(struct replay *p, char letter, struct pl_err *err)
{
	size_t i = (size_t)(letter - 'a');

	if (i >= REPLAY_MARKS || !p->marks[i].set)
		return PL_END;
	return replay_seq(
		p, p->marks[i].position.process, p->marks[i].position.thread, p->marks[i].seq, err);
}

int replay_step(struct replay *p, enum step step, bool back, struct pl_err *err)
{
	struct pl_event to;
	int code = (back ? step_back : step_forward)(&p->path, &p->at, step, &to, err);

	if (code == 0)
		replay_arrive(p, &to);
	return code;
}

int replay_peek(struct replay *p, bool back, struct pl_event *line, struct pl_err *err)
{
	return (back ? step_back : step_forward)(&p->path, &p->at, STEP_LINE, line, err);
}

/* Has the frame of `from` ended, or given way to another one? */
static bool has_left(const struct pl_event *from, const struct pl_event *e)
{
	if (e->code != from->code || e->generator != from->generator)
		return true;
	return !from->generator && e->depth != from->depth;
}

int replay_until(struct replay *p, int32_t line, struct pl_err *err)
{
	struct pl_event e = p->at, to;
	int code;

	do {
		code = step_forward(&p->path, &e, STEP_NEXT, &to, err);
		if (code)
			return code;
		e = to;
	} while (!has_left(&p->at, &e) && e.line < line);
	replay_arrive(p, &e);
	return 0;
}

/* ---- time ---- */

/* A path_search's `before`: the path is ordered by time, within a thread. */
static bool before_time(const struct pl_event *e, const void *key)
{
	return e->time_ns < *(const int64_t *)key;
}

/* Times of a damaged recording can be anything. */
static uint64_t apart(int64_t earlier, int64_t later)
{
	return (uint64_t)later - (uint64_t)earlier;
}

/* Between the last event before the time and the first one that is not: whichever is nearer. */
int replay_time(struct replay *p, int64_t time_ns, struct pl_err *err)
{
	const struct pl_event *e;
	struct pl_event after;
	int code = path_search(
		&p->path, &(struct path_key){before_time, &time_ns, p->at.seq}, &after, err);

	if (code < 0)
		return code;
	bool has_after = code == 0;
	code = path_before(&p->path, has_after ? after.seq : UINT64_MAX, &e, err);
	if (code < 0)
		return code;
	if (code == 0 && (!has_after || apart(e->time_ns, time_ns) < apart(time_ns, after.time_ns)))
		replay_arrive(p, e);
	else if (has_after)
		replay_arrive(p, &after);
	else
		return PL_END;
	return 0;
}
