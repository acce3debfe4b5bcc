/* What is taken out of a recording's records when it is packed. */
#ifndef PL_TRACE_PACK_STRIP_H
#define PL_TRACE_PACK_STRIP_H

#include "base/buf.h"
#include "format/pack.h"
#include "format/record.h"
#include "pathline/recording.h"
#include "trace/pack_last.h"

/* A file of the recording: its row in the pack, and how long it was. */
struct pack_part {
	struct pack_row row;
	uint32_t file; /* its number in the recording */
	uint64_t original;
	bool damaged; /* a part of it is left out: END must not fit */
};

/* The record that is next in its file. */
struct pack_record {
	struct record record;
	struct pl_view whole; /* the same with its head, as stored */
	uint64_t off;	      /* where it was in its file */
	uint64_t at;	      /* where it comes in the pack's */
};

struct pack_strip {
	const struct pl_pack *how;
	const struct pack_part *parts; /* in order of file; END says how long they are */
	size_t part_count;
	struct pl_packed *packed; /* counts */
	const struct pack_last *last;
	struct pl_buf plain;   /* owned: room */
	struct pl_buf payload; /* owned: room */
};

/* Append the record as the pack has it. PL_ERR_FORMAT: what is in it is not understood, and nothing
 * was appended; PL_ERR_MEMORY. */
int pack_strip(struct pack_strip *s, const struct pack_record *in, struct pl_buf *out);
void pack_strip_release(struct pack_strip *s);

#endif
