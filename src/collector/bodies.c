/* What happens when a code is described, for three lambdas of which two are equal:
 *
 *	bodies_add(code 8, body A)    known: none    -> number 0, BODIES: 0 A,  CODES: 8 0
 *	bodies_add(code 9, body B)    known: none    -> number 1, BODIES: 1 B,  CODES: 9 1
 *	bodies_add(code 10, body A)   known: 0       ->                         CODES: 10 0
 *
 * `kept` has the bytes of bodies, because equal hashes do not prove that two are equal.
 */
#include "collector/bodies.h"

#include <stdlib.h>
#include <string.h>

/* In `kept`: | body number u32 | text u32 | length u32 | the body's bytes | */
#define KEPT_HEAD 12

/* Of the text too: equal code from another text is another body, since its lines are shown from
 * that text. */
static uint64_t hash_body(uint32_t text, struct pl_view body)
{
	uint64_t pair[2] = {text, hash_bytes(body.at, body.left)};

	return hash_bytes(pair, sizeof pair);
}

/* The number of an equal body + 1; 0: none. */
static uint32_t find_equal(const struct bodies *b, uint64_t at, uint32_t text, struct pl_view body)
{
	uint32_t head[3];
	const uint8_t *kept = b->kept.at + at;

	memcpy(head, kept, sizeof head);
	if (head[1] != text || head[2] != body.left ||
		memcmp(kept + KEPT_HEAD, body.at, body.left) != 0)
		return 0;
	return head[0] + 1;
}

/* The first body with a hash is kept; another one with the same hash is stored anew each time. */
static void keep_body(
	struct bodies *b, uint64_t *place, uint32_t number, uint32_t text, struct pl_view body)
{
	if (!place || *place || b->kept.failed ||
		b->kept.used + body.left + KEPT_HEAD > BODIES_KEPT_MAX)
		return;
	*place = b->kept.used + 1;
	buf_u32(&b->kept, number);
	buf_u32(&b->kept, text);
	buf_u32(&b->kept, (uint32_t)body.left);
	buf_put(&b->kept, body.at, body.left);
	if (b->kept.failed)
		*place = 0;
}

/* In the map for the blocks that follow, and in CODES for a finisher. */
static void set_code(struct bodies *b, uint32_t code, uint32_t number)
{
	uint64_t *to = map_put(&b->codes, code);

	if (to)
		*to = (uint64_t)number + 1;
	buf_varint(&b->pairs, code);
	buf_varint(&b->pairs, number);
}

void bodies_add(struct bodies *b, uint32_t code, uint32_t text, struct pl_view body)
{
	uint64_t *place = map_put(&b->known, hash_body(text, body));
	uint32_t same = place && *place ? find_equal(b, *place - 1, text, body) : 0;

	if (same) {
		set_code(b, code, same - 1);
		return;
	}
	uint32_t number = b->count++;
	graphs_add(&b->graphs, number, body);
	keep_body(b, place, number, text, body);
	buf_varint(&b->records, number);
	buf_varint(&b->records, text ? (uint64_t)text + 1 : 0);
	buf_string(&b->records, body.at, body.left);
	set_code(b, code, number);
}

/* A follow_find. It is asked at each call and return, mostly for the same few codes, so the last
 * ones are kept at places by number. A code without a body is asked for again each time: it may yet
 * be described. */
static struct follow_code *follow_of(void *bodies, uint32_t code)
{
	struct bodies *b = bodies;
	uint32_t place = code % BODIES_RECENT;

	if (b->recent[place].code == code && code)
		return b->recent[place].follow;
	const uint64_t *body = map_find(&b->codes, code);
	struct follow_code *follow =
		body && *body ? graphs_find(&b->graphs, (uint32_t)*body - 1) : NULL;
	b->recent[place].follow = follow;
	b->recent[place].code = follow ? code : 0;
	return follow;
}

struct follow_codes bodies_codes(struct bodies *b)
{
	return (struct follow_codes){.find = follow_of, .context = b};
}

/* A record that is incomplete for lack of memory makes store_put fail the store. */
static void flush_one(struct pl_buf *b, enum record_kind kind, struct store *out)
{
	if (!b->used && !b->failed)
		return;
	store_put(out, kind, b);
	buf_reset(b);
	b->failed = false;
}

void bodies_flush(struct bodies *b, struct store *out)
{
	flush_one(&b->records, RECORD_BODIES, out);
	flush_one(&b->pairs, RECORD_CODES, out);
}

/* If there is no memory, the code stays in the map: that costs its bytes, and nothing else. */
void bodies_free_code(struct bodies *b, uint32_t code)
{
	if (b->freed_count == b->freed_room) {
		size_t room = b->freed_room ? b->freed_room * 2 : 1024;
		uint32_t *at = realloc(b->freed, room * sizeof *at);
		if (!at)
			return;
		b->freed = at;
		b->freed_room = room;
	}
	b->freed[b->freed_count++] = code;
}

/* Forget the oldest `count` bodies. Numbers are never reused, so later references find nothing. */
void bodies_forget(struct bodies *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		map_remove(&b->codes, b->freed[i]);
	memmove(b->freed, b->freed + count, (b->freed_count - count) * sizeof *b->freed);
	b->freed_count -= count;
}

/* A finisher continues with the bodies and numbers that the collector had. What cannot be decoded
 * ends the record: what is before it is used. */
void bodies_load(struct bodies *b, struct pl_view v)
{
	uint64_t number, text;
	struct pl_view body;

	while (v.left && !view_varint_max(&v, UINT32_MAX - 1, &number) &&
		!view_varint_max(&v, UINT32_MAX, &text) && !view_string(&v, &body)) {
		uint32_t from = text ? (uint32_t)text - 1 : 0;
		graphs_add(&b->graphs, (uint32_t)number, body);
		keep_body(
			b, map_put(&b->known, hash_body(from, body)), (uint32_t)number, from, body);
		if (number >= b->count)
			b->count = (uint32_t)number + 1;
	}
}

void bodies_load_codes(struct bodies *b, struct pl_view v)
{
	uint64_t code, number;

	while (v.left && !view_varint_max(&v, UINT32_MAX, &code) &&
		!view_varint_max(&v, UINT32_MAX - 1, &number)) {
		uint64_t *to = map_put(&b->codes, code);
		if (to)
			*to = number + 1;
	}
}

void bodies_release(struct bodies *b)
{
	map_release(&b->codes);
	map_release(&b->known);
	graphs_release(&b->graphs);
	standings_release(&b->standings);
	free(b->freed);
	buf_release(&b->kept);
	buf_release(&b->records);
	buf_release(&b->pairs);
	*b = (struct bodies){0};
}
