#define _GNU_SOURCE
#include "trace/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "format/record.h"

/* A directory of files. The descriptors that were used last are kept, so a walk through thousands
 * of segments needs few, and a file that is open can be read after it was dropped. */
#define OPEN_MAX_FILES 16 /* descriptors kept: meta, and the segments in which cursors are */

struct open_file {
	bool used;
	uint32_t file;
	int fd;
	uint64_t last_use;
};

struct directory {
	struct files files; /* first: a struct files is cast to its directory */
	int fd;
	int follow_fd; /* of meta, with the lock of a reader that follows; -1: none */
	uint64_t uses;
	struct open_file open[OPEN_MAX_FILES];
};

void file_name(uint32_t file, char name[FILE_NAME_MAX])
{
	if (file == FILE_META)
		snprintf(name, FILE_NAME_MAX, "meta");
	else
		snprintf(name, FILE_NAME_MAX, "events.%06" PRIu32, file);
}

/* Only names that file_name would write: "events.1" and "events.0000001" are not segments. */
uint32_t file_number(const char *name)
{
	static const char front[] = "events.";
	char canonical[FILE_NAME_MAX];
	uint64_t number = 0;

	if (strncmp(name, front, sizeof front - 1) != 0)
		return 0;
	for (const char *p = name + sizeof front - 1; *p; p++) {
		if (*p < '0' || *p > '9' || number > UINT32_MAX / 10)
			return 0;
		number = number * 10 + (uint64_t)(*p - '0');
	}
	if (number == 0 || number > UINT32_MAX)
		return 0;
	file_name((uint32_t)number, canonical);
	return strcmp(name, canonical) == 0 ? (uint32_t)number : 0;
}

/* In no order. A segment that is dropped meanwhile may be in the list: opening it then says so. */
static int directory_segments(struct files *f, struct pl_buf *numbers, struct pl_err *err)
{
	struct directory *d = (struct directory *)f;
	/* a descriptor of its own: a shared one would share its place in the listing */
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *listing = fd >= 0 ? fdopendir(fd) : NULL;

	if (!listing) {
		int number = errno;
		if (fd >= 0)
			close(fd);
		return pl_err_cause(
			err, PL_ERR_IO, "the directory cannot be listed: %s", strerror(number));
	}
	for (const struct dirent *entry; (entry = readdir(listing));) {
		uint32_t number = file_number(entry->d_name);
		if (number)
			buf_u32(numbers, number);
	}
	closedir(listing);
	return numbers->failed
		       ? pl_err_cause(err, PL_ERR_MEMORY, "no memory for the list of segments")
		       : 0;
}

static int no_file(const char *name, int number, struct pl_err *err)
{
	return pl_err_cause(err, number == ENOENT ? PL_ERR_NOT_FOUND : PL_ERR_IO, "%s: %s", name,
		strerror(number));
}

/* A FIFO or device with that name must not block us or be read. */
static int open_regular_file(const struct directory *d, const char *name, struct pl_err *err)
{
	struct stat st;
	int fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return no_file(name, errno, err);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return pl_err_cause(err, PL_ERR_FORMAT, "%s is not a regular file", name);
}

/* The descriptor of a file, or a negative error. It stays open until OPEN_MAX_FILES others were
 * used after it. */
static int directory_fd(struct directory *d, uint32_t file, struct pl_err *err)
{
	struct open_file *slot = &d->open[0];
	char name[FILE_NAME_MAX];

	for (size_t i = 0; i < OPEN_MAX_FILES; i++) {
		struct open_file *o = &d->open[i];
		if (o->used && o->file == file) {
			o->last_use = ++d->uses;
			return o->fd;
		}
		if (!o->used || (slot->used && o->last_use < slot->last_use))
			slot = o;
	}
	file_name(file, name);
	int fd = open_regular_file(d, name, err);
	if (fd < 0)
		return fd;
	if (slot->used)
		close(slot->fd);
	*slot = (struct open_file){.used = true, .file = file, .fd = fd, .last_use = ++d->uses};
	return fd;
}

static int directory_size(struct files *f, uint32_t file, uint64_t *bytes, struct pl_err *err)
{
	struct stat st;
	int fd = directory_fd((struct directory *)f, file, err);

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return pl_err_cause(err, PL_ERR_IO, "its size cannot be read: %s", strerror(errno));
	*bytes = (uint64_t)st.st_size;
	return 0;
}

/* Exactly `length` bytes are appended, or none. The caller has compared the length with the file's
 * size: a file that is shorter by now is damage. */
int files_read_at(int fd, uint64_t off, size_t length, struct pl_buf *to, struct pl_err *err)
{
	uint8_t *at = buf_reserve(to, length);
	size_t done = 0;

	if (!at)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for %zu bytes", length);
	while (done < length) {
		ssize_t got = pread(fd, at + done, length - done, (off_t)(off + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pl_err_cause(
				err, PL_ERR_IO, "it cannot be read: %s", strerror(errno));
		if (got == 0)
			return pl_err_cause(err, PL_ERR_FORMAT, "the file ends early");
		done += (size_t)got;
	}
	to->used += length;
	return 0;
}

static int directory_read(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err)
{
	int fd = directory_fd((struct directory *)f, span.file, err);

	return fd < 0 ? fd : files_read_at(fd, span.off, span.length, to, err);
}

static bool directory_exists(struct files *f, const char *path)
{
	const struct directory *d = (const struct directory *)f;

	return faccessat(d->fd, path, F_OK, AT_EACCESS) == 0;
}

/* The lock lasts as long as its descriptor, so it has one of its own. */
static void directory_follow(struct files *f)
{
	struct directory *d = (struct directory *)f;
	struct flock lock = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = RECORD_FOLLOWED, .l_len = 1};
	char name[FILE_NAME_MAX];

	if (d->follow_fd >= 0)
		return;
	file_name(FILE_META, name);
	d->follow_fd = open_regular_file(d, name, NULL);
	if (d->follow_fd >= 0)
		fcntl(d->follow_fd, F_OFD_SETLK, &lock);
}

static void directory_close(struct files *f)
{
	struct directory *d = (struct directory *)f;

	for (size_t i = 0; i < OPEN_MAX_FILES; i++)
		if (d->open[i].used)
			close(d->open[i].fd);
	if (d->follow_fd >= 0)
		close(d->follow_fd);
	close(d->fd);
	free(d);
}

static const struct files_ops directory_ops = {
	.segments = directory_segments,
	.size = directory_size,
	.read = directory_read,
	.exists = directory_exists,
	.follow = directory_follow,
	.close = directory_close,
};

static int start_directory(struct files **out, int fd, struct pl_err *err)
{
	struct directory *d = calloc(1, sizeof *d);

	if (!d) {
		close(fd);
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory");
	}
	d->files.ops = &directory_ops;
	d->fd = fd;
	d->follow_fd = -1;
	*out = &d->files;
	return 0;
}

int files_open_directory(struct files **out, const char *directory, struct pl_err *err)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return no_file(directory, errno == ENOTDIR ? ENOENT : errno, err);
	return start_directory(out, fd, err);
}

/* A FIFO or a device must not block us. */
int files_open(struct files **out, const char *path, struct pl_err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return no_file(path, errno == ENOTDIR ? ENOENT : errno, err);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return start_directory(out, fd, err);
	if (S_ISREG(st.st_mode))
		return files_open_pack(out, fd, path, err);
	close(fd);
	return no_file(path, ENOENT, err);
}
