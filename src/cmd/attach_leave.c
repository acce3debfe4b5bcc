#define _GNU_SOURCE
#include "cmd/attach_leave.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include "attach/attach.h"
#include "os/watch.h"

#define LEAVE_MS  10000
#define LOOK_MS	  20
#define ASKED_MAX 1024

struct asked {
	int pids[ASKED_MAX];
	unsigned count, answered; /* answered: the order is in them */
};

static bool writes(const struct process_slot *slot)
{
	const uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

	return state == SLOT_LIVE || state == SLOT_TAKEN;
}

/* Its number here; 0: it is gone, or not known yet. */
static int pid_here(const struct arena_head *head, const struct process_slot *slot)
{
	if (slot->pid_space && slot->pid_space != head->pid_space)
		return watch_find(slot->pid, slot->pid_space);
	return kill((pid_t)slot->pid, 0) < 0 && errno == ESRCH ? 0 : (int)slot->pid;
}

/* A process takes the first free slot, so after as many slots as processes nobody has been. */
static unsigned slots_used(const struct arena_head *head)
{
	const uint32_t processes = atomic_load_explicit(&head->next_process, memory_order_acquire);

	return processes + 2 < ARENA_PROCESSES ? processes + 2 : ARENA_PROCESSES;
}

bool attach_has_writers(const struct arena_head *head)
{
	for (unsigned i = 0; i < slots_used(head); i++)
		if (writes(&head->slots[i]))
			return true;
	return false;
}

bool attach_note_held(struct arena_head *head, int pid, int64_t held_ns)
{
	const uint32_t held_us = (uint32_t)(held_ns / 1000) + 1;

	for (unsigned i = 0; i < slots_used(head); i++) {
		struct process_slot *slot = &head->slots[i];
		if (!writes(slot) || !slot->pid || pid_here(head, slot) != pid)
			continue;
		atomic_store_explicit(&slot->held_us, held_us, memory_order_relaxed);
		return true;
	}
	return false;
}

static void ask(struct attach_leave *l, struct asked *asked, int pid)
{
	static struct target now; /* the recorder is in it since it was attached */
	const struct attach_order o = {&now, l->recorder, NULL};
	struct attach_sent sent;

	asked->pids[asked->count++] = pid;
	/* without the recorder it has run another program since, and is left */
	if (target_look(&now, pid, l->why) == 0 && now.entry &&
		attach_send(&o, &sent, l->why) == 0) {
		l->why[0] = 0;
		asked->answered++;
	}
}

static void ask_all(struct attach_leave *l, struct asked *asked)
{
	l->left_over = 0;
	for (unsigned i = 0; i < slots_used(l->head); i++) {
		const struct process_slot *slot = &l->head->slots[i];
		int pid = writes(slot) && slot->pid ? pid_here(l->head, slot) : 0;
		bool new = pid != 0 && asked->count < ASKED_MAX;
		for (unsigned k = 0; new &&k < asked->count; k++)
			new = asked->pids[k] != pid;
		if (new)
			ask(l, asked, pid);
		if (pid)
			l->left_over = pid;
	}
}

bool attach_leave_all(struct attach_leave *l)
{
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
	static struct asked asked;

	asked = (struct asked){.count = 0};
	for (int ms = 0; ms < LEAVE_MS && attach_has_writers(l->head); ms += LOOK_MS) {
		ask_all(l, &asked);
		if (!l->left_over || !asked.answered)
			break;
		nanosleep(&pause, NULL);
	}
	if (!attach_has_writers(l->head))
		l->left_over = 0;
	return !l->left_over;
}
