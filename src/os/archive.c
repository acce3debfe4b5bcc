#include "os/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* A zip file is read from its end:
 *
 *	| members, each after a local header | directory: an entry each | end, comment |
 *
 * Bytes before the first member are allowed (a program with an archive appended), and offsets count
 * from the first member. No zip64, no encryption.
 */
#define END_BYTES     22
#define ENTRY_BYTES   46
#define LOCAL_BYTES   30
#define COMMENT_MAX   0xffff
#define DIRECTORY_MAX ((size_t)64 << 20)

/* A range of the file. */
struct part {
	uint64_t at;
	uint64_t bytes;
};

struct entry {
	struct archive_member member;
	struct part packed; /* .at: of its local header, counted from the first member */
};

static uint16_t u16_at(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t u32_at(const uint8_t *at)
{
	return u16_at(at) | (uint32_t)u16_at(at + 2) << 16;
}

/* Read a part of the file completely; -EBADMSG if the file does not have it. */
static int read_part(int fd, struct part p, struct pl_buf *out)
{
	buf_reset(out);
	uint8_t *to = buf_reserve(out, (size_t)p.bytes + 1);
	if (!to)
		return -ENOMEM;
	while (out->used < p.bytes) {
		ssize_t n =
			pread(fd, to + out->used, p.bytes - out->used, (off_t)(p.at + out->used));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		out->used += (size_t)n;
	}
	return 0;
}

static bool is_directory_end(const uint8_t *at)
{
	return !memcmp(at, "PK\5\6", 4);
}

/* Read the end of the directory into *out; *at: its place. */
static int read_directory_end(int fd, uint64_t file_bytes, struct pl_buf *out, uint64_t *at)
{
	uint64_t most = END_BYTES + COMMENT_MAX;

	if (file_bytes < END_BYTES)
		return -EBADMSG;
	*at = file_bytes - END_BYTES;
	int err = read_part(fd, (struct part){*at, END_BYTES}, out);
	if (err < 0 || is_directory_end(out->at))
		return err;
	if (most > file_bytes)
		most = file_bytes;
	err = read_part(fd, (struct part){file_bytes - most, most}, out);
	if (err < 0)
		return err;
	for (size_t i = (size_t)most - END_BYTES + 1; i-- > 0;) {
		if (!is_directory_end(out->at + i))
			continue;
		*at = file_bytes - most + i;
		memmove(out->at, out->at + i, END_BYTES);
		return 0;
	}
	return -EBADMSG;
}

/* Read the directory into *out; *front: the bytes before the place from which offsets count. */
static int read_directory(int fd, uint64_t file_bytes, struct pl_buf *out, uint64_t *front)
{
	uint64_t end;
	int err = read_directory_end(fd, file_bytes, out, &end);

	if (err < 0)
		return err;
	const uint64_t bytes = u32_at(out->at + 12), offset = u32_at(out->at + 16);
	if (end < bytes || end - bytes < offset)
		return -EBADMSG;
	if (bytes > DIRECTORY_MAX)
		return -EFBIG;
	*front = end - bytes - offset;
	return read_part(fd, (struct part){end - bytes, bytes}, out);
}

/* Consume an entry; its name is a view of the directory. */
static bool next_entry(struct pl_view *v, struct entry *e, struct pl_view *name)
{
	const uint8_t *at = v->at;
	struct pl_view rest;

	if (v->left < ENTRY_BYTES || memcmp(at, "PK\1\2", 4) != 0)
		return false;
	const size_t name_length = u16_at(at + 28),
		     more = (size_t)u16_at(at + 30) + u16_at(at + 32);
	if (v->left - ENTRY_BYTES < name_length + more)
		return false;
	*e = (struct entry){
		.member = {.method = u16_at(at + 10),
			.crc = u32_at(at + 16),
			.bytes = u32_at(at + 24)},
		.packed = {.at = u32_at(at + 42), .bytes = u32_at(at + 20)},
	};
	*name = view_of(at + ENTRY_BYTES, name_length);
	return view_bytes(v, ENTRY_BYTES + name_length + more, &rest) == 0;
}

/* Of several with the same name the last one, as in zipimport. */
static bool find_member(struct pl_view directory, struct pl_view name, struct entry *found)
{
	struct pl_view here;
	struct entry e;
	bool is_there = false;

	while (next_entry(&directory, &e, &here)) {
		if (here.left != name.left || memcmp(here.at, name.at, name.left) != 0)
			continue;
		*found = e;
		is_there = true;
	}
	return is_there;
}

/* Its local header has a name and extra fields, with lengths of its own. */
static int read_packed(int fd, struct part p, struct pl_buf *out)
{
	int err = read_part(fd, (struct part){p.at, LOCAL_BYTES}, out);

	if (err < 0)
		return err;
	if (memcmp(out->at, "PK\3\4", 4) != 0)
		return -EBADMSG;
	p.at += LOCAL_BYTES + (uint64_t)u16_at(out->at + 26) + u16_at(out->at + 28);
	return read_part(fd, p, out);
}

static int read_archive(int fd, uint64_t file_bytes, const struct archive_wanted *w,
	struct archive_member *member, struct pl_buf *out)
{
	uint64_t front;
	struct entry e;
	int err = read_directory(fd, file_bytes, out, &front);

	if (err < 0)
		return err;
	if (!find_member(buf_view(out), w->name, &e))
		return -ENOENT;
	if (e.packed.bytes > w->max || e.member.bytes > w->max)
		return -EFBIG;
	*member = e.member;
	e.packed.at += front;
	return read_packed(fd, e.packed, out);
}

/* A file that was changed while it was read is refused (ESTALE): its parts may not belong
 * together. */
int archive_read(const struct archive_wanted *w, struct file_stamp *stamp,
	struct archive_member *member, struct pl_buf *out)
{
	struct file_stamp after = {0};
	int fd = file_open_regular(AT_FDCWD, w->path, stamp);

	buf_reset(out);
	if (fd < 0)
		return fd;
	int err = read_archive(fd, stamp->bytes, w, member, out);
	if (file_stamp_of(fd, &after) < 0 || memcmp(&after, stamp, sizeof after) != 0)
		err = -ESTALE;
	close(fd);
	return err;
}
