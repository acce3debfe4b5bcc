/* Values of arguments, results, exceptions and variables: which code has them, and the events
 * VALUES and VARIABLES before the event to which they belong. All with the GIL. */
#ifndef PL_RECORDER_VALUES_VALUES_H
#define PL_RECORDER_VALUES_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/compat/python.h"

struct emit;

enum variable_mark {
	VARIABLE_HIDDEN = 1,   /* its name says that it is a secret */
	VARIABLE_LEFT_OUT = 2, /* it is not told, unless it is an argument */
	VARIABLE_SHARED = 4,   /* functions in each other have it */
	VARIABLE_REQUEST = 8,  /* it says what is asked for of a server (requests.h) */
};

/* What is known beforehand of a code whose values are kept. */
struct code_values {
	bool calls;	    /* those of its calls and results: not of modules and class bodies */
	bool lines;	    /* those of its variables, after each line */
	bool request_alone; /* all that is kept is what is asked for: the code is of an application
			     * that is not among those whose values are kept */
	bool hides_result;  /* its name says that it returns a secret */
	uint32_t arguments; /* so many */
	uint32_t variables; /* these, and the others that have an index; of `arguments` alone
			     * without `lines` */
	uint8_t marks[];    /* of each of these: enum variable_mark */
};

/* For the recorder's start, after the arena is mapped. */
void values_start(void);

/* Are those of the variables of this code wanted, after each line? */
bool values_are_of_lines(PyCodeObject *code);
/* For a code that is being described: owned by the caller (free). NULL: none are kept, or there is
 * no memory. */
struct code_values *code_values_of(PyCodeObject *code);

/* Each writes VARIABLES and VALUES at p, where the step has room for them (ring_writer.step_bytes),
 * and returns the byte after them, where the event goes; p itself if the code has none. Objects are
 * borrowed. */

uint8_t *values_of_call(const struct emit *e, uint8_t *p);
/* sent: to a frame that resumes, or thrown into it; NULL: not known */
uint8_t *values_of_sent(const struct emit *e, uint8_t *p, PyObject *sent);
/* The frame ends with the result. */
uint8_t *values_of_result(const struct emit *e, uint8_t *p, PyObject *result);
uint8_t *values_of_yield(const struct emit *e, uint8_t *p, PyObject *yielded);
uint8_t *values_of_exception(const struct emit *e, uint8_t *p, PyObject *exception);
/* Of an event that has nothing else than what the frame's variables became. */
uint8_t *values_of_line(const struct emit *e, uint8_t *p);
/* The frame ends with an exception. */
uint8_t *values_of_unwind(const struct emit *e, uint8_t *p);

#endif
