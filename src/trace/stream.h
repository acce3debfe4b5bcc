/* A file as a stream of records, read by position; over what is damaged to the next sound head.
 *
 *	stream_head ----> 0        look at `head`; take the payload or its front; stream_next
 *	             \--> PL_END   nothing more; with `cut`, a record begins here that the file does not hold yet
 *	              \-> PL_ERR_FORMAT   not a sound head: stream_resync goes on behind it
 */
#ifndef PL_TRACE_STREAM_H
#define PL_TRACE_STREAM_H

#include "format/record.h"
#include "trace/files.h"

struct stream {
	struct files *files; /* not owned */
	uint32_t file;
	uint64_t off;  /* where `head` stands, from the file's start */
	uint64_t size; /* of the file; bytes behind are not looked at */
	struct record_head head;
	bool cut;
	struct pl_buf room; /* owned: the bytes last read */
};

int stream_head(struct stream *s, struct pl_err *err);
/* The first n bytes of the payload, all of it when it is shorter; unchecked. Valid until the next
 * call. */
int stream_front(struct stream *s, size_t n, struct pl_view *out, struct pl_err *err);
/* The whole payload. PL_ERR_FORMAT: its checksum is wrong. */
int stream_record(struct stream *s, struct record *out, struct pl_err *err);
void stream_next(struct stream *s);
/* To the next sound head, or to the end; for the record whose head is sound, stream_next does. */
int stream_resync(struct stream *s, struct pl_err *err);
void stream_release(struct stream *s);

#endif
