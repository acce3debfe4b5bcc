/* Functions of the interpreter that C code may call, replaced for that C code. Linux's ELF; no
 * Python.h.
 *
 * For all that look the function up from now on (an extension module that is loaded, dlsym), the
 * value of its symbol is changed in the dynamic symbol table of the object that defines it. For
 * those that have already found it, the slots are changed into which the loader has put it. No byte
 * of code is changed. This works where the preload's own symbols would come too late: those of a
 * static interpreter come first in every search.
 */
#ifndef PL_RECORDER_SYMBOLS_H
#define PL_RECORDER_SYMBOLS_H

#include <stdbool.h>

/* *original gets the function that had this name. false: there is none, or its table cannot be
 * written; then nothing was changed. */
bool symbol_replace(const char *name, void *function, void **original);
/* The same for the calls of one object alone, that in which `inside` is, if they have found the
 * function already: no symbol is changed. */
bool symbol_replace_in(const void *inside, const char *name, void *function, void **original);
/* Symbols and slots are as they were; what others have put into them since stays. */
void symbols_give_back(void);

#endif
