/* system() and popen(), complete: libc's start the shell by a call that cannot be replaced.
 *
 * They do what POSIX requires, as libc does it: SIGINT and SIGQUIT are ignored and SIGCHLD is
 * blocked while system() waits, and the child gets them as they were; a stream of popen() is closed
 * in later children; a wait is not cancelled half-way. Without a recording to pass on, libc's own
 * functions run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "preload/preload.h"
#include "preload/spawn.h"

/* As libc of this version does it: since 2.38 a command may begin with '-'. */
static void shell_arguments(const char *argv[5], const char *command)
{
	size_t n = 0;

	argv[n++] = "sh";
	argv[n++] = "-c";
	if (strverscmp(gnu_get_libc_version(), "2.38") >= 0)
		argv[n++] = "--";
	argv[n++] = command;
	argv[n] = NULL;
}

static int start_shell(pid_t *pid, const char *command, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes)
{
	const char *argv[5];

	shell_arguments(argv, command);
	return spawn_shell(pid, actions, attributes, (char *const *)argv);
}

static pid_t wait_for_shell(pid_t pid, int *status)
{
	pid_t result;

	do
		result = waitpid(pid, status, 0);
	while (result < 0 && errno == EINTR);
	return result;
}

/* SIGINT and SIGQUIT are ignored while any thread is in system(); the first one sets that, the last
 * one undoes it. */
static struct {
	pthread_mutex_t lock; /* of the rest */
	unsigned running;
	struct sigaction interrupt, quit;
} ignoring = {PTHREAD_MUTEX_INITIALIZER, 0, {{0}}, {{0}}};

/* *defaults: the signals that the child gets back; those that were ignored before stay ignored in
 * it. */
static void ignore_begin(sigset_t *defaults)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigemptyset(defaults);
	pthread_mutex_lock(&ignoring.lock);
	if (ignoring.running++ == 0) {
		sigaction(SIGINT, &ignore, &ignoring.interrupt);
		sigaction(SIGQUIT, &ignore, &ignoring.quit);
	}
	if (ignoring.interrupt.sa_handler != SIG_IGN)
		sigaddset(defaults, SIGINT);
	if (ignoring.quit.sa_handler != SIG_IGN)
		sigaddset(defaults, SIGQUIT);
	pthread_mutex_unlock(&ignoring.lock);
}

static void ignore_end(void)
{
	pthread_mutex_lock(&ignoring.lock);
	if (--ignoring.running == 0) {
		sigaction(SIGINT, &ignoring.interrupt, NULL);
		sigaction(SIGQUIT, &ignoring.quit, NULL);
	}
	pthread_mutex_unlock(&ignoring.lock);
}

/* If it cannot be started, the result is that of sh: 127. */
static int run_shell(const char *command, const sigset_t *mask, const sigset_t *defaults)
{
	posix_spawnattr_t attributes;
	pid_t pid;
	int status = 127 << 8;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setsigdefault(&attributes, defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	int err = start_shell(&pid, command, NULL, &attributes);
	posix_spawnattr_destroy(&attributes);
	if (err)
		errno = err;
	else if (wait_for_shell(pid, &status) != pid)
		status = -1;
	return status;
}

/* As in POSIX: SIGCHLD is blocked, so that the program's own handler does not reap the shell; and
 * no cancellation may leave the signals changed. */
PRELOAD_EXPORT int system(const char *command)
{
	sigset_t child, mask, defaults;
	int cancel;

	if (!preload_hands_on())
		return originals()->system(command);
	if (!command)
		return system("exit 0") == 0;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ignore_begin(&defaults);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	/* Here it is the thread's mask; pthread_sigmask lies in libpthread before glibc 2.32. */
	sigprocmask(SIG_BLOCK, &child, &mask);
	int status = run_shell(command, &mask, &defaults);
	ignore_end();
	sigprocmask(SIG_SETMASK, &mask, NULL);
	pthread_setcancelstate(cancel, NULL);
	return status;
}

/* The streams that popen() returned and pclose() has not closed. */
struct stream {
	struct stream *next;
	FILE *file;
	pid_t pid;
};
static struct {
	pthread_mutex_t lock; /* of the list */
	struct stream *first;
} streams = {PTHREAD_MUTEX_INITIALIZER, NULL};

struct popen_mode {
	bool reads; /* the caller reads what the command writes */
	bool cloexec;
};

/* Exactly one of r and w, and e in any place, as glibc takes it. */
static bool parse_mode(struct popen_mode *out, const char *mode)
{
	bool reads = false, writes = false;

	*out = (struct popen_mode){0};
	for (; *mode; mode++) {
		if (*mode == 'r')
			reads = true;
		else if (*mode == 'w')
			writes = true;
		else if (*mode == 'e')
			out->cloexec = true;
		else
			return false;
	}
	out->reads = reads;
	return reads != writes;
}

/* The command has its end of the pipe as stdin or stdout, and none of the streams of earlier calls:
 * otherwise a reader of those would never see their end. If an end already has the right number,
 * adddup2 keeps it open. */
static int prepare_pipe(posix_spawn_file_actions_t *actions, int end, int target)
{
	int err = posix_spawn_file_actions_adddup2(actions, end, target);

	for (const struct stream *s = streams.first; s && !err; s = s->next) {
		int fd = fileno(s->file);
		if (fd >= 0 && fd != target)
			err = posix_spawn_file_actions_addclose(actions, fd);
	}
	return err;
}

/* Called with the lock. */
static int start_piped(struct stream *stream, const char *command, int end, int target)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = prepare_pipe(&actions, end, target);
	if (!err)
		err = start_shell(&stream->pid, command, &actions, NULL);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* ends[0] is the command's, ends[1] the caller's; both are taken, also on failure. */
static int open_stream(
	struct stream *stream, const char *command, struct popen_mode mode, int ends[2])
{
	int target = mode.reads ? STDOUT_FILENO : STDIN_FILENO;
	int err = 0;

	stream->file = fdopen(ends[1], mode.reads ? "r" : "w");
	if (!stream->file) {
		err = errno;
	} else {
		ends[1] = -1;
		pthread_mutex_lock(&streams.lock);
		err = start_piped(stream, command, ends[0], target);
		if (!err) {
			stream->next = streams.first;
			streams.first = stream;
		}
		pthread_mutex_unlock(&streams.lock);
	}
	if (err && stream->file)
		fclose(stream->file);
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return err;
}

/* Both ends are made close-on-exec, so that a process that another thread starts meanwhile has none
 * of them; the caller's end loses that at last, unless it asked for it. */
static int popen_new(struct stream *stream, const char *command, struct popen_mode mode)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	int ordered[2] = {ends[mode.reads ? 1 : 0], ends[mode.reads ? 0 : 1]};
	int kept = ordered[1];
	int err = open_stream(stream, command, mode, ordered);
	if (!err && !mode.cloexec)
		fcntl(kept, F_SETFD, 0);
	return err;
}

PRELOAD_EXPORT FILE *popen(const char *command, const char *type)
{
	struct popen_mode mode;

	if (!preload_hands_on())
		return originals()->popen(command, type);
	if (!parse_mode(&mode, type)) {
		errno = EINVAL;
		return NULL;
	}
	struct stream *stream = calloc(1, sizeof *stream);
	if (!stream)
		return NULL;
	int err = popen_new(stream, command, mode);
	if (!err)
		return stream->file;
	free(stream);
	errno = err;
	return NULL;
}

static struct stream *take_stream(FILE *file)
{
	struct stream *found;

	pthread_mutex_lock(&streams.lock);
	struct stream **link = &streams.first;
	while (*link && (*link)->file != file)
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	pthread_mutex_unlock(&streams.lock);
	return found;
}

/* A stream that is not in the list came from libc's popen, before the recording or without one. */
PRELOAD_EXPORT int pclose(FILE *file)
{
	struct stream *stream = take_stream(file);
	int status = -1;

	if (!stream)
		return originals()->pclose(file);
	int flushed = fclose(file);
	if (wait_for_shell(stream->pid, &status) != stream->pid)
		status = -1;
	if (status == 0 && flushed < 0)
		status = -1;
	free(stream);
	return status;
}
