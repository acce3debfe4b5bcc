/* pathline why: where the other threads of the process, and the tasks of the thread, were then. */
#include <string.h>
#include "cmd/why_show.h"
#include "session/library.h"
#include "session/path.h"
#include "session/tasks.h"

#define OTHERS_SHOWN 20
#define FRAMES_READ  256
/* Tasks are found by going through the thread's path, so not in a very long one. */
#define TASK_EVENTS (UINT64_C(1) << 23)

/* A thread, and the innermost frame that is of no library; else the innermost. */
struct other_thread {
	const struct pl_thread *thread;
	struct pl_frame frame;
	uint64_t seq;
	bool left;    /* for code that is not recorded: `frame` is then the one that it left */
	bool goes_on; /* an event follows */
};

/* Times are coarse; the order of a process's switches between threads is exact. */
static bool is_before_end(const struct pl_event *e, const void *context)
{
	return e->order <= ((const struct pl_event *)context)->order;
}

/* Its last event before that end. */
static int find_last_before(struct why_show *s, struct other_thread *t, struct pl_err *err)
{
	struct path path = {.r = s->why->r,
		.process = t->thread->process,
		.thread = t->thread->number,
		.stop = s->why->stop};
	const struct path_key key = {.is_before = is_before_end, .context = &s->crash->end};
	struct pl_event e;
	int code = path_search(&path, &key, &e, err);

	if (code >= 0)
		code = path_last(&path, code == 0 ? e.seq : UINT64_MAX, &e, err);
	t->seq = code == 0 ? e.seq : 0;
	path_release(&path);
	return code;
}

/* Below the frame that this event ended are only frames whose end has no event: what the filter
 * leaves out called the recorded code. */
static bool has_left(const struct why_show *s, const struct pl_event *e, const struct pl_frame *top)
{
	const uint32_t ends = 1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD | 1u << PL_EVENT_UNWIND;
	struct pl_recording_info info;

	pl_recording_info(s->why->r, &info);
	return top->linked && info.filter[0] && ends >> e->kind & 1 && e->code;
}

/* The stack after the event t->seq. PL_END: it was in no frame. */
static int find_frame(const struct why_show *s, struct other_thread *t)
{
	struct pl_frame frames[FRAMES_READ];
	struct pl_cursor *c = NULL;
	struct pl_event e, next;
	int code = pl_cursor_new(&c, s->why->r, t->thread->process, t->thread->number, NULL);

	if (code == 0)
		code = pl_cursor_seek_seq(c, t->seq, NULL);
	if (code == 0)
		code = pl_cursor_next(c, &e, NULL);
	size_t depth = code == 0 ? pl_cursor_stack(c, frames, FRAMES_READ) : 0;
	t->goes_on = code == 0 && pl_cursor_next(c, &next, NULL) == 0 && next.kind != PL_EVENT_GAP;
	pl_cursor_free(c);
	depth = depth < FRAMES_READ ? depth : FRAMES_READ;
	if (code || !depth)
		return code ? code : PL_END;
	t->frame = frames[depth - 1];
	t->left = has_left(s, &e, &t->frame);
	if (t->left) {
		t->frame.code = e.code;
		t->frame.line = e.line;
		return 0;
	}
	while (depth > 1 && code_is_library(frames[depth - 1].code) && !frames[depth - 1].task)
		depth--;
	if (!code_is_library(frames[depth - 1].code))
		t->frame = frames[depth - 1];
	return 0;
}

/* "main, shop.py:14  t.join()" */
static void end_with_line(struct why_show *s, const struct pl_code *code, int32_t line)
{
	struct out *o = s->out;

	out_clean(o, text_of(pl_code_name(code)));
	out_text(o, ", ");
	out_path(o, pl_code_file(code), 80);
	out_char(o, ':');
	out_i64(o, line);
	out_tone(o, TONE_FAINT);
	out_text(o, "  ");
	out_clean(o, why_show_source(s, code, line));
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

static void write_heading(struct why_show *s, bool *headed, const char *heading)
{
	if (*headed)
		return;
	*headed = true;
	out_char(s->out, '\n');
	out_text(s->out, heading);
	out_char(s->out, '\n');
}

/* It ran nothing more that is recorded, and ended before its process did. When is not recorded: the
 * end_ns of a thread is the last time that it read. */
static bool has_ended(const struct why_show *s, const struct other_thread *t)
{
	const struct pl_process *p = pl_recording_find_process(s->why->r, t->thread->process);

	return t->left && !t->goes_on && t->thread->end_ns &&
	       (!p || !p->end_ns || t->thread->end_ns < p->end_ns);
}

static void write_other(struct why_show *s, const struct other_thread *t)
{
	struct out *o = s->out;

	out_line(o);
	out_text(o, "  thread ");
	out_u64(o, t->thread->number);
	if (t->thread->name && t->thread->name[0]) {
		out_char(o, ' ');
		out_clean(o, text_of(t->thread->name));
	}
	out_text(o, " #");
	out_u64(o, t->seq);
	if (!t->left)
		out_text(o, " in ");
	else if (t->goes_on || t->thread->end_ns)
		out_text(o, " in code that is not recorded, after ");
	else
		out_text(o, " may have ended, after ");
	end_with_line(s, t->frame.code, t->frame.line);
}

static int write_threads(struct why_show *s, struct pl_err *err)
{
	const struct pl_position *at = &s->crash->end.position;
	const struct pl_process *p = pl_recording_find_process(s->why->r, at->process);
	bool headed = false;
	size_t shown = 0;
	int code = 0;

	for (uint32_t n = 0; p && code >= 0 && n < p->thread_count && shown < OTHERS_SHOWN; n++) {
		struct other_thread t = {.thread = pl_recording_thread(s->why->r, at->process, n)};
		if (!t.thread || n == at->thread)
			continue;
		code = find_last_before(s, &t, err);
		if (code || find_frame(s, &t) || !t.frame.code || has_ended(s, &t))
			continue;
		write_heading(s, &headed, "Other threads then:");
		write_other(s, &t);
		shown++;
	}
	return code < 0 ? code : 0;
}

static void write_task(struct why_show *s, const struct task_name *name, struct other_thread *t)
{
	struct out *o = s->out;
	char text[TASK_TEXT_BYTES];

	tasks_text(name, text);
	out_line(o);
	out_text(o, "  task ");
	out_clean(o, text_of(text));
	out_text(o, " #");
	out_u64(o, t->seq);
	out_text(o, " in ");
	end_with_line(s, t->frame.code, t->frame.line);
}

/* Where the task was last before that. PL_END: it had not begun, or did not wait. */
static int find_waiting(struct why_show *s, const struct tasks *tasks, const struct task_name *name,
	struct other_thread *t)
{
	const struct task_wanted wanted = {.task = *name, .back = true, .seq = s->crash->raise.seq};
	struct task_name found;
	int code = tasks_waits(tasks, name, wanted.seq, NULL);

	if (code == 0)
		code = tasks_find(tasks, &wanted, &t->seq, &found, NULL);
	return code == 0 ? find_frame(s, t) : code;
}

static int write_tasks(struct why_show *s, struct pl_err *err)
{
	const struct pl_event *raise = &s->crash->raise;
	const struct tasks tasks = {.r = s->why->r,
		.process = raise->position.process,
		.thread = raise->position.thread,
		.stop = s->why->stop};
	struct other_thread t = {
		.thread = pl_recording_thread(s->why->r, tasks.process, tasks.thread)};
	struct task_name names[OTHERS_SHOWN];
	size_t count = 0;
	bool headed = false;

	if (!t.thread || t.thread->events > TASK_EVENTS || !raise->task_id || raise->greenlet)
		return 0;
	int code = tasks_list(&tasks, names, OTHERS_SHOWN, &count, err);
	for (size_t i = 0; code == 0 && i < count && i < OTHERS_SHOWN; i++) {
		if (names[i].number == raise->task_id || find_waiting(s, &tasks, &names[i], &t) ||
			!t.frame.code)
			continue;
		write_heading(s, &headed, "Tasks that waited then:");
		write_task(s, &names[i], &t);
	}
	return code < 0 ? code : 0;
}

int why_show_others(struct why_show *s, struct pl_err *err)
{
	int code = write_tasks(s, err);

	return code ? code : write_threads(s, err);
}
