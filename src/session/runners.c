/* Who else runs: to where another thread, process or task is. */
#include <stdlib.h>
#include <string.h>
#include "session/operations.h"

/* A thread that stood somewhere when its process was killed was there to the end, so that another
 * thread's end is at the same time; another process may have gone on after that. */
static int64_t moment_ns(const struct replay *p, const struct moment *m)
{
	const struct pl_process *of = pl_recording_find_process(p->r, m->at.position.process);

	return !m->stands ? m->at.time_ns : of && of->end_ns ? of->end_ns : INT64_MAX;
}

/* By time, because the order is that of one process. It takes two moves, to the thread and to the
 * time, of which the history keeps one; if the second fails, the first is taken back. */
static int go_to_process(
	struct replay *p, uint32_t process, uint32_t thread, int64_t time_ns, struct pl_err *err)
{
	const struct pl_position here = p->at.position;
	const uint64_t seq = p->at.seq;
	int code = replay_seq(p, process, thread, 0, err);

	p->joins = code == 0; /* it is one move */
	if (code == 0)
		code = replay_time(p, time_ns, err);
	if (code < 0)
		replay_seq(p, here.process, here.thread, seq, err);
	p->joins = false;
	return code;
}

/* To where another thread, of this or another process, is at this moment. */
static int go_to_thread(struct session *s, uint32_t process, uint32_t thread, struct pl_err *err)
{
	struct replay *p = &s->replay;
	const struct moment from = replay_moment(p);
	const bool same = process == from.at.position.process;
	const int64_t time_ns = moment_ns(p, &from);
	enum replay_there there = REPLAY_RUNS;
	int code = same ? replay_thread(p, &from, thread, &there, err)
			: go_to_process(p, process, thread, time_ns, err);

	if (code == 0)
		replay_keep_moment(p, &from);
	if (code == 0 && from.stands && (same || time_ns == INT64_MAX))
		s->outcome.note = NOTE_SEEN_ALL;
	else if (code == 0 && there != REPLAY_RUNS)
		s->outcome.note = there == REPLAY_BEGINS_LATER ? NOTE_BEGINS_LATER : NOTE_IS_OVER;
	return session_moved(s, code, REFUSAL_NO_EVENTS);
}

int session_thread(struct session *s, uint32_t thread, struct pl_err *err)
{
	const struct pl_position *here = &s->replay.at.position;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, here->process);

	session_begin(s);
	s->outcome.number = thread;
	if (!p || thread >= p->thread_count)
		return session_refused(s, REFUSAL_NO_SUCH_THREAD);
	if (thread == here->thread)
		return session_done(s, DONE_HERE);
	return go_to_thread(s, here->process, thread, err);
}

/* The thread in which one came from this process; or else its first. */
static uint32_t thread_from(struct session *s, uint32_t process)
{
	const struct moment from = replay_moment(&s->replay);

	return from.at.position.process == process ? from.at.position.thread : 0;
}

int session_process(struct session *s, uint32_t process, struct pl_err *err)
{
	session_begin(s);
	s->outcome.number = process;
	if (!pl_recording_find_process(s->replay.r, process))
		return session_refused(s, REFUSAL_NO_SUCH_PROCESS);
	if (process == s->replay.at.position.process)
		return session_done(s, DONE_HERE);
	return go_to_thread(s, process, thread_from(s, process), err);
}

/* ---- tasks ---- */

bool session_is_task(const struct session *s, const struct task_name *task)
{
	const struct task_name *here = &s->replay.task;

	return (here->number || here->text[0]) && tasks_same(here->number, here->text, task);
}

/* By a name that it had at any time. Of several tasks with one name only those parts are found in
 * which they have it. */
static int task_by_name(struct session *s, struct task_name *task, struct pl_err *err)
{
	int code = replay_task_number(&s->replay, task->text, &task->number, err);

	return code ? code : replay_task(&s->replay, task, err);
}

/* A name can also consist of digits. */
int session_task(struct session *s, const struct task_name *task, struct pl_err *err)
{
	const struct task_name wanted = {.number = task->number};
	struct task_name named = *task;
	const uint64_t from = s->replay.at.seq;
	int code = PL_END;

	session_begin(s);
	named.number = 0;
	if (wanted.number)
		code = replay_task(&s->replay, &wanted, err);
	if (code == PL_END && named.text[0])
		code = task_by_name(s, &named, err);
	if (code == 0 && s->replay.at.seq < from)
		s->outcome.note = NOTE_LAST_PART;
	const bool own = code == PL_END && session_is_task(s, wanted.number ? &wanted : &named);
	if (own)
		return session_refused(s, REFUSAL_NO_LATER_PART);
	return session_moved(s, code, REFUSAL_NO_SUCH_TASK);
}

int session_tasks(
	struct session *s, struct task_name *names, size_t max, size_t *count, struct pl_err *err)
{
	session_begin(s);
	int code = replay_tasks(&s->replay, names, max, count, err);

	if (code)
		return code;
	if (*s->replay.stop)
		return session_refused(s, REFUSAL_STOPPED);
	return *count ? session_done(s, DONE_TASKS) : session_refused(s, REFUSAL_NO_TASKS);
}

/* ---- where they were seen ---- */

/* Did the thread end before its process did? */
static bool has_ended(const struct pl_process *p, const struct pl_thread *t)
{
	return t->end_ns && (!p->end_ns || t->end_ns < p->end_ns);
}

struct seen *session_seen_threads(struct session *s, bool only_here, uint32_t *count)
{
	const struct pl_position *here = &s->replay.at.position;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, here->process);
	struct seen *rows = p ? calloc((size_t)p->thread_count + 1, sizeof *rows) : NULL;

	*count = rows ? p->thread_count : 0;
	for (uint32_t n = 0; n < *count; n++) {
		struct path path = {.r = s->replay.r, .process = here->process, .thread = n};
		const struct pl_thread *t = pl_recording_thread(s->replay.r, here->process, n);
		if (!t || has_ended(p, t) || (only_here && n != here->thread))
			continue;
		seen_ask(&path, &rows[n]);
		path_release(&path);
	}
	if (rows && seen_last(s->replay.r, here->process, rows, *count, NULL)) {
		free(rows);
		rows = NULL;
	}
	return rows;
}
