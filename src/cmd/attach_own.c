#define _GNU_SOURCE
#include "cmd/attach_own.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool attach_own_begin(void)
{
	const pid_t pid = fork();

	if (pid > 0)
		_exit(0);
	signal(SIGPIPE, SIG_IGN); /* the program may end at any time */
	setsid();		  /* Ctrl-C in its terminal is for the program */
	return pid == 0;
}

void attach_own_target(struct target *t, int pid, const char *version)
{
	char link[64], path[PATH_MAX];

	*t = (struct target){.pid = pid};
	snprintf(t->version, sizeof t->version, "%s", version);
	snprintf(link, sizeof link, "/proc/%d/exe", pid);
	const ssize_t n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	const char *slash = strrchr(path, '/');
	snprintf(t->program, sizeof t->program, "%.200s", slash ? slash + 1 : "python");
}

bool attach_own_tell(const char *recorder, const char *arena, const char *directory)
{
	return printf("%s\n%s\n%s\n", recorder, arena, directory) > 0 && fflush(stdout) == 0;
}
