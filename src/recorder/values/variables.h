/* VARIABLES: what the variables of a frame have become since its event before. In front of an event
 * of code whose lines' values are kept (--values lines). All with the GIL. */
#ifndef PL_RECORDER_VALUES_VARIABLES_H
#define PL_RECORDER_VALUES_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/compat/python.h"

struct emit;
struct kept_frame;

#define VARIABLE_NAME_MAX 200 /* bytes; longer names are cut */

/* Is a variable with this name told? Not those that Python itself binds. */
bool variable_is_told(PyObject *name);

/* The frame begins, and its call tells its arguments. NULL: there is no memory. */
struct kept_frame *variables_begin(const struct emit *e);
/* The call has told of the variable `index` that it is `o`. */
void variables_know(struct kept_frame *k, uint32_t index, PyObject *o, bool hidden);

/* Write VARIABLES at p, if some have changed. Returns the byte after it. */
uint8_t *variables_put(const struct emit *e, uint8_t *p);

#endif
