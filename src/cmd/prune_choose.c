#include "cmd/prune_choose.h"

static bool is_old(const struct prune_question *q, const struct prune_item *item)
{
	return q->rules.keep_ns && item->written_ns < q->now_ns - q->rules.keep_ns;
}

uint64_t prune_choose(const struct prune_question *q, struct prune_item *items, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += items[i].bytes;
	for (int by_size = 0; by_size < 2; by_size++)
		for (size_t i = 0; i < count; i++) {
			struct prune_item *item = &items[i];
			const bool wanted =
				by_size ? q->rules.limit_bytes && bytes > q->rules.limit_bytes
					: is_old(q, item);
			if (!wanted || item->stays || item->goes)
				continue;
			item->goes = q->may_go(q->context, i);
			item->stays = !item->goes;
			bytes -= item->goes ? item->bytes : 0;
		}
	return bytes;
}
