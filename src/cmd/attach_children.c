#define _GNU_SOURCE
#include "cmd/attach_children.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/attach.h"
#include "attach/begun.h"
#include "cmd/attach_leave.h"
#include "cmd/library.h"
#include "os/file.h"
#include "recorder/order.h"

/* Twenty seconds: what is no Python after so many is none, or hides it. */
#define LOOKS_MAX 1000
#define DEPTH_MAX 16

/* ---- one of them ---- */

/* The number in the recording of the process that started it; 0: that is not recorded. */
static uint32_t number_of_parent(const struct arena_head *head, int pid)
{
	char status[4096];
	const char *at =
		proc_text(pid, "status", status, sizeof status) ? strstr(status, "\nPPid:") : NULL;
	const long parent = at ? strtol(at + 6, NULL, 10) : 0;

	for (unsigned i = 0; parent > 0 && i < ARENA_PROCESSES; i++) {
		const struct process_slot *s = &head->slots[i];
		if (atomic_load_explicit(&s->state, memory_order_acquire) == SLOT_LIVE &&
			s->pid == (uint32_t)parent)
			return s->number;
	}
	return 0;
}

static bool is_to_be_recorded(const struct attach_children *c, const struct target *t)
{
	return t->uid == c->program->uid && !t->foreign && t->own_shm == c->program->own_shm;
}

/* Once; if it is not recorded then, it stays so. For so long a thread was held; 0: none was. */
static int64_t send_for(const struct attach_children *c, const struct target *t)
{
	char name[64], recorder[PATH_MAX], why[ATTACH_WHY_BYTES];
	const struct attach_order o = {.target = t,
		.recorder = recorder,
		.arena = c->arena,
		.parent = number_of_parent(c->head, t->pid)};
	struct attach_sent sent;

	snprintf(name, sizeof name, "pathline-recorder-%s.so", t->version);
	const bool found = library_find(name, recorder) && strlen(recorder) < ORDER_TEXT_MAX;
	return found && attach_send(&o, &sent, why) == 0 ? sent.held_ns : 0;
}

/* It may load its interpreter yet. With the arena it is recorded, as after a fork, until it runs
 * another program. */
static void look_at_child(const struct attach_children *c, struct attach_child *child)
{
	static struct target now;
	char why[ATTACH_WHY_BYTES];

	child->done = ++child->looks >= LOOKS_MAX;
	if (target_look(&now, child->pid, why) < 0 || (!now.arena[0] && !target_has_begun(&now)))
		return;
	child->done = true;
	if (!now.arena[0] && is_to_be_recorded(c, &now))
		child->held_ns = send_for(c, &now);
}

/* NULL: there are too many. */
static struct attach_child *child_of(struct attach_children *c, int pid)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->known[i].pid == pid)
			return &c->known[i];
	if (c->count == CHILDREN_MAX)
		c->count = 0; /* most have ended; one that is recorded has the arena */
	c->known[c->count] = (struct attach_child){.pid = pid};
	return &c->known[c->count++];
}

/* ---- all of them ---- */

static void look_below(struct attach_children *c, int pid, unsigned depth);

static void look_at_pid(struct attach_children *c, int pid, unsigned depth)
{
	struct attach_child *child = child_of(c, pid);
	const uint64_t image = target_image(pid);

	if (image && child->image != image)
		*child = (struct attach_child){.pid = pid, .image = image};
	if (image && !child->done)
		look_at_child(c, child);
	if (child->held_ns && attach_note_held(c->head, pid, child->held_ns))
		child->held_ns = 0;
	look_below(c, pid, depth + 1);
}

static void look_at_list(struct attach_children *c, char *list, unsigned depth)
{
	char *end = list;

	for (long pid = strtol(list, &end, 10); end != list; pid = strtol(list, &end, 10)) {
		if (pid > 0 && pid <= INT_MAX)
			look_at_pid(c, (int)pid, depth);
		list = end;
	}
}

/* "12 14 ", of each thread: those that it has started. */
static void look_below(struct attach_children *c, int pid, unsigned depth)
{
	char path[64], list[4096];
	const struct dirent *e;

	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = depth < DEPTH_MAX ? opendir(path) : NULL;
	while (tasks && (e = readdir(tasks))) {
		const int tid = atoi(e->d_name);
		snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tid);
		if (tid > 0 && file_text(path, list, sizeof list))
			look_at_list(c, list, depth);
	}
	if (tasks)
		closedir(tasks);
}

void attach_children_look(struct attach_children *c)
{
	look_below(c, c->program->pid, 0);
}
