#define _GNU_SOURCE
#include "preload/begin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "os/stat.h"
#include "preload/preload.h"

#define DIRECTORY_NAME "PATHLINE_DIR="
#define WAIT_MS	       10000 /* for the arena: then the program runs unrecorded */

const char *begin_named(char *const *env)
{
	const char *directory = NULL;

	for (; *env; env++)
		if (!strncmp(*env, DIRECTORY_NAME, strlen(DIRECTORY_NAME)))
			directory = *env + strlen(DIRECTORY_NAME);
	return directory && *directory ? directory : NULL;
}

bool begin_wanted(const char *directory)
{
	struct stat st;

	return os_fstatat(AT_FDCWD, directory, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

/* The command, from where our library is: beside it where it was built, or in the bin of the prefix
 * that has it in lib/pathline, lib/<machine>/pathline or libexec/pathline. */
static bool find_command(char path[PATH_MAX])
{
	static const char *const places[] = {
		"/pathline", "/../../bin/pathline", "/../../../bin/pathline"};
	const char *slash = strrchr(preload.own_path, '/');
	struct stat st;

	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
		int n = snprintf(path, PATH_MAX, "%.*s%s", (int)(slash - preload.own_path),
			preload.own_path, places[i]);
		if (n < PATH_MAX && os_fstatat(AT_FDCWD, path, &st, 0) == 0 &&
			S_ISREG(st.st_mode) && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* It leaves us at once, and its own child goes on. 0, or an errno. */
static int start_service(const char *command, const char *directory, int told)
{
	char pid[16];
	char *words[] = {(char *)command, "service", "--begin", pid, "--", (char *)directory, NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;

	snprintf(pid, sizeof pid, "%d", (int)getpid());
	int err = posix_spawn_file_actions_init(&actions);
	if (err)
		return err;
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, told, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	err = originals()->posix_spawn(&child, command, &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (err == 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	return err;
}

/* One line; false: it did not come whole. */
static bool read_line(int fd, char *line, size_t size)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	size_t used = 0;

	while (used + 1 < size && originals()->poll(&ready, 1, WAIT_MS) > 0) {
		ssize_t n = read(fd, line + used, size - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		used += (size_t)n;
		if (line[used - 1] == '\n') {
			line[used - 1] = 0;
			return true;
		}
	}
	return false;
}

/* Pipes may get 0, 1 or 2, if the program was started without those: then 1 would be the pipe's own
 * end. */
static bool make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		int high = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
		close(ends[i]);
		ends[i] = high;
	}
	return ends[0] >= 0 && ends[1] >= 0;
}

bool begin_recording(const char *directory, char *arena, size_t size)
{
	char command[PATH_MAX];
	int ends[2] = {-1, -1};
	bool told = false;

	if (find_command(command) && make_pipe(ends)) {
		int err = start_service(command, directory, ends[1]);
		close(ends[1]);
		ends[1] = -1;
		told = err == 0 && read_line(ends[0], arena, size) && arena[0] == '/';
	}
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return told;
}
