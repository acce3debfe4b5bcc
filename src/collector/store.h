/* The recording on disk while it is written: the file `meta`, and the segments of events, under a
 * limit.
 *
 *	meta           | HEADER | PROCESS | STRINGS | BODIES | ... appended, never changed
 *	events.000003  | BLOCK | BLOCK | ...   the oldest that is kept: first_segment
 *	events.000004  | BLOCK | BLOCK | ...   the one that is written: last_segment
 *
 * Records for meta are collected in memory until store_flush, which always comes before a block
 * that needs them. Each append is one write(2) at the known end, so a kill leaves at worst one
 * record that is cut short, at the end.
 *
 * Space for the last records is reserved after the end of meta. When the disk is full, `failed` has
 * the reason, blocks and descriptions are refused from then on, and records that say how it ended
 * still find room. The same holds for the limit, which no write exceeds: segments are dropped in
 * time (blocks_make_room); meta is never dropped, and if it fills the limit the store has failed.
 */
#ifndef PL_COLLECTOR_STORE_H
#define PL_COLLECTOR_STORE_H

#include "base/buf.h"
#include "format/record.h"

#define STORE_META "meta"

struct store {
	int directory_fd;		      /* owned */
	int meta_fd;			      /* owned; -1: none */
	int segment_fd;			      /* owned; of last_segment, -1: none yet */
	uint32_t first_segment, last_segment; /* last < first: none yet */
	uint64_t *segment_sizes;	      /* owned; by number - first_segment */
	/* owned; in the same way; STORE_NOT_COUNTED: written by another collector */
	uint64_t *segment_events;
	/* owned; in the same way: when it was last written, on the clock of now_ns */
	int64_t *segment_written_ns;
	uint32_t segment_room;
	uint64_t dropped_events; /* of all segments that were dropped */
	uint64_t meta_bytes;
	uint64_t reserved_to; /* bytes of meta for which there is space on disk */
	uint64_t limit_bytes; /* 0: none */
	int64_t keep_ns;      /* what is older is dropped by segments; 0: nothing */
	int64_t now_ns;	      /* the owner sets it, if keep_ns is set; it never goes back */
	int64_t begun_ns;     /* when the last segment was begun */
	struct pl_buf meta;   /* records to append */
	struct pl_buf room;   /* for one block's record */
	struct packer packer; /* of all that is packed by itself */
	int failed;	      /* errno of the first write that failed, 0: all is well */
	bool over_limit;      /* it failed because it would not have kept the limit */
};
#define STORE_NOT_COUNTED UINT64_MAX

/* Take over directory_fd, also after a failure. create: a new recording, where nothing may be
 * there. reopen: continue one; records that were cut short at the ends of its files are removed. 0,
 * or -errno. */
int store_create(struct store *s, int directory_fd, uint64_t limit_bytes);
int store_reopen(struct store *s, int directory_fd, uint64_t limit_bytes);
void store_close(struct store *s);

/* Append a record to meta, in memory until store_flush. Once the store has failed, only the last
 * words of a recording are taken: why, when, how processes ended, and END. */
void store_put(struct store *s, enum record_kind kind, const struct pl_buf *payload);
int store_flush(struct store *s);	      /* 0, or -errno */
bool store_followed(const struct store *s);   /* does a reader follow? */
const char *store_why(const struct store *s); /* why it has failed */

/* Would `bytes` more exceed the limit, or is the oldest segment older than is kept, with a segment
 * left to drop? Then drop one. */
bool store_over(const struct store *s, size_t bytes);
/* Is the oldest one so old? */
bool store_is_old(const struct store *s);
void store_drop_oldest(struct store *s);
/* Append a BLOCK record with this number of events, in a new segment if the last one is full.
 * Flushes meta first. 0, or -errno. */
int store_block(struct store *s, const struct pl_buf *payload, uint32_t events);
/* Would a BLOCK record of such a payload begin a segment? */
bool store_begins_segment(const struct store *s, size_t payload_bytes);
/* The same for a SAMPLES record. */
int store_samples(struct store *s, const struct pl_buf *payload);
/* And for a SOURCE_EVENTS record. */
int store_source_events(struct store *s, const struct pl_buf *payload);

uint64_t store_bytes(const struct store *s);
/* A block, or samples, should not be larger than this; 0: no maximum. */
uint64_t store_block_max(const struct store *s);
uint64_t store_segment_max(const struct store *s);
/* Write END: first what was collected, then the sizes of the segments. */
void store_end(struct store *s, uint64_t ticks, bool recovered);
/* The record END with which a copy of what is on disk now ends. */
void store_end_of(struct store *s, uint64_t ticks, struct pl_buf *out);

/* The name of a segment. */
#define STORE_NAME_MAX 32
void store_segment_name(uint32_t number, char name[STORE_NAME_MAX]);

#endif
