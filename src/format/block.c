#include "format/block.h"

#include <stdlib.h>
#include "base/varint.h"
#include "format/section_row.h"

#define CODE_BYTES_MIN	2    /* a code's delta and body */
#define FRAME_BYTES_MIN 6    /* a frame's fields, one byte each */
#define FRONT_LEVEL	1    /* zstd */
#define FRONT_PACK_MIN	1024 /* compressing less takes 50 us and saves 60 bytes */
#define OTHERS_SHORT	64   /* bytes between two events that are stored apart */

/* ---- writing ---- */

/* Codes are written as differences, so they are sorted. */
static int compare_code_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* What the stack needs is mentioned like what events need: its codes, and the minor version of a
 * place that older readers do not have. */
static void mention_stack(struct mentions *m, const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		mentions_add_code(m, stack->frames[i].code);
		if (stack->frames[i].raised == RAISED_AGAIN && m->needs_minor < MINOR_WITNESSES)
			m->needs_minor = MINOR_WITNESSES;
	}
}

/* Read the events once more, for a caller that has not mentioned them on the way. `before`: bytes
 * of the parts before this one. */
static int mention_part(
	struct mentions *m, struct event_calls *calls, struct pl_view part, size_t before)
{
	const uint8_t *first = part.at;
	struct event e;

	while (part.left) {
		const uint8_t *at = part.at;
		if (event_read(&part, calls, &e))
			return PL_ERR_FORMAT;
		mentions_add_event(m, &e);
		mentions_add_place(
			m, e.kind, before + (size_t)(at - first), (size_t)(part.at - at));
	}
	return 0;
}

/* All parts of the block, in their order. */
static int mention_events(struct mentions *m, const struct block_source *b)
{
	struct event_calls calls = b->stack->calls;
	size_t before = 0;
	int err = 0;

	for (size_t i = 0; i < b->part_count && err == 0; i++) {
		err = mention_part(m, &calls, b->parts[i], before);
		before += b->parts[i].left;
	}
	return err;
}

/* | count | (number - the one before, body number + 1)… | */
static void put_codes(struct pl_buf *raw, struct mentions *m, const struct pl_map *bodies)
{
	uint32_t last = 0;

	if (m->count)
		qsort(m->codes, m->count, sizeof *m->codes, compare_code_number);
	buf_varint(raw, m->count);
	for (size_t i = 0; i < m->count; i++) {
		const uint64_t *body = map_find(bodies, m->codes[i]);
		buf_varint(raw, m->codes[i] - last);
		buf_varint(raw, body ? *body : 0);
		last = m->codes[i];
	}
}

/* Does any task have a number? If not, the stack is written without, as before 1.9. */
static bool has_numbers(const struct stack *s)
{
	for (uint32_t i = 0; i < s->task_count; i++)
		if (s->tasks[i].number && s->tasks[i].frame < s->depth)
			return true;
	return false;
}

/* | [greenlet] | depth | frame… |
 * with frame: | code | place << 1 + linked | value | gen | raised u8 | "task" | [number] |
 *
 * A place that a gap made stale is written as unknown: a block has no mark for it (stack.h).
 */
static void put_stack(struct pl_buf *raw, const struct stack *s)
{
	const bool numbers = has_numbers(s);
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
			if (numbers)
				buf_varint(raw, s->tasks[task].number);
			task++;
		} else {
			buf_varint(raw, 0);
			if (numbers)
				buf_varint(raw, 0);
		}
	}
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A table of calls has places that are not used: those are 0. */
static uint32_t count_known(const uint64_t *calls, size_t places)
{
	uint32_t count = 0;

	for (size_t i = 0; i < places; i++)
		count += calls[i] != 0;
	return count;
}

/* | count | (site, code)… |
 *
 * The places follow from the calls themselves.
 */
static void put_calls(struct pl_buf *raw, const uint64_t *calls, size_t places)
{
	buf_varint(raw, count_known(calls, places));
	for (size_t i = 0; i < places; i++) {
		if (!calls[i])
			continue;
		buf_varint(raw, (uint32_t)calls[i]);
		buf_varint(raw, calls[i] >> 32);
	}
}

/* Likewise those of generators. */
static uint32_t count_resumes(const struct event_calls *calls)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < EVENT_RESUMES; i++)
		count += calls->resumes[i].code != 0;
	return count;
}

/* | count | (site, code, gen, unit)… | */
static void put_resumes(struct pl_buf *raw, const struct event_calls *calls)
{
	buf_varint(raw, count_resumes(calls));
	for (uint32_t i = 0; i < EVENT_RESUMES; i++) {
		const struct event_resume *r = &calls->resumes[i];
		if (!r->code)
			continue;
		buf_varint(raw, r->site);
		buf_varint(raw, r->code);
		buf_varint(raw, r->gen);
		buf_varint(raw, r->unit);
	}
}

/* The bytes of all events, before any of them is set apart. */
static size_t event_bytes(const struct block_source *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->part_count; i++)
		n += b->parts[i].left;
	return n;
}

/* A piece of the events: one that is stored apart, one for a section, or others. */
enum piece { PIECE_OTHERS, PIECE_APART, PIECE_FURTHER };

/* The events that are stored apart or in sections and those between them, in turns, each within one
 * part. Pieces of the others may be empty. */
static inline __attribute__((always_inline)) void each_piece(const struct block_source *b,
	const struct mentions *m,
	void (*visit)(void *context, struct pl_view piece, enum piece kind), void *context)
{
	const struct mention_apart *a = m->apart, *last = a + m->apart_count;
	size_t at = 0;

	for (size_t i = 0; i < b->part_count; i++) {
		struct pl_view rest = b->parts[i];
		for (; a != last && a->at < at + rest.left; a++) {
			const size_t before = a->at - at;
			visit(context, view_of(rest.at, before), PIECE_OTHERS);
			visit(context, view_of(rest.at + before, a->length),
				a->further ? PIECE_FURTHER : PIECE_APART);
			rest = view_of(
				rest.at + before + a->length, rest.left - before - a->length);
			at += before + a->length;
		}
		visit(context, rest, PIECE_OTHERS);
		at += rest.left;
	}
}

/* The events that are stored apart: | count | (bytes between, length, event)… | */
struct apart_put {
	struct pl_buf *raw;
	size_t skipped; /* bytes since the one before */
};

/* For each_piece: append an event with the distance from the one before it. */
static void add_apart(void *context, struct pl_view piece, enum piece kind)
{
	struct apart_put *to = context;
	uint8_t *at =
		kind == PIECE_APART ? buf_reserve(to->raw, 2 * PL_VARINT_MAX + piece.left) : NULL;

	to->skipped += kind == PIECE_OTHERS ? piece.left : 0;
	if (!at)
		return;
	uint8_t *end = varint_write(varint_write(at, to->skipped), piece.left);
	memcpy(end, piece.at, piece.left);
	to->raw->used += (size_t)(end - at) + piece.left;
	to->skipped = 0;
}

/* What the reader needs to put them back in their places. */
static void put_apart_places(
	struct pl_buf *raw, const struct mentions *m, const struct block_source *b)
{
	buf_varint(raw, m->apart_count - m->further_count);
	each_piece(b, m, add_apart, &(struct apart_put){.raw = raw});
}

/* ---- the events that are not stored apart ---- */

/* The bytes of events that stay together. */
static size_t others_bytes(const struct mentions *m, const struct block_source *b)
{
	size_t n = event_bytes(b);

	for (size_t i = 0; i < m->apart_count; i++)
		n -= m->apart[i].length;
	return n;
}

/* For each_piece: append it to what is copied together. */
static void copy_other(void *context, struct pl_view piece, enum piece kind)
{
	uint8_t **to = context;

	if (kind != PIECE_OTHERS || !piece.left)
		return;
	memcpy(*to, piece.at, piece.left);
	*to += piece.left;
}

static void put_others(struct pl_buf *raw, const struct mentions *m, const struct block_source *b)
{
	uint8_t *to = buf_reserve(raw, others_bytes(m, b));

	if (!to)
		return;
	each_piece(b, m, copy_other, &to);
	raw->used = (size_t)(to - raw->at);
}

/* For each_piece: note where it is. */
static void add_other(void *context, struct pl_view piece, enum piece kind)
{
	struct pl_view **to = context;

	if (kind == PIECE_OTHERS && piece.left)
		*(*to)++ = piece;
}

/* ---- events of further kinds ---- */

/* The section of one kind, while it is made. */
struct section_put {
	uint64_t kind, next; /* next: the least kind that is greater; 0: none */
	struct pl_buf rows;
	size_t skipped; /* bytes of events, without any of further kinds, since the one before */
	uint64_t events, stream_bytes;
};

/* For each_piece: an event of the kind, with the distance from the one before it. Its bytes in the
 * stream end with what the row has: a string. */
static void add_further(void *context, struct pl_view piece, enum piece kind)
{
	struct section_put *to = context;
	struct pl_view rest = piece;
	uint64_t its = 0;
	uint8_t prefix;

	to->skipped += kind == PIECE_FURTHER ? 0 : piece.left;
	if (kind != PIECE_FURTHER || view_u8(&rest, &prefix) || view_varint(&rest, &its))
		return;
	if (its > to->kind && (!to->next || its < to->next))
		to->next = its;
	if (its != to->kind)
		return;
	buf_varint(&to->rows, to->skipped);
	buf_put(&to->rows, rest.at, rest.left);
	to->skipped = 0;
	to->events++;
	to->stream_bytes += piece.left;
}

/* A row of the table, and the section. Kind 0 has no events: with it the first is found. */
static void put_section(struct pl_buf *table, struct pl_buf *sections, const struct section_put *s,
	struct packer *packer)
{
	const size_t at = sections->used;

	if (!s->events)
		return;
	if (!record_compress(packer, sections, buf_view(&s->rows), FRONT_LEVEL))
		buf_put(sections, s->rows.at, s->rows.used);
	section_row_write(table, &(struct section_row){.kind = s->kind,
					 .events = s->events,
					 .stream_bytes = s->stream_bytes,
					 .raw = s->rows.used,
					 .stored = sections->used - at});
}

/* | bytes u32 | (kind, events, stream bytes, raw, stored)… | XXH3 | section… |
 *
 * Returns the flag, 0 if there are none.
 */
static uint32_t put_sections(
	struct pl_buf *out, const struct block_source *b, const struct mentions *m)
{
	struct pl_buf table = {0}, sections = {0};
	struct section_put s = {0};

	if (!m->further_count)
		return 0;
	do {
		s = (struct section_put){.kind = s.next, .rows = s.rows};
		buf_reset(&s.rows);
		each_piece(b, m, add_further, &s);
		put_section(&table, &sections, &s, b->packer);
	} while (s.next);
	const size_t at = out->used;
	buf_u32(out, (uint32_t)table.used);
	buf_put(out, table.at, table.used);
	if (!out->failed)
		buf_u64(out, hash_bytes(out->at + at, out->used - at));
	buf_put(out, sections.at, sections.used);
	out->failed |= table.failed || sections.failed || s.rows.failed;
	buf_release(&table);
	buf_release(&sections);
	buf_release(&s.rows);
	return BLOCK_SECTIONS;
}

/* The struct has the bytes of the head: little-endian without padding, as view.h and block.h
 * check. */
static void put_head(struct pl_buf *out, size_t at, const struct block_head *head)
{
	uint8_t bytes[BLOCK_HEAD_BYTES] = {0};

	memcpy(bytes, head, sizeof *head);
	const uint64_t check = hash_bytes(bytes, BLOCK_HEAD_CHECK);
	memcpy(bytes + BLOCK_HEAD_CHECK, &check, sizeof check);
	memcpy(out->at + at, bytes, sizeof bytes);
}

/* Write what is before the events. Returns the flags of what there is. */
static uint32_t put_front(struct pl_buf *raw, const struct block_source *b, struct mentions *m)
{
	const struct stack *stack = b->stack;
	const struct event_calls *calls = &stack->calls;
	const uint32_t flags = (stack->greenlet ? BLOCK_GREENLET : 0) |
			       (has_numbers(stack) ? BLOCK_TASKS : 0) |
			       (count_known(calls->at, LENGTH(calls->at)) ? BLOCK_CALLS : 0) |
			       (count_known(calls->far, LENGTH(calls->far)) ? BLOCK_FAR_CALLS : 0) |
			       (count_resumes(calls) ? BLOCK_RESUMES : 0) |
			       (m->apart_count > m->further_count ? BLOCK_APART : 0);

	put_codes(raw, m, b->bodies);
	put_stack(raw, stack);
	if (flags & BLOCK_CALLS)
		put_calls(raw, calls->at, LENGTH(calls->at));
	if (flags & BLOCK_FAR_CALLS)
		put_calls(raw, calls->far, LENGTH(calls->far));
	if (flags & BLOCK_RESUMES)
		put_resumes(raw, calls);
	if (flags & BLOCK_APART)
		put_apart_places(raw, m, b);
	return flags;
}

/* The others in pieces, where they are: nothing is copied before it is compressed. */
static bool pack_other_pieces(struct pl_buf *out, const struct block_source *b,
	const struct mentions *m, uint32_t *before)
{
	struct pl_view *pieces = malloc((b->part_count + m->apart_count + 1) * sizeof *pieces);
	struct pl_view *end = pieces;

	if (!pieces)
		return false;
	each_piece(b, m, add_other, &end);
	const struct chain_source source = {pieces, (size_t)(end - pieces)};
	const bool done = chain_pack(b->chain, &source, out, before);
	free(pieces);
	return done;
}

/* If most events have a time of their own, copying the others together is cheaper than giving zstd
 * a few bytes at a time. */
static bool pack_others(struct pl_buf *out, const struct block_source *b, const struct mentions *m,
	uint32_t *before)
{
	struct pl_buf copy = {0};

	if (m->apart_count <= event_bytes(b) / OTHERS_SHORT)
		return pack_other_pieces(out, b, m, before);
	put_others(&copy, m, b);
	const struct pl_view whole = buf_view(&copy);
	const bool done = !copy.failed &&
			  chain_pack(b->chain, &(struct chain_source){&whole, 1}, out, before);
	buf_release(&copy);
	return done;
}

/* The front is compressed by itself: between the events of two blocks it would interrupt what
 * repeats. false: nothing was appended. */
static bool put_chained(struct pl_buf *out, struct pl_view front, const struct block_source *b,
	const struct mentions *m, uint32_t *flags)
{
	struct pl_buf packed = {0};
	size_t at = out->used;
	uint32_t before = 0;

	if (front.left < FRONT_PACK_MIN ||
		!record_compress(b->packer, &packed, front, FRONT_LEVEL)) {
		buf_reset(&packed);
		buf_put(&packed, front.at, front.left);
	}
	buf_varint(out, front.left);
	buf_string(out, packed.at, packed.used);
	const bool done = !packed.failed && pack_others(out, b, m, &before);
	buf_release(&packed);
	if (done)
		*flags |= BLOCK_CHAINED | before << 16;
	else
		out->used = at;
	return done;
}

/* Outside a chain, everything after the head is one frame; plain, if that is not smaller. */
static void put_alone(struct pl_buf *out, struct pl_view raw, const struct block_source *b,
	int level, uint32_t *flags)
{
	if (level > 0 && record_compress(b->packer, out, raw, level))
		*flags |= BLOCK_COMPRESSED;
	else
		buf_put(out, raw.at, raw.left);
}

/* The least minor version that reads all that the block has, so that an older reader refuses only
 * blocks with something new in them. */
static uint32_t minor_of(const struct block_head *head, const struct mentions *m)
{
	uint32_t minor = head->needs_minor > m->needs_minor ? head->needs_minor : m->needs_minor;
	const uint32_t needed = head->flags & BLOCK_SECTIONS	? MINOR_SECTIONS
				: head->flags & BLOCK_TASKS	? MINOR_TASKS
				: head->flags & BLOCK_FAR_CALLS ? MINOR_FAR_CALLS
				: head->flags & (BLOCK_RESUMES | BLOCK_APART | BLOCK_CHAINED)
					? MINOR_CHAINS
				: head->flags & BLOCK_CALLS    ? MINOR_CALLS
				: head->flags & BLOCK_GREENLET ? 1
							       : 0;

	return minor > needed ? minor : needed;
}

/* The head has numbers that are known only when the rest is packed: there is room for it first, and
 * it is written last, at an offset, because the buffer may have moved. */
static int write_with(
	struct pl_buf *out, const struct block_source *b, struct mentions *m, int level)
{
	struct block_head head = *b->head;
	const size_t bytes = event_bytes(b);
	struct pl_buf raw = {0};
	size_t at = out->used;
	int err = PL_ERR_MEMORY;

	mention_stack(m, b->stack);
	if (m->failed)
		return err;
	head.flags = (head.flags & BLOCK_CONTINUES) | put_front(&raw, b, m);
	head.raw_bytes = (uint32_t)(raw.used + others_bytes(m, b));
	uint8_t *room = buf_reserve(out, BLOCK_HEAD_BYTES);
	if (raw.failed || !room || raw.used + bytes > RECORD_RAW_MAX - BLOCK_HEAD_BYTES)
		goto done;
	out->used += BLOCK_HEAD_BYTES;
	head.flags |= put_sections(out, b, m);
	if (!level || !b->chain || !put_chained(out, buf_view(&raw), b, m, &head.flags)) {
		put_others(&raw, m, b);
		put_alone(out, buf_view(&raw), b, level, &head.flags);
	}
	if (out->failed || raw.failed)
		goto done;
	head.event_bytes = (uint32_t)(bytes - m->further_bytes);
	head.open_depth = b->stack->depth;
	head.first_switch = m->first_switch;
	head.needs_minor = minor_of(&head, m);
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
	err = mention_events(&own, b);
	if (err == 0)
		err = write_with(out, b, &own, level);
	mentions_release(&own);
	return err;
}

/* ---- reading ---- */

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
