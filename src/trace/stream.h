/* A file as a stream of records, read by position. Damage is skipped, up to the next valid head.
 *
 *   stream_head ----> 0        look at `head`; take the payload or its front; stream_next
 *                \--> PL_END   nothing more; with `cut`, a record begins here that is not complete
 *                 \-> PL_ERR_FORMAT   not a valid head: stream_resync continues after it
 */
#ifndef PL_TRACE_STREAM_H
#define PL_TRACE_STREAM_H

#include "format/record.h"
#include "trace/files.h"

struct stream {
	struct files *files; /* not owned */
	uint32_t file;
	uint64_t off;  /* offset of `head` from the file's start */
	uint64_t size; /* of the file; bytes after this are not looked at */
	struct record_head head;
	bool cut;
	struct pl_buf room; /* owned: the bytes last read */
};

/* Read the head at `off` into `head`. PL_END: there is no complete record (`cut`: a part of one);
 * PL_ERR_FORMAT: what is there is no head; or an error of the file. */
int stream_head(struct stream *s, struct pl_err *err);
/* The first n bytes of the payload, or all if it is shorter; unchecked. Valid until the next
 * call. */
int stream_front(struct stream *s, size_t n, struct pl_view *out, struct pl_err *err);
/* The whole payload. PL_ERR_FORMAT: its checksum is wrong. */
int stream_record(struct stream *s, struct record *out, struct pl_err *err);
/* After a valid head: `off` is then after its record. */
void stream_next(struct stream *s);
/* Skip to the next valid head, or to the end. After a record whose head is valid use
 * stream_next. */
int stream_resync(struct stream *s, struct pl_err *err);
void stream_release(struct stream *s);

#endif
