/* The text from which a code was compiled (source.c). */
#ifndef PL_RECORDER_SOURCE_H
#define PL_RECORDER_SOURCE_H

#include "recorder/compat/python.h"

void source_begin(void); /* an interpreter begins in this process */
/* The text unit of the code; 0: none is known. A new unit is described to the collector under the
 * number of the code that opens it. */
uint32_t source_unit(PyCodeObject *code, uint32_t number);
/* The code has its record: describe all code in it, if its unit needs that. */
void source_described(PyCodeObject *code);

#endif
