/* attach for a program that asks for it itself (the package `pathline`): it loads the recorder, and
 * nobody stops it.
 *
 *	program                         attach --by-itself 3.13 PID
 *	  starts it ------------------>  leaves its parent, makes the directory and the arena
 *	  <--- stdout: three lines ----  the recorder's library, the arena, the directory
 *	  the recorder comes in -------> sees it there
 *	  the recorder leaves, or the program ends
 *	  <--- stdout is closed -------  all is on disk
 */
#ifndef PL_CMD_ATTACH_OWN_H
#define PL_CMD_ATTACH_OWN_H

#include <stdbool.h>
#include "attach/target.h"

/* Go on in a process that is not a child of the program, which may wait for all of its children.
 * false: there can be no such process. */
bool attach_own_begin(void);
/* What is known of the program without a look into it. */
void attach_own_target(struct target *t, int pid, const char *version);
/* false: the program does not read it. */
bool attach_own_tell(const char *recorder, const char *arena, const char *directory);

#endif
