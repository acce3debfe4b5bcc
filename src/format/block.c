#include "format/block.h"

#include <stdlib.h>
#include "base/varint.h"

#define CODE_BYTES_MIN	2 /* a code's delta and body */
#define FRAME_BYTES_MIN 6 /* a frame's fields, one byte each */

/* ---- writing ---- */

/* The numbers of all codes that a block names, each once. */
#define NUMBERS_RECENT 64
struct numbers {
	uint32_t *at; /* owned */
	size_t used, room;
	struct pl_map seen;
	uint32_t recent[NUMBERS_RECENT]; /* by their last bits; 0: none */
	bool failed;
	uint64_t first_switch; /* these two are met on the way */
	uint32_t needs_minor;
};

static void numbers_add(struct numbers *n, uint32_t number)
{
	uint32_t *recent = &n->recent[number % NUMBERS_RECENT];

	if (*recent == number && number)
		return;
	*recent = number;
	uint64_t *seen = map_put(&n->seen, number);

	if (!seen) {
		n->failed = true;
		return;
	}
	if (*seen)
		return;
	*seen = 1;
	if (n->used == n->room) {
		size_t room = n->room ? n->room * 2 : 64;
		uint32_t *at = realloc(n->at, room * sizeof *at);
		if (!at) {
			n->failed = true;
			return;
		}
		n->at = at;
		n->room = room;
	}
	n->at[n->used++] = number;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool names_code(enum event_kind kind)
{
	return kind == EVENT_ENTER || kind == EVENT_RESUME || kind == EVENT_THROW ||
	       kind == EVENT_LINK || kind == EVENT_OUTSIDE;
}

static void collect_common(struct numbers *n, struct pl_view *v)
{
	struct event_common e;

	while (event_read_common(v, &e))
		if (e.kind == EVENT_ENTER)
			numbers_add(n, e.code);
}

static int collect_codes(struct numbers *n, const struct block_source *b)
{
	struct pl_view events = b->events;
	struct event e;

	for (uint32_t i = 0; i < b->stack->depth; i++) {
		numbers_add(n, b->stack->frames[i].code);
		if (b->stack->frames[i].raised == RAISED_AGAIN)
			n->needs_minor = MINOR_WITNESSES;
	}
	for (collect_common(n, &events); events.left; collect_common(n, &events)) {
		if (event_read(&events, &e))
			return PL_ERR_FORMAT;
		if (names_code(e.kind))
			numbers_add(n, e.code);
		if (e.kind == EVENT_SWITCH && !n->first_switch)
			n->first_switch = e.a;
		if (event_minor(&e) > n->needs_minor)
			n->needs_minor = event_minor(&e);
	}
	if (n->failed)
		return PL_ERR_MEMORY;
	if (n->used)
		qsort(n->at, n->used, sizeof *n->at, by_number);
	return 0;
}

static void put_codes(struct pl_buf *raw, const struct numbers *n, const struct pl_map *bodies)
{
	uint32_t last = 0;

	buf_varint(raw, n->used);
	for (size_t i = 0; i < n->used; i++) {
		const uint64_t *body = map_find(bodies, n->at[i]);
		buf_varint(raw, n->at[i] - last);
		buf_varint(raw, body ? *body : 0);
		last = n->at[i];
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

/* The struct is the bytes: little-endian without padding, as view.h and block.h make sure. */
static void put_head(struct pl_buf *out, size_t at, const struct block_head *head)
{
	uint8_t bytes[BLOCK_HEAD_BYTES] = {0};

	memcpy(bytes, head, sizeof *head);
	const uint64_t check = hash_bytes(bytes, BLOCK_HEAD_CHECK);
	memcpy(bytes + BLOCK_HEAD_CHECK, &check, sizeof check);
	memcpy(out->at + at, bytes, sizeof bytes);
}

int block_write(struct pl_buf *out, const struct block_source *b, int level)
{
	struct numbers numbers = {0};
	struct pl_buf raw = {0};
	struct block_head head = *b->head;
	size_t at = out->used;
	int err = collect_codes(&numbers, b);

	if (err)
		goto done;
	put_codes(&raw, &numbers, b->bodies);
	put_stack(&raw, b->stack);
	buf_put(&raw, b->events.at, b->events.left);
	uint8_t *room = buf_reserve(out, BLOCK_HEAD_BYTES);
	if (raw.failed || !room || raw.used > RECORD_RAW_MAX - BLOCK_HEAD_BYTES) {
		err = PL_ERR_MEMORY;
		goto done;
	}
	out->used += BLOCK_HEAD_BYTES;
	head.flags &= ~(uint32_t)(BLOCK_COMPRESSED | BLOCK_GREENLET);
	head.flags |= b->stack->greenlet ? BLOCK_GREENLET : 0;
	if (level > 0 && record_compress(out, buf_view(&raw), level))
		head.flags |= BLOCK_COMPRESSED;
	else
		buf_put(out, raw.at, raw.used);
	if (out->failed) {
		err = PL_ERR_MEMORY;
		goto done;
	}
	head.event_bytes = (uint32_t)b->events.left;
	head.raw_bytes = (uint32_t)raw.used;
	head.open_depth = b->stack->depth;
	head.first_switch = numbers.first_switch;
	if (numbers.needs_minor > head.needs_minor)
		head.needs_minor = numbers.needs_minor;
	if (b->stack->greenlet && !head.needs_minor)
		head.needs_minor = 1;
	put_head(out, at, &head);
done:
	buf_release(&raw);
	free(numbers.at);
	map_release(&numbers.seen);
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
