/* An event VALUES or VARIABLES in the ring: begun, filled with values, and ended; and the budget of
 * a second, over which it has types alone. All with the GIL, one event at a time. */
#ifndef PL_RECORDER_VALUES_EVENT_H
#define PL_RECORDER_VALUES_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/values/capture.h"

/* Nothing in it lets another thread run, or Python. */
extern struct capture value_capture;

/* At p, where the step has room for it (ring_writer.step_bytes). */
void value_event_begin(uint8_t *p);
/* One of the event's values, bounded by itself; its type where there is no room for it, or over the
 * budget. hidden: it is secret by its name. false: there is no room, nor is there for later
 * ones. */
bool value_event_put(PyObject *o, bool hidden);
/* The same of a request. alone: only what says what is asked for is wanted of it, and of what is no
 * dict its type. */
bool value_event_put_request(PyObject *o, bool alone);
/* Only its type. */
bool value_event_put_type(PyObject *o);
/* Is the event over the budget, so that it has types alone? */
bool value_event_is_over(void);
/* More flags than that one. */
void value_event_set_flags(uint64_t flags);
/* kind: EVENT_VALUES or EVENT_VARIABLES. Returns the byte after it. */
uint8_t *value_event_end(uint8_t *p, uint8_t kind);

#endif
