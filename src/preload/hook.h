/* The way into a CPython that is about to start: an audit hook, added before Py_Initialize, gone
 * before __main__.
 *
 * The entry that PySys_AddAuditHook makes is allocated before -X dev and PYTHONMALLOC can choose an
 * allocator, and freed by the chosen one: left in the list, it aborts the program at exit. So it is
 * taken out, and not freed, when the program starts or, if it never does, before the list is freed.
 *
 * A program that embeds Python runs none of cpython.run_*. There it starts with the first compile,
 * exec or import that comes from C, with no frame of Python below, once the interpreter is
 * initialised: those of the initialisation itself come from importlib's frames, or are of a few
 * known modules. Such a program can also bring the interpreter in late, by dlopen, and can end it
 * and begin anew: hook_meet finds those.
 */
#ifndef PL_PRELOAD_HOOK_H
#define PL_PRELOAD_HOOK_H

#include <stdbool.h>

/* Is there an interpreter in this program? Then the arena stays mapped for it. */
bool hook_wanted(void);
void hook_add(void);
/* An address in some library has made a call that an interpreter makes when it is initialised. Add
 * the hook, if it is not there. true: an interpreter is being initialised that the recorder does
 * not know yet. whole: its library is completely loaded. */
bool hook_meet(const void *caller, bool whole);

#endif
