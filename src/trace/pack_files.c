/* The files of a pack: one file that has them all, after a table (format/pack.h).
 *
 * A pack that was cut short still has its first files: what a row says of bytes that are not there
 * is not believed, so the recording reads as one whose writer was killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "format/pack.h"
#include "format/record.h"
#include "trace/files.h"

struct part {
	uint32_t file;
	uint64_t off, bytes; /* in the pack; within its size */
};

struct pack {
	struct files files; /* first: a struct files is cast to its pack */
	int fd;
	struct part *parts; /* owned; in order of file; the first is meta */
	size_t count;
};

static int pack_segments(struct files *f, struct pl_buf *numbers, struct pl_err *err)
{
	const struct pack *p = (const struct pack *)f;

	for (size_t i = 1; i < p->count; i++)
		buf_u32(numbers, p->parts[i].file);
	return numbers->failed
		       ? pl_err_cause(err, PL_ERR_MEMORY, "no memory for the list of segments")
		       : 0;
}

static int by_file(const void *key, const void *element)
{
	const uint32_t file = *(const uint32_t *)key;
	const struct part *part = element;

	return file < part->file ? -1 : file > part->file;
}

static const struct part *find_part(const struct pack *p, uint32_t file, struct pl_err *err)
{
	const struct part *part = bsearch(&file, p->parts, p->count, sizeof *p->parts, by_file);
	char name[FILE_NAME_MAX];

	if (!part) {
		file_name(file, name);
		pl_err_cause(err, PL_ERR_NOT_FOUND, "%s: it is not in the pack", name);
	}
	return part;
}

static int pack_size(struct files *f, uint32_t file, uint64_t *bytes, struct pl_err *err)
{
	const struct part *part = find_part((struct pack *)f, file, err);

	if (!part)
		return PL_ERR_NOT_FOUND;
	*bytes = part->bytes;
	return 0;
}

static int pack_read(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err)
{
	const struct pack *p = (const struct pack *)f;
	const struct part *part = find_part(p, span.file, err);

	if (!part)
		return PL_ERR_NOT_FOUND;
	if (span.off > part->bytes || span.length > part->bytes - span.off)
		return pl_err_cause(err, PL_ERR_FORMAT, "the file ends early");
	return files_read_at(p->fd, part->off + span.off, span.length, to, err);
}

/* What its arena was is on another machine, or gone: nobody writes a pack. */
static bool pack_exists(struct files *f, const char *path)
{
	(void)f;
	(void)path;
	return false;
}

static void pack_close(struct files *f)
{
	struct pack *p = (struct pack *)f;

	close(p->fd);
	free(p->parts);
	free(p);
}

static const struct files_ops pack_ops = {
	.segments = pack_segments,
	.size = pack_size,
	.read = pack_read,
	.exists = pack_exists,
	.close = pack_close,
};

/* The record at the front, into `room`. PL_ERR_NOT_FOUND: the file does not begin with a PACK. */
static int read_table(int fd, uint64_t size, struct pl_buf *room, struct record *out)
{
	struct record_head head;
	bool cut;

	if (size < RECORD_HEAD_BYTES || files_read_at(fd, 0, RECORD_HEAD_BYTES, room, NULL) ||
		record_read_head(buf_view(room), &head, &cut) || head.kind != RECORD_PACK)
		return PL_ERR_NOT_FOUND;
	if (head.flags & RECORD_COMPRESSED || head.stored > size - RECORD_HEAD_BYTES)
		return PL_ERR_FORMAT;
	int code = files_read_at(fd, RECORD_HEAD_BYTES, head.stored, room, NULL);
	if (code)
		return code;
	struct pl_view bytes = buf_view(room);
	return record_read(&bytes, out, &cut) ? PL_ERR_FORMAT : 0;
}

/* A part for each row: where the one before ends, and no longer than what is there. A row takes two
 * bytes or more, so the table justifies the memory. */
static int read_parts(struct pack *p, struct pl_view payload, uint64_t at, uint64_t size)
{
	struct pack_row row;
	int code;

	p->files.is_whole = true;
	p->parts = calloc(payload.left / 2 + 1, sizeof *p->parts);
	if (!p->parts)
		return PL_ERR_MEMORY;
	while ((code = pack_read_row(&payload, p->count ? &row : NULL, &row)) == 0) {
		const uint64_t bytes = row.bytes < size - at ? row.bytes : size - at;
		p->parts[p->count++] = (struct part){.file = row.file, .off = at, .bytes = bytes};
		p->files.is_whole &= bytes == row.bytes;
		at += bytes;
	}
	return code == PL_END ? 0 : code;
}

static int start_pack(struct pack *p, const char *path, struct pl_err *err)
{
	struct pl_buf room = {0};
	struct record table;
	struct stat st;
	int code = fstat(p->fd, &st) < 0 ? PL_ERR_IO : 0;
	const uint64_t size = code ? 0 : (uint64_t)st.st_size;

	if (code == 0)
		code = read_table(p->fd, size, &room, &table);
	if (code == 0)
		code = read_parts(p, table.payload, RECORD_HEAD_BYTES + table.payload.left, size);
	buf_release(&room);
	if (code == PL_ERR_NOT_FOUND)
		return pl_err_cause(err, code, "%s: %s", path, strerror(ENOENT));
	return code ? pl_err_cause(err, code, "%s: the table of the pack is damaged", path) : 0;
}

int files_open_pack(struct files **out, int fd, const char *path, struct pl_err *err)
{
	struct pack *p = calloc(1, sizeof *p);

	if (!p) {
		close(fd);
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory");
	}
	p->files.ops = &pack_ops;
	p->fd = fd;
	int code = start_pack(p, path, err);
	if (code) {
		pack_close(&p->files);
		return code;
	}
	*out = &p->files;
	return 0;
}
