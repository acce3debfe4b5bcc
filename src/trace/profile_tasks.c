/* When tasks and greenlets run and wait. */
#include "trace/profile.h"

#include <stdlib.h>
#include "trace/blocks.h"

/* NULL: no memory. */
static struct profile_task *add_task(struct pl_profile *p, uint64_t number, const char *name)
{
	if (p->task_count == p->task_room) {
		uint32_t room = p->task_room ? p->task_room * 2 : 64;
		struct profile_task *tasks = realloc(p->tasks, room * sizeof *tasks);
		if (!tasks)
			return NULL;
		p->tasks = tasks;
		p->task_room = room;
	}
	p->tasks[p->task_count] =
		(struct profile_task){.public = {.number = number, .name = strdup(name)}};
	return p->tasks[p->task_count].public.name ? &p->tasks[p->task_count++] : NULL;
}

/* It has another name now. Without memory it keeps the old one. */
static void rename_task(struct profile_task *t, const char *name)
{
	char *copy = *name && strcmp(t->public.name, name) != 0 ? strdup(name) : NULL;

	if (!copy)
		return;
	free((char *)t->public.name);
	t->public.name = copy;
}

/* By its number; in a recording older than 1.9 by its name. */
static uint32_t find_task_row(struct pl_profile *p, const struct stack_task *task)
{
	uint64_t *place = map_put(
		&p->task_index, task->number ? hash_bytes(&task->number, sizeof task->number)
					     : hash_bytes(task->name, task->length));

	if (!place)
		return 0;
	if (!*place && p->task_count == TASKS_MAX)
		*place = TASKS_MAX;
	if (!*place && p->task_count == TASKS_MAX - 1)
		*place = add_task(p, 0, "(more tasks)") ? p->task_count : 0;
	else if (!*place)
		*place = add_task(p, task->number, task->name) ? p->task_count : 0;
	else if (*place != TASKS_MAX)
		rename_task(&p->tasks[*place - 1], task->name);
	return (uint32_t)*place;
}

/* A pass of an event loop that is left out has ended, and the next one has begun. */
static void split_pass(struct pl_profile *p)
{
	struct contexts *x = &p->contexts;

	for (uint32_t i = 0; i < x->depth; i++) {
		struct context_frame *f = &x->frames[i];
		if (!blocks_is_hidden_pass(f))
			continue;
		profile_left_at(p, f, i, x->now);
		f->entered = x->now;
		f->entered_idle = 0;
	}
}

/* A task goes on. */
static void begin_stretch(struct pl_profile *p, uint32_t number, uint64_t ticks)
{
	struct profile_task *t = &p->tasks[number - 1];

	if (p->wanted.blocking_ns && number != TASKS_MAX && blocks_begins_pass(p, t))
		split_pass(p);
	t->public.stretches++;
	t->waits_in = 0;
	t->last = ticks;
	if (!t->first)
		t->first = ticks;
}

uint32_t profile_began_task(void *who, const struct stack_task *task)
{
	struct pl_profile *p = who;
	uint32_t number = find_task_row(p, task);

	if (number && !p->before)
		begin_stretch(p, number, p->walk.clock.ticks);
	return number;
}

void profile_enter_range(struct pl_profile *p)
{
	const struct contexts *x = &p->contexts;

	p->before = false;
	for (uint32_t i = 0; i < x->depth; i++)
		if (x->frames[i].task)
			begin_stretch(p, x->frames[i].task, p->range_from);
}

/* Neither of the standard library nor installed. */
static bool is_own(const struct pl_profile *p, const struct pl_code *c)
{
	const char *file = pl_code_file(c);
	const struct process_entry *process = recording_find_process(p->r, p->wanted.range.process);
	const char *library = process->stdlib_dir;
	const size_t length = strlen(library);

	return strncmp(file, "<frozen ", 8) != 0 && !strstr(file, "/site-packages/") &&
	       !strstr(file, "/dist-packages/") &&
	       !(length && !strncmp(file, library, length) && file[length] == '/');
}

void profile_note_wait(struct pl_profile *p, const struct pl_event *row)
{
	const struct contexts *x = &p->contexts;
	const uint32_t task = row->depth < x->depth ? x->frames[row->depth].task : 0;
	struct profile_wait *in = &p->wait;

	if (row->kind != PL_EVENT_YIELD || !p->wanted.tasks)
		return;
	if (!in->code || in->seq + 1 != row->seq || in->depth != row->depth + 1)
		*in = (struct profile_wait){0};
	if (!in->code || (!in->own && is_own(p, row->code))) {
		in->own = is_own(p, row->code);
		in->code = code_first(row->code);
		in->line = row->line;
	}
	in->seq = row->seq;
	in->depth = row->depth;
	if (!task)
		return;
	struct profile_task *t = &p->tasks[task - 1];
	t->waits_in = p->thread->public.number + 1;
	t->public.wait_code = in->code;
	t->public.wait_line = in->line;
}

void profile_wait_to_end(struct pl_profile *p, uint64_t end_ticks)
{
	for (uint32_t i = 0; i < p->task_count; i++) {
		struct profile_task *t = &p->tasks[i];
		if (t->waits_in == p->thread->public.number + 1)
			t->waits_to = end_ticks;
	}
}

void profile_renamed_task(void *who, const struct stack_task *task)
{
	find_task_row(who, task);
}
