/* The index: where each thread's blocks are. Only heads are read, and these have checks of their
 * own, so opening reads about a hundred bytes a block. A damaged payload is found when a cursor
 * reaches it. */
#include "trace/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include "format/block.h"
#include "trace/event_sources.h"
#include "trace/stream.h"

/* ---- one block ---- */

/* Room for one more, which counts only when it is filled in. */
static struct block_ref *reserve_ref(struct thread_entry *t)
{
	if (t->block_count == t->block_room) {
		size_t room = t->block_room ? t->block_room * 2 : 4;
		struct block_ref *blocks = realloc(t->blocks, room * sizeof *blocks);
		if (!blocks)
			return NULL;
		t->blocks = blocks;
		t->block_room = room;
	}
	return &t->blocks[t->block_count];
}

static void add_block_counts(struct pl_thread *t, const struct block_head *head)
{
	t->events += head->events;
	t->blocks++;
	for (size_t i = 0; i < PL_EVENT_KIND_COUNT; i++)
		t->counts[i] += head->counts[i];
}

/* A bit for each kind of event that the block has: a search passes over blocks without the kinds
 * that it looks for. */
static uint16_t kinds_of(const struct block_head *head)
{
	uint16_t kinds = 0;

	for (size_t i = 0; i < sizeof head->counts / sizeof *head->counts; i++)
		kinds |= (uint16_t)(head->counts[i] ? 1u << i : 0);
	return kinds;
}

/* The searches of seek.c need numbers, seqs and times that grow from block to block. A head that
 * contradicts the one before is damage, and its block is left out. */
static int add_block(struct pl_recording *r, const struct stream *s, const struct block_head *head)
{
	struct thread_entry *t = recording_thread(r, head->process, head->thread);
	const struct block_ref *last = t && t->block_count ? &t->blocks[t->block_count - 1] : NULL;

	if (!t)
		return PL_ERR_FORMAT;
	if (last &&
		(head->number <= last->number || head->first_seq < last->first_seq + last->events ||
			head->open_ticks < last->close_ticks))
		return PL_ERR_FORMAT;
	struct block_ref *ref = reserve_ref(t);
	if (!ref)
		return PL_ERR_MEMORY;
	*ref = (struct block_ref){.off = s->off,
		.file = s->file,
		.number = head->number,
		.stored = s->head.stored,
		.gap_before = head->flags & BLOCK_CONTINUES,
		.before = head->flags & BLOCK_CHAINED ? (uint8_t)BLOCK_BEFORE(head->flags) : 0,
		.kinds = kinds_of(head),
		.min_depth = head->min_depth,
		.events = head->events,
		.first_seq = head->first_seq,
		.order = head->order ? head->order : head->first_switch,
		.open_ticks = head->open_ticks,
		.close_ticks = head->close_ticks};
	if (!t->block_count++)
		t->public.first_seq = head->first_seq;
	if (!t->described && !t->start_ticks)
		t->start_ticks = head->open_ticks;
	add_block_counts(&t->public, head);
	return 0;
}

/* ---- one record of samples ---- */

/* Counts are of what is kept: those of a dropped segment are taken off again. 0 - count is well
 * defined for unsigned numbers, and adds up to the difference. */
static void count_samples_record(struct pl_recording *r, const struct samples_head *head, bool add)
{
	struct process_entry *p = recording_process(r, head->process);

	if (!p)
		return;
	p->public.samples += add ? head->count : 0 - (uint64_t)head->count;
	p->public.samples_dropped += add ? head->dropped : 0 - (uint64_t)head->dropped;
	if (head->refused)
		p->public.samples_refused = (int)head->refused;
}

static int add_samples(
	struct pl_recording *r, const struct stream *s, const struct samples_head *head)
{
	if (r->sample_count == r->sample_room) {
		size_t room = r->sample_room ? r->sample_room * 2 : 16;
		struct sample_ref *refs = realloc(r->samples, room * sizeof *refs);
		if (!refs)
			return PL_ERR_MEMORY;
		r->samples = refs;
		r->sample_room = room;
	}
	r->samples[r->sample_count++] = (struct sample_ref){
		.off = s->off, .file = s->file, .stored = s->head.stored, .head = *head};
	count_samples_record(r, head, true);
	return 0;
}

static int read_samples(struct pl_recording *r, struct stream *s, struct pl_err *err)
{
	struct samples_head head;
	struct pl_view front;
	int code = stream_front(s, SAMPLES_HEAD_BYTES, &front, err);

	if (code == 0)
		code = samples_read_head(front, &head);
	if (code == 0)
		code = add_samples(r, s, &head);
	if (code == PL_ERR_FORMAT) {
		recording_damage(r, s->file, s->off, "samples are damaged");
		*err = (struct pl_err){0};
		code = 0;
	}
	return code;
}

static void drop_samples(struct pl_recording *r, uint32_t file)
{
	size_t n = 0;

	for (; n < r->sample_count && r->samples[n].file < file; n++)
		count_samples_record(r, &r->samples[n].head, false);
	r->samples_evicted += n;
	r->sample_count -= n;
	if (n && r->sample_count)
		memmove(r->samples, r->samples + n, r->sample_count * sizeof *r->samples);
}

/* How many events with values the block has, and how many of kinds that this version does not know:
 * of its sections only the table is read. */
static int count_further(struct pl_recording *r, struct stream *s, struct pl_err *err)
{
	struct block_sections sections = {0};
	struct pl_view front, head;
	int code = stream_front(s, BLOCK_HEAD_BYTES + BLOCK_TABLE_MAX, &front, err);

	if (code == 0)
		code = view_bytes(&front, BLOCK_HEAD_BYTES, &head);
	if (code == 0)
		code = block_read_sections(front, &sections);
	r->info.unknown_events += sections.unknown;
	r->info.value_events += sections.values;
	r->info.variable_events += sections.variables;
	return code == PL_ERR_FORMAT ? 0 : code; /* who reads the block finds the damage */
}

/* A damaged head is noted, and the result is 0. */
static int read_block(struct pl_recording *r, struct stream *s, struct pl_err *err)
{
	struct block_head head;
	struct pl_view front;
	int code = stream_front(s, BLOCK_HEAD_BYTES, &front, err);

	if (code == 0)
		code = block_read_head(front, &head);
	if (code == 0)
		code = add_block(r, s, &head);
	if (code == 0 && head.flags & BLOCK_SECTIONS && head.needs_minor <= FORMAT_MINOR)
		code = count_further(r, s, err);
	if (code == PL_ERR_FORMAT) {
		recording_damage(
			r, s->file, s->off, "a block's head is damaged, or contradicts the others");
		*err = (struct pl_err){0};
		code = 0;
	}
	return code;
}

/* ---- one segment ---- */

/* Continue where reading stopped. A record that is not complete yet is not damage: it is being
 * written, and the next refresh begins there. */
static int read_segment(struct pl_recording *r, struct stream *s, bool *news, struct pl_err *err)
{
	struct pl_err why = {0};
	int code;

	while ((code = stream_head(s, &why)) != PL_END) {
		*news = true;
		if (code == PL_ERR_FORMAT) {
			recording_damage(r, s->file, s->off, "bytes that are no record");
			why = (struct pl_err){0};
			code = stream_resync(s, &why);
		} else if (code == 0) {
			recording_count(r, s->head.kind, RECORD_HEAD_BYTES + s->head.stored);
			if (s->head.kind == RECORD_BLOCK)
				code = read_block(r, s, &why);
			else if (s->head.kind == RECORD_SAMPLES)
				code = read_samples(r, s, &why);
			else if (s->head.kind == RECORD_SOURCE_EVENTS)
				code = source_events_index(r, s, &why);
			stream_next(s);
		}
		if (code)
			return recording_failed(err, code, &why);
	}
	return 0;
}

/* Read what a segment has more than the last time. Errors of one segment do not end reading, except
 * those of memory and of the system. */
static int read_appended(
	struct pl_recording *r, struct segment *segment, bool *news, struct pl_err *err)
{
	struct stream s = {.files = r->files, .file = segment->file, .off = segment->off};
	struct pl_err why = {0};
	int code = r->files->ops->size(r->files, segment->file, &s.size, &why);

	/* it became shorter; its blocks are found damaged when they are read */
	if (code == 0 && s.size < s.off)
		s.size = s.off;
	if (code == 0)
		code = read_segment(r, &s, news, &why);
	segment->off = s.off;
	stream_release(&s);
	if (code == PL_ERR_NOT_FOUND) { /* it was dropped meanwhile, which meta now says */
		*news |= !segment->gone;
		segment->gone = true;
		return 0;
	}
	if (code == PL_ERR_FORMAT) {
		recording_damage(r, segment->file, s.off, "it cannot be read");
		return 0;
	}
	if (code < 0)
		recording_failed(err, code, &why);
	return code < 0 ? pl_err_cause(err, code, "segment %" PRIu32, segment->file) : 0;
}

/* ---- all segments ---- */

static int compare_thread_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int add_segment(struct pl_recording *r, uint32_t file)
{
	if (r->segment_count == r->segment_room) {
		size_t room = r->segment_room ? r->segment_room * 2 : 8;
		struct segment *segments = realloc(r->segments, room * sizeof *segments);
		if (!segments)
			return PL_ERR_MEMORY;
		r->segments = segments;
		r->segment_room = room;
	}
	r->segments[r->segment_count++] = (struct segment){.file = file};
	return 0;
}

#define HOLE_LOOKS 2

/* A segment is missing before one that is there: is that certain? It may have been dropped after
 * meta was read; or made, while the directory was listed, after its place in the list. The record
 * EVICTED is written before a segment is removed, and one that is made is in the next list. So it
 * is missing if it is in neither of two lists, and meta, read after the second, does not say that
 * it was dropped. */
static bool is_missing(struct pl_recording *r, uint32_t file)
{
	if (r->hole != file)
		r->hole_looks = 0;
	r->hole = file;
	return r->info.finished || r->hole_looks++ >= HOLE_LOOKS;
}

/* Segments are written in order: new numbers are after the known ones. A missing number is damage;
 * as long as that is not certain, what comes after it waits for the next turn. */
static int add_new_segments(
	struct pl_recording *r, const uint32_t *numbers, size_t count, bool *news)
{
	int code = 0;

	for (size_t i = 0; i < count && code == 0; i++) {
		uint32_t last = r->segment_count ? r->segments[r->segment_count - 1].file : 0;
		uint32_t next = last + 1 > r->first_segment ? last + 1 : r->first_segment;
		if (numbers[i] <= last)
			continue;
		if (numbers[i] > next && !is_missing(r, next)) {
			*news = true;
			break;
		}
		if (numbers[i] > next)
			recording_damage(r, next, 0, "segments are missing");
		code = add_segment(r, numbers[i]);
	}
	return code;
}

/* Forget the blocks of segments before `file`. */
static void drop_refs(struct thread_entry *t, uint32_t file)
{
	size_t n = 0;

	while (n < t->block_count && t->blocks[n].file < file)
		n++;
	if (!n)
		return;
	t->evicted += n;
	t->block_count -= n;
	memmove(t->blocks, t->blocks + n, t->block_count * sizeof *t->blocks);
	if (t->block_count)
		t->public.first_seq = t->blocks[0].first_seq;
}

/* EVICTED was read: the files before this one are gone, or will be in a moment. */
static void drop_before(struct pl_recording *r, uint32_t file)
{
	size_t n = 0;

	while (n < r->segment_count && r->segments[n].file < file)
		n++;
	if (!n)
		return;
	r->segment_count -= n;
	memmove(r->segments, r->segments + n, r->segment_count * sizeof *r->segments);
	drop_samples(r, file);
	source_events_drop(r, file);
	for (size_t i = 0; i < r->process_list.count; i++) {
		const struct process_entry *p = r->process_list.at[i];
		for (size_t j = 0; j < p->thread_count; j++)
			drop_refs(p->threads[j], file);
	}
}

static void check_size(struct pl_recording *r, uint32_t file, uint64_t expected)
{
	uint64_t bytes = 0;

	if (r->files->ops->size(r->files, file, &bytes, NULL))
		recording_damage(r, file, 0, "the segment is missing");
	else if (bytes < expected)
		recording_damage(r, file, bytes, "the segment was cut off");
	else if (bytes > expected)
		recording_damage(r, file, expected, "bytes after the segment's end");
}

/* END has the size of each segment, so a segment that was cut or is missing is found here. A
 * missing segment costs END only a byte, so a run of missing ones is reported at once, without
 * asking the system for each. */
static void check_sizes(struct pl_recording *r)
{
	struct pl_view sizes = r->end_sizes;
	uint64_t expected, file = r->first_segment;
	bool missing = false;
	size_t at = 0;

	for (; view_varint(&sizes, &expected) == 0; file++) {
		while (at < r->segment_count && r->segments[at].file < file)
			at++;
		bool there = at < r->segment_count && r->segments[at].file == file;
		if (there)
			check_size(r, (uint32_t)file, expected);
		else if (!missing)
			recording_damage(r, (uint32_t)file, 0, "the segment is missing");
		missing = !there;
	}
	r->end_checked = true;
}

static int list_segments(struct pl_recording *r, struct pl_buf *numbers, struct pl_err *err)
{
	int code = r->files->ops->segments(r->files, numbers, err);

	if (code == 0 && numbers->used)
		qsort(numbers->at, numbers->used / sizeof(uint32_t), sizeof(uint32_t),
			compare_thread_number);
	return code;
}

/* meta was read before; first_segment says what was dropped. */
int index_read(struct pl_recording *r, bool *news, struct pl_err *err)
{
	struct pl_buf numbers = {0};
	int code = list_segments(r, &numbers, err);
	size_t count = numbers.used / sizeof(uint32_t);

	if (code == 0)
		code = add_new_segments(r, (const uint32_t *)(const void *)numbers.at, count, news);
	for (size_t i = 0; i < r->segment_count && code == 0; i++)
		code = read_appended(r, &r->segments[i], news, err);
	if (code == 0) {
		drop_before(r, r->first_segment);
		if (r->end_sizes.at && !r->end_checked)
			check_sizes(r);
	}
	buf_release(&numbers);
	return code;
}
