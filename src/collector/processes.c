#define _GNU_SOURCE
#include "collector/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collector/blocks.h"
#include "collector/messages.h"
#include "format/message.h"
#include "pathline/event.h"
#include "pathline/recording.h"

struct process *processes_find(const struct processes *p, uint32_t number)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->all[i]->number == number)
			return p->all[i];
	return NULL;
}

static struct process_slot *slot_of(const struct collector *c, const struct process *p)
{
	return &c->arena.head->slots[p->slot];
}

/* Nothing more of it comes; but its last chunks may still wait in the arena (LIFE_DRAINED comes
 * next). */
static void be_over(struct collector *c, struct process *p)
{
	if (p->life != LIFE_LIVE)
		return;
	p->life = LIFE_OVER;
	p->over_ticks = clock_ticks(c->ticker.source);
	/* It is readable from now on; while its end is not written yet, that is no news. */
	if (p->watch.pidfd >= 0 && c->processes.epoll >= 0)
		epoll_ctl(c->processes.epoll, EPOLL_CTL_DEL, p->watch.pidfd, NULL);
}

/* Its pid in our namespace. */
static uint32_t pid_here(const struct collector *c, const struct process_slot *slot)
{
	uint32_t ours = c->arena.head->pid_space;

	if (!ours || !slot->pid_space || slot->pid_space == ours)
		return slot->pid;
	return (uint32_t)watch_find(slot->pid, slot->pid_space);
}

/* From here on the kernel says when it ends. One that has ended already is over at once: its slot
 * says that it was there. */
static void watch_it(struct collector *c, struct process *p)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = -1};
	char link[64];

	bool lives = p->pid && watch_open(&p->watch, (int)p->pid);

	if (!lives || (c->processes.by_mapping &&
			      watch_maps(&p->watch, strrchr(c->arena_path, '/')) == 0)) {
		be_over(c, p);
		return;
	}
	if (p->watch.pidfd >= 0 && c->processes.epoll >= 0)
		epoll_ctl(c->processes.epoll, EPOLL_CTL_ADD, p->watch.pidfd, &e);
	snprintf(link, sizeof link, "/proc/%u/cwd", p->pid);
	ssize_t n = readlink(link, p->directory, sizeof p->directory - 1);
	p->directory[n > 0 ? n : 0] = 0;
}

/* If two slots have one pid, of a process that has not ended, the older one called exec. They are
 * seen in any order, because the new image may have got a lower slot than the old one. */
static void replace_image(struct collector *c, struct process *p)
{
	for (uint32_t i = 0; i < c->processes.count; i++) {
		struct process *q = c->processes.all[i];
		if (q == p || q->pid != p->pid || q->life != LIFE_LIVE)
			continue;
		struct process *older = q->number < p->number ? q : p;
		older->execed = true;
		be_over(c, older);
	}
}

static void process_add(struct collector *c, uint32_t index, const struct process_slot *slot)
{
	struct processes *ps = &c->processes;
	struct process *p = calloc(1, sizeof *p);

	if (p && ps->count == ps->room) {
		uint32_t room = ps->room ? ps->room * 2 : 16;
		struct process **all = realloc(ps->all, room * sizeof *all);
		if (all) {
			ps->all = all;
			ps->room = room;
		}
	}
	if (!p || ps->count == ps->room) {
		free(p);
		ps->incomplete = true; /* again at the next look */
		return;
	}
	*p = (struct process){.number = slot->number,
		.parent = slot->parent,
		.pid = pid_here(c, slot),
		.slot = index,
		.watch = {.pidfd = -1}};
	ps->all[ps->count++] = p;
	c->totals.processes++;
	watch_it(c, p);
	if (p->pid)
		replace_image(c, p);
}

static bool known_slot(const struct processes *ps, uint32_t index, uint32_t number)
{
	for (uint32_t i = 0; i < ps->count; i++)
		if (ps->all[i]->slot == index && ps->all[i]->number == number)
			return true;
	return false;
}

/* Look only when a number was given since, or one was not ready, so as not to walk over a thousand
 * slots each millisecond. A process takes the first free slot, so all slots before it are taken,
 * each by a process that has a number or has stopped on the way to it. So after as many slots as
 * numbers nobody has ever been, and those pages stay untouched. */
static void look_at_slots(struct collector *c)
{
	struct arena_head *head = c->arena.head;
	struct processes *ps = &c->processes;
	uint32_t next = atomic_load_explicit(&head->next_process, memory_order_acquire);

	if (next == ps->seen_next && !ps->incomplete)
		return;
	ps->seen_next = next;
	ps->incomplete = false;
	for (uint64_t i = 0, unnumbered = 0; i <= next + unnumbered && i < ARENA_PROCESSES; i++) {
		const struct process_slot *slot = &head->slots[i];
		uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
		unnumbered += state == SLOT_TAKEN;
		if (state == SLOT_TAKEN)
			ps->incomplete = true;
		else if (state != SLOT_FREE && slot->pid && slot->number &&
			 !known_slot(ps, (uint32_t)i, slot->number))
			process_add(c, (uint32_t)i, slot);
	}
}

/* It called exec, and lives as a program that has no recorder. */
static bool left_by_exec(const struct collector *c, const struct process *p)
{
	return atomic_load_explicit(&slot_of(c, p)->end, memory_order_acquire) == SLOT_END_EXEC &&
	       watch_execed(&p->watch);
}

static bool is_left(const struct collector *c, const struct process *p)
{
	const struct process_slot *slot = slot_of(c, p);

	return atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_DONE &&
	       atomic_load_explicit(&slot->end, memory_order_acquire) == SLOT_END_DETACHED;
}

void processes_look(struct collector *c)
{
	bool ask = c->processes.some_ended || c->processes.epoll < 0;

	/* Ends first: then a pid that comes again is not mistaken for an exec. */
	c->processes.some_ended = false;
	for (uint32_t i = 0; i < c->processes.count; i++) {
		struct process *p = c->processes.all[i];
		if (p->life != LIFE_LIVE)
			continue;
		if (is_left(c, p) || ((ask || p->watch.pidfd < 0) && watch_ended(&p->watch))) {
			be_over(c, p);
		} else if (left_by_exec(c, p)) {
			p->execed = true;
			be_over(c, p);
		}
	}
	look_at_slots(c);
}

/* All rings were read after the process was over: now there is nothing left of it. */
void processes_looked(struct collector *c)
{
	for (uint32_t i = 0; i < c->processes.count; i++)
		if (c->processes.all[i]->life == LIFE_OVER)
			c->processes.all[i]->life = LIFE_DRAINED;
}

/* ---- ends ---- */

struct ending {
	enum pl_process_end end;
	int code;
};

static struct ending of_status(int status)
{
	if (WIFSIGNALED(status))
		return (struct ending){PL_PROCESS_SIGNALED, WTERMSIG(status)};
	return (struct ending){PL_PROCESS_EXITED, WEXITSTATUS(status)};
}

/* In this order: what the kernel says, what `record` says, which waited for the main process, what
 * the process itself said. */
static struct ending ending_of(const struct collector *c, const struct process *p)
{
	struct process_slot *slot = slot_of(c, p);
	uint32_t said = atomic_load_explicit(&slot->end, memory_order_acquire);
	uint32_t code = atomic_load_explicit(&slot->end_code, memory_order_acquire);
	int status;

	if (said == SLOT_END_DETACHED)
		return (struct ending){PL_PROCESS_RUNNING, 0};
	if (p->execed || said == SLOT_END_EXEC)
		return (struct ending){PL_PROCESS_EXECED, 0};
	if (c->processes.known_status && c->processes.main_pid == (int)p->pid)
		return of_status(c->processes.main_status);
	if (watch_status(&p->watch, &status))
		return of_status(status);
	if (said == SLOT_END_EXIT)
		return (struct ending){PL_PROCESS_EXITED, (int)(code & 0xff)};
	if (said == SLOT_END_SIGNAL)
		return (struct ending){PL_PROCESS_SIGNALED, (int)(code & 0x7f)};
	/* A process that exits by itself says so, so this one was killed, by a signal that only its
	 * parent knows. */
	bool silent = !c->processes.silent && said == SLOT_END_UNKNOWN &&
		      (p->watch.pidfd < 0 || watch_ended(&p->watch));
	return (struct ending){PL_PROCESS_LOST, silent};
}

/* By a signal, also one of which only its parent knows the number. */
static bool is_killed(const struct collector *c, const struct process *p)
{
	const struct ending e = ending_of(c, p);

	return e.end == PL_PROCESS_SIGNALED || (e.end == PL_PROCESS_LOST && e.code);
}

static void write_end(struct collector *c, struct process *p)
{
	struct process_slot *slot = slot_of(c, p);
	struct ending e = ending_of(c, p);
	struct pl_buf b = {0};

	buf_varint(&b, p->number);
	buf_varint(&b, p->over_ticks);
	buf_varint(&b, e.end);
	buf_varint(&b, (uint64_t)e.code);
	buf_varint(&b, atomic_load_explicit(&slot->switches, memory_order_relaxed));
	buf_varint(&b, atomic_load_explicit(&slot->waits, memory_order_relaxed));
	buf_varint(&b, atomic_load_explicit(&slot->codes_left_out, memory_order_relaxed));
	buf_varint(&b, atomic_load_explicit(&slot->codes_unanalysed, memory_order_relaxed));
	buf_varint(&b, atomic_load_explicit(&slot->values_cut, memory_order_relaxed));
	buf_varint(&b, atomic_load_explicit(&slot->held_us, memory_order_relaxed));
	buf_varint(&b, atomic_load_explicit(&slot->waited_us, memory_order_relaxed));
	buf_varint(&b, atomic_load_explicit(&slot->began_us, memory_order_relaxed));
	store_put(&c->store, RECORD_PROCESS_END, &b);
	buf_release(&b);
}

static const char stopped_text[] = "the recorder switched itself off";

/* A block's LOSSes name its first gaps only, and a recording has LOSSES_MAX, so what this knows is
 * at most what was told. */
void process_was_told(struct collector *c, const struct loss *l)
{
	struct process *p = processes_find(&c->processes, l->process);

	if (!p)
		return;
	if (l->reason == PL_GAP_FULL || l->reason == PL_GAP_DROPPED)
		p->lost += l->lost;
	p->stopped_told |= strcmp(l->text, stopped_text) == 0;
}

/* What its own GAP events did not say: there was never room again, or it stopped itself. */
static void write_losses(struct collector *c, struct process *p)
{
	struct process_slot *slot = slot_of(c, p);
	uint64_t lost = atomic_load_explicit(&slot->lost, memory_order_relaxed);
	uint32_t stopped = atomic_load_explicit(&slot->stopped, memory_order_relaxed);
	bool drop = c->arena.head->on_full == FULL_DROP;

	if (lost > p->lost)
		collector_lose(c, &(struct loss){.process = p->number,
					  .reason = drop ? PL_GAP_DROPPED : PL_GAP_FULL,
					  .lost = lost - p->lost,
					  .text = "events at the end found no room"});
	if (stopped && stopped <= PL_GAP_REASON_COUNT && !p->stopped_told)
		collector_lose(
			c, &(struct loss){.process = p->number,
				   .reason = stopped == PL_GAP_UNKNOWN + 1 ? PL_GAP_STOPPED
									   : (int)stopped - 1,
				   .text = stopped_text});
}

/* A killed process may have taken a chunk and never filled it: what comes after the hole is kept,
 * with a gap. */
static void end_with_holes(struct collector *c, struct stream *t)
{
	while (stream_skip_hole(t)) {
		collector_lose(c, &(struct loss){.process = t->process,
					  .thread = t->thread,
					  .seq = t->seq,
					  .reason = PL_GAP_DAMAGED,
					  .text = "a part of the ring is missing"});
		blocks_cut_stream(c, t);
	}
}

/* From the last to the first, because streams_remove moves the last one to the place that is
 * free. */
static void end_streams(struct collector *c, struct process *p)
{
	for (uint32_t i = c->streams.count; i-- > 0;) {
		struct stream *t = c->streams.all[i];
		if (t->process != p->number)
			continue;
		if (t->kind == STREAM_OF_MESSAGES) {
			messages_end(c, t);
		} else {
			stream_look_last(t, &c->arena);
			blocks_cut_stream(c, t);
			end_with_holes(c, t);
			blocks_end_thread(c, t, t->ended ? t->ticks : p->over_ticks);
			stream_drop(&c->streams, t, &c->arena);
		}
		streams_remove(&c->streams, i);
	}
}

/* PROCESS_END comes after all its blocks, and the slot is freed only when that is on disk. */
static void end_one(struct collector *c, uint32_t index, int64_t now_ns)
{
	struct process *p = c->processes.all[index];
	struct process_slot *slot = slot_of(c, p);

	end_streams(c, p);
	write_losses(c, p);
	write_end(c, p);
	if (is_killed(c, p))
		flight_trigger(c, now_ns);
	store_flush(&c->store);
	if (p->execed) {
		uint64_t *pid = map_put(&c->processes.execed, p->number);
		if (pid)
			*pid = p->pid;
	}
	slot->pid = 0;
	atomic_store_explicit(&slot->state, SLOT_FREE, memory_order_release);
	collector_sources_ended(c, p);
	buf_release(&p->sample.rows);
	watch_close(&p->watch);
	free(p);
	c->processes.all[index] = c->processes.all[--c->processes.count];
}

#define PATIENCE_NS 1000000000

/* The parent has reaped the process before it can report how it ended: for a moment only it
 * knows. */
static bool word_may_come(const struct collector *c, struct process *p, int64_t now_ns)
{
	if (!c->processes.word_due || ending_of(c, p).end != PL_PROCESS_LOST)
		return false;
	if (!p->patience_ns)
		p->patience_ns = now_ns + PATIENCE_NS;
	return now_ns < p->patience_ns;
}

void processes_end(struct collector *c, int64_t now_ns)
{
	for (uint32_t i = c->processes.count; i-- > 0;) {
		struct process *p = c->processes.all[i];
		if (p->life == LIFE_DRAINED && !word_may_come(c, p, now_ns))
			end_one(c, i, now_ns);
	}
}

/* The same fields in a message of the recorder and in a record of meta. */
int process_word_read(struct pl_view v, struct process_word *out)
{
	struct pl_view *const texts[] = {
		&out->command, &out->executable, &out->interpreter, &out->stdlib_dir};
	uint64_t number, parent, pid, how;

	*out = (struct process_word){0};
	if (view_varint_max(&v, UINT32_MAX, &number) || view_varint_max(&v, UINT32_MAX, &parent) ||
		view_varint_max(&v, UINT32_MAX, &pid) || view_varint_max(&v, 2, &how) ||
		view_varint(&v, &out->ticks))
		return PL_ERR_FORMAT;
	out->number = (uint32_t)number;
	out->parent = (uint32_t)parent;
	out->pid = (uint32_t)pid;
	out->how = (uint32_t)how;
	for (int i = 0; i < 3; i++)
		if (view_string(&v, texts[i]))
			return PL_ERR_FORMAT;
	/* Records of version 1.0 end here. */
	if ((v.left && view_string(&v, texts[3])) || (v.left && view_string(&v, &out->directory)))
		return PL_ERR_FORMAT;
	return 0;
}

static void keep_path(char to[PATH_MAX], struct pl_view path)
{
	snprintf(to, PATH_MAX, "%.*s", (int)(path.left < PATH_MAX ? path.left : 0),
		(const char *)path.at);
}

/* The preload recognises an exec by the parent's slot; if that is free already, it says "start". A
 * pid that became another program is remembered here until its message has come. */
static void correct_how(struct collector *c, struct process_word *w)
{
	const uint64_t *pid =
		w->how == HOW_START ? map_find(&c->processes.execed, w->parent) : NULL;

	if (!pid || *pid != w->pid)
		return;
	w->how = HOW_EXEC;
	map_remove(&c->processes.execed, w->parent);
}

const struct process *process_describe(struct collector *c, struct process_word *w)
{
	struct process *p = processes_find(&c->processes, w->number);

	correct_how(c, w);
	if (!p) { /* its slot came after the last look, its message before this one */
		look_at_slots(c);
		p = processes_find(&c->processes, w->number);
	}
	if (!p)
		return NULL;
	keep_path(p->stdlib_dir, w->stdlib_dir);
	if (w->directory.left)
		keep_path(p->directory, w->directory);
	return p;
}

bool processes_live(const struct processes *p)
{
	return p->count > 0;
}

void processes_release(struct processes *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		watch_close(&p->all[i]->watch);
		buf_release(&p->all[i]->sample.rows);
		free(p->all[i]);
	}
	free(p->all);
	map_release(&p->execed);
	if (p->epoll >= 0)
		close(p->epoll);
	*p = (struct processes){.epoll = -1};
}
