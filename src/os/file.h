/* Files, as Pathline writes and reads them: whole writes, bounded reads, no surprise from special
 * files. */
#ifndef PL_OS_FILE_H
#define PL_OS_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"

/* Append all bytes at the file's end, which is at `end`: with one write(2) if the system takes it
 * whole. If it fails half-way, the file is cut back to `end`. 0, or -errno. */
int file_append(int fd, uint64_t end, const void *bytes, size_t n);

/* Identifies a regular file and its state, to see whether it has changed. The times are
 * CLOCK_REALTIME; a program can set the first, only the system the second. */
struct file_stamp {
	uint64_t device, inode, bytes;
	int64_t written_ns; /* st_mtim */
	int64_t changed_ns; /* st_ctim */
};

/* Read a regular file whole, at most max bytes, never blocking. 0; -errno; -EFBIG: it is larger;
 * -EINVAL: it is not a regular file. */
int file_read_all(int directory_fd, const char *path, size_t max, struct pl_buf *out);
/* The same, with the file's stamp. -ESTALE: it was changed while it was read. */
int file_read_stamped(int directory_fd, const char *path, size_t max, struct file_stamp *stamp,
	struct pl_buf *out);
/* The same for an open file, from its current offset. What is read is a copy: if somebody cuts the
 * file short meanwhile, it is shorter, while a mapping would end its reader with SIGBUS. */
int file_read(int fd, size_t max, struct pl_buf *out);
/* A descriptor of a regular file, and its stamp; never blocks. Or -errno, or -EINVAL. */
int file_open_regular(int directory_fd, const char *path, struct file_stamp *stamp);
/* 0, -errno, or -EINVAL. */
int file_stamp_of(int fd, struct file_stamp *out);
/* Does not open the file. 0, -errno, or -EINVAL when it is not a regular file. */
int file_stamp(int directory_fd, const char *path, struct file_stamp *out);

/* The text of a system file, as a string in `to`, cut if there is no room; false: it is empty, or
 * cannot be read. */
bool file_text(const char *path, char *to, size_t room);
/* The same of one entry of a process in /proc. */
bool proc_text(int pid, const char *name, char *to, size_t room);

#endif
