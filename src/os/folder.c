#define _GNU_SOURCE
#include "os/folder.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SAME_MAX 1000 /* recordings with the same name in the same second */

bool folder_make_private(const char *path)
{
	return mkdir(path, 0700) == 0 && chmod(path, 0700) == 0;
}

int folder_make_named(const char *folder, const char *name, char path[PATH_MAX])
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	strftime(stamp, sizeof stamp, "%y%m%d-%H%M%S", &local);
	for (int n = 1; n < SAME_MAX; n++) {
		int length = snprintf(path, PATH_MAX, "%s/%s-%s", folder, stamp, name);
		if (length >= PATH_MAX - 8)
			return ENAMETOOLONG;
		if (n > 1)
			snprintf(path + length, PATH_MAX - (size_t)length, "-%d", n);
		if (folder_make_private(path))
			return 0;
		if (errno != EEXIST)
			break;
	}
	return errno;
}

int folder_make_in_memory(const char *ending, char path[PATH_MAX])
{
	uint64_t number;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		return EAGAIN;
	snprintf(path, PATH_MAX, FOLDER_IN_MEMORY "/pathline-%u-%016llx.%s", (unsigned)getuid(),
		(unsigned long long)number, ending);
	return folder_make_private(path) ? 0 : errno;
}

/* Made under another name and renamed over the old one, so that the link exists at any moment. */
void folder_set_latest(const char *folder, const char *name)
{
	char link[PATH_MAX], aside[PATH_MAX];

	snprintf(link, sizeof link, "%.*s/" FOLDER_LATEST, PATH_MAX - 32, folder);
	snprintf(aside, sizeof aside, "%.*s/." FOLDER_LATEST ".%d", PATH_MAX - 32, folder,
		(int)getpid());
	unlink(aside);
	if (symlink(name, aside) == 0 && rename(aside, link) < 0)
		unlink(aside);
}
