#define _GNU_SOURCE
#include "cmd/library.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "cmd/cmd.h"

static bool try_library(const char *directory, const char *within, const char *name, char *path)
{
	char pattern[PATH_MAX + 64];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s%s%s", directory, within, name);
	bool ok = glob(pattern, 0, NULL, &found) == 0 && realpath(found.gl_pathv[0], path);
	globfree(&found);
	return ok;
}

/* The directory of this binary; without /proc, from the name by which it was called. */
static void own_directory(char self[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	const char *called = (const char *)getauxval(AT_EXECFN);

	self[n > 0 ? n : 0] = 0;
	if (n <= 0 && called)
		snprintf(self, PATH_MAX, "%s", called);
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
}

bool library_find(const char *name, char path[PATH_MAX])
{
	static const char *const within[] = {"/", "/../lib/pathline/", "/../lib/*/pathline/",
		"/../lib64/pathline/", "/../libexec/pathline/"}; /* the last: a wheel's */
	char self[PATH_MAX];

	own_directory(self);
	for (size_t i = 0; i < sizeof within / sizeof *within; i++)
		if (try_library(self, within[i], name, path))
			return true;
	return false;
}

int library_missing(const char *command, const char *name)
{
	char self[PATH_MAX];

	own_directory(self);
	cmd_say("%s: %s is neither in %s nor installed; build it with: make", command, name, self);
	return CMD_RECORD_FAILED;
}
