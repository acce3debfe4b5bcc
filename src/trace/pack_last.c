#include "trace/pack_last.h"

#include "format/block.h"

static uint64_t key_of(uint32_t process, uint32_t thread)
{
	return (uint64_t)process << 32 | thread;
}

static const struct thread_entry *thread_at(
	const struct pl_recording *r, size_t process, size_t thread)
{
	const struct process_entry *p = r->process_list.at[process];

	return thread < p->thread_count ? p->threads[thread] : NULL;
}

/* When the newest event of all was. */
static int64_t newest_ns(const struct pl_recording *r)
{
	const struct thread_entry *t;
	uint64_t ticks = 0;

	for (size_t i = 0; i < r->process_list.count; i++)
		for (size_t j = 0; (t = thread_at(r, i, j)); j++)
			if (t->block_count && t->blocks[t->block_count - 1].close_ticks > ticks)
				ticks = t->blocks[t->block_count - 1].close_ticks;
	return recording_time(r, ticks);
}

/* The first block that is packed, by its place in the thread's list; there is one. */
static size_t first_of(const struct pl_recording *r, const struct thread_entry *t, int64_t from_ns)
{
	size_t first = t->block_count - 1;

	while (first && recording_time(r, t->blocks[first - 1].close_ticks) >= from_ns)
		first--;
	const size_t before = t->blocks[first].before;
	return before < first ? first - before : 0;
}

static int choose_of_thread(struct pack_last *p, const struct pl_recording *r,
	const struct thread_entry *t, int64_t from_ns)
{
	const size_t first = first_of(r, t, from_ns);
	uint64_t *from = map_put(&p->from, key_of(t->public.process, t->public.number));

	if (!from)
		return PL_ERR_MEMORY;
	*from = (uint64_t)t->blocks[first].number + 1;
	for (size_t i = 0; i < first; i++)
		p->left_out += t->blocks[i].events;
	if (t->blocks[first].file < p->first_file)
		p->first_file = t->blocks[first].file;
	return 0;
}

int pack_last_choose(struct pack_last *p, const struct pl_recording *r, int64_t last_ns)
{
	const int64_t from_ns = newest_ns(r) - last_ns;
	const struct thread_entry *t;
	int code = 0;

	p->on = true;
	p->first_file = UINT32_MAX;
	p->left_out = r->evicted ? r->evicted->public.lost : 0;
	for (size_t i = 0; i < r->process_list.count; i++)
		for (size_t j = 0; code == 0 && (t = thread_at(r, i, j)); j++)
			if (t->block_count)
				code = choose_of_thread(p, r, t, from_ns);
	if (p->first_file == UINT32_MAX)
		p->first_file = r->first_segment;
	p->shift = p->left_out && p->first_file <= 1;
	return code;
}

bool pack_last_keeps(const struct pack_last *p, const struct record *r)
{
	struct block_head head;

	if (!p->on || r->kind != RECORD_BLOCK || block_read_head(r->payload, &head) < 0)
		return true;
	const uint64_t *from = map_find(&p->from, key_of(head.process, head.thread));
	return !from || (uint64_t)head.number + 1 >= *from;
}

void pack_last_put(const struct pack_last *p, struct pl_buf *out)
{
	buf_varint(out, p->first_file + p->shift);
	buf_varint(out, p->left_out);
}

void pack_last_release(struct pack_last *p)
{
	map_release(&p->from);
}
