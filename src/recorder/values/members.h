/* The members of an object: items, keys and values, fields, attributes; in the order in which
 * Python shows them. */
#ifndef PL_RECORDER_VALUES_MEMBERS_H
#define PL_RECORDER_VALUES_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "format/value_table.h"
#include "recorder/compat/objects.h"

struct members {
	PyObject *of; /* borrowed */
	enum value_kind kind;
	size_t length;	  /* how many there are */
	size_t next;	  /* of items, fields, and values beside names */
	Py_ssize_t place; /* in a dict or set */
	PyObject *fields; /* of a named tuple */
	struct attributes attributes;
	PyTypeObject *slots_of[16]; /* of an object: types with slots, the base first */
	size_t slot_types;
	size_t slot_type, slot; /* the next one */
};

/* What a member has: a name, a key, or neither; all borrowed. */
struct member {
	PyObject *name;	  /* a str */
	const char *slot; /* the name of a slot */
	PyObject *key;	  /* of a dict */
	PyObject *value;
};

/* kind: of the object, which has members; fields: as in struct value_type. */
void members_begin(struct members *m, PyObject *of, enum value_kind kind, PyObject *fields);
/* false: there are no more. */
bool members_next(struct members *m, struct member *out);

#endif
