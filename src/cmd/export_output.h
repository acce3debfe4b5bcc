/* Where an export goes: a file, stdout, or a directory of files. A file or directory has its name
 * only when it is whole.
 */
#ifndef PL_CMD_EXPORT_OUTPUT_H
#define PL_CMD_EXPORT_OUTPUT_H

#include "cmd/part_file.h"
#include "cmd/text.h"
#include "export/export.h"

struct export_output {
	struct part_file file; /* in: its path and force; of a directory fd is that of `file` */
	bool is_directory;
	struct out out;
	int error; /* errno of the first thing that failed; 0: none */
};

/* CMD_GO; CMD_USAGE or CMD_NOT_WRITTEN after saying why. */
int export_output_open(struct export_output *o, const struct export_format *format);
struct export_sink export_output_sink(struct export_output *o);
/* Everything was put: an exit code, after saying what failed. */
int export_output_finish(struct export_output *o);
void export_output_drop(struct export_output *o);

#endif
