/* Types of the standard library whose instances are written as a text, as their repr has it
 * (VALUE_TEXT), or have items in a C structure of their own. They are known by their names, and
 * those of C by the size of their layout; no module is asked, and none is imported. */
#ifndef PL_RECORDER_VALUES_LIBRARY_H
#define PL_RECORDER_VALUES_LIBRARY_H

#include <stdbool.h>

#include "format/value_table.h"
#include "recorder/values/repr.h"

/* Writes a text for an instance. false: it is not as expected, and has no text. */
typedef bool library_text(struct repr *r, PyObject *o);

struct library_type {
	const char *name; /* of a type of C: its tp_name; of a class: its module */
	const char *class_name;
	Py_ssize_t bytes; /* of a type of C: its tp_basicsize, or the least that it must be */
	bool may_be_longer;
	enum value_kind kind;
	library_text *text; /* of VALUE_TEXT; NULL and no kind: such an instance is an object */
	bool is_free;	    /* a text can have any words in it, so also a secret */
	bool own_name;	    /* a text has the name of a subclass, which is not written beside it */
};

/* The row of a type, or of a base of it. NULL: it is not of the standard library. exact: it is the
 * row's type itself. */
const struct library_type *library_type_of(PyTypeObject *type, bool *exact);

#endif
