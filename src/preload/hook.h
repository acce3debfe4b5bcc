/* The way into a CPython that is about to start: an audit hook, added before Py_Initialize, gone
 * before __main__.
 *
 * The entry that PySys_AddAuditHook makes is allocated before -X dev and PYTHONMALLOC can choose an
 * allocator, and freed by the chosen one: left in the list, it aborts the program at exit. So it is
 * taken out, and not freed, when the program starts or, if it never does, before the list is freed.
 */
#ifndef PL_PRELOAD_HOOK_H
#define PL_PRELOAD_HOOK_H

#include <stdbool.h>

/* Is there an interpreter in this program? Then the arena stays mapped for it. */
bool hook_wanted(void);
void hook_add(void);

#endif
