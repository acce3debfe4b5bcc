/* Texts as Python's repr writes them, made without Python and without the heap, into memory of the
 * caller. What does not fit is left out from the end. All with the GIL. */
#ifndef PL_RECORDER_VALUES_REPR_H
#define PL_RECORDER_VALUES_REPR_H

#include <stdbool.h>
#include <stddef.h>

#include "recorder/compat/python.h"

#define REPR_BYTES_MAX 1024 /* room need not be more */

struct repr {
	char *text; /* UTF-8, not ended by a 0 */
	size_t length, room;
	bool cut; /* something did not fit */
};

void repr_text(struct repr *r, const char *text, size_t length);
void repr_format(struct repr *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `length` bytes of UTF-8, with surrogates, as a quoted str. */
void repr_quoted(struct repr *r, const char *text, size_t length);

/* A str, quoted; or as it is, without quotes; or a part of it, quoted. Borrowed. */
void repr_str(struct repr *r, PyObject *str);
void repr_plain(struct repr *r, PyObject *str);
void repr_slice(struct repr *r, PyObject *str, Py_ssize_t from, Py_ssize_t to);
/* bytes, as a literal. */
void repr_bytes(struct repr *r, const char *bytes, size_t length);

/* An int in decimal digits. false: it is too long, and nothing was written. */
bool repr_int(struct repr *r, PyObject *number);

/* What type(o).__name__ is; and as types of C write their instances: with the module if it is one
 * of C. */
void repr_name_of_type(struct repr *r, PyObject *o);
void repr_full_name_of_type(struct repr *r, PyObject *o);

#endif
