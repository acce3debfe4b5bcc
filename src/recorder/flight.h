/* Of a flight recorder (collector/flight.h): the program says that something has happened for which
 * the newest of the path is to be written. */
#ifndef PL_RECORDER_FLIGHT_H
#define PL_RECORDER_FLIGHT_H

#include "recorder/compat/python.h"

/* Is it one? After values_start. */
void flight_start(void);
/* The top frame ends by this exception; NULL: it is not known. If nobody handles that, the newest
 * is wanted. */
void flight_unwound(PyObject *exception);
/* It ends a thread or a generator as it should: SystemExit, GeneratorExit. */
bool flight_is_orderly(PyObject *exception);
/* false: it is no flight recorder. */
bool flight_want(void);

#endif
