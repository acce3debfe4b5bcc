/* The members of an object: items, keys and values, fields, attributes; in the order in which
 * Python shows them. */
#ifndef PL_RECORDER_VALUES_MEMBERS_H
#define PL_RECORDER_VALUES_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "format/value_table.h"
#include "recorder/compat/objects.h"

struct deque_block;
struct reads;
struct odict_node;

/* Where the next attribute is. */
struct attribute_place {
	size_t slot_type, slot; /* first the slots */
	Py_ssize_t place;	/* then in a dict */
	size_t value;		/* or of values beside names */
};

struct members {
	PyObject *of;	     /* borrowed */
	struct reads *reads; /* as in struct capture */
	enum value_kind kind;
	size_t length;	  /* how many there are */
	size_t next;	  /* of items and fields */
	Py_ssize_t place; /* in a dict or set */
	PyObject *fields; /* as in struct value_type */
	Py_ssize_t field; /* the next of these that an object can have */
	bool strayed;	  /* its attributes are in another order than the fields */
	struct attributes attributes;
	struct attribute_place at;
	PyTypeObject *slots_of[16]; /* of an object: types with slots, the base first */
	size_t slot_types;
	const struct deque_block *block; /* of a deque: of the next item */
	size_t block_place;
	const struct odict_node *node; /* of an OrderedDict: of the next key */
};

/* What a member has: a name, a key, or neither; all borrowed. */
struct member {
	PyObject *name;	  /* a str */
	const char *slot; /* the name of a slot */
	PyObject *key;	  /* of a dict */
	PyObject *value;
};

/* What an object's slot with this name has; borrowed. NULL: it is not bound, or there is none. */
PyObject *object_slot(PyObject *o, const char *name);

/* kind: of the object, which has members; fields: as in struct value_type; reads: gets what is read
 * of the object, but not what is read of its members. */
void members_begin(struct members *m, PyObject *of, enum value_kind kind, PyObject *fields,
	struct reads *reads);
/* false: there are no more. */
bool members_next(struct members *m, struct member *out);

#endif
