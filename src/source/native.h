/* Native functions as a source: entries and exits of C, C++, Rust and Cython code that was built
 * with -finstrument-functions, by hooks of our own (src/native). s->wish is a pattern of functions,
 * "" is all. */
#ifndef PL_SOURCE_NATIVE_H
#define PL_SOURCE_NATIVE_H

#include "source/source.h"

extern const struct source_operations native_source;

#endif
