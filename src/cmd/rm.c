/* pathline rm: remove recordings, and nothing else.
 *
 * A recording's directory is removed file by file: only files that have names of a recording's
 * files, and the directory only if it is then empty. No link is followed: neither one that is given
 * as the recording nor one in it. All names are looked up before the first recording is removed, so
 * that `latest latest~1` are the two that `ls` shows.
 */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/home.h"
#include "collector/finish.h"

/* A directory that is to be removed. */
struct victim {
	char path[PATH_MAX];
	int fd;			  /* owned; -1: none */
	char other[NAME_MAX + 1]; /* a file in it that is not a recording's; "": none */
	bool is_recording;	  /* it has some files of a recording */
};

/* What is in the directory: some file of a recording, and another file? 0, or an errno. All of its
 * names are looked at before anything is removed. */
static int look_through(struct victim *v)
{
	int fd = openat(v->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!d) {
		int err = errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (home_is_own_file(e->d_name))
			v->is_recording = true;
		else
			snprintf(v->other, sizeof v->other, "%s", e->d_name);
	}
	closedir(d);
	return 0;
}

/* Is its collector alive, or waiting to be replaced? `known`: the answer is certain. */
static bool is_being_written(const char *path, bool *known)
{
	struct pl_recording *r = NULL;
	struct pl_recording_info info = {0};

	*known = pl_recording_open(&r, path, NULL) == 0;
	if (*known)
		pl_recording_info(r, &info);
	*known = *known && (info.finished || *info.arena);
	bool written = *known && !info.finished && access(info.arena, F_OK) == 0;
	pl_recording_close(r);
	return written;
}

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

	v->fd = open(v->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (v->fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return refuse_victim(v, "it is not a directory; a link is not followed");
	int err = v->fd < 0 ? errno : look_through(v);
	if (err)
		return refuse_victim(v, strerror(err));
	if (!v->is_recording)
		return refuse_victim(v, "it is not a recording: it has no file `meta`");
	if (v->other[0]) {
		snprintf(why, sizeof why, "%s in it is not part of a recording", v->other);
		return refuse_victim(v, why);
	}
	bool written = is_being_written(v->path, &known);
	if (force)
		return CMD_GO;
	if (written)
		return refuse_victim(
			v, "it is still being written; --force removes it all the same");
	return known ? CMD_GO
		     : refuse_victim(v, "it cannot be read, so perhaps it is still being written; "
					"--force removes it all the same");
}

/* 0, or an errno. */
static int remove_files(const struct victim *v)
{
	int fd = openat(v->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	int err = d ? 0 : errno;

	while (err == 0 && (e = readdir(d)))
		if (home_is_own_file(e->d_name) && unlinkat(v->fd, e->d_name, 0) < 0 &&
			errno != ENOENT)
			err = errno;
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return err;
}

/* The last part of the path, and the folder that it is in. */
static const char *split_path(const char *path, char folder[PATH_MAX])
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	snprintf(folder, PATH_MAX, "%.*s", (int)n, path);
	char *slash = strrchr(folder, '/');
	const char *name = path + (slash ? slash - folder + 1 : 0);
	if (!slash)
		strcpy(folder, ".");
	else
		slash[slash == folder] = 0;
	return name;
}

/* The files first, then the directory, then `latest` if that named it. */
static int remove_one(struct victim *v)
{
	char folder[PATH_MAX], name[NAME_MAX + 1];
	int err = remove_files(v);

	snprintf(name, sizeof name, "%s", split_path(v->path, folder));
	name[strcspn(name, "/")] = 0;
	if (err == 0 && rmdir(v->path) < 0)
		err = errno;
	if (err == 0) {
		home_unset_latest(folder, name);
		return CMD_OK;
	}
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
		if (victims[i].fd >= 0)
			close(victims[i].fd);
	free(victims);
	return code;
}
