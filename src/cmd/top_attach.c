/* A process that is looked at by its number. One that is recorded already has a recording, which
 * its arena names. Into another one `pathline attach` brings the recorder; its recording is kept in
 * a directory of its own, and is removed at the end, when the recorder has left. */
#define _GNU_SOURCE
#include "cmd/top.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cmd/follow.h"
#include "cmd/recorded.h"

#define LOOK_MS	  20
#define COME_MS	  15000	 /* longer than `attach` itself waits */
#define FIRST_MS  1200	 /* there is a second to be looked at */
#define LIMIT	  "256M" /* of what is kept of the path */
#define SAID	  "said" /* what `attach` says, in the directory of the recording's */
#define RECORDING "recording"

static void top_pause(void)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)LOOK_MS * 1000000}, NULL);
}

/* ---- a recording for this ---- */

static bool make_home(struct top *t)
{
	const char *under = getenv("TMPDIR");

	if (t->keep) {
		snprintf(t->recording, sizeof t->recording, "%s", t->keep);
		return true;
	}
	if (!under || under[0] != '/' || strlen(under) > sizeof t->home / 2)
		under = "/tmp";
	/* mkdtemp makes a new private directory of it */
	snprintf(t->home, sizeof t->home, "%s/pathline-top-XXXXXX", under);
	if (!mkdtemp(t->home)) {
		cmd_say("top: a directory for the recording cannot be made in %s: %s; set TMPDIR, "
			"or name one with -o",
			under, strerror(errno));
		t->home[0] = 0;
		return false;
	}
	snprintf(t->recording, sizeof t->recording, "%s/" RECORDING, t->home);
	return true;
}

/* What it says is for the end, as it would disturb the screen. */
static void exec_attach(const struct top *t, const char *pid)
{
	char said[PATH_MAX];
	const char *words[] = {"pathline", "attach", "--quiet", "--values", "none", "-o",
		t->recording, "--limit", LIMIT, pid, t->only_mine ? "--only-mine" : NULL, NULL};

	prctl(PR_SET_PDEATHSIG, SIGTERM); /* the recorder leaves as well */
	setpgid(0, 0);			  /* Ctrl-C is for `top`, which ends this */
	if (t->home[0]) {
		snprintf(said, sizeof said, "%s/" SAID, t->home);
		const int fd = open(said, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd >= 0)
			dup2(fd, STDERR_FILENO);
	}
	execv("/proc/self/exe", (char **)(uintptr_t)words);
	_exit(CMD_RECORD_NOT_FOUND);
}

static bool start_attach(struct top *t, int pid)
{
	char number[16];

	snprintf(number, sizeof number, "%d", pid);
	t->attached = fork();
	if (t->attached == 0)
		exec_attach(t, number);
	if (t->attached > 0)
		return true;
	cmd_say("top: no process for `pathline attach`: %s", strerror(errno));
	t->attached = 0;
	return false;
}

/* The exit code of the attach, once it has ended; -1: it goes on. */
static int attach_ended(struct top *t)
{
	int status;

	if (!t->attached || waitpid(t->attached, &status, WNOHANG) <= 0)
		return -1;
	t->attached = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : CMD_RECORD_FAILED;
}

/* Its messages, which are lines of `attach`. */
static void pass_on_messages(const struct top *t)
{
	char path[PATH_MAX], text[4096];
	ssize_t n;

	snprintf(path, sizeof path, "%s/" SAID, t->home);
	const int fd = t->home[0] ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	while (fd >= 0 && (n = read(fd, text, sizeof text)) > 0)
		if (write(STDERR_FILENO, text, (size_t)n) < 0)
			break;
	if (fd >= 0)
		close(fd);
}

/* Until the first process is in the recording. */
static int wait_for_recording(struct top *t)
{
	for (int ms = 0; ms < COME_MS && !follow_stopped; ms += LOOK_MS) {
		const int ended = attach_ended(t);
		if (ended >= 0)
			return ended ? ended : CMD_RECORD_FAILED;
		if (!t->r)
			pl_recording_open(&t->r, t->recording, NULL);
		else
			pl_recording_refresh(t->r, NULL);
		if (t->r && pl_recording_process_count(t->r))
			return CMD_GO;
		top_pause();
	}
	if (follow_stopped)
		return CMD_OK;
	cmd_say("top: the recording did not begin within %d s", COME_MS / 1000);
	return CMD_RECORD_FAILED;
}

int top_attach(struct top *t, int pid)
{
	if (recorded_directory(pid, t->recording)) {
		if (t->only_mine) {
			cmd_say("top: process %d is recorded already, with all of its code or what "
				"its recording was given; leave --only-mine out, or use --filter",
				pid);
			return CMD_USAGE;
		}
		struct pl_err err = {0};
		const int code = pl_recording_open(&t->r, t->recording, &err);
		return code < 0 ? cmd_open_failed("top", t->recording, code, &err) : CMD_GO;
	}
	if (!make_home(t) || !start_attach(t, pid))
		return CMD_RECORD_FAILED;
	const int code = wait_for_recording(t);
	for (int ms = 0; code == CMD_GO && ms < FIRST_MS && !follow_stopped; ms += LOOK_MS)
		top_pause();
	return code;
}

/* ---- the end ---- */

static void remove_files_of(const char *directory)
{
	DIR *d = opendir(directory);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(directory);
}

int top_detach(struct top *t, int code)
{
	int status;

	if (t->attached) {
		kill(t->attached, SIGINT);
		while (waitpid(t->attached, &status, 0) < 0 && errno == EINTR)
			;
		t->attached = 0;
	}
	if (!t->home[0])
		return code;
	pass_on_messages(t);
	remove_files_of(t->recording);
	remove_files_of(t->home);
	t->home[0] = 0;
	return code;
}
