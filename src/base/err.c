#include "pathline/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The outermost cause comes first: a new one is put before the existing text. If there is no room,
 * the innermost text is cut: what the user asked for is said whole. The code is that of the
 * outermost cause. */
int pl_err_cause(struct pl_err *e, int code, const char *format, ...)
{
	char cause[PL_ERR_TEXT_MAX];
	va_list args;

	if (!e)
		return code;
	va_start(args, format);
	int n = vsnprintf(cause, sizeof cause, format, args);
	va_end(args);
	if (n < 0)
		return code;
	size_t length = strlen(cause);
	size_t joint = e->used ? 2 : 0;
	if (length + joint + e->used >= sizeof e->text)
		e->used = sizeof e->text - 1 > length + joint ? sizeof e->text - 1 - length - joint
							      : 0;
	memmove(e->text + length + joint, e->text, e->used);
	memcpy(e->text, cause, length);
	memcpy(e->text + length, ": ", joint);
	e->used += length + joint;
	e->text[e->used] = 0;
	e->code = (enum pl_error)code;
	return code;
}

const char *pl_err_text(const struct pl_err *e)
{
	return e->used ? e->text : pl_error_name(e->code);
}

const char *pl_error_name(int code)
{
	switch (code) {
	case PL_OK:
		return "no error";
	case PL_END:
		return "end";
	case PL_ERR_FORMAT:
		return "damaged";
	case PL_ERR_VERSION:
		return "a newer format";
	case PL_ERR_IO:
		return "input or output failed";
	case PL_ERR_MEMORY:
		return "out of memory";
	case PL_ERR_NOT_FOUND:
		return "not found";
	case PL_ERR_ARGUMENT:
		return "wrong argument";
	default:
		return "unknown error";
	}
}
