/* pathline rm: remove recordings, and nothing else.
 *
 * A recording's directory is removed file by file: only files that have names of a recording's
 * files, and the directory only if it is then empty. No link is followed: neither one that is given
 * as the recording nor one in it. All names are looked up before the first recording is removed, so
 * that `latest latest~1` are the two that `ls` shows.
 */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/home.h"
#include "cmd/victim.h"
#include "collector/finish.h"

static int refuse_victim(const struct victim *v, const char *why)
{
	cmd_say("rm: %s is not removed: %s", v->path, why);
	return CMD_USAGE;
}

/* CMD_GO: it may be removed. First what no --force changes: it is a directory, not a link to one;
 * it has files of a recording; it has nothing else. Then whether it is still being written, which
 * --force allows. */
static int judge_victim(struct victim *v, bool force)
{
	char why[NAME_MAX + 64];
	bool known;

	int err = victim_open(v);
	if (v->fd < 0 && (err == ELOOP || err == ENOTDIR))
		return refuse_victim(v, "it is not a directory; a link is not followed");
	if (err)
		return refuse_victim(v, strerror(err));
	if (!v->is_recording)
		return refuse_victim(v, "it is not a recording: it has no file `meta`");
	if (v->other[0]) {
		snprintf(why, sizeof why, "%s in it is not part of a recording", v->other);
		return refuse_victim(v, why);
	}
	bool written = victim_is_written(v->path, &known);
	if (force)
		return CMD_GO;
	if (written)
		return refuse_victim(
			v, "it is still being written; --force removes it all the same");
	return known ? CMD_GO
		     : refuse_victim(v, "it cannot be read, so perhaps it is still being written; "
					"--force removes it all the same");
}

static int remove_one(struct victim *v)
{
	int err = victim_remove(v);

	if (err == 0)
		return CMD_OK;
	cmd_say("rm: %s could not be removed: %s", v->path, strerror(err));
	return CMD_BAD;
}

/* A recording that is named twice counts once. */
static bool is_again(const struct victim *victims, size_t index)
{
	struct stat a, b;

	if (fstat(victims[index].fd, &a) < 0)
		return false;
	for (size_t i = 0; i < index; i++)
		if (fstat(victims[i].fd, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

/* Removes all of what is named, or nothing: a user who mistyped a name wants to check first. */
static int remove_all(struct cmd *c, struct victim *victims, bool force)
{
	int code = CMD_GO;

	for (int i = 0; i < c->count && code == CMD_GO; i++)
		code = home_resolve("rm", c->words[i], victims[i].path);
	finish_dead_arenas(NULL);
	for (int i = 0; i < c->count && code == CMD_GO; i++)
		code = judge_victim(&victims[i], force);
	if (code != CMD_GO)
		return code;
	code = CMD_OK;
	for (int i = 0; i < c->count; i++)
		if (!is_again(victims, (size_t)i) && remove_one(&victims[i]) != CMD_OK)
			code = CMD_BAD;
	return code;
}

int cmd_rm(struct cmd *c)
{
	bool force = false;
	const struct cmd_option options[] = {
		{"force", 'f', NULL,
			"remove also a recording that is damaged, or still being written",
			.flag = &force},
		{0},
	};
	int code = cmd_parse(c, &(struct cmd_usage){"RECORDING…",
					"Remove recordings, by the names that `pathline ls` shows: "
					"all of a recording, or "
					"a\nbeginning that no other name has, `latest`, `latest~1` "
					"(the one before), or a path.\n"
					"What is not a recording is not removed, and when one of "
					"them cannot be removed, none "
					"is.",
					options});

	if (code != CMD_GO)
		return code;
	if (!c->count) {
		cmd_say("rm: no recording is named; `pathline ls` lists them");
		return CMD_USAGE;
	}
	struct victim *victims = calloc((size_t)c->count, sizeof *victims);
	if (!victims) {
		cmd_say("rm: no memory");
		return CMD_BAD;
	}
	for (int i = 0; i < c->count; i++)
		victims[i].fd = -1;
	code = remove_all(c, victims, force);
	for (int i = 0; i < c->count; i++)
		victim_close(&victims[i]);
	free(victims);
	return code;
}
