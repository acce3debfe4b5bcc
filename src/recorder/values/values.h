/* Values of arguments, results and exceptions: which code has them, and the event VALUES before the
 * event to which they belong. All with the GIL. */
#ifndef PL_RECORDER_VALUES_VALUES_H
#define PL_RECORDER_VALUES_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/compat/python.h"

struct emit;

/* What is known beforehand of a code whose values are kept. */
struct code_values {
	uint32_t count;	   /* of arguments */
	bool hides_result; /* its name says that it returns a secret */
	bool hidden[];	   /* for each argument, as code_argument_variable has them: its name says
			    * that it is one */
};

/* For the recorder's start, after the arena is mapped. */
void values_start(void);

/* For a code that is being described: owned by the caller (free). NULL: none are kept, or there is
 * no memory. */
struct code_values *code_values_of(PyCodeObject *code);

/* Each writes VALUES at p, where the step has room for it (ring_writer.step_bytes), and returns the
 * byte after it, where the event goes; p itself if the code has none. Objects are borrowed. */

uint8_t *values_of_call(const struct emit *e, uint8_t *p);
/* sent: to a frame that resumes, or thrown into it; NULL: not known */
uint8_t *values_of_sent(const struct emit *e, uint8_t *p, PyObject *sent);
uint8_t *values_of_result(const struct emit *e, uint8_t *p, PyObject *result);
uint8_t *values_of_exception(const struct emit *e, uint8_t *p, PyObject *exception);

#endif
