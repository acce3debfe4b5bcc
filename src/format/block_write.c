#include "format/block.h"

#include <stdlib.h>
#include "base/varint.h"
#include "format/section_row.h"

#define FRONT_LEVEL    1    /* zstd */
#define FRONT_PACK_MIN 1024 /* compressing less takes 50 us and saves 60 bytes */
#define OTHERS_SHORT   64   /* bytes between two events that are stored apart */

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
	section_table_write(out, &table);
	buf_put(out, sections.at, sections.used);
	out->failed |= sections.failed || s.rows.failed;
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
