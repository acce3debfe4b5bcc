/* A value as bytes (format/value_table.h), read from the program's objects in place.
 *
 * No code of the program runs: no repr, no attribute look-up through a class's own methods, no
 * property, no iterator, no comparison. What is read is what CPython defines in C: the layout of
 * its own types and of their subclasses, and the dict and slots of other objects. Nothing is
 * allocated, no reference count changes, and no error is set. With the GIL, so nothing changes
 * meanwhile.
 *
 * Each value is bounded: by depth, members, characters and bytes. What does not fit is left out
 * from the end, and each container says how much there was.
 */
#ifndef PL_RECORDER_VALUES_CAPTURE_H
#define PL_RECORDER_VALUES_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/compat/python.h"
#include "ring/arena.h"

/* Bytes behind the limit that may be written over, and mean nothing. */
#define CAPTURE_SLACK 40

struct reads;

/* Of a dict that says what is asked for (requests.h). */
enum capture_request {
	REQUEST_NONE,  /* it is a value as any other */
	REQUEST_FIRST, /* what says so comes before its other members */
	REQUEST_ALONE, /* nothing else of it is wanted */
};

#define CAPTURE_SEEN_MAX 128 /* objects with members in a value; others are not told apart */

struct capture {
	uint8_t *at;
	uint8_t *limit; /* what is written ends before it; CAPTURE_SLACK bytes are behind it */
	const struct value_limits *limits;
	bool shows_secrets;
	struct reads *reads; /* gets what a value is made from (reads.h); NULL: nobody asks */
	unsigned depth;	     /* of values in each other */
	enum capture_request request;
	unsigned seen_count;
	const PyObject *seen[CAPTURE_SEEN_MAX]; /* compared only */
};

/* Each writes one value at c->at. false: there is no room, and nothing was written. */

/* o: borrowed; NULL: a variable that is not bound. */
bool capture_value(struct capture *c, PyObject *o);
/* Its type alone. */
bool capture_type(struct capture *c, PyObject *o);
bool capture_redacted(struct capture *c);

/* A string, as it is. false: there is no room, and nothing was written. */
bool capture_text(struct capture *c, const char *text, size_t length);

/* Does a name, or a key of any type, say that its value is a secret? */
bool capture_name_is_secret(PyObject *name);

#endif
