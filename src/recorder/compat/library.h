/* The C layouts of types of the standard library, and of numpy's arrays, whose headers CPython does
 * not install. They are the same in 3.11 to 3.15. What reads one compares the type's tp_basicsize
 * with the size here first, so a type that changed is not known instead of misread. */
#ifndef PL_RECORDER_COMPAT_LIBRARY_H
#define PL_RECORDER_COMPAT_LIBRARY_H

#include "recorder/compat/python.h"

#define _PY_DATETIME_IMPL /* the layouts without the table of functions */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <datetime.h>
#pragma GCC diagnostic pop

/* ---- collections ---- */

/* Modules/_collectionsmodule.c: a list of blocks; the first item is at leftindex of leftblock. */
#define DEQUE_BLOCK_ITEMS 64

struct deque_block {
	struct deque_block *left;
	PyObject *items[DEQUE_BLOCK_ITEMS];
	struct deque_block *right;
};

struct deque_layout {
	PyVarObject head;
	struct deque_block *leftblock;
	struct deque_block *rightblock;
	Py_ssize_t leftindex;
	Py_ssize_t rightindex;
	size_t state;
	Py_ssize_t maxlen;
	Py_ssize_t numfreeblocks;
	struct deque_block *freeblocks[16];
	PyObject *weakreflist;
};

/* Objects/odictobject.c: a dict, and a list of its keys in their order. */
struct odict_node {
	PyObject *key;
	Py_hash_t hash;
	struct odict_node *next;
	struct odict_node *previous;
};

struct odict_layout {
	PyDictObject dict;
	struct odict_node *first;
	struct odict_node *last;
	struct odict_node **fast_nodes;
	Py_ssize_t fast_nodes_size;
	void *resize_sentinel;
	size_t state;
	PyObject *instance_dict;
	PyObject *weakreflist;
};

/* ---- datetime, zoneinfo ---- */

/* Modules/_datetimemodule.c */
struct timezone_layout {
	PyObject head;
	PyObject *offset; /* a timedelta */
	PyObject *name;	  /* NULL: it has none */
};

/* Modules/_zoneinfo.c; what follows is not read. */
#define ZONEINFO_BYTES 208
struct zoneinfo_layout {
	PyObject head;
	PyObject *key; /* None: from a file */
	PyObject *file_repr;
	PyObject *weakreflist;
};

/* ---- decimal ---- */

/* Modules/_decimal/libmpdec/mpdecimal.h, for 64 bits: the coefficient is in words of 19 digits, the
 * lowest first. */
#define DECIMAL_WORD_DIGITS 19

enum decimal_flags {
	DECIMAL_NEGATIVE = 1,
	DECIMAL_INFINITE = 2,
	DECIMAL_NAN = 4,
	DECIMAL_SIGNALING_NAN = 8,
};

struct decimal_layout {
	PyObject head;
	Py_hash_t hash;
	uint8_t flags;
	Py_ssize_t exponent;
	Py_ssize_t digits;
	Py_ssize_t words;
	Py_ssize_t allocated;
	uint64_t *coefficient;
	uint64_t inside[4];
};

/* ---- re ---- */

/* Modules/_sre/sre.h */
struct pattern_layout {
	PyVarObject head;
	Py_ssize_t groups;
	PyObject *groupindex;
	PyObject *indexgroup;
	PyObject *pattern; /* None: it is not known */
	int flags;
	PyObject *weakreflist;
	int is_bytes;
	Py_ssize_t code_size;
	uint32_t code[1];
};

struct match_layout {
	PyVarObject head;
	PyObject *string;
	PyObject *regs;
	struct pattern_layout *pattern;
	Py_ssize_t pos, endpos;
	Py_ssize_t lastindex;
	Py_ssize_t groups;
	Py_ssize_t mark[1]; /* of the whole match: its start and its end, -1: none */
};

/* ---- numpy ---- */

/* numpy/_core/include/numpy/ndarraytypes.h, 1.7 to 2.x; what follows is not read. */
struct ndarray_layout {
	PyObject head;
	char *data;
	int dimension_count;
	Py_ssize_t *dimensions;
	Py_ssize_t *strides; /* in bytes */
	PyObject *base;	     /* whose memory it is; NULL: its own */
	struct dtype_layout *dtype;
	int flags;
};

struct dtype_layout {
	PyObject head;
	PyTypeObject *scalar_type;
	char kind;
	char type;
	char byte_order; /* '=': of this machine, '|': it has none */
	char flags;
	int type_number;
};

#endif
