/* The recording of a process that is recorded now. */
#ifndef PL_CMD_RECORDED_H
#define PL_CMD_RECORDED_H

#include "cmd/cmd.h"

/* Its directory, which the arena of its recorder names. false: it is not recorded, or is another
 * user's. */
bool recorded_directory(int pid, char directory[CMD_DIRECTORY_BYTES]);

#endif
