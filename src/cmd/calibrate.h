/* What one recorded event costs, by kind, with this interpreter on this machine at this moment.
 *
 * A fixed table would not do: most of the cost of an event is the interpreter's own
 * instrumentation, which differs from version to version. So a short program is run, in turns as it
 * is and recorded. It has a section for each kind, in which that kind is the only one whose cost is
 * not known from the sections before:
 *
 *   lines     a loop with a branch                     lines
 *   calls     a loop that calls                        + calls, returns
 *   yields    a loop over a generator                  + resumes, yields
 *   raises    a loop that raises and catches           + raises, handlers
 *   passes    a loop on one line                       + passes
 *   values    a loop that calls, with values           + values
 *   firsts    functions that run once                  + first runs of codes, by their lines
 *
 * It takes about a second, after the program has ended.
 */
#ifndef PL_CMD_CALIBRATE_H
#define PL_CMD_CALIBRATE_H

#include "cmd/stat.h"

struct calibration {
	double ns[PL_EVENT_KIND_COUNT]; /* additional CPU time for one event of the kind */
	double first_line_ns;		/* for each line of a code that runs for the first time */
	double value_ns;		/* for the values of an event: an argument, or a result */
};

/* The file of what the section `values` calls, the only code whose values are to be kept. */
#define CALIBRATE_VALUES_OF "<kept>"

/* executable: that of the interpreter. NULL, or why it failed. */
const char *calibrate(
	struct cmd *c, const char *executable, stat_recorder *record, struct calibration *out);

#endif
