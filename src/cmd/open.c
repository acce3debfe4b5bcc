/* How a command finds its recording. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/home.h"
#include "collector/finish.h"

_Static_assert(CMD_DIRECTORY_BYTES >= PATH_MAX, "a path fits");

int cmd_directory(struct cmd *c)
{
	cmd_name_recording(c->count ? c->words[0] : NULL);
	if (c->count <= 1)
		return home_resolve(c->name, c->count ? c->words[0] : NULL, c->directory);
	cmd_say("%s: one recording at a time; '%s' is too much", c->name, c->words[1]);
	return CMD_USAGE;
}

int cmd_open_failed(const char *command, const char *directory, int error, const struct pl_err *err)
{
	struct stat st;
	const bool has = error == PL_ERR_NOT_FOUND && home_has_own_files(directory);

	if (error == PL_ERR_NOT_FOUND && stat(directory, &st) == 0 && !has) {
		cmd_say("%s: %s is not a recording: it has no file `meta`", command, directory);
		return CMD_USAGE;
	}
	if (has)
		cmd_say("%s: %s cannot be read: its file `meta`, which describes the rest, is "
			"missing",
			command, directory);
	else
		cmd_say("%s: %s", command, err->used ? pl_err_text(err) : pl_error_name(error));
	return CMD_BAD;
}

int cmd_say_damages(const char *command, const struct pl_recording *r, uint64_t met)
{
	const uint64_t known = pl_recording_damage_count(r);
	const uint64_t n = known > met ? known : met;

	if (!n)
		return CMD_OK;
	cmd_say("%s: the recording is damaged in %" PRIu64
		" place%s; `pathline check%s` says where",
		command, n, n > 1 ? "s" : "", cmd_recording());
	return CMD_BAD;
}

int cmd_open(struct cmd *c, struct pl_recording **out)
{
	struct pl_err err = {0};
	int code = cmd_directory(c);

	if (code != CMD_GO)
		return code;
	finish_dead_arenas(c->directory);
	int result = pl_recording_open(out, c->directory, &err);
	return result == PL_OK ? CMD_GO : cmd_open_failed(c->name, c->directory, result, &err);
}
