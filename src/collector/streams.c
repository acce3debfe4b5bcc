#include "collector/streams.h"

#include <stdlib.h>
#include <string.h>

static struct stream nobody; /* never read, only compared with: owner of invalid chunks */

static uint64_t name_of(uint32_t process, uint32_t thread)
{
	return (uint64_t)process << 32 | thread;
}

struct stream *streams_find(const struct streams *s, uint32_t process, uint32_t thread)
{
	const uint64_t *at = map_find(&s->by_name, name_of(process, thread));

	return at ? (struct stream *)(uintptr_t)*at : NULL;
}

/* Arrays of pointers grow by doubling: a stream's address never changes, so others may hold it. */
static bool room_for_one(struct stream ***all, uint32_t count, uint32_t *room)
{
	if (count < *room)
		return true;
	uint32_t more = *room ? *room * 2 : 64;
	struct stream **larger = realloc(*all, more * sizeof **all);
	if (!larger)
		return false;
	*all = larger;
	*room = more;
	return true;
}

/* Its index among the messages, or where it would be. Searched from the end, since a new process
 * has the largest number so far. */
static uint32_t place_of(const struct streams *s, uint32_t process)
{
	uint32_t at = s->message_count;

	while (at && s->messages[at - 1]->process >= process)
		at--;
	return at;
}

/* Messages are kept by growing number of the process. A child has a larger number than the process
 * from which it was forked, and look_at_messages depends on that. */
static void insert_messages(struct streams *s, struct stream *t)
{
	uint32_t at = place_of(s, t->process);

	memmove(&s->messages[at + 1], &s->messages[at],
		(s->message_count++ - at) * sizeof *s->messages);
	s->messages[at] = t;
}

static void remove_messages(struct streams *s, const struct stream *t)
{
	uint32_t at = place_of(s, t->process);

	memmove(&s->messages[at], &s->messages[at + 1],
		(--s->message_count - at) * sizeof *s->messages);
}

struct stream *streams_add(struct streams *s, uint32_t process, uint32_t thread)
{
	struct stream *t = calloc(1, sizeof *t);

	bool room = t && room_for_one(&s->all, s->count, &s->room) &&
		    room_for_one(&s->messages, s->message_count, &s->message_room);
	uint64_t *place = room ? map_put(&s->by_name, name_of(process, thread)) : NULL;
	if (!place) {
		free(t);
		return NULL;
	}
	*place = (uintptr_t)t;
	t->process = process;
	t->thread = thread;
	t->kind = thread == STREAM_MESSAGES ? STREAM_OF_MESSAGES : STREAM_OF_EVENTS;
	t->any_order = s->resumed;
	s->all[s->count++] = t;
	if (t->kind == STREAM_OF_MESSAGES)
		insert_messages(s, t);
	else
		s->threads++;
	return t;
}

static void stream_free(struct stream *t)
{
	stack_release(&t->stack);
	sample_thread_release(&t->sample);
	free(t->chunks);
	free(t);
}

/* The last one takes its place, so a caller that walks over all of them walks downwards. */
void streams_remove(struct streams *s, uint32_t index)
{
	struct stream *t = s->all[index];

	if (t->kind == STREAM_OF_MESSAGES)
		remove_messages(s, t);
	map_remove(&s->by_name, name_of(t->process, t->thread));
	stream_free(t);
	s->all[index] = s->all[--s->count];
}

void streams_release(struct streams *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		stream_free(s->all[i]);
	free(s->all);
	free(s->messages);
	map_release(&s->by_name);
	*s = (struct streams){0};
}

/* ---- looking ---- */

/* Insert by order; false: no memory, or the order exists already. Searched from the end: chunks are
 * mostly seen in the order in which they were taken. */
static bool insert(struct stream *t, const struct held_chunk *h)
{
	uint32_t at = t->count;

	while (at && t->chunks[at - 1].order > h->order)
		at--;
	if (at && t->chunks[at - 1].order == h->order)
		return false;
	if (t->count == t->room) {
		uint32_t room = t->room ? t->room * 2 : 4;
		struct held_chunk *chunks = realloc(t->chunks, room * sizeof *chunks);
		if (!chunks)
			return false;
		t->chunks = chunks;
		t->room = room;
	}
	memmove(&t->chunks[at + 1], &t->chunks[at], (t->count - at) * sizeof *t->chunks);
	t->chunks[at] = *h;
	t->count++;
	return true;
}

/* Add a chunk whose head is complete, seen for the first time. An invalid chunk belongs to nobody
 * from then on, and is not looked at again: its process was never numbered, no stream comes to its
 * position, or its order exists already. */
static void admit(struct streams *s, const struct arena *a, uint32_t index)
{
	const struct chunk *c = arena_chunk(a, index);
	struct held_chunk h = {.index = index,
		.order = c->order,
		.state = CHUNK_OWNED,
		.stream_bytes = c->stream_bytes,
		.open_ticks = c->open_ticks};
	uint32_t process = c->process, thread = c->thread;
	struct stream *t = NULL;

	if (process &&
		process <= atomic_load_explicit(&a->head->next_process, memory_order_acquire) &&
		h.stream_bytes <= INT64_MAX) {
		t = streams_find(s, process, thread);
		if (!t)
			t = streams_add(s, process, thread);
	}
	if (!t || (!t->any_order && h.order < t->next_order) || !insert(t, &h)) {
		s->owner[index] = &nobody;
		s->refused++;
		return;
	}
	t->ended = false;
	s->owner[index] = t;
}

/* The arena's bitmap says which chunks are taken; 64 are looked at together, so that an idle arena
 * costs a few loads. A chunk that is taken but has still the state FREE has no complete head yet:
 * it is seen at the next look. */
static void admit_new(struct streams *s, const struct arena *a)
{
	uint32_t count = a->file_chunks < a->chunk_limit ? a->file_chunks : a->chunk_limit;

	for (uint32_t w = 0; w * 64 < count; w++) {
		uint64_t taken = ~atomic_load_explicit(&a->head->free[w], memory_order_acquire);
		for (; taken; taken &= taken - 1) {
			uint32_t index = w * 64 + (uint32_t)__builtin_ctzll(taken);
			if (index >= count)
				break;
			if (!s->owner[index] && atomic_load_explicit(&arena_chunk(a, index)->state,
							memory_order_acquire) != CHUNK_FREE)
				admit(s, a, index);
		}
	}
}

/* State before used: if the state is final, so is the number that is read after it. all: nobody can
 * take back what was written ahead. */
static bool refresh(struct held_chunk *h, const struct arena *a, bool all)
{
	struct chunk *c = arena_chunk(a, h->index);
	uint32_t state = atomic_load_explicit(&c->state, memory_order_acquire);
	uint64_t word = atomic_load_explicit(&c->used, memory_order_acquire);
	uint64_t used = word & (((uint64_t)1 << CHUNK_AHEAD_SHIFT) - 1);
	uint64_t ahead = all || state != CHUNK_OWNED ? 0 : word >> CHUNK_AHEAD_SHIFT;
	bool moved = false;

	used -= ahead <= used ? ahead : used;
	if (used <= CHUNK_ROOM && used > h->used) {
		h->used = (uint32_t)used;
		moved = true;
	}
	if (state == CHUNK_CLOSED || state == CHUNK_LAST) {
		h->state = state;
		moved = true;
	}
	return moved;
}

/* Only the last chunks of a stream can have changed: from the first one, seen from the end, that is
 * closed, all before it are final. */
static bool look(struct stream *t, const struct arena *a, int64_t now_ns)
{
	bool moved = false;

	for (uint32_t k = t->count; k-- > 0 && t->chunks[k].state == CHUNK_OWNED;)
		moved |= refresh(&t->chunks[k], a, false);
	if (!t->since_ns && stream_pending(t))
		t->since_ns = now_ns;
	return moved;
}

/* A new process may have been forked while the chunks were walked over, and its parent may have
 * taken another chunk at an index that was passed already: so the walk is repeated. A child's
 * messages are looked at before its parent's. */
static bool look_at_messages(struct streams *s, const struct arena *a, int64_t now_ns)
{
	bool moved = false;
	uint32_t count;

	do {
		count = s->message_count;
		admit_new(s, a);
	} while (s->message_count != count);
	for (uint32_t i = s->message_count; i-- > 0;)
		moved |= look(s->messages[i], a, now_ns);
	return moved;
}

bool streams_look(
	struct streams *s, const struct arena *a, enum streams_which which, int64_t now_ns)
{
	bool moved = false;

	if (which == STREAMS_MESSAGES)
		return look_at_messages(s, a, now_ns);
	admit_new(s, a);
	for (uint32_t i = 0; i < s->count; i++)
		if (s->all[i]->kind != STREAM_OF_MESSAGES)
			moved |= look(s->all[i], a, now_ns);
	return moved;
}

/* ---- one stream ---- */

void stream_look_last(struct stream *t, const struct arena *a)
{
	for (uint32_t k = 0; k < t->count; k++)
		if (t->chunks[k].state == CHUNK_OWNED)
			refresh(&t->chunks[k], a, true);
}

/* The number of chunks that follow each other without a hole. */
static uint32_t chain_length(const struct stream *t)
{
	uint32_t n = 0, order = t->any_order && t->count ? t->chunks[0].order : t->next_order;

	while (n < t->count && t->chunks[n].order == order + n &&
		(!n || t->chunks[n - 1].state == CHUNK_CLOSED))
		n++;
	return n;
}

/* The bytes that can be written now: those of chunks after a hole have to wait until it is filled,
 * or skipped. */
uint64_t stream_pending(const struct stream *t)
{
	uint32_t n = chain_length(t);
	uint64_t end = n ? t->chunks[n - 1].stream_bytes + t->chunks[n - 1].used : 0;

	return end > t->position ? end - t->position : 0;
}

/* What a chunk has from position `at` on. The bytes stay where they are, and are not copied. */
bool stream_part(const struct stream *t, const struct arena *a, uint64_t at,
	const struct held_chunk **from, struct pl_view *part)
{
	uint32_t n = chain_length(t);

	for (uint32_t i = 0; i < n; i++) {
		const struct held_chunk *h = &t->chunks[i];
		if (at < h->stream_bytes)
			return false;
		if (at >= h->stream_bytes + h->used)
			continue;
		uint32_t skip = (uint32_t)(at - h->stream_bytes);
		*from = h;
		*part = view_of(arena_chunk(a, h->index)->bytes + skip, h->used - skip);
		return true;
	}
	return false;
}

/* After arena_free_chunk it belongs to the producers: all our fields are cleared before. */
static void give_back(struct streams *s, struct arena *a, uint32_t index)
{
	arena_chunk(a, index)->skip = 0;
	s->owner[index] = NULL;
	arena_free_chunk(a, index);
}

/* The next chunk notes how much of it belongs to a message that began before: a finisher must not
 * take that for the beginning of a message. */
static void note_skip(const struct stream *t, struct arena *a)
{
	const struct held_chunk *next = &t->chunks[1];

	if (t->kind == STREAM_OF_MESSAGES && t->count > 1 && t->position > next->stream_bytes)
		arena_chunk(a, next->index)->skip = (uint32_t)(t->position - next->stream_bytes);
}

/* All before `position` is on disk. A chunk goes back to the producers when it is closed and all of
 * it is done; the one that a thread still holds stays, even if nothing in it is left to do. */
void stream_done(struct streams *s, struct stream *t, struct arena *a, uint64_t position)
{
	t->position = position;
	t->since_ns = 0;
	while (t->count) {
		struct held_chunk *h = &t->chunks[0];
		if ((!t->any_order && h->order != t->next_order) || h->state == CHUNK_OWNED ||
			position < h->stream_bytes + h->used)
			return;
		note_skip(t, a);
		t->ended = h->state == CHUNK_LAST;
		t->next_order = h->order + 1;
		t->any_order = false;
		give_back(s, a, h->index);
		memmove(t->chunks, t->chunks + 1, --t->count * sizeof *t->chunks);
	}
}

/* A hole is in the orders, or in the positions, which a finisher knows from disk. */
bool stream_skip_hole(struct stream *t)
{
	if (!t->count)
		return false;
	struct held_chunk *h = &t->chunks[0];
	bool hole = (!t->any_order && h->order != t->next_order) || h->stream_bytes > t->position;
	t->next_order = h->order;
	if (hole) {
		t->broken = true;
		t->position = h->stream_bytes;
	}
	return hole;
}

/* Give back all of a stream's chunks, whatever is in them. */
void stream_drop(struct streams *s, struct stream *t, struct arena *a)
{
	for (uint32_t i = 0; i < t->count; i++)
		give_back(s, a, t->chunks[i].index);
	t->count = 0;
	t->since_ns = 0;
}
