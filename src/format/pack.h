/* A pack: all files of a recording in one file, to be copied or sent.
 *
 *	| PACK: a record (record.h) | meta | events.000007 | events.000008 | …
 *	| (file, bytes)…            |
 *
 * The payload has a row for each file, in the order in which they follow, without room between
 * them. `file` is a segment's number, 0 for meta, which is the first. So a reader finds each file
 * by adding up, and a pack that is cut short lacks only the end of its path.
 */
#ifndef PL_FORMAT_PACK_H
#define PL_FORMAT_PACK_H

#include "base/buf.h"
#include "base/view.h"

struct pack_row {
	uint32_t file;
	uint64_t bytes;
};

/* Append the record. */
void pack_write(struct pl_buf *out, const struct pack_row *rows, size_t count);

/* Take the next row of the payload; *before is the row before it, NULL for the first. PL_END: there
 * are no more; PL_ERR_FORMAT: files do not grow, the first is not meta, or the row is cut. */
int pack_read_row(struct pl_view *payload, const struct pack_row *before, struct pack_row *out);

#endif
