/* Run the command so that it notices nothing: as if its caller had started it.
 *
 * It keeps the caller's process group, terminal, session, limits, directory, umask, descriptors,
 * signal mask and dispositions. `record` passes on signals that were sent only to itself, stops
 * when the command stops, and continues with it.
 *
 * A small process of ours, the sentinel, does what `record` cannot do itself. It is in the same
 * process group and blocks all signals, so a signal that is pending there was sent to the whole
 * group, and has reached the command. It also sees when `record` was stopped by SIGSTOP, which
 * cannot be caught, and stops the command. When `record` continues, so does the command.
 */
#ifndef PL_CMD_CHILD_H
#define PL_CMD_CHILD_H

#include <signal.h>
#include <sys/types.h>

struct child_shared;

struct child {
	pid_t pid;
	pid_t sentinel;
	struct child_shared
		*shared; /* owned: memory shared with the sentinel; NULL: there was none */
	sigset_t mask;	 /* the caller's */
	struct sigaction file_size; /* the caller's, of SIGXFSZ */
};

/* From here on a file that may not grow is an error of ours, and not our death. First of all. */
void child_begin(struct child *c);
/* Block signals; before anything else is started. */
void child_prepare(struct child *c);
/* In a process that is forked for another purpose: signals as the caller had them. */
void child_restore(const struct child *c);
/* 0; or the errno of execve. */
int child_start(struct child *c, const char *path, char **argv, char **envp);
/* Wait for its end; returns wait(2)'s status. */
int child_wait(struct child *c);
/* Die of the signal that killed the command, without a core of our own. Returns the shell's exit
 * code for it if that fails. */
int child_die_of(int number);

#endif
