/* A file that a command writes, which has its name only when it is whole: nobody sees half of it.
 *
 *	shop.json.4711.part ── written ── rename ── shop.json
 */
#ifndef PL_CMD_PART_FILE_H
#define PL_CMD_PART_FILE_H

#include "cmd/cmd.h"

struct part_file {
	const char *command;		/* for its messages */
	bool force;			/* it may replace a file */
	char path[CMD_DIRECTORY_BYTES]; /* "-": stdout */
	char part[CMD_DIRECTORY_BYTES]; /* where it is until it is whole; "": stdout */
	int fd;
};

/* command, force and path are set. CMD_GO with fd, or CMD_USAGE after saying why. is_binary: a
 * terminal is refused. */
int part_file_open(struct part_file *f, bool is_binary);
/* Close it, which may find that the disk is full, and give it its name. CMD_GO, or CMD_USAGE after
 * saying why. */
int part_file_finish(struct part_file *f);
/* Remove what was written. */
void part_file_drop(struct part_file *f);
/* "COMMAND: PATH cannot be written: WHY"; CMD_USAGE. */
int part_file_refuse(const struct part_file *f, const char *why);

#endif
