#define _GNU_SOURCE
#include "cmd/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cmd/cmd.h"

#define HOME	 ".pathline"
#define SAME_MAX 1000 /* recordings of one name in one second */

static int failed(const char *path, int err)
{
	cmd_say("record: %s: %s", path, strerror(err));
	return CMD_RECORD_FAILED;
}

static int make_default(struct place *p, const char *name)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm local;

	if (mkdir(HOME, 0700) < 0 && errno != EEXIST)
		return failed(HOME, errno);
	localtime_r(&now, &local);
	strftime(stamp, sizeof stamp, "%y%m%d-%H%M%S", &local);
	for (int n = 1; n < SAME_MAX; n++) {
		if (n == 1)
			snprintf(p->path, sizeof p->path, "%s/%s-%s", HOME, stamp, name);
		else
			snprintf(p->path, sizeof p->path, "%s/%s-%s-%d", HOME, stamp, name, n);
		if (mkdir(p->path, 0700) == 0)
			return CMD_GO;
		if (errno != EEXIST)
			break;
	}
	return failed(p->path, errno);
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	bool empty = d != NULL;

	while (d && empty && (e = readdir(d)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return empty;
}

static int make_given(struct place *p, const char *directory)
{
	if (snprintf(p->path, sizeof p->path, "%s", directory) >= (int)sizeof p->path)
		return failed(directory, ENAMETOOLONG);
	if (mkdir(directory, 0700) == 0)
		return CMD_GO;
	if (errno != EEXIST)
		return failed(directory, errno);
	if (is_empty(directory))
		return CMD_GO;
	cmd_say("record: %s is not empty; a recording is never mixed into what is there",
		directory);
	return CMD_RECORD_FAILED;
}

int place_make(struct place *p, const char *directory, const char *name)
{
	*p = (struct place){.directory_fd = -1, .is_default = !directory};
	int code = directory ? make_given(p, directory) : make_default(p, name);

	if (code != CMD_GO)
		return code;
	p->directory_fd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->directory_fd < 0 || !realpath(p->path, p->real))
		return failed(p->path, errno);
	return CMD_GO;
}

void place_undo(struct place *p)
{
	if (p->directory_fd >= 0)
		unlinkat(p->directory_fd, "meta", 0);
	if (p->path[0])
		rmdir(p->path);
	if (p->is_default)
		rmdir(HOME);
}

/* Made aside and moved over the old one, so that there is a latest one at any moment. */
void place_publish(const struct place *p)
{
	char aside[64];

	if (!p->is_default)
		return;
	snprintf(aside, sizeof aside, HOME "/latest.%d", (int)getpid());
	if (symlink(p->path + sizeof HOME, aside) == 0 && rename(aside, CMD_LATEST) < 0)
		unlink(aside);
}
