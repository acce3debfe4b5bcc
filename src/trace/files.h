/* Where a recording's bytes come from: the border between the reader and the system.
 *
 * A recording is one file `meta`, and segments `events.000001` and so on. Here they have numbers;
 * meta is 0. Bytes are read by position and never mapped, so a file that is cut or dropped while it
 * is read is an error, not a SIGBUS. Tests and fuzzers use files in memory.
 */
#ifndef PL_TRACE_FILES_H
#define PL_TRACE_FILES_H

#include "base/buf.h"
#include "pathline/error.h"

#define FILE_META     0u
#define FILE_NAME_MAX 32

struct files;

/* Bytes of one of the files. */
struct span {
	uint32_t file;
	uint64_t off; /* from the file's start */
	size_t length;
};

struct files_ops {
	/* Append the numbers of the segments that are there, each a u32, in any order. */
	int (*segments)(struct files *f, struct pl_buf *numbers, struct pl_err *err);
	/* PL_ERR_NOT_FOUND: there is no such file. */
	int (*size)(struct files *f, uint32_t file, uint64_t *bytes, struct pl_err *err);
	/* Read all of the span. PL_ERR_FORMAT: the file is shorter; PL_ERR_NOT_FOUND: it is
	 * gone. */
	int (*read)(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err);
	/* Is there such a file in the system? Used for arenas. */
	bool (*exists)(struct files *f, const char *path);
	/* Tell the writer of the files that a reader follows; until close. NULL: nobody writes. */
	void (*follow)(struct files *f);
	void (*close)(struct files *f);
};

struct files {
	const struct files_ops *ops;
	bool is_whole; /* a pack, with all bytes that its table names */
};

/* The files of a recording: of a directory, or of a pack (format/pack.h). The caller closes them
 * with ops->close. PL_ERR_NOT_FOUND: it is neither; PL_ERR_FORMAT: a pack that is damaged. */
int files_open(struct files **out, const char *path, struct pl_err *err);
int files_open_directory(struct files **out, const char *directory, struct pl_err *err);
/* fd is a regular file, and owned from now on, also after a failure. */
int files_open_pack(struct files **out, int fd, const char *path, struct pl_err *err);

/* Append `length` bytes of an open file, from `off` on. PL_ERR_FORMAT: it is shorter. */
int files_read_at(int fd, uint64_t off, size_t length, struct pl_buf *to, struct pl_err *err);

/* "meta", "events.000007". */
void file_name(uint32_t file, char name[FILE_NAME_MAX]);
/* The number of a segment from its name; 0: it is not a segment. */
uint32_t file_number(const char *name);

#endif
