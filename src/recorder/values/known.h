/* Values that were made not long ago, with all that they were made from. */
#ifndef PL_RECORDER_VALUES_KNOWN_H
#define PL_RECORDER_VALUES_KNOWN_H

#include <stddef.h>
#include <stdint.h>

#include "recorder/compat/python.h"

struct known_value {
	const uint8_t *bytes; /* with all the room that a value can have */
	size_t length;	      /* 0: it has no room even so */
	uint64_t hash;	      /* of the bytes */
};

/* The value of an object, which is captured if it is not known, or has changed. Valid until the
 * next call. With the GIL. */
struct known_value known_value_of(PyObject *o);

#endif
