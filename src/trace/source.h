/* The text of source files as it ran, by line. */
#ifndef PL_TRACE_SOURCE_H
#define PL_TRACE_SOURCE_H

#include "trace/recording.h"

void source_release(struct source *s);

#endif
