/* Functions of the interpreter that C code may call, replaced for that C code. Linux's ELF; no
 * Python.h.
 *
 * For all who look the function up from now on (an extension module that is loaded, dlsym) its
 * symbol's value is changed in the dynamic symbol table of the object that defines it; for those
 * that have found it already, the slots into which the loader has put it. Not one byte of code is
 * changed. This works where the preload's own symbols would come too late: those of a static
 * interpreter come first in every search.
 */
#ifndef PL_RECORDER_SYMBOLS_H
#define PL_RECORDER_SYMBOLS_H

#include <stdbool.h>

/* *original gets the function of this name that there was. False: there is none, or its table
 * cannot be written; then nothing has been changed. */
bool symbol_replace(const char *name, void *function, void **original);

#endif
