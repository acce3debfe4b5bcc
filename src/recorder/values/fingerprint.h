/* Has what is shown of an object changed? It is compared by a number for it, which costs less than
 * to keep its bytes, and no reference is kept. */
#ifndef PL_RECORDER_VALUES_FINGERPRINT_H
#define PL_RECORDER_VALUES_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/compat/python.h"

struct fingerprint {
	/* Another one, most likely, if it is another object, or if something that is captured of
	 * it has changed; 0: there is no object. */
	uint64_t number;
	/* Of some kinds the value itself was made on the way, with all the room that a value can
	 * have: valid until the next fingerprint. NULL: it was not. */
	const uint8_t *value;
	size_t value_bytes;
};

/* o: borrowed; NULL: a variable that is not bound. hidden: it is secret by its name, so it is not
 * read. */
struct fingerprint fingerprint_of(PyObject *o, bool hidden);

#endif
