/* Retention: remove the oldest recordings of a folder, for the command `prune` and for recordings
 * that go on for years. */
#ifndef PL_CMD_PRUNE_HOME_H
#define PL_CMD_PRUNE_HOME_H

#include "cmd/prune_choose.h"

/* A recording that goes, for who wants to know of each. */
struct prune_gone {
	const char *folder, *name;
	uint64_t bytes;
	int64_t age_ns;
};

struct prune_order {
	const char *folder;
	struct prune_rules rules;
	bool dry_run;						 /* remove nothing */
	void (*gone)(void *context, const struct prune_gone *g); /* NULL: not wanted */
	void *context;
	/* out: */
	size_t removed, failed, kept;
	uint64_t removed_bytes, kept_bytes;
	int err; /* errno of the first removal that failed */
};

/* Only directories that are recordings and nothing else count and go. One that is being written
 * counts and stays. 0, or an errno: the folder cannot be listed. Never prints. */
int prune_home(struct prune_order *o);

#endif
