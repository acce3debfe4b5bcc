/* Types of the program's objects: which kind of value their instances are, and what they are
 * called. Found without running the program's code, and kept by address and version tag. */
#ifndef PL_RECORDER_VALUES_TYPES_H
#define PL_RECORDER_VALUES_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/value_table.h"
#include "recorder/compat/python.h"

#define TYPE_NAME_MAX 120 /* longer names are cut */

struct library_type;

struct value_type {
	const PyTypeObject *type; /* compared only */
	unsigned int tag;
	uint8_t kind;	     /* enum value_kind: its instances are written as this */
	bool exact;	     /* it is the type of that kind itself, whose name is not written */
	uint8_t name_length; /* qualified, with its module unless that is builtins or __main__ */
	char name[TYPE_NAME_MAX];
	bool exact_text;		    /* a text of its instances is without that name */
	const struct library_type *library; /* of the standard library, with a text; NULL: no */
	/* Borrowed from the type. Of a named tuple: a tuple of strs; of another class: what says
	 * in which order it has its attributes (members.h); NULL: nothing. */
	PyObject *fields;
};

/* With the GIL. Valid until the next call. */
const struct value_type *value_type_of(PyTypeObject *type);

#endif
