/* record --stat: an estimate of what recording cost, and which functions cost most.
 *
 *   cost of the program = sum over kinds of  events recorded (counted by the collector, costs.h)
 *                                            x  cost of one of that kind here (calibrate.h)
 *                       + events with values  x  cost of a small value here
 *                       + lines of the codes that ran (equal codes count once)
 *                                            x  cost of each at its code's first run
 *
 * The CPU time of the program is known (wait4), so the rest is what it takes without recording.
 * That is an estimate, because a call in the calibration is not quite like a call in the program.
 * Not included: caches are shared, and cold where the program waited.
 */
#ifndef PL_CMD_STAT_H
#define PL_CMD_STAT_H

#include "cmd/cmd.h"

struct stat_usage {
	double cpu_s;	  /* of the command and all processes that it waited for */
	bool calibrating; /* this is our own calibration, and nothing is printed */
};

/* To be called after a wait for the command, and for nothing else. */
void stat_usage_take(struct stat_usage *u);

/* Record `words` into `directory` as `record` does, in a separate process and without messages.
 * Returns the exit code. */
typedef int stat_recorder(struct cmd *c, const char *directory, char **words, int count);

/* Prints to stderr. directory: that of the recording, with all its events. */
void stat_say(
	struct cmd *c, const char *directory, const struct stat_usage *u, stat_recorder *record);

#endif
