/* A recording as one file (format/pack.h).
 *
 * The table comes first and says how long each file is, and `fd` may be a pipe. So what is taken
 * out is taken out twice: once to know the lengths, and once more to write. A recording that is
 * being written only grows: the lengths of its segments are taken before that of meta, which then
 * has all that they name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "trace/pack_strip.h"
#include "trace/recording.h"
#include "trace/stream.h"

#define PIECE_BYTES (1u << 20) /* copied at once */

struct packing {
	struct files *files; /* not owned */
	const struct pl_pack *how;
	struct pl_packed *packed;
	struct pl_err *err;
	int fd;			 /* -1: lengths are counted, and nothing is written */
	struct pack_part *parts; /* owned; the first is meta */
	size_t count;
	struct pack_strip strip;
	struct pack_last last;
	struct pl_buf room;   /* owned: of a file, as it is */
	struct pl_buf out;    /* owned: a record that goes to the pack */
	uint64_t at;	      /* bytes of the part so far */
	uint64_t read, total; /* bytes of the recording, for the progress */
};

static bool strips(const struct packing *p)
{
	return p->how->strip_values || p->how->strip_sources || p->how->last_ns;
}

/* ---- what there is ---- */

static int add_part(struct packing *p, uint32_t file)
{
	uint64_t bytes = 0;
	int code = p->files->ops->size(p->files, file, &bytes, p->err);

	if (code == PL_ERR_NOT_FOUND && file != FILE_META) {
		*p->err = (struct pl_err){0}; /* dropped meanwhile: the limit needed the room */
		return 0;
	}
	if (code)
		return code;
	struct pack_part part = {
		.row = {.file = file, .bytes = bytes}, .file = file, .original = bytes};
	if (file != FILE_META)
		part.row.file += p->last.shift;
	p->parts[file == FILE_META ? 0 : p->count++] = part;
	p->total += bytes;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int list_parts(struct packing *p)
{
	struct pl_buf numbers = {0};
	int code = p->files->ops->segments(p->files, &numbers, p->err);
	const size_t n = numbers.used / sizeof(uint32_t);
	uint32_t *files = (uint32_t *)(void *)numbers.at;

	if (n)
		qsort(files, n, sizeof *files, by_number);
	p->parts = calloc(n + 1, sizeof *p->parts);
	if (code == 0 && !p->parts)
		code = pl_err_cause(p->err, PL_ERR_MEMORY, "no memory for the list of segments");
	p->count = 1;
	for (size_t i = 0; i < n && code == 0; i++)
		if (!p->last.on || files[i] >= p->last.first_file)
			code = add_part(p, files[i]);
	if (code == 0)
		code = add_part(p, FILE_META);
	buf_release(&numbers);
	return code;
}

/* ---- writing ---- */

static int put_bytes(struct packing *p, struct pl_view bytes)
{
	p->at += bytes.left;
	if (p->fd < 0)
		return 0;
	p->packed->bytes += bytes.left;
	while (bytes.left) {
		ssize_t n = write(p->fd, bytes.at, bytes.left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pl_err_cause(
				p->err, PL_ERR_IO, "it cannot be written: %s", strerror(errno));
		bytes = view_of(bytes.at + n, bytes.left - (size_t)n);
	}
	return 0;
}

/* Both passes of one that strips read everything. */
static void tell_progress(struct packing *p, uint64_t bytes)
{
	const double passes = strips(p) ? 2 : 1;

	p->read += bytes;
	if (p->how->progress && p->total)
		p->how->progress(p->how->arg, (double)p->read / (double)p->total / passes);
}

static int read_piece(struct packing *p, struct span span)
{
	buf_reset(&p->room);
	int code = p->files->ops->read(p->files, span, &p->room, p->err);
	if (code == 0)
		tell_progress(p, span.length);
	return code;
}

/* As it is, with its damages. */
static int copy_part(struct packing *p, const struct pack_part *part)
{
	struct span span = {.file = part->file};
	int code = 0;

	for (; span.off < part->original && code == 0; span.off += span.length) {
		const uint64_t left = part->original - span.off;
		span.length = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
		code = read_piece(p, span);
		if (code == 0)
			code = put_bytes(p, buf_view(&p->room));
	}
	return code;
}

static void leave_out(struct packing *p, struct pack_part *part)
{
	*p->err = (struct pl_err){0};
	p->packed->damaged++;
	part->damaged = true;
}

/* The record at the stream's head. One that is damaged is not taken along. */
static int put_stripped(struct packing *p, struct pack_part *part, const struct stream *s)
{
	struct pack_record in = {.off = s->off, .at = p->at};
	const size_t bytes = RECORD_HEAD_BYTES + (size_t)s->head.stored;
	bool cut;
	int code = read_piece(p, (struct span){.file = s->file, .off = s->off, .length = bytes});

	if (code)
		return code;
	struct pl_view rest = in.whole = buf_view(&p->room);
	buf_reset(&p->out);
	code = record_read(&rest, &in.record, &cut);
	if (code == 0)
		code = pack_strip(&p->strip, &in, &p->out);
	if (code == PL_ERR_FORMAT) {
		leave_out(p, part);
		return 0;
	}
	return code ? pl_err_cause(p->err, code, "no memory for a record")
		    : put_bytes(p, buf_view(&p->out));
}

static int strip_part(struct packing *p, struct pack_part *part)
{
	struct stream s = {.files = p->files, .file = part->file, .size = part->original};
	int code;

	while ((code = stream_head(&s, p->err)) != PL_END) {
		if (code == PL_ERR_FORMAT) {
			leave_out(p, part);
			code = stream_resync(&s, p->err);
		} else if (code == 0) {
			code = put_stripped(p, part, &s);
			stream_next(&s);
		}
		if (code)
			break;
	}
	stream_release(&s);
	return code == PL_END ? 0 : code;
}

/* Meta is last: its END says how long the others are. */
static int count_parts(struct packing *p)
{
	int code = 0;

	p->fd = -1;
	for (size_t i = 0; i < p->count && code == 0; i++) {
		struct pack_part *part = &p->parts[i + 1 < p->count ? i + 1 : 0];
		p->at = 0;
		code = strip_part(p, part);
		part->row.bytes = p->at;
	}
	*p->packed = (struct pl_packed){0};
	return code;
}

static int put_table(struct packing *p)
{
	struct pack_row *rows = calloc(p->count, sizeof *rows);
	int code = rows ? 0 : PL_ERR_MEMORY;

	buf_reset(&p->out);
	for (size_t i = 0; i < p->count && code == 0; i++)
		rows[i] = p->parts[i].row;
	if (code == 0)
		pack_write(&p->out, rows, p->count);
	free(rows);
	if (code || p->out.failed)
		return pl_err_cause(p->err, PL_ERR_MEMORY, "no memory for the table");
	return put_bytes(p, buf_view(&p->out));
}

static int put_all(struct packing *p, int fd)
{
	int code = list_parts(p);

	p->strip = (struct pack_strip){.how = p->how,
		.parts = p->parts,
		.part_count = p->count,
		.packed = p->packed,
		.last = &p->last};
	if (code == 0 && strips(p))
		code = count_parts(p);
	p->fd = fd;
	if (code == 0)
		code = put_table(p);
	for (size_t i = 0; i < p->count && code == 0; i++) {
		p->at = 0;
		code = strips(p) ? strip_part(p, &p->parts[i]) : copy_part(p, &p->parts[i]);
	}
	return code;
}

int pl_recording_pack(struct pl_recording *r, int fd, const struct pl_pack *how,
	struct pl_packed *out, struct pl_err *err)
{
	struct pl_err why = {0};
	struct packing p = {.files = r->files, .how = how, .packed = out, .err = &why};

	*out = (struct pl_packed){0};
	int code = how->last_ns ? pack_last_choose(&p.last, r, how->last_ns) : 0;
	if (code == 0)
		code = put_all(&p, fd);
	pack_last_release(&p.last);
	pack_strip_release(&p.strip);
	buf_release(&p.room);
	buf_release(&p.out);
	free(p.parts);
	return code ? recording_failed(err, code, &why) : 0;
}
