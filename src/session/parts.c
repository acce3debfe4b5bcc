/* The parts of a path: what one task runs without a wait, or one thread without a switch. */
#include <string.h>
#include "session/replay_own.h"

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
	const struct order_place place = {
		.order = p->at.order, .thread = p->at.position.thread, .of = path->thread};
	const uint64_t next = p->at.order + 1;
	uint64_t *near = replay_near(p, path->process, path->thread);
	struct path_key key = {order_place_before, &place, near ? *near : 0};

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
		const struct order_place place = {
			.order = best->order, .thread = best->position.thread};
		if (code == 0 && (!found || order_place_is_before(e.order, n, &place) != back)) {
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

	replay_follow_thread(p, e->position.process, e->position.thread);
	p->at = *e;
	int code = run_of(p, &begin, &end, err);
	if (code == 0)
		code = previous_task(p, begin, e->seq + 1, &seq, err);
	if (code >= 0)
		code = replay_seq(
			p, p->path.process, p->path.thread, code == PL_END ? begin : seq, err);
	if (code) {
		p->at = from;
		replay_follow_thread(p, from.position.process, from.position.thread);
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
