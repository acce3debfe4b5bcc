#include "trace/block_reader.h"

#include <inttypes.h>
#include "trace/load.h"

void block_reader_init(struct block_reader *b, struct pl_recording *r, struct thread_entry *t)
{
	*b = (struct block_reader){.r = r, .thread = t};
	b->stream.files = r->files;
}

/* Once for each block, though several cursors may come there. */
static void note_damage(struct block_reader *b, struct block_ref *ref, const char *what)
{
	if (!ref->told)
		recording_damage(b->r, ref->file, ref->off, what);
	ref->told = true;
}

/* Does the block follow what was read? If not, a gap says what is missing. */
static struct block_gap missing_before(
	struct block_reader *b, struct block_ref *ref, uint64_t seq, bool oldest)
{
	uint64_t lost = ref->first_seq > seq ? ref->first_seq - seq : 0;
	bool follows = ref->number == b->next_number && ref->first_seq == seq;

	if (follows && !ref->gap_before)
		return (struct block_gap){0};
	if (follows) {
		bool damaged = recording_lost_bytes(b->r, b->thread, ref->first_seq);
		return (struct block_gap){true, damaged ? PL_GAP_DAMAGED : PL_GAP_UNKNOWN, 0};
	}
	if (oldest && (b->thread->evicted || b->r->first_segment > 1))
		return (struct block_gap){true, PL_GAP_EVICTED, lost};
	note_damage(b, ref, "the blocks before it are missing");
	return (struct block_gap){true, PL_GAP_DAMAGED, lost};
}

/* A file that is gone was dropped by --limit, after its blocks were listed. */
static enum pl_gap_reason missing_reason(int code)
{
	if (code == PL_ERR_VERSION)
		return PL_GAP_UNKNOWN; /* it has events of a later minor version */
	return code == PL_ERR_FORMAT ? PL_GAP_DAMAGED : PL_GAP_EVICTED;
}

/* Map the block's codes once, so that each event finds its code in one step. */
static void open_codes(struct block_reader *b)
{
	struct pl_map *bodies = &b->block.bodies;

	for (size_t i = 0; i < bodies->room; i++)
		if (bodies->slots[i].used)
			bodies->slots[i].value = (uintptr_t)code_open(b->r, bodies->slots[i].value);
}

static int open_next(
	struct block_reader *b, struct block_ref *ref, struct block_read *out, struct pl_err *err)
{
	struct block_ref *damaged = ref;
	int code = load_block(&b->block, &b->stream, b->thread, &damaged, err);

	b->r->block_reads++;
	if (code == 0) {
		open_codes(b);
		b->open = true;
		b->open_ticks = ref->open_ticks;
		b->close_ticks = ref->close_ticks;
		return 0;
	}
	if (code != PL_ERR_FORMAT && code != PL_ERR_NOT_FOUND && code != PL_ERR_VERSION)
		return pl_err_cause(err, code, "block %" PRIu32 " of thread %" PRIu32, ref->number,
			b->thread->public.number);
	/* its bodies may still be numbers, where codes are expected */
	block_release(&b->block);
	out->seq = ref->first_seq + ref->events;
	out->in = (struct block_gap){true, missing_reason(code), ref->events};
	if (code == PL_ERR_FORMAT)
		note_damage(b, damaged, "the block is damaged");
	return 0;
}

int block_reader_next(
	struct block_reader *b, uint64_t seq, struct block_read *out, struct pl_err *err)
{
	struct thread_entry *t = b->thread;

	b->open = false;
	if (b->next_block < t->evicted)
		b->next_block = t->evicted;
	if (b->next_block - t->evicted >= t->block_count)
		return PL_END;
	struct block_ref *ref = &t->blocks[b->next_block - t->evicted];
	*out = (struct block_read){.seq = ref->first_seq,
		.before = missing_before(b, ref, seq, b->next_block == t->evicted)};
	b->next_block++;
	b->number = ref->number;
	b->next_number = ref->number + 1;
	return open_next(b, ref, out, err);
}

void block_reader_give_up(struct block_reader *b)
{
	block_reader_note(b, "the block holds bytes that are no events");
}

void block_reader_note(struct block_reader *b, const char *what)
{
	note_damage(b, &b->thread->blocks[b->next_block - 1 - b->thread->evicted], what);
}

const struct block_ref *block_reader_go_to(struct block_reader *b, size_t index)
{
	const struct thread_entry *t = b->thread;
	const struct block_ref *ref = index < t->block_count ? &t->blocks[index] : NULL;

	b->next_block = t->evicted + index;
	b->next_number = index && ref ? ref->number : 0;
	b->open = false;
	return ref;
}

/* The oldest are dropped first, so a thread of which one is kept has its end. */
bool block_reader_is_dropped(const struct block_reader *b, uint64_t seq)
{
	const struct thread_entry *t = b->thread;

	return !t->block_count && (t->evicted || b->r->first_segment > 1) &&
	       !recording_lost_bytes(b->r, t, seq);
}

void block_reader_rest(struct block_reader *b)
{
	block_release(&b->block);
	stream_release(&b->stream);
	b->stream.room = (struct pl_buf){0};
	b->open = false;
}
