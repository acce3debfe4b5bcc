/* A row of the table of a block's sections: block_write.c writes it, block.c reads it, and
 * block_strip.c takes sections out. */
#ifndef PL_FORMAT_SECTION_ROW_H
#define PL_FORMAT_SECTION_ROW_H

#include "base/buf.h"
#include "base/view.h"
#include "format/event.h"
#include "format/record.h"
#include "pathline/error.h"

struct section_row {
	uint64_t kind, events, stream_bytes, raw, stored;
};

static inline int section_row_read(struct pl_view *rows, struct section_row *out)
{
	return view_varint_max(rows, EVENT_FURTHER_MAX, &out->kind) ||
			       view_varint_max(rows, UINT32_MAX, &out->events) ||
			       view_varint_max(rows, UINT32_MAX, &out->stream_bytes) ||
			       view_varint_max(rows, RECORD_RAW_MAX, &out->raw) ||
			       view_varint_max(rows, out->raw, &out->stored)
		       ? PL_ERR_FORMAT
		       : 0;
}

static inline void section_row_write(struct pl_buf *table, const struct section_row *row)
{
	buf_varint(table, row->kind);
	buf_varint(table, row->events);
	buf_varint(table, row->stream_bytes);
	buf_varint(table, row->raw);
	buf_varint(table, row->stored);
}

/* The table as it stands in the block, with its length before it and its check after it. */
static inline void section_table_write(struct pl_buf *out, const struct pl_buf *table)
{
	const size_t at = out->used;

	buf_u32(out, (uint32_t)table->used);
	buf_put(out, table->at, table->used);
	if (!out->failed)
		buf_u64(out, hash_bytes(out->at + at, out->used - at));
	out->failed |= table->failed;
}

#endif
