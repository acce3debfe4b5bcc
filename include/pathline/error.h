/* Errors of libpathline: a code for the program, and a chain of causes for a person.
 *
 * A function that can fail returns 0 or a negative enum pl_error, and takes a struct pl_err, which
 * may be NULL. The function that finds the fault writes the first cause; each function above it
 * adds what it was doing.
 */
#ifndef PATHLINE_ERROR_H
#define PATHLINE_ERROR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum pl_error {
	PL_OK = 0,
	PL_END = 1,	       /* only from iterators: there is nothing more */
	PL_ERR_FORMAT = -1,    /* the bytes are not what the format says */
	PL_ERR_VERSION = -2,   /* written in a newer major version of the format */
	PL_ERR_IO = -3,	       /* a system call failed; the cause has the errno */
	PL_ERR_MEMORY = -4,    /* no memory, or a count is larger than the bytes allow */
	PL_ERR_NOT_FOUND = -5, /* no such recording, process, thread, position */
	PL_ERR_ARGUMENT = -6,  /* the caller broke a rule; the cause begins with its ID */
};

#define PL_ERR_TEXT_MAX 2048

/* Belongs to the caller. All zero is an error object without causes. Threads must not share one. */
struct pl_err {
	enum pl_error code;
	size_t used;
	char text[PL_ERR_TEXT_MAX]; /* causes, the outermost first, joined by ": " */
};

/* Add a cause. Returns `code`, for `return pl_err_cause(e, code, ...)`. e may be NULL. */
int pl_err_cause(struct pl_err *e, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The causes in one line, the outermost first. Valid until e changes. */
const char *pl_err_text(const struct pl_err *e);
/* A few words for a code. */
const char *pl_error_name(int code);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
