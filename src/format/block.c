#include "format/block.h"

#include <stdlib.h>
#include "base/varint.h"

#define CODE_BYTES_MIN	2 /* a code's delta and body */
#define FRAME_BYTES_MIN 6 /* a frame's fields, one byte each */

/* ---- writing ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void mention_stack(struct mentions *m, const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		mentions_add_code(m, stack->frames[i].code);
		if (stack->frames[i].raised == RAISED_AGAIN && m->needs_minor < MINOR_WITNESSES)
			m->needs_minor = MINOR_WITNESSES;
	}
}

static int mention_events(struct mentions *m, struct event_calls calls, struct pl_view events)
{
	struct event e;

	while (events.left) {
		if (event_read(&events, &calls, &e))
			return PL_ERR_FORMAT;
		mentions_add_event(m, &e);
	}
	return 0;
}

static void put_codes(struct pl_buf *raw, struct mentions *m, const struct pl_map *bodies)
{
	uint32_t last = 0;

	if (m->count)
		qsort(m->codes, m->count, sizeof *m->codes, by_number);
	buf_varint(raw, m->count);
	for (size_t i = 0; i < m->count; i++) {
		const uint64_t *body = map_find(bodies, m->codes[i]);
		buf_varint(raw, m->codes[i] - last);
		buf_varint(raw, body ? *body : 0);
		last = m->codes[i];
	}
}

/* What a gap made stale is written as not known: a block has no mark for it (stack.h). */
static void put_stack(struct pl_buf *raw, const struct stack *s)
{
	uint32_t task = 0;

	if (s->greenlet)
		buf_varint(raw, s->greenlet);
	buf_varint(raw, s->depth);
	for (uint32_t i = 0; i < s->depth; i++) {
		const struct stack_frame *f = &s->frames[i];
		buf_varint(raw, f->code);
		buf_varint(raw, (uint64_t)stack_place_of(s, i) << 1 | f->linked);
		buf_varint(raw, f->value);
		buf_varint(raw, f->gen);
		buf_u8(raw, f->raised);
		if (task < s->task_count && s->tasks[task].frame == i) {
			buf_string(raw, s->tasks[task].name, s->tasks[task].length);
			task++;
		} else {
			buf_varint(raw, 0);
		}
	}
}

static uint32_t count_known(const struct event_calls *calls)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sizeof calls->at / sizeof *calls->at; i++)
		count += calls->at[i] != 0;
	return count;
}

/* Their places follow from what they are. */
static void put_calls(struct pl_buf *raw, const struct event_calls *calls)
{
	buf_varint(raw, count_known(calls));
	for (uint32_t i = 0; i < sizeof calls->at / sizeof *calls->at; i++) {
		if (!calls->at[i])
			continue;
		buf_varint(raw, (uint32_t)calls->at[i]);
		buf_varint(raw, calls->at[i] >> 32);
	}
}

/* The struct is the bytes: little-endian without padding, as view.h and block.h make sure. */
static void put_head(struct pl_buf *out, size_t at, const struct block_head *head)
{
	uint8_t bytes[BLOCK_HEAD_BYTES] = {0};

	memcpy(bytes, head, sizeof *head);
	const uint64_t check = hash_bytes(bytes, BLOCK_HEAD_CHECK);
	memcpy(bytes + BLOCK_HEAD_CHECK, &check, sizeof check);
	memcpy(out->at + at, bytes, sizeof bytes);
}

static int write_with(
	struct pl_buf *out, const struct block_source *b, struct mentions *m, int level)
{
	struct block_head head = *b->head;
	const bool calls = count_known(&b->stack->calls) != 0;
	struct pl_buf raw = {0};
	size_t at = out->used;
	int err = PL_ERR_MEMORY;

	mention_stack(m, b->stack);
	if (m->failed)
		return err;
	put_codes(&raw, m, b->bodies);
	put_stack(&raw, b->stack);
	if (calls)
		put_calls(&raw, &b->stack->calls);
	buf_put(&raw, b->events.at, b->events.left);
	uint8_t *room = buf_reserve(out, BLOCK_HEAD_BYTES);
	if (raw.failed || !room || raw.used > RECORD_RAW_MAX - BLOCK_HEAD_BYTES)
		goto done;
	out->used += BLOCK_HEAD_BYTES;
	head.flags &= ~(uint32_t)(BLOCK_COMPRESSED | BLOCK_GREENLET | BLOCK_CALLS);
	head.flags |= (b->stack->greenlet ? BLOCK_GREENLET : 0) | (calls ? BLOCK_CALLS : 0);
	if (level > 0 && record_compress(b->packer, out, buf_view(&raw), level))
		head.flags |= BLOCK_COMPRESSED;
	else
		buf_put(out, raw.at, raw.used);
	if (out->failed)
		goto done;
	head.event_bytes = (uint32_t)b->events.left;
	head.raw_bytes = (uint32_t)raw.used;
	head.open_depth = b->stack->depth;
	head.first_switch = m->first_switch;
	if (m->needs_minor > head.needs_minor)
		head.needs_minor = m->needs_minor;
	if (b->stack->greenlet && !head.needs_minor)
		head.needs_minor = 1;
	if (calls && head.needs_minor < MINOR_CALLS)
		head.needs_minor = MINOR_CALLS;
	put_head(out, at, &head);
	err = 0;
done:
	buf_release(&raw);
	return err;
}

int block_write(struct pl_buf *out, const struct block_source *b, int level)
{
	struct mentions own = {0};
	int err;

	if (b->mentions)
		return write_with(out, b, b->mentions, level);
	err = mention_events(&own, b->stack->calls, b->events);
	if (err == 0)
		err = write_with(out, b, &own, level);
	mentions_release(&own);
	return err;
}

/* ---- reading ---- */

/* The check says that these are the bytes that were written, not that an honest writer wrote them:
 * a hostile file has sound checks. So what readers take for granted is asked here: no event is
 * shorter than a byte, time does not go back, and raw_bytes is within what may be asked for at
 * once. */
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
	return 0;
}

/* Numbers grow strictly, so no code has two bodies, and the map is as large as the bytes say. */
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

static int read_frame(struct pl_view *v, struct stack *s)
{
	uint64_t code, place, value, gen;
	uint8_t raised;
	struct pl_view task;

	if (view_varint_max(v, UINT32_MAX, &code) ||
		view_varint_max(v, PLACE_COUNT * 2 - 1, &place) ||
		view_varint_max(v, UINT32_MAX, &value) || view_varint(v, &gen) ||
		view_u8(v, &raised) || raised > RAISED_AGAIN || view_string(v, &task))
		return PL_ERR_FORMAT;
	const struct stack_frame f = {.code = (uint32_t)code,
		.value = (uint32_t)value,
		.gen = gen,
		.place = (uint8_t)(place >> 1),
		.linked = place & 1,
		.raised = raised};
	int err = stack_push(s, &f);
	return err || !task.left ? err : stack_set_task(s, task);
}

static int read_stack(struct pl_view *v, struct stack *s, const struct block_head *head)
{
	uint64_t depth;

	if (head->flags & BLOCK_GREENLET && view_varint(v, &s->greenlet))
		return PL_ERR_FORMAT;
	if (view_varint_max(v, v->left / FRAME_BYTES_MIN, &depth) || depth != head->open_depth)
		return PL_ERR_FORMAT;
	for (uint64_t i = 0; i < depth; i++) {
		int err = read_frame(v, s);
		if (err)
			return err;
	}
	stack_mark(s);
	return 0;
}

/* What two calls have the same place is no damage: the last one is there. */
static int read_calls(struct pl_view *v, struct event_calls *calls)
{
	uint64_t count, site, code;

	if (view_varint_max(v, EVENT_CALLS, &count))
		return PL_ERR_FORMAT;
	for (uint64_t i = 0; i < count; i++) {
		if (view_varint_max(v, UINT32_MAX, &site) || view_varint_max(v, UINT32_MAX, &code))
			return PL_ERR_FORMAT;
		event_calls_put(calls, event_call((uint32_t)site, (uint32_t)code));
	}
	return 0;
}

static int read_plain(struct block *b, struct pl_view payload, struct pl_view *plain)
{
	payload.at += BLOCK_HEAD_BYTES;
	payload.left -= BLOCK_HEAD_BYTES;
	if (b->head.flags & BLOCK_COMPRESSED) {
		int err = record_decompress(payload, b->head.raw_bytes, &b->room);
		*plain = buf_view(&b->room);
		return err;
	}
	*plain = payload;
	return payload.left == b->head.raw_bytes ? 0 : PL_ERR_FORMAT;
}

/* Its room is kept: the thread's next block has about as many codes. */
static void map_empty(struct pl_map *m)
{
	for (size_t i = 0; i < m->room; i++)
		m->slots[i].used = false;
	m->used = 0;
}

int block_open(struct block *b, struct pl_view payload)
{
	struct pl_view plain;
	int err = block_read_head(payload, &b->head);

	map_empty(&b->bodies);
	stack_reset(&b->stack);
	b->events = (struct pl_view){0};
	if (err == 0 && b->head.needs_minor > FORMAT_MINOR)
		err = PL_ERR_VERSION;
	if (err == 0)
		err = read_plain(b, payload, &plain);
	if (err == 0)
		err = read_codes(&plain, &b->bodies);
	if (err == 0)
		err = read_stack(&plain, &b->stack, &b->head);
	if (err == 0 && b->head.flags & BLOCK_CALLS)
		err = read_calls(&plain, &b->stack.calls);
	if (err == 0 && plain.left != b->head.event_bytes)
		err = PL_ERR_FORMAT;
	if (err == 0)
		b->events = plain;
	return err;
}

void block_release(struct block *b)
{
	map_release(&b->bodies);
	stack_release(&b->stack);
	buf_release(&b->room);
	*b = (struct block){0};
}
