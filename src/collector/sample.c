#define _GNU_SOURCE
#include "collector/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/map.h"
#include "collector/blocks.h"
#include "collector/state.h"
#include "format/samples.h"

#define STATE_BYTES_MAX	  4096
#define FRAME_BYTES_MAX	  256
#define FRAMES_MAX	  1024 /* of unknown code, which are skipped */
#define PAGE_BYTES	  4096 /* or part of a page; mappings consist of whole pages */
#define MAP_SLOTS_AT_ONCE 16
#define MAP_SLOTS_MAX	  1024
#define FLUSH_COUNT	  1024
#define FLUSH_NS	  INT64_C(1000000000)

/* ---- reading another process ---- */

struct look {
	struct process *p;
	const struct sample_view *view;
	uint32_t native_id;
	uint64_t state; /* address of the thread's state */
	int error;	/* errno of the system; 0: it was read */
	/* A part of the stack. The callers' frames are mostly in the same page as the frame
	 * above. */
	uint64_t stack_at;
	uint32_t stack_bytes;
	uint8_t stack[PAGE_BYTES + FRAME_BYTES_MAX];
	uint64_t passed[SAMPLE_RECORDS_KEPT]; /* codes that this look has skipped, hashed */
	/* out */
	uint32_t code, unit;
};

static bool look_read(struct look *l, uint64_t address, void *to, size_t n)
{
	struct iovec here = {.iov_base = to, .iov_len = n};
	struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = n};
	ssize_t got = process_vm_readv((pid_t)l->p->pid, &here, 1, &there, 1, 0);

	if (got < 0)
		l->error = errno;
	return got == (ssize_t)n;
}

static uint64_t word_at(const uint8_t *bytes, uint32_t off)
{
	uint64_t word;

	memcpy(&word, bytes + off, sizeof word);
	return word;
}

/* The offsets come from the program's memory, so they are checked. */
static bool view_makes_sense(const struct sample_view *v)
{
	const uint16_t inside[] = {v->frame_code, v->frame_unit, v->frame_previous};

	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
		if (inside[i] + sizeof(uint64_t) > v->frame_bytes)
			return false;
	return v->frame_bytes <= FRAME_BYTES_MAX && v->state_id < STATE_BYTES_MAX &&
	       v->state_frame < STATE_BYTES_MAX;
}

/* ---- from a code object to its record ---- */

/* The beginning of the recorder's struct code_record. */
struct record_front {
	uint64_t code;
	uint32_t number, units;
};

/* Torn: the bytes read are inconsistent, so the code may or may not have a record. */
enum record_answer { RECORD_FOUND, RECORD_ABSENT, RECORD_TORN };

static bool read_record_front(
	struct look *l, uint64_t record, uint64_t code, struct record_front *out)
{
	return look_read(l, record, out, sizeof *out) && out->code == code && out->number;
}

/* In co_extra. */
static enum record_answer find_extra(struct look *l, uint64_t code, uint64_t *record)
{
	uint64_t extra = 0;

	*record = 0;
	if (!look_read(l, code + l->view->code_extra, &extra, sizeof extra) ||
		(extra && !look_read(l, extra + l->view->extra_record, record, sizeof *record)))
		return RECORD_TORN;
	return *record ? RECORD_FOUND : RECORD_ABSENT;
}

/* A search like that of map.c, which ends at a free slot. A search longer than any in a map that is
 * three quarters full means that the map is changing. */
static enum record_answer search_map(
	struct look *l, const struct pl_map *map, uint64_t code, uint64_t *record)
{
	struct pl_map_slot slots[MAP_SLOTS_AT_ONCE];

	if (!map->room)
		return RECORD_ABSENT;
	size_t at = map_home(map->room, code);
	for (size_t seen = 0; seen < map->room && seen < MAP_SLOTS_MAX;) {
		size_t n = map->room - at < MAP_SLOTS_AT_ONCE ? map->room - at : MAP_SLOTS_AT_ONCE;
		if (!look_read(l, (uintptr_t)(map->slots + at), slots, n * sizeof *slots))
			return RECORD_TORN;
		for (size_t i = 0; i < n; i++) {
			if (slots[i].used && slots[i].key != code)
				continue;
			*record = slots[i].value;
			return slots[i].used ? RECORD_FOUND : RECORD_ABSENT;
		}
		seen += n;
		at = (at + n) & (map->room - 1);
	}
	return RECORD_TORN;
}

/* In the recorder's map. A code that is not found may have been elsewhere if the map grew or lost
 * an entry in the meantime. */
static enum record_answer find_mapped(struct look *l, uint64_t code, uint64_t *record)
{
	struct pl_map map, again;

	if (!look_read(l, l->view->code_map, &map, sizeof map) || map.room & (map.room - 1))
		return RECORD_TORN;
	enum record_answer answer = search_map(l, &map, code, record);
	if (answer == RECORD_ABSENT && (!look_read(l, l->view->code_map, &again, sizeof again) ||
					       memcmp(&map, &again, sizeof map) != 0))
		return RECORD_TORN;
	return answer;
}

/* Index in a table of SAMPLE_RECORDS_KEPT. */
static uint32_t code_place(uint64_t code)
{
	return (uint32_t)((code * 0x9e3779b97f4a7c15u) >> 58);
}
_Static_assert(SAMPLE_RECORDS_KEPT == 1 << 6, "code_place takes the top 6 bits of the hash");

static enum record_answer find_record(struct look *l, uint64_t code, struct record_front *out)
{
	const uint32_t place = code_place(code);
	struct sample_process *s = &l->p->sample;
	uint64_t record;

	if (s->known[place].code == code && read_record_front(l, s->known[place].record, code, out))
		return RECORD_FOUND;
	enum record_answer answer =
		l->view->code_map ? find_mapped(l, code, &record) : find_extra(l, code, &record);
	if (answer != RECORD_FOUND)
		return answer;
	if ((int64_t)record < 0) /* the mark of code that is left out: a negative address */
		return RECORD_ABSENT;
	if (!read_record_front(l, record, code, out))
		return RECORD_TORN;
	s->known[place].code = code;
	s->known[place].record = record;
	return RECORD_FOUND;
}

/* ---- from a thread to its position ---- */

/* The state may be gone, and its memory reused: it is the thread's as long as it says so. */
static uint64_t read_frame_address(struct look *l)
{
	const struct sample_view *v = l->view;
	uint32_t low = v->state_id < v->state_frame ? v->state_id : v->state_frame;
	uint32_t high = v->state_id < v->state_frame ? v->state_frame : v->state_id;
	uint8_t bytes[STATE_BYTES_MAX + sizeof(uint64_t)];
	uint64_t frame;

	if (!look_read(l, l->state + low, bytes, high - low + sizeof(uint64_t)) ||
		word_at(bytes, v->state_id - low) != l->native_id)
		return 0;
	frame = word_at(bytes, v->state_frame - low);
	if (frame && v->through_frame != SAMPLE_NO_STEP &&
		!look_read(l, frame + v->through_frame, &frame, sizeof frame))
		return 0;
	return frame;
}

/* NULL: it cannot be read. The first frame is read alone, because mostly no other is needed. */
static const uint8_t *read_frame(struct look *l, uint64_t frame, bool first)
{
	const uint32_t bytes = l->view->frame_bytes;

	if (l->stack_bytes && frame >= l->stack_at && frame - l->stack_at <= l->stack_bytes - bytes)
		return l->stack + (frame - l->stack_at);
	uint64_t from = first ? frame : frame & ~(uint64_t)(PAGE_BYTES - 1);
	l->stack_bytes = 0;
	if (!look_read(l, from, l->stack, frame - from + bytes))
		return NULL;
	l->stack_at = from;
	l->stack_bytes = (uint32_t)(frame - from) + bytes;
	return l->stack + (frame - from);
}

/* Since 3.14 the lowest bits of the frame's pointer to its code are flags. */
#define MARKS 7u

/* Is it within the code's instructions? A frame that has not begun is before them. */
static bool place_unit(struct look *l, uint64_t at, const struct record_front *r)
{
	uint64_t first = r->code + l->view->code_units;
	uint64_t unit = at < first ? 0 : (at - first) / 2;

	if (unit >= r->units || at + 2 < first || (at - first) % 2)
		return false;
	l->unit = (uint32_t)unit;
	l->code = r->number;
	return true;
}

enum look_answer { LOOK_DROPPED, LOOK_NOBODY, LOOK_FOUND };

/* From the innermost frame outward, to the first one whose code is recorded. The program goes on
 * meanwhile, so the list may change and even become a cycle; what is not understood is dropped. */
static enum look_answer look_at_frames(struct look *l, uint64_t frame)
{
	const struct sample_view *v = l->view;
	struct record_front record;

	for (int i = 0; i < FRAMES_MAX && frame; i++) {
		const uint8_t *bytes = read_frame(l, frame, i == 0);
		if (!bytes)
			return LOOK_DROPPED;
		uint64_t code = word_at(bytes, v->frame_code) & ~(uint64_t)MARKS;
		uint64_t *passed = &l->passed[code_place(code)];
		frame = word_at(bytes, v->frame_previous);
		if (code == *passed)
			continue;
		enum record_answer answer = find_record(l, code, &record);
		if (answer == RECORD_TORN)
			return LOOK_DROPPED;
		if (answer == RECORD_FOUND && record.units)
			return place_unit(l, word_at(bytes, v->frame_unit), &record) ? LOOK_FOUND
										     : LOOK_DROPPED;
		*passed = code;
	}
	return frame ? LOOK_DROPPED : LOOK_NOBODY;
}

static enum look_answer look(struct look *l)
{
	uint64_t frame = read_frame_address(l);

	l->stack_bytes = 0;
	if (l->error)
		return LOOK_DROPPED;
	return frame ? look_at_frames(l, frame) : LOOK_NOBODY;
}

/* ---- does it run? ---- */

static int open_stat(const struct collector *c, const struct look *l)
{
	char path[64];

	/* In another PID namespace its threads have different numbers here. */
	if (c->arena.head->pid_space != c->arena.head->slots[l->p->slot].pid_space)
		return -1;
	snprintf(path, sizeof path, "/proc/%u/task/%u/stat", l->p->pid, l->native_id);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* "pid (name) S …": the letter after the last bracket; the name can contain brackets. */
static char state_letter(int fd)
{
	char text[64];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = 0;
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

/* If that is not known, it counts as running. */
static bool is_waiting(struct collector *c, struct stream *t, const struct look *l)
{
	int fd = t->sample.file ? t->sample.file - 1 : open_stat(c, l);

	if (fd < 0)
		return false;
	char letter = state_letter(fd);
	if (!t->sample.file && c->sampler.files < SAMPLE_FILES_MAX && letter) {
		t->sample.file = fd + 1;
		c->sampler.files++;
	} else if (!t->sample.file) {
		close(fd);
	}
	return letter && letter != 'R';
}

/* The state is read after the position: a thread that waits by then, and has moved, ran where it
 * was seen. The second look finds by itself which codes have a record: one that runs for the first
 * time may have got its record since the first look. */
static bool is_waiting_there(struct collector *c, struct stream *t, const struct look *l)
{
	struct look again = {
		.p = l->p, .view = l->view, .native_id = l->native_id, .state = l->state};

	return is_waiting(c, t, l) && look(&again) == LOOK_FOUND && again.code == l->code &&
	       again.unit == l->unit;
}

/* ---- a time to look ---- */

/* A thread that waits at one place will mostly still be there. If a look finds it where it was,
 * waiting, the sample also counts for the looks that were left out since. Any other sample counts
 * once, because nobody knows when the thread came there. */
static void weigh_look(const struct sampler *s, struct sample_thread *t, struct sample_seen *seen)
{
	bool same = seen->waiting && t->waiting && t->code == seen->code && t->unit == seen->unit;

	seen->weight = same && t->seen ? (uint32_t)(s->times - t->seen) : 1;
	t->quiet = same ? t->quiet + 1 : 0;
	if (t->quiet > SAMPLE_QUIET_FROM + SAMPLE_QUIET_MAX)
		t->quiet = SAMPLE_QUIET_FROM + SAMPLE_QUIET_MAX;
	t->due = s->times + (t->quiet > SAMPLE_QUIET_FROM ? t->quiet - SAMPLE_QUIET_FROM : 1);
	t->seen = s->times;
	t->code = seen->code;
	t->unit = seen->unit;
	t->waiting = seen->waiting;
}

static void keep_sample(struct collector *c, struct stream *t, const struct look *l, bool waiting)
{
	struct sampler *s = &c->sampler;
	struct sample_seen *seen = &s->seen[s->seen_count++];

	*seen = (struct sample_seen){.process = t->process,
		.thread = t->thread,
		.code = l->code,
		.unit = l->unit,
		.ticks = clock_ticks(c->ticker.source),
		.waiting = waiting};
	weigh_look(s, &t->sample, seen);
}

/* EFAULT is a torn look. ESRCH: the thread has ended, which is reported elsewhere. Any other error:
 * the system does not let us read it. */
static void note_failure(struct process *p, int error)
{
	p->sample.dropped++;
	if (!error || error == EFAULT || error == EIO)
		return;
	p->sample.off = true;
	if (error != ESRCH)
		p->sample.refused = (uint32_t)error;
}

/* The thread's newest chunk that a round has seen: it identifies the thread. A busy thread fills
 * several between two rounds, so it may be CLOSED by now, which says that the thread continued in
 * another one. NULL: there is none, or the thread has ended. */
static const struct chunk *newest_chunk(const struct collector *c, const struct stream *t)
{
	const struct held_chunk *last = t->count ? &t->chunks[t->count - 1] : NULL;
	const struct chunk *k = last ? arena_chunk(&c->arena, last->index) : NULL;

	if (!k || k->process != t->process || k->thread != t->thread)
		return NULL;
	uint32_t state = atomic_load_explicit(&k->state, memory_order_acquire);
	return state == CHUNK_OWNED || state == CHUNK_CLOSED ? k : NULL;
}

static void look_at(struct collector *c, struct stream *t)
{
	const struct chunk *k = newest_chunk(c, t);
	struct process *p = k ? processes_find(&c->processes, t->process) : NULL;

	if (!p || p->sample.off || p->life != LIFE_LIVE)
		return;
	const struct sample_view view = c->arena.head->slots[p->slot].sample;
	struct look l = {.p = p,
		.view = &view,
		.native_id = k->native_id,
		.state = atomic_load_explicit(&k->state_address, memory_order_relaxed)};
	if (!l.state || !view_makes_sense(&view))
		return;
	enum look_answer answer = look(&l);
	if (answer == LOOK_FOUND)
		keep_sample(c, t, &l, is_waiting_there(c, t, &l));
	else if (answer == LOOK_DROPPED)
		note_failure(p, l.error);
}

/* xorshift: so nothing in the program can be in step with it. */
int64_t sampler_jitter(struct sampler *s, int64_t period_ns)
{
	if (!s->random)
		s->random = 0x9e3779b97f4a7c15u;
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return period_ns / 4 * 3 + (int64_t)(s->random % (uint64_t)(period_ns / 2 + 1));
}

/* Look at threads, if it is time for that. */
static void samples_take(struct source *source, int64_t now_ns)
{
	struct collector *c = source->owner;
	struct sampler *s = &c->sampler;
	uint32_t looked = 0;

	if (now_ns < s->next_ns)
		return;
	s->next_ns = now_ns + sampler_jitter(s, SAMPLE_PERIOD_NS);
	s->times++;
	for (uint32_t i = 0; i < c->streams.count && looked < SAMPLES_AT_ONCE; i++) {
		s->at = (s->at + 1) % c->streams.count;
		struct stream *t = c->streams.all[s->at];
		if (t->kind == STREAM_OF_MESSAGES || t->sample.due > s->times || !t->count)
			continue;
		looked++;
		look_at(c, t);
	}
}

/* ---- into the recording ---- */

/* All samples of the process since the last time. That its system refuses to let us look is written
 * once, without samples, so that a reader can say why there are none. After a failure the rows are
 * emptied as well: memory stays bounded. */
static void write_samples(struct collector *c, struct process *p)
{
	struct sample_process *s = &p->sample;
	struct samples_head head = {.process = p->number,
		.count = s->count,
		.open_ticks = s->open_ticks,
		.close_ticks = s->close_ticks,
		.dropped = s->dropped,
		.refused = s->refused};

	s->since_ns = 0;
	if (!s->count && !s->dropped && (!s->refused || s->told))
		return;
	s->told = s->refused != 0;
	blocks_make_room(c, s->rows.used);
	buf_reset(&c->payload);
	samples_write(&c->payload, &head, buf_view(&s->rows));
	if (!c->store.failed && !s->rows.failed && !c->payload.failed)
		store_samples(&c->store, &c->payload);
	c->payload.failed = false;
	buf_reset(&s->rows);
	s->rows.failed = false;
	s->count = 0;
	s->dropped = 0;
	s->open_ticks = s->close_ticks;
}

/* A code whose description did not arrive has no body to refer to: its sample is only counted. */
static void settle_one(struct collector *c, const struct sample_seen *seen, int64_t now_ns)
{
	struct process *p = processes_find(&c->processes, seen->process);
	const uint64_t *body = map_find(&c->bodies.codes, seen->code);

	if (!p)
		return;
	struct sample_process *s = &p->sample;
	if (!body) {
		s->dropped++;
		return;
	}
	if (!s->count)
		s->open_ticks = s->close_ticks = seen->ticks;
	if (!s->since_ns)
		s->since_ns = now_ns;
	const struct sample sample = {.thread = seen->thread,
		.weight = seen->weight,
		.ticks = seen->ticks,
		.body = *body,
		.unit = seen->unit,
		.waiting = seen->waiting};
	sample_write(&s->rows, &sample, s->close_ticks);
	s->close_ticks = seen->ticks > s->close_ticks ? seen->ticks : s->close_ticks;
	s->count++;
}

/* Give what was seen to its processes. */
static void samples_settle(struct source *source, int64_t now_ns)
{
	struct collector *c = source->owner;
	struct sampler *s = &c->sampler;

	if (!s->seen_count)
		return;
	for (uint32_t i = 0; i < s->seen_count; i++)
		settle_one(c, &s->seen[i], now_ns);
	s->seen_count = 0;
	for (uint32_t i = 0; i < c->processes.count; i++) {
		struct process *p = c->processes.all[i];
		if (p->sample.count >= FLUSH_COUNT ||
			(p->sample.since_ns && now_ns - p->sample.since_ns >= FLUSH_NS))
			write_samples(c, p);
	}
}

static void samples_end_process(struct source *source, struct process *p)
{
	write_samples(source->owner, p);
}

static void samples_flush(struct source *source)
{
	struct collector *c = source->owner;

	for (uint32_t i = 0; i < c->processes.count; i++)
		write_samples(c, c->processes.all[i]);
}

const struct source_operations sample_source = {
	.name = "samples",
	.look = samples_take,
	.drain = samples_settle,
	.ended = samples_end_process,
	.flush = samples_flush,
	.stop = samples_flush,
};
