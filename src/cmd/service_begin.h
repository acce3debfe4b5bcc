/* The process beside a service that is recorded from its start, with nothing changed in it: the
 * preload finds PATHLINE_DIR in the environment, that directory exists, and there is an interpreter
 * in the program. Then it starts this:
 *
 *	program                         service --begin PID DIR
 *	  starts it ------------------>  leaves its parent, terminal and descriptors
 *	                                 removes old recordings; directory, collector, arena
 *	  <--- stdout: one line -------  the arena
 *	  joins, and runs; its children  removes old recordings, now and then
 *	  ends ----------------------->  ends when the collector has ended
 *
 * It has no user: what it says goes to DIR/pathline.log. Where it fails the program runs
 * unrecorded.
 */
#ifndef PL_CMD_SERVICE_BEGIN_H
#define PL_CMD_SERVICE_BEGIN_H

#include "cmd/cmd.h"

int service_begin(struct cmd *c, int pid, const char *directory);

#endif
