/* One moment of several threads, and what was seen after a thread's last event. */
#include <stdlib.h>
#include <string.h>
#include "session/replay_own.h"

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
	int code = replay_seq_from(p, &m->at, &other, &seq, err);
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
