#include "trace/load.h"

static int read_block_record(
	struct stream *s, const struct block_ref *ref, struct record *out, struct pl_err *err)
{
	s->file = ref->file;
	s->off = ref->off;
	s->size = ref->off + RECORD_HEAD_BYTES + ref->stored;
	int code = stream_head(s, err);
	if (code == 0)
		code = stream_record(s, out, err);
	return code == PL_END ? PL_ERR_FORMAT : code;
}

/* How many of the blocks before it must be decompressed. */
static uint32_t count_needed(
	const struct block *b, const struct thread_entry *t, const struct block_ref *ref)
{
	const struct block_head head = {.process = t->public.process,
		.thread = t->public.number,
		.number = ref->number,
		.flags = ref->before ? BLOCK_CHAINED | (uint32_t)ref->before << 16 : 0};

	return ref->number - block_needs(b, &head);
}

/* Decompress the blocks that are needed before *at, which is then the block that failed, or itself
 * again. A chain is in one segment, and its blocks have consecutive numbers. */
static int pass_needed(struct block *b, struct stream *s, const struct thread_entry *t,
	struct block_ref **at, struct pl_err *err)
{
	const struct block_ref *const ref = *at;
	const uint32_t needed = count_needed(b, t, ref);
	struct record record;

	if (!needed)
		return 0;
	if (needed > (size_t)(ref - t->blocks) ||
		ref[-(ptrdiff_t)needed].number + needed != ref->number)
		return PL_ERR_FORMAT;
	for (*at -= needed; *at < ref; ++*at) {
		int code = read_block_record(s, *at, &record, err);
		if (code == 0)
			code = block_pass(b, record.payload);
		if (code)
			return code;
	}
	return 0;
}

int load_block(struct block *b, struct stream *s, const struct thread_entry *t,
	struct block_ref **ref, struct pl_err *err)
{
	struct record record;
	int code = pass_needed(b, s, t, ref, err);

	if (code == 0)
		code = read_block_record(s, *ref, &record, err);
	return code ? code : block_open(b, record.payload);
}
