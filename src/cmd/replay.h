/* The screen of `replay`, for commands that begin with another view of it. */
#ifndef PL_CMD_REPLAY_H
#define PL_CMD_REPLAY_H

#include "cmd/cmd.h"
#include "cmd/select.h"

/* Is there a terminal that can show a screen? */
bool replay_has_screen(void);
/* Show the reader: of threads that the selection has, from `at` on (NULL: the begin), as the
 * command j has it, and of rows that pass the filter (NULL: all). Opens the recording that the
 * operands name. An exit code. */
int replay_reader(struct cmd *c, struct selection *selection, const char *at, const char *filter);

#endif
