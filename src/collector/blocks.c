#include "collector/blocks.h"

#include <stdio.h>
#include "format/block.h"

/* zstd levels of a block alone. Programs repeat themselves at a distance, and level 7 finds that:
 * w_fib becomes a sixteenth of its size at level 1. A collector that has fallen behind uses the
 * fast level. */
#define BLOCK_LEVEL	 7
#define BLOCK_LEVEL_FAST 1
#define BLOCK_BACKLOG	 (4 * BLOCK_BYTES_MAX) /* waiting bytes */

/* A block that is being made. The stream has the stack as it is after the last byte on disk. While
 * a block is made that stack moves on; c->opening is the copy with which the block opens. */
struct cut {
	struct collector *c;
	struct follow_codes codes;
	struct stream *t;
	struct block_head head;
	uint64_t end;	       /* position after its last byte */
	size_t bytes;	       /* of it so far */
	struct loss losses[8]; /* its gaps, written after it */
	uint32_t loss_count;
	bool damaged; /* bytes that are not events were found at `end` */
};

/* A gap tells how many events its thread could not write. The process has the sum of them; the
 * first few of a block are also written one by one, as losses with a seq. */
static void note_gap(struct cut *k, const struct event *e)
{
	struct process *p = processes_find(&k->c->processes, k->t->process);

	if (e->a == PL_GAP_ATTACHED ||
		e->a == PL_GAP_DETACHED) /* where the recording begins, ends */
		return;
	if (p)
		p->lost += e->b;
	if (e->a == PL_GAP_NOTRACE) /* it was wished */
		return;
	if (k->loss_count < sizeof k->losses / sizeof *k->losses)
		k->losses[k->loss_count++] = (struct loss){.process = k->t->process,
			.thread = k->t->thread,
			.seq = k->t->seq,
			.reason = (int)(e->a < PL_GAP_REASON_COUNT ? e->a : PL_GAP_UNKNOWN),
			.lost = e->b,
			.text = ""};
}

/* A block says which minor version a reader must know at least, so that older readers can read the
 * blocks that have nothing new. */
static void need(struct cut *k, uint32_t minor)
{
	if (k->head.needs_minor < minor)
		k->head.needs_minor = minor;
}

/* Rows without an event: what follows from the graph of a code is not written, but it is counted,
 * and has a seq. */
static void count_untold(struct cut *k, const struct follow_rows *rows)
{
	const uint64_t sum = follow_rows_sum(rows);

	if (!sum)
		return;
	block_count_rows(&k->head, rows);
	k->t->seq += sum;
	need(k, rows->passes   ? MINOR_IMPLIED_PASSES
		: rows->yields ? MINOR_SILENT_YIELDS
			       : MINOR_WITNESSES);
}

/* Update everything that an event changes. */
static void cut_follow(struct cut *k, const struct event *e)
{
	struct stream *t = k->t;
	struct follow_rows rows;

	mentions_add_event(&k->c->mentions, e);
	if (k->c->costs.on)
		costs_count(&k->c->costs, &k->c->bodies, &t->stack, e);
	follow_apply(&t->stack, e, &k->codes, &rows);
	count_untold(k, &rows);
	if (e->kind == EVENT_TIME)
		t->ticks += e->a;
	else if (e->kind == EVENT_SWITCH)
		t->order = e->a;
	else if (e->kind == EVENT_GAP)
		note_gap(k, e);
	if (event_counts(e->kind)) {
		k->head.counts[event_row(e->kind)]++;
		k->head.events++;
		t->seq++;
	}
}

/* Apply the leading events that are of the common kinds.
 * Nearly all events of a program are of these kinds, so they are decoded and applied in one loop,
 * which only counts. The sums are added here, at the end of a run of them. */
static void run_common(struct cut *k, struct standing_events *v)
{
	struct standing_counts n = {0};

	standings_run(&k->c->bodies.standings, &k->t->stack, v, &k->codes, &n);
	for (int row = 0; row < PL_EVENT_KIND_COUNT; row++) {
		k->head.counts[row] += n.rows[row];
		k->head.events += n.rows[row];
		k->t->seq += n.rows[row];
	}
	k->t->ticks += n.ticks;
	if (n.rows[PL_EVENT_AGAIN])
		need(k, event_minor(&(struct event){.kind = EVENT_AGAIN}));
	if (n.known_resumes)
		need(k, event_minor(&(struct event){.kind = EVENT_RESUME, .known = true}));
	count_untold(k, &n.untold);
}

/* Only where the bytes are is kept. They stay in the chunk, which is given back when the block is
 * written (stream_done), so they are compressed from there without a copy. */
static void put_part(struct cut *k, struct pl_view part)
{
	if (!part.left)
		return;
	buf_put(&k->c->parts, &part, sizeof part);
	k->bytes += part.left;
	k->end += part.left;
}

/* Apply the events of one part of a chunk: runs of common ones, and between them single ones of the
 * other kinds. A part that ends in the middle of an event is damaged from that event on, and the
 * block has what is before it. */
static void cut_run(struct cut *k, struct pl_view part)
{
	struct standing_events v = {.rest = part, .off = k->bytes};
	struct event e;

	for (run_common(k, &v); v.rest.left; run_common(k, &v)) {
		const uint8_t *at = v.rest.at;
		if (event_read(&v.rest, &k->t->stack.calls, &e) < 0) {
			k->damaged = true;
			k->t->stack.calls = (struct event_calls){0};
			break;
		}
		const size_t bytes = (size_t)(v.rest.at - at);
		mentions_add_place(&k->c->mentions, e.kind, v.off, bytes);
		v.off += bytes;
		cut_follow(k, &e);
	}
	put_part(k, view_of(part.at, part.left - v.rest.left));
}

/* Times count from the chunk's own base. If the stream's time is another one, a new block must
 * begin. */
static bool continues(struct cut *k, const struct held_chunk *h)
{
	struct stream *t = k->t;

	if (t->open && (k->end != h->stream_bytes || h->open_ticks == t->ticks))
		return true;
	if (k->end != t->position)
		return false;
	if (!t->open || h->open_ticks > t->ticks)
		t->ticks = h->open_ticks;
	k->head.open_ticks = t->ticks;
	t->open = true;
	return true;
}

/* A small limit needs small blocks. */
static size_t block_max(const struct collector *c)
{
	const uint64_t most = store_block_max(&c->store);

	return most && most < BLOCK_BYTES_MAX ? (size_t)most : BLOCK_BYTES_MAX;
}

/* Part by part, while they continue each other. A part is within a chunk, and a chunk holds only
 * whole events. */
static void gather_parts(struct cut *k)
{
	const struct held_chunk *h;
	struct pl_view part;

	while (!k->damaged && k->bytes < block_max(k->c) &&
		stream_part(k->t, &k->c->arena, k->end, &h, &part) && continues(k, h)) {
		if (part.left > BLOCK_BYTES_MAX)
			part.left = BLOCK_BYTES_MAX;
		cut_run(k, part);
	}
}

/* A block opens with all that a reader needs to begin there: the stack, time, seq and position as
 * they are after the last byte on disk. */
static void open_head(struct cut *k)
{
	struct stream *t = k->t;

	k->head = (struct block_head){.process = t->process,
		.thread = t->thread,
		.number = t->blocks,
		.flags = t->broken ? BLOCK_CONTINUES : 0,
		.first_seq = t->seq,
		.stream_bytes = t->position,
		.open_ticks = t->ticks,
		.order = t->order};
	k->end = t->position;
	if (t->broken) /* calls that are not known */
		t->stack.calls = (struct event_calls){0};
	stack_copy(&k->c->opening, &t->stack);
	stack_mark(&t->stack);
	buf_reset(&k->c->parts);
	mentions_reset(&k->c->mentions);
	standings_begin_block(&k->c->bodies.standings, &k->c->mentions);
}

/* Write an empty block, which says where a thread is, before the segment with its last block is
 * dropped. */
static void write_checkpoints(struct collector *c, uint32_t segment);

/* The chain of the thread's previous block, or a new one in place of the least recently used. */
static struct blocks_chain *find_chain(struct collector *c, const struct stream *t)
{
	struct blocks_chain *oldest = c->chains;

	for (size_t i = 0; i < BLOCKS_CHAINS; i++) {
		struct blocks_chain *chain = &c->chains[i];
		if (chain->process == t->process && chain->thread == t->thread) {
			/* another thread's block, or samples, may have begun a segment */
			if (chain->next != t->blocks || t->segment != c->store.last_segment)
				chain_break(&chain->writer);
			return chain;
		}
		if (chain->last < oldest->last)
			oldest = chain;
	}
	chain_break(&oldest->writer);
	oldest->process = t->process;
	oldest->thread = t->thread;
	return oldest;
}

/* Compress it into c->payload. Within a chain, a block is compressed against those before it, and a
 * reader needs these first. */
static int pack_block(
	struct collector *c, struct block_source *source, struct blocks_chain *chain, int level)
{
	buf_reset(&c->payload);
	source->chain = chain ? &chain->writer : NULL;
	int err = block_write(&c->payload, source, level);
	if (err < 0)
		c->payload.failed = false;
	return err;
}

/* A chain is in one segment, so that its blocks are dropped together. If the compressed block turns
 * out to be too large for the rest of the segment, it is compressed once more, as the first of a
 * new chain. */
static int pack_in_segment(
	struct collector *c, struct block_source *source, struct blocks_chain *chain, int level)
{
	int err = pack_block(c, source, chain, level);

	if (err == 0 && chain && chain->writer.blocks > 1 &&
		store_begins_segment(&c->store, c->payload.used)) {
		chain_break(&chain->writer);
		err = pack_block(c, source, chain, level);
	}
	return err;
}

/* `bytes` of events, in `parts`, with c->opening as the stack before them. It belongs to no chain
 * if the collector is late, if it has no events, or if it is small and the thread's first. What
 * goes wrong breaks the chain, since the writer's state is then not that of the file. */
static int write_block(struct collector *c, struct stream *t, const struct block_head *head,
	const struct pl_buf *parts, size_t bytes)
{
	struct block_source source = {.head = head,
		.stack = &c->opening,
		.bodies = &c->bodies.codes,
		.parts = (const struct pl_view *)(const void *)parts->at,
		.part_count = parts->used / sizeof(struct pl_view),
		.mentions = &c->mentions,
		.packer = &c->store.packer};
	const bool late = stream_pending(t) > BLOCK_BACKLOG;
	/* a thread whose first block has little mostly has no other */
	const bool alone = late || bytes < (t->blocks ? 1 : BLOCK_CUT_BYTES);
	struct blocks_chain *chain = alone ? NULL : find_chain(c, t);
	int err = pack_in_segment(c, &source, chain, late ? BLOCK_LEVEL_FAST : BLOCK_LEVEL);

	if (err == 0)
		err = store_block(&c->store, &c->payload, head->events);
	if (chain && err == 0) {
		chain->next = t->blocks + 1;
		chain->last = ++c->chained;
	} else if (chain) {
		chain_break(&chain->writer);
	}
	if (err == 0) {
		t->blocks++;
		t->segment = c->store.last_segment;
		t->broken = false;
	}
	return err;
}

static void write_checkpoints(struct collector *c, uint32_t segment)
{
	for (uint32_t i = 0; i < c->streams.count; i++) {
		struct stream *t = c->streams.all[i];
		if (t->segment != segment || t->kind == STREAM_OF_MESSAGES)
			continue;
		struct block_head head = {.process = t->process,
			.thread = t->thread,
			.number = t->blocks,
			.first_seq = t->seq,
			.stream_bytes = t->position,
			.open_ticks = t->ticks,
			.close_ticks = t->ticks,
			.order = t->order,
			.min_depth = t->stack.depth};
		mentions_reset(&c->mentions);
		if (stack_copy(&c->opening, &t->stack) == 0)
			write_block(c, t, &head, &(struct pl_buf){0}, 0);
	}
}

/* Drop the oldest segments first. A thread whose last block is in one of them gets a checkpoint
 * before that, because nothing else says where it is when it writes again. */
void blocks_make_room(struct collector *c, size_t bytes)
{
	struct store *s = &c->store;
	const uint32_t newest = s->last_segment;

	if (s->failed || !store_over(s, bytes))
		return;
	/* no block names these yet; they are written when there is room */
	struct pl_buf later = s->meta;
	s->meta = (struct pl_buf){0};
	while (!s->failed && s->first_segment <= newest && store_over(s, later.used + bytes)) {
		write_checkpoints(c, s->first_segment);
		store_drop_oldest(s);
	}
	buf_release(&s->meta);
	s->meta = later;
}

/* For bytes that are not events: write a GAP in a separate block, which ends where the stream
 * continues. 0; or why it could not be written. */
static int write_damage(struct cut *k, uint64_t end)
{
	static const struct event gap = {.kind = EVENT_GAP, .a = PL_GAP_DAMAGED};
	struct collector *c = k->c;
	struct stream *t = k->t;
	uint8_t bytes[EVENT_BYTES_MAX];
	const size_t n = (size_t)(event_write2(bytes, gap.kind, gap.a, gap.b) - bytes);
	const struct pl_view part = view_of(bytes, n);
	struct block_head head = {.process = t->process,
		.thread = t->thread,
		.number = t->blocks,
		.events = 1,
		.counts = {[PL_EVENT_GAP] = 1},
		.first_seq = t->seq,
		.stream_bytes = end > n ? end - n : 0,
		.open_ticks = t->ticks,
		.close_ticks = t->ticks,
		.order = t->order,
		.min_depth = t->stack.depth};

	mentions_reset(&c->mentions);
	buf_reset(&c->parts);
	buf_put(&c->parts, &part, sizeof part);
	int err = c->parts.failed ? PL_ERR_MEMORY : stack_copy(&c->opening, &t->stack);
	if (err == 0)
		err = write_block(c, t, &head, &c->parts, n);
	c->parts.failed = false;
	if (err == 0) {
		stack_apply(&t->stack, &gap);
		t->seq++;
		c->totals.events++;
	}
	return err;
}

static void add_cost(void *collector, uint32_t code, enum event_kind kind, uint64_t count)
{
	struct collector *c = collector;

	costs_add(&c->costs, &c->bodies, code, kind, count);
}

/* After the block, when it is known whether it could be written. */
static void tell_losses(struct cut *k, int err)
{
	struct collector *c = k->c;

	for (uint32_t i = 0; i < k->loss_count; i++)
		collector_lose(c, &k->losses[i]);
	if (err < 0 && !c->store.failed)
		collector_lose(c, &(struct loss){.process = k->t->process,
					  .thread = k->t->thread,
					  .seq = k->head.first_seq,
					  .lost = k->head.events,
					  .text = "a block could not be written"});
	if (k->damaged)
		collector_lose(c, &(struct loss){.process = k->t->process,
					  .thread = k->t->thread,
					  .seq = k->t->seq,
					  .reason = PL_GAP_DAMAGED,
					  .text = "the ring held bytes that are no events"});
}

/* After bytes that are not events, nothing can be found in this chunk: continue with the next
 * one. */
static uint64_t end_with_damage(const struct cut *k)
{
	const struct held_chunk *h;
	struct pl_view part;

	if (!k->damaged || !stream_part(k->t, &k->c->arena, k->end, &h, &part))
		return k->end;
	return k->end + part.left;
}

/* Write one block; false: there was nothing.
 *
 *	make room     drop old segments, if there is a limit
 *	open_head     copy the stack as it is on disk
 *	gather        apply the events of the chunks, up to the size of a block
 *	write_block   compress, and append to the segment
 *	tell_losses   what the block or its gaps lost
 *	write_damage  only after bytes that are not events
 *	stream_done   give the chunks back
 *
 * If it cannot be written, its events are lost, and the chunks go back all the same.
 */
static bool cut_one(struct collector *c, struct stream *t)
{
	struct cut k = {.c = c, .codes = bodies_codes(&c->bodies), .t = t};
	int err = 0;

	/* keeping the limit uses the same memory, so it comes first; the compressed block is not
	 * larger than this */
	blocks_make_room(c, block_max(c) + CHUNK_ROOM);
	open_head(&k);
	gather_parts(&k);
	if (c->costs.on)
		standings_take(&c->bodies.standings, add_cost, c);
	if (k.end == t->position && !k.damaged)
		return false;
	if (t->stack.calls.print)
		need(&k, MINOR_FAR_CALLS);
	k.head.close_ticks = t->ticks > k.head.open_ticks ? t->ticks : k.head.open_ticks;
	k.head.min_depth =
		t->stack.min_depth < c->opening.depth ? t->stack.min_depth : c->opening.depth;
	if (k.end > t->position)
		err = c->parts.failed ? PL_ERR_MEMORY
				      : write_block(c, t, &k.head, &c->parts, k.bytes);
	c->parts.failed = false;
	if (err == 0)
		c->totals.events += k.head.events;
	else
		c->totals.lost += k.head.events;
	t->broken |= err < 0;
	tell_losses(&k, err);
	const uint64_t end = end_with_damage(&k);
	if (k.damaged && write_damage(&k, end) < 0)
		t->broken = true;
	stream_done(&c->streams, t, &c->arena, end);
	return true;
}

/* How many events a thread had, and when it ended. Written once, after its last block. */
void blocks_end_thread(struct collector *c, struct stream *t, uint64_t ticks)
{
	struct pl_buf b = {0};

	if (t->end_told || t->kind == STREAM_OF_MESSAGES)
		return;
	t->end_told = true;
	buf_varint(&b, t->process);
	buf_varint(&b, t->thread);
	buf_varint(&b, ticks);
	buf_varint(&b, t->seq);
	store_put(&c->store, RECORD_THREAD_END, &b);
	buf_release(&b);
}

/* A block takes milliseconds to compress. Meanwhile the program reads the time from the arena, so
 * it is renewed between two blocks. */
static void tick(struct collector *c)
{
	ticker_store(&c->ticker, &c->arena.head->tick, clock_ticks(c->ticker.source));
}

/* If all is written, a chunk that was closed exactly at its end may still be held, so give it back.
 * A thread is at its end when the last of its chunks is on disk. */
static void finish_cut(struct collector *c, struct stream *t)
{
	if (!stream_pending(t))
		stream_done(&c->streams, t, &c->arena, t->position);
	if (t->ended && !t->count)
		blocks_end_thread(c, t, t->ticks);
}

void blocks_cut_stream(struct collector *c, struct stream *t)
{
	while (stream_pending(t) && cut_one(c, t))
		tick(c);
	finish_cut(c, t);
}

static bool is_last(const struct stream *t)
{
	return t->count && t->chunks[t->count - 1].state == CHUNK_LAST;
}

/* After how long a block is cut. Whether a reader follows is asked as often as that. */
static int64_t cut_age(struct collector *c, int64_t now_ns)
{
	if (now_ns - c->follow_asked_ns >= BLOCK_FOLLOWED_AGE_NS) {
		c->follow_asked_ns = now_ns;
		c->followed = store_followed(&c->store);
	}
	return c->followed ? BLOCK_FOLLOWED_AGE_NS : BLOCK_CUT_AGE_NS;
}

/* Large blocks compress better, small ones are on disk sooner. So a block is cut when it is large
 * enough; when it is old, so that a reader of a live recording sees what happens; and when the
 * thread has ended. */
static void cut_due(struct collector *c, struct stream *t, int64_t now_ns)
{
	while (stream_pending(t) >= BLOCK_CUT_BYTES && cut_one(c, t))
		tick(c);
	if (is_last(t) || (t->since_ns && now_ns - t->since_ns >= cut_age(c, now_ns)))
		blocks_cut_stream(c, t);
	else if (stream_pending(t) && !t->since_ns)
		t->since_ns = now_ns;
}

/* One round: downwards, because a stream that is removed gets the last one in its place. */
void blocks_cut(struct collector *c, enum blocks_why why, int64_t now_ns)
{
	for (uint32_t i = c->streams.count; i-- > 0;) {
		struct stream *t = c->streams.all[i];
		if (t->kind == STREAM_OF_MESSAGES)
			continue;
		if (why == BLOCKS_ALL)
			blocks_cut_stream(c, t);
		else if (t->count)
			cut_due(c, t, now_ns);
		if (t->end_told && !t->count)
			streams_remove(&c->streams, i);
	}
}
