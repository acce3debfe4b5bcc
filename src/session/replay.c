#include "session/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The position changes, and becomes a place in the history. */
static void arrive(struct replay *p, const struct pl_event *e)
{
	stand_at(p, e);
	remember_place(p);
}

/* The window is of one thread: in another one it begins again. */
static void follow_thread(struct replay *p, uint32_t process, uint32_t thread)
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

	follow_thread(p, at->process, at->thread);
	int code = path_from(&p->path, at->seq, &e, err);
	if (code == PL_END)
		code = path_before(&p->path, at->seq, &e, err);
	if (code == 0)
		*to = *e;
	else
		follow_thread(p, p->at.position.process, p->at.position.thread);
	return code;
}

int replay_seq(
	struct replay *p, uint32_t process, uint32_t thread, uint64_t seq, struct pl_err *err)
{
	struct pl_event to;
	int code = find_event(p, &(struct event_place){process, thread, seq}, &to, err);

	if (code == 0)
		arrive(p, &to);
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
	arrive(p, is_in_text(&at) ? &at : &e);
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
		arrive(p, &to);
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
	arrive(p, &e);
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
		arrive(p, e);
	else if (has_after)
		arrive(p, &after);
	else
		return PL_END;
	return 0;
}

/* ---- looking for events ---- */

/* The order of a process is that of (order, thread, seq): `order` is the number of the run, of one
 * thread without a switch, in which the event was. */
struct place {
	uint64_t order;
	uint32_t thread, of; /* `of`: the thread that is searched */
};

static bool place_is_before(uint64_t order, uint32_t thread, const struct place *place)
{
	return order < place->order || (order == place->order && thread < place->thread);
}

static bool before_place(const struct pl_event *e, const void *key)
{
	const struct place *place = key;

	return place_is_before(e->order, place->of, place);
}

/* What is looked for, and the nearest so far. */
struct search {
	/* in */
	bool back;
	uint32_t kinds;
	bool (*may)(void *context, const struct pl_count *row);
	int (*is)(void *context, const struct pl_event *e);
	/* NULL, or called before another part of the path: *found is an event of it that is wanted
	 * whatever `is` says, or UINT64_MAX. */
	int (*begin)(struct search *s, uint64_t seq, uint64_t to, uint64_t *found);
	struct replay *replay;
	struct path *path; /* of the thread that is searched */
	const regex_t *regex;
	struct pl_err *err;
	/* out */
	bool found;
	struct pl_event best;
};

/* Called by a search for each part of the path that it comes to. */
static void passes(void *context, uint64_t seq)
{
	const struct search *s = context;

	if (s->replay->progress)
		s->replay->progress(s->replay->context, s->path->thread, seq);
}

/* The nearest to where the search began, of all threads: forward the first, backward the last. */
static void keep_nearest(struct search *s, const struct pl_event *e)
{
	const struct place best = {.order = s->best.order, .thread = s->best.position.thread};

	if (s->found && place_is_before(e->order, e->position.thread, &best) == s->back)
		return;
	s->best = *e;
	s->best.task = NULL;
	s->found = true;
}

/* One thread from seq up to `to`; back: from before seq down to `to`. What `begin` knows already is
 * a limit for the search, and its result if the search finds nothing before it. */
static int search_path(
	struct replay *p, struct search *s, struct path *path, uint64_t seq, uint64_t to)
{
	const struct pl_wanted wanted = {.process = path->process,
		.thread = path->thread,
		.kinds = s->kinds,
		.may = s->may,
		.is = s->is,
		.context = s,
		.passes = passes,
		.stop = p->stop};
	struct pl_search *search = NULL;
	uint64_t known = UINT64_MAX;
	const struct pl_event *at;
	struct pl_event e;
	int code;

	s->path = path;
	code = s->begin ? s->begin(s, seq, to, &known) : 0;
	if (code == 0)
		code = pl_search_new(&search, p->r, &wanted, s->err);
	if (code == 0 && known != UINT64_MAX)
		to = known;
	if (code == 0)
		code = s->back ? pl_search_previous(search, seq, to, &e, s->err)
			       : pl_search_next(search, seq, to, &e, s->err);
	pl_search_free(search);
	if (code == PL_END && known != UINT64_MAX) {
		code = path_from(path, known, &at, s->err);
		if (code == 0)
			e = *at;
	}
	if (code == 0)
		keep_nearest(s, &e);
	return code < 0 ? code : 0;
}

/* Where the thread was when it was asked last; the next time that is near. NULL: no memory. */
static uint64_t *near_of(struct replay *p, uint32_t process, uint32_t thread)
{
	const struct pl_process *of = pl_recording_find_process(p->r, process);

	if (!of || thread >= of->thread_count)
		return NULL;
	if (p->near_process != process || p->near_count < of->thread_count) {
		free(p->near);
		p->near = calloc(of->thread_count, sizeof *p->near);
		p->near_count = p->near ? of->thread_count : 0;
		p->near_process = process;
	}
	return p->near ? &p->near[thread] : NULL;
}

/* In another thread of the same process: the first event that is not before `of`. */
static int seq_from(struct replay *p, const struct pl_event *of, struct path *path, uint64_t *seq,
	struct pl_err *err)
{
	const struct place place = {
		.order = of->order, .thread = of->position.thread, .of = path->thread};
	uint64_t *near = near_of(p, path->process, path->thread);
	struct pl_event e;
	int code = path_search(
		path, &(struct path_key){before_place, &place, near ? *near : 0}, &e, err);

	*seq = code == 0 ? e.seq : UINT64_MAX;
	if (code >= 0 && near)
		*near = *seq;
	return code < 0 ? code : 0;
}

int replay_seq_in(struct replay *p, struct path *path, uint64_t *seq, struct pl_err *err)
{
	return seq_from(p, &p->at, path, seq, err);
}

/* Another thread from the same place in the process's order, at most to the nearest event that was
 * found so far. */
static int search_other(struct replay *p, struct search *s, uint32_t thread)
{
	struct path other = {
		.r = p->r, .process = p->at.position.process, .thread = thread, .stop = p->stop};
	const struct place best = {
		.order = s->best.order, .thread = s->best.position.thread, .of = thread};
	uint64_t from, to = s->back ? 0 : UINT64_MAX;
	int code = replay_seq_in(p, &other, &from, s->err);

	if (code == 0 && s->found)
		code = path_bound(&other, &(struct path_key){before_place, &best, from}, s->back,
			&to, s->err);
	if (code == 0 && (s->back ? to < from : from < to))
		code = search_path(p, s, &other, from, to);
	path_release(&other);
	return code;
}

/* The thread of the position comes first, because what it finds is a limit for the others. */
static int search_threads(struct replay *p, struct search *s)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	uint32_t here = p->at.position.thread;
	const struct pl_event *e;
	uint64_t seq;

	s->replay = p;
	int code = search_path(
		p, s, &p->path, s->back ? p->at.seq : p->at.seq + 1, s->back ? 0 : UINT64_MAX);
	for (uint32_t n = 0; !p->only_here && process && n < process->thread_count && code == 0;
		n++)
		if (n != here)
			code = search_other(p, s, n);
	if (code < 0)
		return code;
	if (!s->found || *p->stop)
		return PL_END;
	follow_thread(p, s->best.position.process, s->best.position.thread);
	seq = s->best.seq;
	code = path_from(&p->path, seq, &e, s->err);
	if (code == 0)
		arrive(p, e);
	return code;
}

static bool may_stop(void *context, const struct pl_count *row)
{
	return stops_may(&((struct search *)context)->replay->stops, row);
}

static int stops_here(void *context, const struct pl_event *e)
{
	struct search *s = context;

	return stops_match(&s->replay->stops, s->path, e, s->err);
}

/* Stops that count hits are found by counting, not by looking at events. */
static int begin_stops(struct search *s, uint64_t seq, uint64_t to, uint64_t *found)
{
	struct replay *p = s->replay;

	const struct seqs in = {
		.from = s->back ? to : seq, .to = s->back ? seq : to, .back = s->back};

	stops_begin(&p->stops, seq);
	return stops_hit(&p->stops, s->path, &in, found, s->err);
}

int replay_continue(struct replay *p, bool back, struct pl_err *err)
{
	struct search s = {.back = back,
		.kinds = stops_kinds(&p->stops),
		.may = may_stop,
		.is = stops_here,
		.begin = begin_stops,
		.err = err};
	int code = search_threads(p, &s);

	if (code == 0)
		stops_arrive(&p->stops, &p->at);
	return code;
}

static bool has_regex(const struct search *s, const char *text)
{
	return text && regexec(s->regex, text, 0, NULL, 0) == 0;
}

/* Of a call its function decides, which a row has; of a raise its type, which only the event
 * has. */
static bool may_have_regex(void *context, const struct pl_count *row)
{
	return row->kind == PL_EVENT_RAISE ||
	       (row->code && has_regex(context, pl_code_name(row->code)));
}

static int type_has_regex(void *context, const struct pl_event *e)
{
	return e->kind != PL_EVENT_RAISE || has_regex(context, e->type) ? 0 : PL_END;
}

int replay_search(struct replay *p, const regex_t *regex, bool back, struct pl_err *err)
{
	struct search s = {.back = back,
		.kinds = 1u << PL_EVENT_CALL | 1u << PL_EVENT_RAISE,
		.may = may_have_regex,
		.is = type_has_regex,
		.regex = regex,
		.err = err};

	return search_threads(p, &s);
}

/* In any thread of any process. */
int replay_ever(struct replay *p, const struct pl_wanted *wanted, struct pl_err *err)
{
	int code = PL_END;

	for (uint32_t i = 0; code == PL_END && i < pl_recording_process_count(p->r); i++) {
		const struct pl_process *process = pl_recording_process(p->r, i);
		for (uint32_t n = 0; code == PL_END && n < process->thread_count; n++) {
			struct pl_wanted there = *wanted;
			struct pl_search *search = NULL;
			struct pl_event e;
			there.process = process->number;
			there.thread = n;
			code = pl_search_new(&search, p->r, &there, err);
			if (code == 0)
				code = pl_search_next(search, 0, UINT64_MAX, &e, err);
			pl_search_free(search);
		}
	}
	return code;
}

/* ---- tasks ---- */

/* Of the position's thread. */
static struct tasks tasks_of(const struct replay *p)
{
	return (struct tasks){.r = p->r,
		.process = p->at.position.process,
		.thread = p->at.position.thread,
		.greenlets = p->at.greenlet != 0,
		.stop = p->stop};
}

int replay_tasks(
	struct replay *p, struct task_name *names, size_t max, size_t *count, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);

	return tasks_list(&t, names, max, count, err);
}

int replay_task_number(struct replay *p, const char *name, uint64_t *number, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);

	return tasks_number(&t, name, number, err);
}

/* ---- switches ---- */

static bool before_order(const struct pl_event *e, const void *key)
{
	return e->order < *(const uint64_t *)key;
}

/* Is it in the run that was left? */
static bool is_of_run(const struct pl_event *e, const struct pl_event *run)
{
	return e->order == run->order && e->position.thread == run->position.thread;
}

/* In one thread, the first event of a run after this one, or the last event before it. 0, PL_END,
 * an error. */
static int neighbour(
	struct replay *p, struct path *path, bool back, struct pl_event *out, struct pl_err *err)
{
	const struct place place = {
		.order = p->at.order, .thread = p->at.position.thread, .of = path->thread};
	const uint64_t next = p->at.order + 1;
	uint64_t *near = near_of(p, path->process, path->thread);
	struct path_key key = {before_place, &place, near ? *near : 0};

	if (path->thread == place.thread && !back)
		key = (struct path_key){before_order, &next, p->at.seq};
	int code = path_search(path, &key, out, err);
	if (code >= 0 && near)
		*near = code == 0 ? out->seq : UINT64_MAX;
	if (back && code >= 0)
		code = path_last(path, code == 0 ? out->seq : UINT64_MAX, out, err);
	return code;
}

/* Of all threads the nearest. */
static int nearest_run(struct replay *p, bool back, struct pl_event *best, struct pl_err *err)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	bool found = false;

	for (uint32_t n = 0; process && n < process->thread_count && !*p->stop; n++) {
		struct path path = {
			.r = p->r, .process = process->number, .thread = n, .stop = p->stop};
		struct pl_event e;
		int code = neighbour(p, &path, back, &e, err);
		path_release(&path);
		if (code < 0)
			return code;
		const struct place place = {.order = best->order, .thread = best->position.thread};
		if (code == 0 && (!found || place_is_before(e.order, n, &place) != back)) {
			*best = e;
			found = true;
		}
	}
	return found && !*p->stop ? 0 : PL_END;
}

/* A part of a path is what a task runs until another task or thread does, or until it is resumed
 * after it was suspended. It begins with its first line; the first part of a run begins with the
 * run's first event. ] and [ go from part to part, so they lead to the same places. */

/* The first line of this task in `in`. */
static int first_line(const struct tasks *t, const struct task_name *task, struct seqs in,
	uint64_t *seq, struct pl_err *err)
{
	struct task_name found;

	return tasks_find(t, &(struct task_wanted){.task = *task, .seq = in.from, .bound = in.to},
		seq, &found, err);
}

/* The first line of another task in `in`, or back: the last one. */
static int other_line(const struct tasks *t, const struct task_name *task, struct seqs in,
	uint64_t *seq, struct pl_err *err)
{
	struct task_name found;
	const struct task_wanted wanted = {.task = *task,
		.other = true,
		.back = in.back,
		.seq = in.back ? in.to : in.from,
		.bound = in.back ? in.from : in.to};

	return tasks_find(t, &wanted, seq, &found, err);
}

/* In `in`, where only this task runs: the first line of its last part there that a resumption
 * begins. */
static int resumed_part(const struct tasks *t, const struct task_name *task, struct seqs in,
	uint64_t *first, struct pl_err *err)
{
	struct task_wanted wanted = {.task = *task, .back = true, .seq = in.to, .bound = in.from};
	int code = 0;

	while (code == 0) {
		code = tasks_resumed(t, &wanted, &wanted.seq, err);
		if (code)
			break;
		code = first_line(
			t, task, (struct seqs){.from = wanted.seq, .to = in.to}, first, err);
		if (code == 0)
			return 0;
		code = code == PL_END ? 0 : code; /* it was suspended again before a line */
	}
	return code;
}

/* Where the last part of this task in `in` begins, a run or its beginning, if no other task's line
 * follows. */
static int task_began(struct replay *p, const struct task_name *task, struct seqs in,
	uint64_t *first, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);
	struct seqs own = in, resumed, before = {.from = in.from, .to = in.to, .back = true};
	struct task_name at_begin;
	uint64_t other;
	int code = other_line(&t, task, before, &other, err);

	const bool whole = code == PL_END;
	if (code < 0)
		return code;
	own.from = whole ? in.from : other + 1;
	resumed =
		(struct seqs){.from = own.from + whole, .to = in.to}; /* whole: not the run's own */
	code = resumed_part(&t, task, resumed, first, err);
	if (code != PL_END)
		return code;
	code = whole && in.from < in.to ? tasks_at(&t, in.from, &at_begin, err) : PL_END;
	if (code == 0 && !strcmp(at_begin.text, task->text) && at_begin.number == task->number) {
		*first = in.from;
		return 0;
	}
	return code < 0 ? code : first_line(&t, task, own, first, err);
}

/* Where this task began to run before `end`, or else the one before it, but not before `begin`. */
static int previous_task(
	struct replay *p, uint64_t begin, uint64_t end, uint64_t *seq, struct pl_err *err)
{
	const struct seqs in = {.from = begin, .to = end}, back = {begin, end, true};
	const struct tasks t = tasks_of(p);
	struct task_name here, before;
	int code = tasks_at(&t, p->at.seq, &here, err);

	if (code == 0)
		code = task_began(p, &here, in, seq, err);
	if (code == PL_END)
		code = other_line(&t, &here, back, seq, err);
	else
		return code;
	if (code == 0)
		code = tasks_at(&t, *seq, &before, err);
	return code ? code
		    : task_began(
			      p, &before, (struct seqs){.from = begin, .to = *seq + 1}, seq, err);
}

/* After the position and before `end`, where only this task runs: the first line of its next part.
 */
static int next_resumed(struct replay *p, const struct task_name *task, struct seqs in,
	uint64_t *seq, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);
	const uint64_t after = p->at.seq + 1;
	struct task_wanted wanted = {.task = *task, .back = true, .seq = after, .bound = in.from};
	uint64_t line;
	int code = tasks_resumed(&t, &wanted, &wanted.seq, err);

	/* resumed, and not yet at a line */
	if (code == 0)
		code = first_line(&t, task, (struct seqs){wanted.seq, after, false}, &line, err);
	if (code == PL_END && wanted.seq < after && wanted.seq > in.from)
		return first_line(&t, task, (struct seqs){after, in.to, false}, seq, err);
	if (code < 0)
		return code;
	wanted = (struct task_wanted){.task = *task, .seq = after, .bound = in.to};
	code = tasks_resumed(&t, &wanted, &wanted.seq, err);
	return code ? code
		    : first_line(&t, task, (struct seqs){wanted.seq, in.to, false}, seq, err);
}

/* In the run [begin, end): where the next part begins. */
static int next_task(
	struct replay *p, uint64_t begin, uint64_t end, uint64_t *seq, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);
	struct seqs in = {.from = begin, .to = end};
	struct task_name here;
	int code = tasks_at(&t, p->at.seq, &here, err);

	if (code)
		return code;
	code = other_line(&t, &here, (struct seqs){p->at.seq + 1, end, false}, &in.to, err);
	if (code < 0)
		return code;
	const bool has_other = code == 0;
	code = next_resumed(p, &here, in, seq, err);
	if (code == PL_END && has_other) {
		*seq = in.to;
		code = 0;
	}
	return code;
}

/* From a place of the task itself: to its next part. */
static int next_part(
	struct replay *p, const struct task_name *task, uint64_t *seq, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);
	struct seqs in = {.from = 0, .to = UINT64_MAX};
	int code =
		other_line(&t, task, (struct seqs){p->at.seq + 1, UINT64_MAX, false}, &in.to, err);

	if (code < 0)
		return code;
	code = next_resumed(p, task, in, seq, err);
	if (code == PL_END && in.to < UINT64_MAX)
		code = first_line(&t, task, (struct seqs){in.to, UINT64_MAX, false}, seq, err);
	return code;
}

/* The last part of the task before the position. */
static int last_part(
	struct replay *p, const struct task_name *task, uint64_t *seq, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);
	struct task_name found;
	int code =
		tasks_find(&t, &(struct task_wanted){.task = *task, .back = true, .seq = p->at.seq},
			seq, &found, err);

	return code ? code : task_began(p, task, (struct seqs){.to = *seq + 1}, seq, err);
}

int replay_task(struct replay *p, const struct task_name *task, struct pl_err *err)
{
	const struct tasks t = tasks_of(p);
	const struct seqs later = {p->at.seq + 1, UINT64_MAX, false};
	uint64_t seq;
	int code;

	if (tasks_same(p->task.number, p->task.text, task)) {
		code = next_part(p, task, &seq, err);
	} else {
		code = first_line(&t, task, later, &seq, err);
		if (code == PL_END)
			code = last_part(p, task, &seq, err);
	}
	return code ? code : replay_seq(p, t.process, t.thread, seq, err);
}

/* The seqs of the run that the position is in. */
static int run_of(struct replay *p, uint64_t *begin, uint64_t *end, struct pl_err *err)
{
	const uint64_t order = p->at.order, next = order + 1;
	struct pl_event e;
	int code =
		path_search(&p->path, &(struct path_key){before_order, &order, p->at.seq}, &e, err);

	*begin = code == 0 ? e.seq : 0;
	if (code >= 0)
		code = path_search(
			&p->path, &(struct path_key){before_order, &next, p->at.seq}, &e, err);
	*end = code == 0 ? e.seq : UINT64_MAX;
	return code < 0 ? code : 0;
}

/* To the first event of the run that ends with e, or to where its last task began to run there. */
static int go_to_end_of_run(struct replay *p, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event from = p->at;
	uint64_t begin, end, seq;

	follow_thread(p, e->position.process, e->position.thread);
	p->at = *e;
	int code = run_of(p, &begin, &end, err);
	if (code == 0)
		code = previous_task(p, begin, e->seq + 1, &seq, err);
	if (code >= 0)
		code = replay_seq(
			p, p->path.process, p->path.thread, code == PL_END ? begin : seq, err);
	if (code) {
		p->at = from;
		follow_thread(p, from.position.process, from.position.thread);
	}
	return code;
}

/* First within the run: to another task, or to a part of the same one. If there is none, to the run
 * of the thread that ran next, or before. */
int replay_switch(struct replay *p, bool back, struct pl_err *err)
{
	const uint32_t process = p->at.position.process, thread = p->at.position.thread;
	struct pl_event best = p->at;
	uint64_t begin, end, seq;
	int code = run_of(p, &begin, &end, err);

	if (code == 0)
		code = back ? previous_task(p, begin, p->at.seq, &seq, err)
			    : next_task(p, begin, end, &seq, err);
	if (code == PL_END && back && begin < p->at.seq) {
		seq = begin;
		code = 0;
	}
	if (code == 0)
		return replay_seq(p, process, thread, seq, err);
	code = code < 0 ? code : nearest_run(p, back, &best, err);
	if (code == 0 && is_of_run(&best, &p->at))
		code = PL_END;
	if (code)
		return code;
	return back ? go_to_end_of_run(p, &best, err)
		    : replay_seq(p, process, best.position.thread, best.seq, err);
}

/* ---- one moment of several threads ---- */

static bool moment_is_at(const struct replay *p, const struct pl_position *of, uint64_t seq)
{
	const struct pl_position *at = &p->at.position;

	return at->process == of->process && at->thread == of->thread && p->at.seq == seq;
}

struct moment replay_moment(struct replay *p)
{
	struct moment here = {.at = p->at};

	if (p->has_moment && moment_is_at(p, &p->moment_of, p->moment_seq))
		return p->moment;
	here.at.task = NULL;
	here.stands = replay_stands(p);
	return here;
}

void replay_keep_moment(struct replay *p, const struct moment *m)
{
	p->moment = *m;
	p->moment_of = p->at.position;
	p->moment_seq = p->at.seq;
	p->has_moment = true;
}

int replay_thread(struct replay *p, const struct moment *m, uint32_t thread,
	enum replay_there *there, struct pl_err *err)
{
	const uint32_t process = m->at.position.process;
	struct path other = {.r = p->r, .process = process, .thread = thread, .stop = p->stop};
	struct pl_event e = m->at;
	uint64_t seq;

	*there = REPLAY_RUNS;
	if (m->stands)
		return replay_seq(p, process, thread, INT64_MAX, err);
	if (thread == m->at.position.thread)
		return replay_seq(p, process, thread, m->at.seq, err);
	int code = seq_from(p, &m->at, &other, &seq, err);
	if (code == 0)
		code = path_last(&other, seq, &e, err);
	path_release(&other);
	if (code < 0)
		return code;
	if (code == PL_END)
		*there = REPLAY_BEGINS_LATER;
	else if (seq == UINT64_MAX)
		*there = REPLAY_IS_OVER;
	/* The end of a path that breaks off is after its last event. */
	return replay_seq(p, process, thread,
		code == PL_END	    ? 0
		: seq == UINT64_MAX ? INT64_MAX
				    : e.seq,
		err);
}

/* ---- what was seen after the last event ---- */

/* Where the thread of the path was seen after its last event; code NULL: nowhere. */
static struct seen look_after(struct path *path)
{
	struct seen *rows = calloc((size_t)path->thread + 1, sizeof *rows);
	struct seen found = {.wanted = false};

	if (rows)
		seen_ask(path, &rows[path->thread]);
	if (rows && seen_last(path->r, path->process, rows, path->thread + 1, NULL) == 0)
		found = rows[path->thread];
	free(rows);
	return found;
}

/* Kept until the position changes, because the screen asks each time it draws. Samples of the whole
 * process are read for it. */
static void find_seen(struct replay *p)
{
	const struct pl_position *at = &p->at.position;
	const struct pl_event *later;

	p->seen = (struct seen){.wanted = false};
	if (path_from(&p->path, p->at.seq + 1, &later, NULL) == PL_END)
		p->seen = look_after(&p->path);
	p->seen_at = *at;
	p->seen_seq = p->at.seq;
	p->seen_known = true;
}

const struct seen *replay_seen(struct replay *p)
{
	if (!p->seen_known || !moment_is_at(p, &p->seen_at, p->seen_seq))
		find_seen(p);
	return p->seen.code ? &p->seen : NULL;
}

struct replay_place replay_place(struct replay *p)
{
	const struct seen *seen = replay_seen(p);

	return seen ? (struct replay_place){seen->code, seen->line}
		    : (struct replay_place){p->at.code, p->at.line};
}

/* When a thread goes on, its events say so. Samples of the whole process are read only for one that
 * has no event since the last reading: it stands still, and later samples say until when. */
static int64_t find_end(struct replay *p, const struct pl_thread *t, bool again)
{
	struct path path = {.r = p->r, .process = t->process, .thread = t->number};
	struct pl_event last = {.time_ns = t->start_ns};
	int64_t end_ns = t->end_ns;

	if (!end_ns) {
		path_last(&path, UINT64_MAX, &last, NULL);
		const bool went_on = again && last.seq != p->end_seq;
		const int64_t seen_ns = went_on ? p->end_ns : look_after(&path).to_ns;
		end_ns = seen_ns > last.time_ns ? seen_ns : last.time_ns;
	}
	path_release(&path);
	p->end_seq = last.seq;
	return end_ns;
}

int64_t replay_end(struct replay *p)
{
	const struct pl_position *at = &p->at.position;
	const struct pl_thread *t = pl_recording_thread(p->r, at->process, at->thread);
	const bool again = p->end_of.process == at->process && p->end_of.thread == at->thread;

	if (t && (!p->end_known || !again)) {
		p->end_ns = find_end(p, t, again);
		p->end_of = *at;
		p->end_known = true;
	}
	return t ? p->end_ns : 0;
}

bool replay_stands(struct replay *p)
{
	const struct pl_process *of = pl_recording_find_process(p->r, p->at.position.process);
	const struct pl_event *later;
	struct seen row;

	if (!of || of->end == PL_PROCESS_EXITED || of->end == PL_PROCESS_EXECED ||
		path_from(&p->path, p->at.seq + 1, &later, NULL) != PL_END)
		return false;
	seen_ask(&p->path, &row);
	return row.wanted;
}

/* ---- the stack ---- */

/* The innermost frame of this code becomes the innermost of all, and stands where it was seen. */
static size_t end_at_seen(const struct seen *seen, struct pl_frame *frames, size_t depth)
{
	size_t n = depth;

	while (n && !(frames[n - 1].code && pl_code_same_text(seen->code, frames[n - 1].code) &&
			    !strcmp(pl_code_name(seen->code), pl_code_name(frames[n - 1].code))))
		n--;
	if (!n)
		frames[n++] = (struct pl_frame){.code = seen->code};
	frames[n - 1].line = seen->line;
	frames[n - 1].offset = UINT32_MAX;
	return n;
}

/* A cursor of its own goes to the position: the window has events, and no stack. Names of tasks are
 * the cursor's, so only the position's, which is kept in p->task, is given. */
size_t replay_stack(struct replay *p, struct pl_frame *frames, size_t max)
{
	const struct seen *seen = replay_seen(p);
	struct pl_cursor *c;
	struct pl_event e;
	size_t depth = 0;

	if (pl_cursor_new(&c, p->r, p->at.position.process, p->at.position.thread, NULL))
		return 0;
	int code = pl_cursor_seek_seq(c, p->at.seq, NULL);
	while (code == 0 && (code = pl_cursor_next(c, &e, NULL)) == 0 && e.seq < p->at.seq)
		;
	if (code == 0)
		depth = pl_cursor_stack(c, frames, max);
	for (size_t i = 0; i < depth && i < max; i++)
		if (frames[i].task)
			frames[i].task = p->at.task && tasks_same(frames[i].task_id, frames[i].task,
							       &p->task)
						 ? p->task.text
						 : NULL;
	pl_cursor_free(c);
	return seen && max && depth <= max ? end_at_seen(seen, frames, depth) : depth;
}
