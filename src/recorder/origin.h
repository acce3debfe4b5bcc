/* Where a code object came from, which is what rules are about (filter/filter.h). */
#ifndef PL_RECORDER_ORIGIN_H
#define PL_RECORDER_ORIGIN_H

#include <stdatomic.h>
#include "filter/filter.h"
#include "recorder/compat/python.h"

/* Do the rules want the code? To be asked when it first runs: the same code object can be run under
 * several modules (exec), and the first one decides. A bit is set in *matched for each rule that
 * matches. */
bool origin_fits(PyCodeObject *code, const struct filter *rules, _Atomic uint64_t *matched);

#endif
