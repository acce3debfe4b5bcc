/* Marks: texts that the program puts into its path (mark.c). */
#ifndef PL_RECORDER_MARK_H
#define PL_RECORDER_MARK_H

#include <stdbool.h>

#include "recorder/compat/python.h"

/* Is this process being recorded? With the GIL. */
bool mark_is_recording(void);
/* Write a mark where the program is: a text, and values with names (a dict, or NULL). Of objects of
 * other types than numbers, texts and the like only the type is told, as no code of the program may
 * run. Secrets are left out. Raises nothing. With the GIL. */
void mark_put(PyObject *text, PyObject *values);

#endif
