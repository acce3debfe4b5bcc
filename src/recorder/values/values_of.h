/* Of which code values are kept: --values-of. */
#ifndef PL_RECORDER_VALUES_OF_H
#define PL_RECORDER_VALUES_OF_H

#include <stdbool.h>
#include "recorder/compat/python.h"

/* Read the rules from the arena. */
void values_of_start(void);
/* Do they want the values of this code? To be asked when it first runs. */
bool values_are_of(PyCodeObject *code);

#endif
