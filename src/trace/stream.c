#include "trace/stream.h"

/* The search for the next head reads windows of growing size: most damage is short, and a hostile
 * file has some before each record. */
#define WINDOW_BYTES_FIRST 1024u
#define WINDOW_BYTES_MAX   (256u << 10)

static int stream_read_at(struct stream *s, uint64_t off, size_t n, struct pl_err *err)
{
	buf_reset(&s->room);
	return s->files->ops->read(
		s->files, (struct span){.file = s->file, .off = off, .length = n}, &s->room, err);
}

/* A head whose payload is not complete is an end, not damage: the record is being written. In a
 * finished recording the caller finds bytes after the end. */
int stream_head(struct stream *s, struct pl_err *err)
{
	uint64_t left = s->size - s->off;

	s->cut = false;
	if (!left)
		return PL_END;
	if (left < RECORD_HEAD_BYTES) {
		s->cut = true;
		return PL_END;
	}
	int code = stream_read_at(s, s->off, RECORD_HEAD_BYTES, err);
	if (code)
		return code;
	code = record_read_head(buf_view(&s->room), &s->head, &s->cut);
	if (code)
		return pl_err_cause(err, code, "no record begins here");
	if (s->head.stored > left - RECORD_HEAD_BYTES) {
		s->cut = true;
		return PL_END;
	}
	return 0;
}

/* The first bytes of the payload, as stored; fewer if there are no more. Valid until the next
 * call. */
int stream_front(struct stream *s, size_t n, struct pl_view *out, struct pl_err *err)
{
	if (n > s->head.stored)
		n = s->head.stored;
	int code = stream_read_at(s, s->off + RECORD_HEAD_BYTES, n, err);
	*out = buf_view(&s->room);
	return code;
}

int stream_record(struct stream *s, struct record *out, struct pl_err *err)
{
	int code = stream_front(s, s->head.stored, &out->payload, err);

	if (code)
		return code;
	if (!record_payload_sound(&s->head, out->payload))
		return pl_err_cause(err, PL_ERR_FORMAT, "wrong checksum");
	out->kind = s->head.kind;
	out->flags = s->head.flags;
	out->raw = s->head.raw;
	return 0;
}

void stream_next(struct stream *s)
{
	s->off += RECORD_HEAD_BYTES + s->head.stored;
}

/* To the next place where a sound head begins, or to the end of the file. What follows the damaged
 * bytes is found by its checksum alone; nothing that the damaged record says is believed. */
int stream_resync(struct stream *s, struct pl_err *err)
{
	size_t room = WINDOW_BYTES_FIRST;

	s->off++;
	while (s->size - s->off >= RECORD_HEAD_BYTES) {
		uint64_t left = s->size - s->off;
		size_t n = left < room ? (size_t)left : room;
		int code = stream_read_at(s, s->off, n, err);
		if (code)
			return code;
		struct pl_view window = buf_view(&s->room);
		struct record_head head;
		bool cut;
		if (record_read_head(window, &head, &cut) == 0)
			return 0;
		size_t skip = record_resync_head(window);
		/* the last bytes of the window may be the front of a head */
		s->off += skip < n ? skip : n - (RECORD_HEAD_BYTES - 1);
		if (skip < n)
			return 0;
		room = room < WINDOW_BYTES_MAX ? room * 2 : room;
	}
	s->off = s->size;
	return 0;
}

void stream_release(struct stream *s)
{
	buf_release(&s->room);
}
