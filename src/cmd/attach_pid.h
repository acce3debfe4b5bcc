/* The operand PID of attach and detach. */
#ifndef PL_CMD_ATTACH_PID_H
#define PL_CMD_ATTACH_PID_H

#include "cmd/cmd.h"

/* CMD_GO, or CMD_USAGE after saying why. */
int attach_pid(const struct cmd *c, const char *command, int *pid);

#endif
