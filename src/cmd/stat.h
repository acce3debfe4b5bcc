/* record --stat: what recording cost, estimated, and which functions cost most.
 *
 *   cost of the program = sum over kinds of  events recorded (counted by the collector, costs.h)
 *                                            x  cost of one of that kind here (calibrate.h)
 *                       + lines of the codes that ran (equal codes count once)
 *                                            x  cost of each at its code's first run
 *
 * What the program took is known (wait4), so what it takes by itself is the rest; that is an
 * estimate, for a call in a calibration is not quite a call in the program. Not in it: that caches
 * are shared, and cold where the program waited.
 */
#ifndef PL_CMD_STAT_H
#define PL_CMD_STAT_H

#include "cmd/cmd.h"

struct stat_usage {
	double cpu_s;	  /* of the command and all that it waited for */
	bool calibrating; /* it is our own, and nothing is said of it */
};

/* When the command was waited for, and nothing else was. */
void stat_usage_take(struct stat_usage *u);

/* Record `words` into `directory`, in a process of its own: as `record` does, without a word. Gives
 * the exit code. */
typedef int stat_recorder(struct cmd *c, const char *directory, char **words, int count);

/* On stderr. directory: of the recording, whose events are all there. */
void stat_say(
	struct cmd *c, const char *directory, const struct stat_usage *u, stat_recorder *record);

#endif
