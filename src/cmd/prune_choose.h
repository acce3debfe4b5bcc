/* Which recordings of a folder must go, so that what stays keeps to an age and to a size. */
#ifndef PL_CMD_PRUNE_CHOOSE_H
#define PL_CMD_PRUNE_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: nothing must go. */
struct prune_rules {
	uint64_t limit_bytes; /* 0: none */
	int64_t keep_ns;      /* 0: for ever */
};

struct prune_item {
	uint64_t bytes;
	int64_t written_ns; /* when it was last written */
	bool stays;	    /* it must not be removed; its bytes count */
	bool goes;	    /* the result */
};

/* items: the oldest first. Those that are older than keep_ns go; then, the oldest first, as many as
 * it takes to come to the limit. Of an item that would go, may_go is asked once; what must not go
 * gets `stays`. What has a time in the future, as after a change of the clock, is not old. The
 * bytes that stay. */
struct prune_question {
	struct prune_rules rules;
	int64_t now_ns;
	bool (*may_go)(void *context, size_t index);
	void *context;
};
uint64_t prune_choose(const struct prune_question *q, struct prune_item *items, size_t count);

#endif
