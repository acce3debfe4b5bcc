/* Idle waits of event loops (waits.c). */
#ifndef PL_RECORDER_WAITS_H
#define PL_RECORDER_WAITS_H

#include "recorder/recorder.h"

extern const struct wait_hooks recorder_waits;

#endif
