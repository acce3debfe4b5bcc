/* Running the command so that it does not notice: as if its caller had started it.
 *
 * It keeps the caller's process group, terminal, session, limits, directory, umask, descriptors,
 * signal mask and dispositions. `record` passes on signals that were sent to it alone, stops when
 * the command stops, and goes on with it.
 *
 * A small process of ours, the sentinel, does what `record` cannot do itself. It shares the process
 * group and blocks all signals, so what is pending there was sent to the whole group, and has
 * reached the command. And it sees when `record` was stopped by SIGSTOP, which cannot be caught,
 * and stops the command. When `record` goes on, the command does.
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
		*shared; /* owned: memory that the sentinel sees, too; NULL: there was none */
	sigset_t mask;	 /* of the caller */
};

/* Hold signals back, from before anything else is started. */
void child_prepare(struct child *c);
/* In a process that is forked for other ends: signals as the caller had them. */
void child_restore(const struct child *c);
/* 0; or the errno of execve. */
int child_start(struct child *c, const char *path, char **argv, char **envp);
/* Until it has ended; gives wait(2)'s status. */
int child_wait(struct child *c);
/* Die as the command died: of its signal, without a core of our own. Returns the shell's code for
 * it if that fails. */
int child_die_of(int number);

#endif
