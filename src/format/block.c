/* Reading blocks. block_write.c writes them. */
#include "format/block.h"

#include <stdlib.h>
#include "base/varint.h"
#include "format/section_row.h"

#define CODE_BYTES_MIN	2 /* a code's delta and body */
#define FRAME_BYTES_MIN 6 /* a frame's fields, one byte each */

/* The check shows that these bytes were written, not that an honest writer wrote them: a hostile
 * file has correct checks. So this checks what readers rely on: an event has at least one byte,
 * time does not go backward, and raw_bytes is not too large. */
int block_read_head(struct pl_view payload, struct block_head *out)
{
	uint64_t check;

	if (payload.left < BLOCK_HEAD_BYTES)
		return PL_ERR_FORMAT;
	memcpy(out, payload.at, sizeof *out);
	memcpy(&check, payload.at + BLOCK_HEAD_CHECK, sizeof check);
	if (check != hash_bytes(payload.at, BLOCK_HEAD_CHECK))
		return PL_ERR_FORMAT;
	if (out->raw_bytes > RECORD_RAW_MAX || out->event_bytes > out->raw_bytes ||
		(out->needs_minor < MINOR_WITNESSES && out->events > out->event_bytes) ||
		out->min_depth > out->open_depth)
		return PL_ERR_FORMAT;
	if (out->process == 0 || out->close_ticks < out->open_ticks)
		return PL_ERR_FORMAT;
	if (out->flags & BLOCK_CHAINED && (BLOCK_BEFORE(out->flags) >= CHAIN_BLOCKS ||
						  BLOCK_BEFORE(out->flags) > out->number))
		return PL_ERR_FORMAT;
	return 0;
}

/* Kinds grow strictly, so a table is not longer than it can be. */
static int read_section_rows(struct pl_view rows, struct block_sections *out)
{
	struct section_row row;
	uint64_t kind = 0;

	while (rows.left) {
		if (section_row_read(&rows, &row) || row.kind <= kind)
			return PL_ERR_FORMAT;
		kind = row.kind;
		out->unknown += EVENT_FURTHER_KNOWN(kind) ? 0 : row.events;
		out->values += kind == EVENT_VALUES ? row.events : 0;
		out->variables += kind == EVENT_VARIABLES ? row.events : 0;
		out->stream_bytes += row.stream_bytes;
		out->stored += row.stored;
	}
	return 0;
}

int block_read_sections(struct pl_view v, struct block_sections *out)
{
	const uint8_t *table = v.at;
	struct pl_view rows;
	uint32_t bytes;
	uint64_t check;

	*out = (struct block_sections){0};
	if (view_u32(&v, &bytes) || bytes > BLOCK_TABLE_MAX || view_bytes(&v, bytes, &rows) ||
		view_u64(&v, &check) || check != hash_bytes(table, sizeof bytes + bytes))
		return PL_ERR_FORMAT;
	out->table = sizeof bytes + bytes + sizeof check;
	int err = read_section_rows(rows, out);
	if (err)
		*out = (struct block_sections){0};
	return err;
}

/* Numbers grow strictly, so no code has two bodies, and the map is not larger than the bytes
 * allow. */
static int read_codes(struct pl_view *v, struct pl_map *bodies)
{
	uint64_t count, delta, body, code = 0;

	if (view_varint_max(v, v->left / CODE_BYTES_MIN, &count))
		return PL_ERR_FORMAT;
	for (uint64_t i = 0; i < count; i++) {
		if (view_varint_max(v, UINT32_MAX - code, &delta) ||
			view_varint_max(v, UINT32_MAX, &body))
			return PL_ERR_FORMAT;
		if (i && !delta)
			return PL_ERR_FORMAT;
		code += delta;
		uint64_t *slot = map_put(bodies, code);
		if (!slot)
			return PL_ERR_MEMORY;
		*slot = body;
	}
	return 0;
}

/* As put_stack. What the code and its place mean is not known here: the walk finds out. */
static int read_open_frame(struct pl_view *v, struct stack *s, bool numbers)
{
	uint64_t code, place, value, gen, number = 0;
	uint8_t raised;
	struct pl_view task;

	if (view_varint_max(v, UINT32_MAX, &code) ||
		view_varint_max(v, PLACE_COUNT * 2 - 1, &place) ||
		view_varint_max(v, UINT32_MAX, &value) || view_varint(v, &gen) ||
		view_u8(v, &raised) || raised > RAISED_AGAIN || view_string(v, &task) ||
		(numbers && view_varint(v, &number)))
		return PL_ERR_FORMAT;
	const struct stack_frame f = {.code = (uint32_t)code,
		.value = (uint32_t)value,
		.gen = gen,
		.place = (uint8_t)(place >> 1),
		.linked = place & 1,
		.raised = raised};
	int err = stack_push(s, &f);
	return err || !(number || task.left) ? err : stack_set_task(s, number, task);
}

static int read_stack(struct pl_view *v, struct stack *s, const struct block_head *head)
{
	uint64_t depth;

	if (head->flags & BLOCK_GREENLET && view_varint(v, &s->greenlet))
		return PL_ERR_FORMAT;
	if (view_varint_max(v, v->left / FRAME_BYTES_MIN, &depth) || depth != head->open_depth)
		return PL_ERR_FORMAT;
	for (uint64_t i = 0; i < depth; i++) {
		int err = read_open_frame(v, s, head->flags & BLOCK_TASKS);
		if (err)
			return err;
	}
	stack_mark(s);
	return 0;
}

/* Two calls of the same place are not damage: the last one counts. */
static int read_calls(struct pl_view *v, uint32_t places,
	void (*put)(struct event_calls *calls, uint64_t call), struct event_calls *calls)
{
	uint64_t count, site, code;

	if (view_varint_max(v, places, &count))
		return PL_ERR_FORMAT;
	for (uint64_t i = 0; i < count; i++) {
		if (view_varint_max(v, UINT32_MAX, &site) || view_varint_max(v, UINT32_MAX, &code))
			return PL_ERR_FORMAT;
		put(calls, event_call((uint32_t)site, (uint32_t)code));
	}
	return 0;
}

static int read_resumes(struct pl_view *v, struct event_calls *calls)
{
	uint64_t count, site, code, unit;
	struct event_resume r = {0};

	if (view_varint_max(v, EVENT_RESUMES, &count))
		return PL_ERR_FORMAT;
	for (uint64_t i = 0; i < count; i++) {
		if (view_varint_max(v, UINT32_MAX, &site) ||
			view_varint_max(v, UINT32_MAX, &code) || view_varint(v, &r.gen) ||
			view_varint_max(v, UINT32_MAX, &unit))
			return PL_ERR_FORMAT;
		r.site = (uint32_t)site;
		r.code = (uint32_t)code;
		r.unit = (uint32_t)unit;
		event_resumes_put(calls, &r);
	}
	return 0;
}

/* Is the chain that has been unpacked so far the one that this block belongs to? */
static bool has_chain(const struct block *b, const struct block_head *head)
{
	return b->process == head->process && b->thread == head->thread &&
	       b->first_number + BLOCK_BEFORE(head->flags) == head->number;
}

/* A chain is unpacked from its first block on: blocks before this one must be passed first, one
 * after another. */
uint32_t block_needs(const struct block *b, const struct block_head *head)
{
	const uint32_t before = BLOCK_BEFORE(head->flags);

	if (!(head->flags & BLOCK_CHAINED) || !before)
		return head->number;
	if (!has_chain(b, head) || !b->chain.count)
		return head->number - before;
	return b->chain.count < before ? b->first_number + b->chain.count : head->number;
}

/* What a block consists of, decompressed. */
struct plain {
	struct pl_view front;
	struct pl_view events; /* empty if they follow the front in the same piece */
};

/* If it was decompressed before, there is nothing to do. */
static int unpack_events(
	struct block *b, struct pl_view packed, uint32_t bytes, struct pl_view *out)
{
	const struct block_head *head = &b->head;
	const uint32_t before = BLOCK_BEFORE(head->flags);

	if (block_needs(b, head) != head->number)
		return PL_ERR_FORMAT;
	if (!before && (!has_chain(b, head) || !b->chain.count)) {
		chain_restart(&b->chain);
		b->process = head->process;
		b->thread = head->thread;
		b->first_number = head->number;
	}
	int err = before < b->chain.count ? 0 : chain_unpack(&b->chain, packed, bytes);
	if (err)
		return err;
	*out = chain_block(&b->chain, before);
	return out->left == bytes ? 0 : PL_ERR_FORMAT;
}

/* | front bytes | "front" | the block's part of the chain |
 *
 * The front is plain if the two lengths are equal.
 */
static int unpack_chained(struct block *b, struct pl_view packed, struct plain *out)
{
	uint64_t front_bytes;
	struct pl_view front;

	if (view_varint_max(&packed, b->head.raw_bytes, &front_bytes) ||
		view_string(&packed, &front))
		return PL_ERR_FORMAT;
	int err = 0;
	out->front = front;
	if (front.left != front_bytes) {
		err = record_decompress(front, (uint32_t)front_bytes, &b->room);
		out->front = buf_view(&b->room);
	}
	return err ? err
		   : unpack_events(
			     b, packed, b->head.raw_bytes - (uint32_t)front_bytes, &out->events);
}

static int unpack_block(struct block *b, struct pl_view packed, struct plain *out)
{
	int err = 0;

	*out = (struct plain){.front = packed};
	if (b->head.flags & BLOCK_CHAINED)
		return unpack_chained(b, packed, out);
	if (b->head.flags & BLOCK_COMPRESSED) {
		err = record_decompress(packed, b->head.raw_bytes, &b->room);
		out->front = buf_view(&b->room);
	}
	return err || out->front.left == b->head.raw_bytes ? err : PL_ERR_FORMAT;
}

/* ---- the events in order again ---- */

struct apart {
	uint64_t count;
	struct pl_view rows; /* (between, event)... */
};

/* Take the rows from the front, and look only whether they are whole; join reads them. */
static int read_apart(struct pl_view *front, struct apart *out)
{
	struct pl_view event;
	uint64_t between;

	if (view_varint_max(front, front->left, &out->count))
		return PL_ERR_FORMAT;
	out->rows = *front;
	for (uint64_t i = 0; i < out->count; i++)
		if (view_varint(front, &between) || view_string(front, &event))
			return PL_ERR_FORMAT;
	return 0;
}

/* Any events may be stored apart, also others than an honest writer stores there. */
static int join_apart(struct block *b, struct apart *apart, struct pl_view others)
{
	struct pl_view run, event;
	struct pl_buf *to = &b->joined;
	uint64_t between;

	buf_reset(to);
	if (!buf_reserve(to, b->head.event_bytes + 1))
		return PL_ERR_MEMORY;
	for (uint64_t i = 0; i < apart->count; i++) {
		if (view_varint(&apart->rows, &between) || view_string(&apart->rows, &event) ||
			view_bytes(&others, between, &run) ||
			run.left + event.left > b->head.event_bytes - to->used)
			return PL_ERR_FORMAT;
		buf_put(to, run.at, run.left);
		buf_put(to, event.at, event.left);
	}
	if (others.left != b->head.event_bytes - to->used)
		return PL_ERR_FORMAT;
	buf_put(to, others.at, others.left);
	b->events = buf_view(to);
	return 0;
}

/* In a chained block the front must be used up; in others the events are the rest of it. */
static int find_events(struct block *b, struct plain *plain)
{
	const bool chained = b->head.flags & BLOCK_CHAINED;
	struct apart apart = {0};
	int err = b->head.flags & BLOCK_APART ? read_apart(&plain->front, &apart) : 0;

	if (err || (chained && plain->front.left))
		return PL_ERR_FORMAT;
	struct pl_view others = chained ? plain->events : plain->front;
	if (b->head.flags & BLOCK_APART)
		return join_apart(b, &apart, others);
	b->events = others;
	return others.left == b->head.event_bytes ? 0 : PL_ERR_FORMAT;
}

/* Keeps the memory: the thread's next block has about as many codes. */
static void map_empty(struct pl_map *m)
{
	for (size_t i = 0; i < m->room; i++)
		m->slots[i].used = false;
	m->used = 0;
}

/* No reader of the path needs them: what a further kind says is read by who knows it. */
static int skip_sections(struct block *b, struct pl_view *payload)
{
	struct block_sections *s = &b->sections;

	*s = (struct block_sections){0};
	b->section_bytes = (struct pl_view){0};
	if (!(b->head.flags & BLOCK_SECTIONS))
		return 0;
	int err = block_read_sections(*payload, s);
	return err ? err : view_bytes(payload, s->table + s->stored, &b->section_bytes);
}

static int read_block_head(struct block *b, struct pl_view *payload)
{
	int err = block_read_head(*payload, &b->head);

	b->events = (struct pl_view){0};
	if (err == 0 && b->head.needs_minor > FORMAT_MINOR)
		err = PL_ERR_VERSION;
	if (err)
		return err;
	*payload = view_of(payload->at + BLOCK_HEAD_BYTES, payload->left - BLOCK_HEAD_BYTES);
	return skip_sections(b, payload);
}

/* For the blocks of a chain before the one that is wanted. */
int block_pass(struct block *b, struct pl_view payload)
{
	struct plain plain;
	int err = read_block_head(b, &payload);

	return err ? err : unpack_block(b, payload, &plain);
}

/* Each reader takes its part from the front, in the order of the bytes; the events are what is
 * left. */
int block_open(struct block *b, struct pl_view payload)
{
	struct plain plain;
	int err = read_block_head(b, &payload);

	map_empty(&b->bodies);
	stack_reset(&b->stack);
	if (err == 0)
		err = unpack_block(b, payload, &plain);
	if (err == 0)
		err = read_codes(&plain.front, &b->bodies);
	if (err == 0)
		err = read_stack(&plain.front, &b->stack, &b->head);
	if (err == 0 && b->head.flags & BLOCK_CALLS)
		err = read_calls(&plain.front, EVENT_CALLS, event_calls_put_near, &b->stack.calls);
	if (err == 0 && b->head.flags & BLOCK_FAR_CALLS)
		err = read_calls(
			&plain.front, EVENT_FAR_CALLS, event_calls_put_far, &b->stack.calls);
	if (err == 0 && b->head.flags & BLOCK_RESUMES)
		err = read_resumes(&plain.front, &b->stack.calls);
	return err ? err : find_events(b, &plain);
}

/* ---- a section, for who asks ---- */

/* The row of the table, and what is stored for it. false: the block has no such section. */
static bool find_section(
	const struct block *b, uint32_t kind, struct section_row *row, struct pl_view *stored)
{
	struct pl_view rest = b->section_bytes, table;
	uint32_t bytes;
	uint64_t check;

	if (view_u32(&rest, &bytes) || view_bytes(&rest, bytes, &table) || view_u64(&rest, &check))
		return false;
	while (section_row_read(&table, row) == 0 && view_bytes(&rest, row->stored, stored) == 0)
		if (row->kind == kind)
			return true;
	return false;
}

/* Are there as many events as the table says, each within the block? */
static int check_section(const struct block *b, struct block_section s, uint64_t expected)
{
	uint64_t events = 0;
	struct pl_view bytes;

	for (; s.rows.left; events++)
		if (!block_section_next(&s, &bytes) || s.at > b->events.left)
			return PL_ERR_FORMAT;
	return events == expected ? 0 : PL_ERR_FORMAT;
}

int block_open_section(
	const struct block *b, uint32_t kind, struct pl_buf *room, struct block_section *out)
{
	struct section_row row;
	struct pl_view stored;
	int err = 0;

	*out = (struct block_section){0};
	if (!find_section(b, kind, &row, &stored))
		return 0;
	buf_reset(room);
	if (stored.left != row.raw)
		err = record_decompress(stored, (uint32_t)row.raw, room);
	else
		buf_put(room, stored.at, stored.left);
	if (room->failed)
		return PL_ERR_MEMORY;
	struct block_section s = {.rows = buf_view(room)};
	if (err == 0)
		err = check_section(b, s, row.events);
	if (err == 0)
		*out = s;
	return err;
}

bool block_section_next(struct block_section *s, struct pl_view *bytes)
{
	struct pl_view rest = s->rows;
	uint64_t between;

	if (view_varint_max(&rest, SIZE_MAX - s->at, &between) || view_string(&rest, bytes))
		return false;
	s->at += between;
	s->rows = rest;
	return true;
}

void block_release(struct block *b)
{
	map_release(&b->bodies);
	stack_release(&b->stack);
	buf_release(&b->room);
	buf_release(&b->joined);
	chain_reader_release(&b->chain);
	*b = (struct block){0};
}
