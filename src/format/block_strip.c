/* A block without what stands apart from its path. */
#include "format/block.h"

#include "base/varint.h"
#include "format/section_row.h"

/* The table again, with rows that have no events. The sections that stood behind it are gone. */
static int strip_rows(struct pl_view rows, struct pl_buf *table, uint64_t *events)
{
	struct section_row row;

	while (rows.left) {
		if (section_row_read(&rows, &row))
			return PL_ERR_FORMAT;
		*events += row.events;
		row.events = row.raw = row.stored = 0;
		section_row_write(table, &row);
	}
	return 0;
}

/* | head | bytes u32 | row… | XXH3 | section… | front, events | */
int block_strip(struct pl_buf *out, struct pl_view payload, uint64_t *events)
{
	struct block_head head;
	struct block_sections sections;
	struct pl_view rest = payload, rows, before;
	struct pl_buf table = {0};
	uint32_t bytes = 0;

	*events = 0;
	if (block_read_head(payload, &head))
		return PL_ERR_FORMAT;
	if (!(head.flags & BLOCK_SECTIONS)) {
		buf_put(out, payload.at, payload.left);
		return 0;
	}
	if (view_bytes(&rest, BLOCK_HEAD_BYTES, &before) || block_read_sections(rest, &sections) ||
		sections.stored > rest.left - sections.table)
		return PL_ERR_FORMAT;
	const struct pl_view path = view_of(rest.at + sections.table + sections.stored,
		rest.left - sections.table - sections.stored);
	int err = view_u32(&rest, &bytes) || view_bytes(&rest, bytes, &rows)
			  ? PL_ERR_FORMAT
			  : strip_rows(rows, &table, events);
	if (err == 0) {
		buf_put(out, before.at, before.left);
		section_table_write(out, &table);
		buf_put(out, path.at, path.left);
	}
	buf_release(&table);
	return err;
}
