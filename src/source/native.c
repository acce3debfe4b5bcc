#define _GNU_SOURCE
#include "source/native.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/varint.h"
#include "os/clock.h"
#include "os/watch.h"
#include "source/native_names.h"
#include "source/native_stack.h"

#define RINGS_FIRST	8
#define RINGS_FREE_MIN	4
#define LIVES_NS	INT64_C(200000000) /* between looks whether threads' processes live */
#define NAMES_END_MS	10000		   /* for names that are missing at the end */
#define NAMES_ENDED_MS	1000		   /* when a process has ended */
#define CACHE_FUNCTIONS 1024

/* ---- kinds ---- */

enum native_kind { NATIVE_ENTER = 1, NATIVE_EXIT_KIND, NATIVE_GAP_KIND, NATIVE_KINDS_END };

static const struct source_value_name gap_names[] = {
	{NATIVE_GAP_LEFT, "left without an exit"},
	{NATIVE_GAP_LOST, "events lost"},
	{NATIVE_GAP_NO_ENTRY, "exit without an entry"},
	{NATIVE_GAP_TOO_DEEP, "too deep"},
};

#define FUNCTION_FIELDS                                                                            \
	{"function", "id", PL_FIELD_UNSIGNED, NULL, 0},                                            \
		{"place", "id", PL_FIELD_UNSIGNED, NULL, 0},                                       \
	{                                                                                          \
		"depth", "level", PL_FIELD_UNSIGNED, NULL, 0                                       \
	}

static const struct source_field enter_fields[] = {FUNCTION_FIELDS};
static const struct source_field exit_fields[] = {
	FUNCTION_FIELDS, {"duration", "ticks", PL_FIELD_UNSIGNED, NULL, 0}};
static const struct source_field gap_fields[] = {FUNCTION_FIELDS,
	{"reason", "", PL_FIELD_UNSIGNED, gap_names, sizeof gap_names / sizeof *gap_names},
	{"count", "", PL_FIELD_UNSIGNED, NULL, 0}};

static const struct source_kind native_kinds[NATIVE_KINDS_END - 1] = {
	[NATIVE_ENTER - 1] = {"enter", "a native function was entered", enter_fields, 3},
	[NATIVE_EXIT_KIND - 1] = {"exit", "a native function returned, or an exception left it",
		exit_fields, 4},
	[NATIVE_GAP_KIND - 1] = {"gap",
		"here the functions do not go on from where they were: why, and how many",
		gap_fields, 5},
};

/* ---- the source ---- */

/* What is known of a ring. */
struct native_reader {
	uint32_t image, pid, native_id; /* pid: as the collector sees it; image 0: of nobody */
	struct native_stack stack;
	uint64_t lost; /* that was told */
	struct native_cached {
		uint64_t address;
		uint32_t number;
	} * cache; /* owned; by the address's low bits */
};

struct native {
	struct source *source;
	struct native_area area;
	int fd;
	enum clock_source clock;
	uint32_t pid_space;
	char path[PATH_MAX];
	struct native_names names;
	struct native_reader readers[NATIVE_RINGS];
	struct pl_buf fields; /* room */
	uint64_t lost;	      /* without a ring, that was told */
	int64_t lives_ns;
	bool some; /* some event came */
};

static int native_start(struct source *s, const struct source_tree *tree)
{
	struct native *n = calloc(1, sizeof *n);
	int err = n ? 0 : -ENOMEM;

	s->self = n;
	if (n && !native_area_path(tree->arena_path, n->path))
		err = -ENAMETOOLONG;
	if (err == 0)
		err = native_area_create(&n->area, n->path, RINGS_FIRST, &n->fd);
	/* our children must not look as if they belonged to the recording */
	if (err == 0 && madvise(n->area.head, n->area.mapped_bytes, MADV_DONTFORK) < 0)
		err = -errno;
	if (err < 0) {
		snprintf(s->why, sizeof s->why,
			"there is no memory to share for native functions: %.128s: %s",
			n ? n->path : "", strerror(-err));
		if (n)
			unlink(n->path);
		free(n);
		return err;
	}
	n->source = s;
	n->area.head->clock = n->clock = tree->clock;
	n->pid_space = tree->pid_space;
	native_names_begin(&n->names, s, s->wish);
	return 0;
}

/* ---- what is told ---- */

static void give_step(struct native *n, const struct native_reader *r,
	const struct native_step *step, uint32_t function)
{
	static const uint32_t kinds[] = {[NATIVE_STEP_ENTER] = NATIVE_ENTER,
		[NATIVE_STEP_EXIT] = NATIVE_EXIT_KIND,
		[NATIVE_STEP_GAP] = NATIVE_GAP_KIND};
	struct pl_buf *b = &n->fields;

	buf_reset(b);
	buf_varint(b, function);
	buf_varint(b, function);
	buf_varint(b, step->depth);
	if (step->kind == NATIVE_STEP_EXIT) {
		buf_varint(b, step->duration_ticks);
	} else if (step->kind == NATIVE_STEP_GAP) {
		buf_varint(b, step->gap);
		buf_varint(b, step->count);
	}
	const struct source_event event = {.kind = kinds[step->kind],
		.pid = r->pid,
		.native_id = r->native_id,
		.ticks = step->ticks ? step->ticks : 1,
		.fields = buf_view(b)};
	if (!b->failed)
		n->source->host->event(n->source, &event);
	b->failed = false;
	n->some = true;
}

static void lose_native(struct native *n, struct native_reader *r, uint64_t count)
{
	if (!count)
		return;
	r->lost += count;
	n->source->host->lost(n->source, r->pid, count);
}

/* ---- a ring ---- */

static void forget_reader(struct native_reader *r)
{
	native_stack_release(&r->stack);
	free(r->cache);
	*r = (struct native_reader){0};
}

static uint32_t pid_of_ring(const struct native *n, const struct native_ring *ring)
{
	if (!n->pid_space || !ring->pid_space || ring->pid_space == n->pid_space)
		return ring->pid;
	return (uint32_t)watch_find(ring->pid, ring->pid_space);
}

static uint32_t function_number(
	struct native *n, struct native_reader *r, uint64_t address, uint64_t ticks)
{
	struct native_cached *c = r->cache ? &r->cache[(address >> 4) % CACHE_FUNCTIONS] : NULL;

	if (c && c->address == address)
		return c->number;
	const struct native_address at = {
		.image = r->image, .pid = r->pid, .address = address, .ticks = ticks};
	bool lasting;
	const uint32_t number = native_names_find(&n->names, &at, &lasting);
	if (c && lasting)
		*c = (struct native_cached){address, number};
	return number;
}

/* false: the name decides whether it is wanted, and is not known yet. */
static bool take_event(
	struct native *n, struct native_reader *r, const struct native_event *e, uint64_t now_ticks)
{
	struct native_step steps[NATIVE_STEPS_MAX];
	struct native_word w;

	native_event_read(e, &r->stack, now_ticks, &w);
	if (w.address) {
		const int wanted =
			native_names_wants(&n->names, function_number(n, r, w.address, w.ticks));
		if (wanted <= 0)
			return wanted == 0;
	} else {
		lose_native(n, r, w.lost);
	}
	const uint32_t count = native_stack_take(&r->stack, &w, steps);
	for (uint32_t i = 0; i < count; i++)
		give_step(n, r, &steps[i],
			steps[i].address ? function_number(n, r, steps[i].address, steps[i].ticks)
					 : NATIVE_NO_FUNCTION);
	return true;
}

static void forget_cached(struct native *n)
{
	for (uint32_t i = 0; i < NATIVE_RINGS; i++)
		if (n->readers[i].cache)
			memset(n->readers[i].cache, 0,
				CACHE_FUNCTIONS * sizeof *n->readers[i].cache);
}

/* true: all that was there is read. */
static bool read_ring(struct native *n, uint32_t index)
{
	struct native_ring *ring = &n->area.head->rings[index];
	const struct native_event *events = native_events(&n->area, index);
	struct native_reader *r = &n->readers[index];
	const uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	const uint64_t now = clock_ticks(n->clock);

	/* A module is told before the first event that needs it. */
	if (native_names_look(&n->names, n->area.head))
		forget_cached(n);
	if (head - tail > NATIVE_RING_EVENTS) /* somebody else wrote there */
		tail = head;
	for (; tail != head; tail++) {
		const struct native_event e = events[tail % NATIVE_RING_EVENTS];
		if (!take_event(n, r, &e, now))
			break;
		/* room for the thread while this goes on */
		if (tail % 1024 == 0)
			atomic_store_explicit(&ring->tail, tail, memory_order_release);
	}
	atomic_store_explicit(&ring->tail, tail, memory_order_release);
	return tail == head;
}

/* Its thread is over: what was lost at the end is told, and the ring is free. */
static void free_ring(struct native *n, uint32_t index)
{
	struct native_ring *ring = &n->area.head->rings[index];
	struct native_reader *r = &n->readers[index];
	const uint64_t lost = atomic_load_explicit(&ring->lost, memory_order_relaxed);

	if (lost > r->lost) {
		const struct native_step gap = {.kind = NATIVE_STEP_GAP,
			.ticks = r->stack.ticks,
			.gap = NATIVE_GAP_LOST,
			.count = lost - r->lost};
		give_step(n, r, &gap, NATIVE_NO_FUNCTION);
		lose_native(n, r, lost - r->lost);
	}
	forget_reader(r);
	atomic_store_explicit(&ring->tail, atomic_load_explicit(&ring->head, memory_order_relaxed),
		memory_order_relaxed);
	atomic_store_explicit(&ring->state, NATIVE_RING_FREE, memory_order_release);
}

/* What another program of the same process wrote before its exec comes first. */
static void end_older_images(struct native *n, const struct native_reader *r)
{
	bool some = false;

	if (!r->pid)
		return;
	for (uint32_t i = 0; i < n->area.file_rings; i++) {
		struct native_reader *other = &n->readers[i];
		if (!other->image || other->pid != r->pid || other->image >= r->image)
			continue;
		const uint32_t image = other->image;
		read_ring(n, i);
		free_ring(n, i);
		native_names_forget(&n->names, n->area.head, image);
		some = true;
	}
	if (some)
		n->source->host->cut(n->source, r->pid);
}

static void know_ring(struct native *n, uint32_t index)
{
	const struct native_ring *ring = &n->area.head->rings[index];
	struct native_reader *r = &n->readers[index];

	if (r->image)
		return;
	r->image = ring->image ? ring->image : UINT32_MAX;
	r->pid = pid_of_ring(n, ring);
	r->native_id = ring->native_id;
	r->cache = calloc(CACHE_FUNCTIONS, sizeof *r->cache);
	end_older_images(n, r);
}

static bool is_owned(uint32_t state)
{
	return state == NATIVE_RING_OWNED || state == NATIVE_RING_ENDED ||
	       state == NATIVE_RING_LEFT;
}

static bool is_over(const struct native_reader *r)
{
	return r->pid && kill((pid_t)r->pid, 0) < 0 && errno == ESRCH;
}

/* ---- all of them ---- */

/* true: nothing is left in it. */
static bool look_at_ring(struct native *n, uint32_t index, bool asks_lives)
{
	struct native_ring *ring = &n->area.head->rings[index];
	const uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);

	if (!is_owned(state))
		return true;
	know_ring(n, index);
	const bool over = state != NATIVE_RING_OWNED || (asks_lives && is_over(&n->readers[index]));
	const bool read = read_ring(n, index);
	if (read && over)
		free_ring(n, index);
	return read;
}

/* Modules of processes that are over, and of which nothing is left to read. */
static void forget_modules(struct native *n)
{
	for (uint32_t i = 0; i < NATIVE_MODULES; i++) {
		const struct native_loaded *l = &n->names.loaded[i];
		bool read = false;
		if (!l->used || (n->pid_space && l->pid_space && l->pid_space != n->pid_space) ||
			kill((pid_t)l->pid, 0) == 0 || errno != ESRCH)
			continue;
		for (uint32_t k = 0; k < n->area.file_rings && !read; k++)
			read = is_owned(atomic_load_explicit(
				       &n->area.head->rings[k].state, memory_order_relaxed)) &&
			       n->area.head->rings[k].image == l->image;
		if (!read)
			native_names_forget(&n->names, n->area.head, l->image);
	}
}

/* Room in the file for the next threads. What cannot be had is not asked for again. */
static void keep_rings(struct native *n)
{
	uint32_t free = 0;

	for (uint32_t i = 0; i < n->area.file_rings; i++)
		free += atomic_load_explicit(&n->area.head->rings[i].state, memory_order_relaxed) ==
			NATIVE_RING_FREE;
	if (free < RINGS_FREE_MIN && n->area.file_rings < n->area.ring_limit &&
		native_area_grow(&n->area, n->fd, n->area.file_rings * 2) < 0)
		n->area.ring_limit = n->area.file_rings;
}

/* true: nothing is left in them. */
static bool read_all_rings(struct native *n, bool asks_lives)
{
	bool read = true;

	for (uint32_t i = 0; i < n->area.file_rings; i++)
		read = look_at_ring(n, i, asks_lives) && read;
	const uint64_t lost = atomic_load_explicit(&n->area.head->lost, memory_order_relaxed);
	if (lost > n->lost)
		n->source->host->lost(n->source, 0, lost - n->lost);
	n->lost = lost;
	return read;
}

static void native_drain(struct source *s, int64_t now_ns)
{
	struct native *n = s->self;
	const bool asks = now_ns - n->lives_ns >= LIVES_NS;

	keep_rings(n);
	read_all_rings(n, asks);
	native_names_go_on(&n->names, 0);
	if (asks) {
		forget_modules(n);
		n->lives_ns = now_ns;
	}
}

/* Which one it was is not asked: what all have written is read. */
static void native_ended(struct source *s, struct process *p)
{
	(void)p;
	struct native *n = s->self;
	const int64_t end_ms = (int64_t)(clock_ticks(CLOCK_MONO) / 1000000) + NAMES_ENDED_MS;

	/* Where names decide, what waits for them is told while its process is known. */
	while (!read_all_rings(n, true) && (int64_t)(clock_ticks(CLOCK_MONO) / 1000000) < end_ms)
		native_names_go_on(&n->names, 10);
}

static void native_stop(struct source *s)
{
	struct native *n = s->self;
	const int64_t end_ms = (int64_t)(clock_ticks(CLOCK_MONO) / 1000000) + NAMES_END_MS;

	/* Those whose names decide come one after the other. */
	while ((!read_all_rings(n, true) || !native_names_go_on(&n->names, 0)) &&
		(int64_t)(clock_ticks(CLOCK_MONO) / 1000000) < end_ms)
		native_names_go_on(&n->names, 10);
	for (uint32_t i = 0; i < n->area.file_rings; i++) {
		if (n->readers[i].image)
			free_ring(n, i);
		forget_reader(&n->readers[i]);
	}
	if (!n->some)
		snprintf(s->why, sizeof s->why,
			"no function was recorded: code says when it enters and leaves functions "
			"if it is built with -finstrument-functions (CFLAGS), unstripped for "
			"names");
	native_names_release(&n->names);
	buf_release(&n->fields);
	unlink(n->path);
	close(n->fd);
	native_area_unmap(&n->area);
	free(n);
	s->self = NULL;
}

const struct source_operations native_source = {
	.name = "native",
	.kinds = native_kinds,
	.kind_count = NATIVE_KINDS_END - 1,
	.start = native_start,
	.drain = native_drain,
	.ended = native_ended,
	.stop = native_stop,
};
