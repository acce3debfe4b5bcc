/* Where a recording's bytes come from: the seam between the reader and the system.
 *
 * A recording is one file `meta` and segments `events.000001` and on. They are named by number
 * here, meta by 0. Bytes are read by position and never mapped: a file that is cut off or dropped
 * while it is read is then an error, never a SIGBUS. Tests and fuzzers bring files that lie in
 * memory.
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
	/* Put the numbers of the segments that are there, u32 each, in any order. */
	int (*segments)(struct files *f, struct pl_buf *numbers, struct pl_err *err);
	/* PL_ERR_NOT_FOUND: no such file. */
	int (*size)(struct files *f, uint32_t file, uint64_t *bytes, struct pl_err *err);
	/* All of the span. PL_ERR_FORMAT: the file is shorter; PL_ERR_NOT_FOUND: it is gone. */
	int (*read)(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err);
	/* Is there such a file in the system? Asked for arenas. */
	bool (*exists)(struct files *f, const char *path);
	void (*close)(struct files *f);
};

struct files {
	const struct files_ops *ops;
};

/* A directory's files. The caller closes them by ops->close. */
int files_open_directory(struct files **out, const char *directory, struct pl_err *err);

/* "meta", "events.000007". */
void file_name(uint32_t file, char name[FILE_NAME_MAX]);
/* The number of a segment by its name, 0 when it is none. */
uint32_t file_number(const char *name);

#endif
