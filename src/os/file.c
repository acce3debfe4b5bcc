#define _GNU_SOURCE
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "os/stat.h"

/* All or nothing: after an error the file is cut to its old end. A write of 0 bytes is a full
 * disk. */
int file_append(int fd, uint64_t end, const void *bytes, size_t n)
{
	const uint8_t *from = bytes;
	size_t done = 0;
	int err = 0;

	while (done < n) {
		ssize_t part = pwrite(fd, from + done, n - done, (off_t)(end + done));
		if (part > 0) {
			done += (size_t)part;
			continue;
		}
		if (part < 0 && errno == EINTR)
			continue;
		err = part < 0 ? -errno : -ENOSPC;
		if (ftruncate(fd, (off_t)end) < 0) {
			/* the reader takes it for a record that was cut short */
		}
		break;
	}
	return err;
}

static int64_t ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What changes when a file is changed: size and times, and the inode when it is replaced. */
static int stamp_from(const struct stat *st, struct file_stamp *out)
{
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	*out = (struct file_stamp){.device = st->st_dev,
		.inode = st->st_ino,
		.bytes = (uint64_t)st->st_size,
		.written_ns = ns_of(st->st_mtim),
		.changed_ns = ns_of(st->st_ctim)};
	return 0;
}

int file_stamp_of(int fd, struct file_stamp *out)
{
	struct stat st;

	return os_fstat(fd, &st) < 0 ? -errno : stamp_from(&st, out);
}

int file_open_regular(int directory_fd, const char *path, struct file_stamp *stamp)
{
	/* A FIFO or a terminal must neither block us nor become our terminal. */
	int fd = openat(directory_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	int err = file_stamp_of(fd, stamp);
	if (err < 0) {
		close(fd);
		return err;
	}
	return fd;
}

int file_stamp(int directory_fd, const char *path, struct file_stamp *out)
{
	struct stat st;

	return os_fstatat(directory_fd, path, &st, 0) < 0 ? -errno : stamp_from(&st, out);
}

/* Read the rest of a file whose size was `bytes`. */
static int read_rest(int fd, uint64_t bytes, size_t max, struct pl_buf *out)
{
	/* One byte more shows whether the file grew; files of /proc have size 0 and contain
	 * more. */
	for (size_t want = bytes < max ? (size_t)bytes + 1 : max + 1;;) {
		uint8_t *to = buf_reserve(out, want);
		ssize_t part = to ? read(fd, to, want) : -1;
		if (part < 0 && to && errno == EINTR)
			continue;
		if (part < 0)
			return to ? -errno : -ENOMEM;
		if (part == 0)
			return 0;
		out->used += (size_t)part;
		if (out->used > max)
			return -EFBIG;
		want = 4096;
	}
}

int file_read(int fd, size_t max, struct pl_buf *out)
{
	struct file_stamp stamp = {0};
	int err = file_stamp_of(fd, &stamp);

	buf_reset(out);
	return err < 0 ? err : read_rest(fd, stamp.bytes, max, out);
}

int file_read_stamped(int directory_fd, const char *path, size_t max, struct file_stamp *stamp,
	struct pl_buf *out)
{
	int fd = file_open_regular(directory_fd, path, stamp);
	struct file_stamp after = {0};

	buf_reset(out);
	if (fd < 0)
		return fd;
	int err = read_rest(fd, stamp->bytes, max, out);
	if (err == 0)
		err = file_stamp_of(fd, &after);
	if (err == 0 && memcmp(&after, stamp, sizeof after) != 0)
		err = -ESTALE;
	close(fd);
	return err;
}

int file_read_all(int directory_fd, const char *path, size_t max, struct pl_buf *out)
{
	struct file_stamp stamp = {0};

	return file_read_stamped(directory_fd, path, max, &stamp, out);
}

/* For files of /proc: a text, cut to the room. false: it cannot be read, or is empty. */
bool file_text(const char *path, char *to, size_t room)
{
	size_t used = 0;
	ssize_t part;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (used < room - 1 && (part = read(fd, to + used, room - 1 - used)) > 0)
		used += (size_t)part;
	close(fd);
	to[used] = 0;
	return used > 0;
}

bool proc_text(int pid, const char *name, char *to, size_t room)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	return file_text(path, to, room);
}
