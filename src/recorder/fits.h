/* Does a text fit a code? (fits.c) */
#ifndef PL_RECORDER_FITS_H
#define PL_RECORDER_FITS_H

#include "recorder/compat/python.h"
#include "base/view.h"

/* Can a file with these bytes be what the code was compiled from? */
bool code_fits(PyCodeObject *code, struct pl_view bytes);

#endif
