#define _GNU_SOURCE
#include "cmd/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "os/file.h"

#define SHELL "/bin/sh"

/* How often the sentinel checks whether `record` is stopped. */
#define LOOK_MS 50

struct child_shared {
	_Atomic bool mirrors; /* `record` stops because the command did */
	_Atomic bool stopped; /* the sentinel stopped the command because `record` was stopped */
};

void child_begin(struct child *c)
{
	const struct sigaction none = {.sa_handler = SIG_IGN};

	*c = (struct child){0};
	sigaction(SIGXFSZ, &none, &c->file_size);
}

void child_prepare(struct child *c)
{
	sigset_t all;

	c->shared = mmap(
		NULL, sizeof *c->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->shared == MAP_FAILED)
		c->shared = NULL;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &c->mask);
}

void child_restore(const struct child *c)
{
	sigaction(SIGXFSZ, &c->file_size, NULL);
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
}

/* A text file without an interpreter's name is run by the shell, as with execvp. */
static void execute(const char *path, char **argv, char **envp)
{
	size_t n = 0;

	execve(path, argv, envp);
	if (errno != ENOEXEC)
		return;
	while (argv[n])
		n++;
	char **words = calloc(n + 2, sizeof *words);
	if (!words)
		return;
	words[0] = (char *)SHELL;
	words[1] = (char *)path;
	for (size_t i = 1; i < n; i++)
		words[i + 1] = argv[i];
	execve(SHELL, words, envp);
	free(words);
}

/* The S of "pid (name) S …"; the name can contain anything. */
static char state_of(pid_t pid)
{
	char text[1024];
	const char *end =
		proc_text((int)pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;

	return end && end[1] ? end[2] : '?';
}

/* The order matters: whoever finds the command stopped, and `stopped` set, is running again, and
 * continues the command. */
static void stop_command_with(const struct child *c, pid_t record)
{
	if (!c->shared || c->shared->mirrors || c->shared->stopped || state_of(record) != 'T' ||
		c->shared->mirrors)
		return;
	c->shared->stopped = true;
	kill(c->pid, SIGSTOP);
}

static pid_t start_sentinel(const struct child *c)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "pathline-group");
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	close_range(3, ~0u, 0);
	while (getppid() == parent) {
		stop_command_with(c, parent);
		poll(NULL, 0, LOOK_MS);
	}
	_exit(0);
}

/* What systemd addressed to our pid (the sockets that it passes on, its watchdog) is for the
 * command. */
static void take_over(char **envp, pid_t record)
{
	static const char *const names[] = {"LISTEN_PID", "WATCHDOG_PID"};
	static char texts[2][40];
	char before[40];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(before, sizeof before, "%s=%d", names[i], (int)record);
		snprintf(texts[i], sizeof texts[i], "%s=%d", names[i], (int)getpid());
		for (char **entry = envp; *entry; entry++)
			if (!strcmp(*entry, before))
				*entry = texts[i];
	}
}

int child_start(struct child *c, const char *path, char **argv, char **envp)
{
	struct sigaction usual = {.sa_handler = SIG_DFL}, before;
	int ends[2], err = 0;

	/* The caller may have its children reaped automatically (an ignored SIGCHLD survives exec);
	 * we must wait for ours. */
	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	sigaction(SIGCHLD, &usual, &before);
	c->pid = fork();
	if (c->pid == 0) {
		sigaction(SIGCHLD, &before, NULL);
		child_restore(c);
		take_over(envp, getppid());
		execute(path, argv, envp);
		err = errno;
		if (write(ends[1], &err, sizeof err) < 0) {
			/* then it looks like a command that returned 127 */
		}
		_exit(127);
	}
	if (c->pid < 0)
		err = errno;
	close(ends[1]);
	if (c->pid > 0 && read(ends[0], &err, sizeof err) > 0)
		waitpid(c->pid, NULL, 0);
	close(ends[0]);
	if (!err)
		c->sentinel = start_sentinel(c);
	return err;
}

/* Is it pending? /proc/PID/status has "SigPnd:" and "ShdPnd:", hexadecimal sets. */
static bool has_pending(pid_t pid, int number)
{
	static const char *const rows[] = {"SigPnd:", "ShdPnd:"};
	char text[4096];

	if (pid <= 0 || !proc_text((int)pid, "status", text, sizeof text))
		return false;
	for (int i = 0; i < 2; i++) {
		const char *at = strstr(text, rows[i]);
		if (at && strtoull(at + strlen(rows[i]), NULL, 16) >> (number - 1) & 1)
			return true;
	}
	return false;
}

static void end_sentinel(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool stops(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* When SIGCONT arrives the kernel drops pending stop signals, and when a stop signal arrives, a
 * pending SIGCONT. So if one was sent to the group, and soon after its opposite, the sentinel has
 * only the second. `record` has the second as well, unless that was sent to the sentinel earlier,
 * and `number` only to `record`. */
static bool undone_in_group(const struct child *c, int number)
{
	static const int opposites[] = {SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU};

	if (number != SIGCONT && !stops(number))
		return false;
	for (size_t i = 0; i < sizeof opposites / sizeof *opposites; i++)
		if (stops(opposites[i]) != stops(number) &&
			has_pending(c->sentinel, opposites[i]) &&
			has_pending(getpid(), opposites[i]))
			return true;
	return false;
}

/* Was it sent to the whole group? Then the command already has it. The kernel signals the newest
 * member first, so the sentinel has its signal before we have ours. The sentinel is then replaced
 * by one that has no signal, except if it has the opposite one pending: `record` has yet to ask
 * about that. */
static bool went_to_group(struct child *c, int number)
{
	pid_t old = c->sentinel;

	if (!has_pending(old, number))
		return undone_in_group(c, number);
	c->sentinel = start_sentinel(c);
	end_sentinel(old);
	return true;
}

static void pass_on(struct child *c, int number)
{
	if (number == SIGCHLD)
		return;
	if (number == SIGCONT && c->shared)
		c->shared->stopped = false;
	if (!went_to_group(c, number))
		kill(c->pid, number);
}

/* Did SIGCONT arrive? If so it is consumed. */
static bool take_cont(void)
{
	struct timespec none = {0};
	sigset_t one;
	bool came = false;

	sigemptyset(&one);
	sigaddset(&one, SIGCONT);
	while (sigtimedwait(&one, NULL, &none) > 0)
		came = true;
	return came;
}

/* The caller's shell must see that we are stopped when the command is. */
static void stop_with(struct child *c, int number)
{
	struct sigaction usual = {.sa_handler = SIG_DFL}, before;
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	sigaction(number, &usual, &before);
	if (c->shared)
		c->shared->mirrors = true;
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL); /* here we are stopped */
	sigprocmask(SIG_BLOCK, &one, NULL);
	if (c->shared)
		c->shared->mirrors = false;
	sigaction(number, &before, NULL);
}

/* The command is stopped. Either `record` was stopped, and runs again; or it must stop as well,
 * unless SIGCONT arrived in the meantime. SIGCONT is passed on to the command; if we did not stop
 * (nobody could wake an orphaned group), the command is left as it is. */
static void heed_stop(struct child *c, int number)
{
	bool went_on = take_cont() || (c->shared && c->shared->stopped);

	if (!went_on) {
		stop_with(c, number);
		went_on = take_cont();
	}
	if (c->shared)
		c->shared->stopped = false;
	if (went_on && !went_to_group(c, SIGCONT))
		kill(c->pid, SIGCONT);
}

int child_wait(struct child *c)
{
	sigset_t heard;
	siginfo_t info;
	int status = 0;

	sigfillset(&heard);
	/* Our own faults must not be passed on. */
	int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPIPE};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&heard, own[i]);
	for (;;) {
		pid_t pid = waitpid(c->pid, &status, WNOHANG | WUNTRACED);
		if (pid == c->pid && WIFSTOPPED(status)) {
			heed_stop(c, WSTOPSIG(status));
			continue;
		}
		if (pid == c->pid || (pid < 0 && errno == ECHILD))
			break;
		int number = sigwaitinfo(&heard, &info);
		if (number > 0)
			pass_on(c, number);
	}
	end_sentinel(c->sentinel);
	c->sentinel = 0;
	if (c->shared)
		munmap(c->shared, sizeof *c->shared);
	c->shared = NULL;
	return status;
}

int child_die_of(int number)
{
	struct rlimit none = {0};
	sigset_t one;

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	return 128 + number;
}
