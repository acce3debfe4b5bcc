/* Errors of libpathline: a code for the program, a chain of causes for the person.
 *
 * Every function that can fail gives 0 or a negative enum pl_error, and takes a struct pl_err that
 * may be NULL. The one who finds the fault writes the first cause; each level above adds what it
 * was doing.
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
	PL_END = 1,	       /* from iterators only: nothing comes after */
	PL_ERR_FORMAT = -1,    /* the bytes are not what the format says */
	PL_ERR_VERSION = -2,   /* written by a Pathline of a newer major version */
	PL_ERR_IO = -3,	       /* the system refused; the cause names errno */
	PL_ERR_MEMORY = -4,    /* no memory, or more asked for than the bytes can justify */
	PL_ERR_NOT_FOUND = -5, /* no such recording, process, thread, position */
	PL_ERR_ARGUMENT = -6,  /* a promise of the caller is broken; the cause starts with its ID */
};

#define PL_ERR_TEXT_MAX 2048

/* The caller's; all zero is an error object without causes. Not shared between threads. */
struct pl_err {
	enum pl_error code;
	size_t used;
	char text[PL_ERR_TEXT_MAX]; /* causes, the outermost first, joined by ": " */
};

/* Add a cause; gives `code`, so that `return pl_err_cause(e, code, …)` reads well. e may be NULL.
 */
int pl_err_cause(struct pl_err *e, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* One line: the outermost cause first. Valid until e changes. */
const char *pl_err_text(const struct pl_err *e);
/* A few words for a code. */
const char *pl_error_name(int code);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
