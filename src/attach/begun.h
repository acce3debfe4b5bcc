/* Has the interpreter of a process begun? */
#ifndef PL_ATTACH_BEGUN_H
#define PL_ATTACH_BEGUN_H

#include "attach/target.h"

/* As Py_IsInitialized would say there: it is read, not called. Before, an interpreter has no lock
 * for pending calls. false also if that is not known. */
bool target_has_begun(const struct target *t);
/* Something that changes as the process runs another program; 0: it cannot be read. */
uint64_t target_image(int pid);

#endif
