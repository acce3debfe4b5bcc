#include "format/pack.h"

#include "format/record.h"
#include "pathline/error.h"

void pack_write(struct pl_buf *out, const struct pack_row *rows, size_t count)
{
	struct pl_buf payload = {0};

	for (size_t i = 0; i < count; i++) {
		buf_varint(&payload, rows[i].file);
		buf_varint(&payload, rows[i].bytes);
	}
	if (payload.failed)
		out->failed = true;
	else
		record_write(out, RECORD_PACK, buf_view(&payload), NULL, 0);
	buf_release(&payload);
}

/* A file's bytes fit into an off_t; that they all do, the reader sees by the size of the pack. */
int pack_read_row(struct pl_view *payload, const struct pack_row *before, struct pack_row *out)
{
	uint64_t file, bytes;

	if (!payload->left)
		return before ? PL_END : PL_ERR_FORMAT;
	if (view_varint_max(payload, UINT32_MAX, &file) ||
		view_varint_max(payload, INT64_MAX, &bytes))
		return PL_ERR_FORMAT;
	if (before ? file <= before->file : file != 0)
		return PL_ERR_FORMAT;
	*out = (struct pack_row){.file = (uint32_t)file, .bytes = bytes};
	return 0;
}
