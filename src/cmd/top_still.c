/* What does not run: threads that make no event, and tasks that wait. */
#include "cmd/top.h"

#include <stdlib.h>
#include <string.h>
#include "session/library.h"

#define STILL_NS   1000000000
#define FRAMES_MAX 256	 /* of a stack */
#define LAST_MAX   65536 /* events that are read to the end of a path */
#define TASKS_MAX  20000 /* that are kept */

/* ---- threads ---- */

/* The stack after its last event. */
static void take_stack(struct top_thread *thread, const struct pl_cursor *c)
{
	struct pl_frame frames[FRAMES_MAX];
	const size_t depth = pl_cursor_stack(c, frames, FRAMES_MAX);
	size_t at = depth < FRAMES_MAX ? depth : FRAMES_MAX;

	thread->in = thread->code = NULL;
	thread->line = 0;
	if (!at)
		return;
	thread->in = frames[at - 1].code;
	size_t own = at;
	while (own && code_is_library(frames[own - 1].code))
		own--;
	const struct pl_frame *f = &frames[own ? own - 1 : at - 1];
	thread->code = f->code;
	thread->line = f->line;
}

/* Go to the end of its path. */
static int find_place(
	struct top *t, struct top_thread *thread, const struct pl_thread *of, struct pl_err *err)
{
	struct pl_cursor *c;
	struct pl_event e;
	int code = pl_cursor_new(&c, t->r, thread->process, thread->number, err);

	if (code < 0)
		return code;
	code = pl_cursor_seek_seq(c, of->first_seq + (of->events ? of->events - 1 : 0), err);
	for (int i = 0; code == 0 && i < LAST_MAX; i++) {
		code = pl_cursor_next(c, &e, err);
		if (code)
			break;
		thread->last_ns = e.time_ns;
		thread->seq = e.seq;
	}
	if (code >= 0)
		take_stack(thread, c);
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}

static struct top_thread *thread_of(struct top *t, uint32_t process, uint32_t number)
{
	for (size_t i = 0; i < t->thread_count; i++)
		if (t->threads[i].process == process && t->threads[i].number == number)
			return &t->threads[i];
	struct top_thread *thread = top_grow(
		(void **)&t->threads, &t->thread_count, &t->thread_room, sizeof *t->threads);
	if (thread) {
		thread->process = process;
		thread->number = number;
		thread->events = UINT64_MAX;
	}
	return thread;
}

static int look_at_thread(struct top *t, const struct pl_thread *of, struct pl_err *err)
{
	struct top_thread *thread = thread_of(t, of->process, of->number);

	if (!thread)
		return PL_ERR_MEMORY;
	thread->ended = false;
	if (thread->events == of->events)
		return 0;
	thread->events = of->events;
	return find_place(t, thread, of, err);
}

int top_look_at_threads(struct top *t, struct pl_err *err)
{
	int code = 0;

	for (size_t i = 0; i < t->thread_count; i++)
		t->threads[i].ended = true;
	for (uint32_t i = 0; i < pl_recording_process_count(t->r) && code == 0; i++) {
		const struct pl_process *p = pl_recording_process(t->r, i);
		for (uint32_t n = 0; !p->end_ns && n < p->thread_count && code == 0; n++) {
			const struct pl_thread *of = pl_recording_thread(t->r, p->number, n);
			if (of && !of->end_ns)
				code = look_at_thread(t, of, err);
		}
	}
	size_t kept = 0;
	for (size_t i = 0; i < t->thread_count; i++)
		if (!t->threads[i].ended)
			t->threads[kept++] = t->threads[i];
	t->thread_count = kept;
	return code;
}

bool top_is_still(const struct top *t, const struct top_thread *thread)
{
	return thread->last_ns && t->to_ns - thread->last_ns >= STILL_NS;
}

size_t top_still_count(const struct top *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->thread_count; i++)
		count += top_is_still(t, &t->threads[i]);
	return count;
}

/* ---- tasks ---- */

static uint64_t task_key(uint32_t process, uint64_t number)
{
	return (uint64_t)process << 40 ^ number;
}

static bool is_task(const struct top_task *task, uint32_t process, uint64_t number)
{
	return task->process == process && task->number == number;
}

/* NULL: there is no room for more. */
static struct top_task *task_of(struct top *t, uint32_t process, uint64_t number)
{
	uint64_t *at = map_put(&t->known_tasks, task_key(process, number));

	if (at && *at && is_task(&t->tasks[*at - 1], process, number))
		return &t->tasks[*at - 1];
	if (!at || t->task_count == TASKS_MAX)
		return NULL;
	struct top_task *task =
		top_grow((void **)&t->tasks, &t->task_count, &t->task_room, sizeof *t->tasks);
	*at = task ? t->task_count : 0;
	return task;
}

/* Those that neither wait nor ran are over. */
static void forget_tasks(struct top *t)
{
	size_t kept = 0;

	map_release(&t->known_tasks);
	for (size_t i = 0; i < t->task_count; i++) {
		const struct top_task *task = &t->tasks[i];
		if (!task->code && !task->fresh)
			continue;
		t->tasks[kept++] = *task;
		uint64_t *at = map_put(&t->known_tasks, task_key(task->process, task->number));
		if (at)
			*at = kept;
	}
	t->task_count = kept;
}

int top_note_tasks(struct top *t, uint32_t process, const struct pl_profile_tables *of)
{
	for (size_t i = 0; i < of->task_count; i++) {
		const struct pl_profile_task *from = &of->tasks[i];
		if (!from->number || !from->stretches)
			continue;
		struct top_task *to = task_of(t, process, from->number);
		if (!to) /* more than are kept */
			continue;
		*to = (struct top_task){.process = process,
			.number = from->number,
			.code = from->wait_code,
			.line = from->wait_line,
			.last_ns = from->last_ns,
			.run_ns = from->run_ns,
			.stretches = from->stretches,
			.fresh = true};
		strncpy(to->name, from->name, sizeof to->name - 1);
	}
	forget_tasks(t);
	return 0;
}

size_t top_waiting_count(const struct top *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->task_count; i++)
		count += t->tasks[i].code != NULL;
	return count;
}
