/* How a command finds its recording. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <unistd.h>
#include "collector/finish.h"

int cmd_directory(struct cmd *c, const char **dir)
{
	if (c->count > 1) {
		cmd_say("%s: one recording at a time; '%s' is too much", c->name, c->words[1]);
		return CMD_USAGE;
	}
	if (c->count == 1) {
		*dir = c->words[0];
		return CMD_GO;
	}
	*dir = CMD_LATEST;
	if (access(*dir, F_OK) < 0) {
		cmd_say("%s: no recording here; make one with: pathline record script.py", c->name);
		return CMD_USAGE;
	}
	return CMD_GO;
}

int cmd_open(struct cmd *c, struct pl_recording **out)
{
	const char *dir;
	struct pl_err err = {0};
	int code = cmd_directory(c, &dir);

	if (code != CMD_GO)
		return code;
	finish_dead_arenas(dir);
	int result = pl_recording_open(out, dir, &err);
	if (result == PL_OK)
		return CMD_GO;
	cmd_say("%s: %s", c->name, pl_err_text(&err));
	return result == PL_ERR_NOT_FOUND ? CMD_USAGE : CMD_BAD;
}
