/* Of a recording only the newest is packed: of each thread the blocks that end in the last so many
 * nanoseconds, and its last one. Before a block come those of its chain, without which it cannot be
 * read. What is left out is said as what --limit dropped is: by EVICTED, and the number of the
 * first segment. */
#ifndef PL_TRACE_PACK_LAST_H
#define PL_TRACE_PACK_LAST_H

#include "base/map.h"
#include "format/record.h"
#include "trace/recording.h"

/* All zero: everything is packed. */
struct pack_last {
	bool on;
	uint32_t first_file; /* the segments before it are left out */
	/* added to the numbers of segments: where a part is left out, the first one is not 1 */
	uint32_t shift;
	uint64_t left_out;  /* events */
	struct pl_map from; /* process and thread -> the number of its first block, + 1 */
};

/* last_ns: more than 0. 0, or PL_ERR_MEMORY. */
int pack_last_choose(struct pack_last *p, const struct pl_recording *r, int64_t last_ns);
/* Is the record of a segment packed? */
bool pack_last_keeps(const struct pack_last *p, const struct record *r);
/* The payload of EVICTED. */
void pack_last_put(const struct pack_last *p, struct pl_buf *out);
void pack_last_release(struct pack_last *p);

#endif
