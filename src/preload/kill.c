/* A signal by which a process ends itself: its last lines may have no event, so it first writes
 * where it is. A signal that another process or the system sends comes without notice. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "preload/preload.h"
#include "preload/slot.h"

static bool ends_by_default(int number)
{
	switch (number) {
	case 0:
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	default:
		return true;
	}
}

/* Only signals that certainly end the process count: if it continued, its next event could
 * overwrite what was written in the middle of an event. */
static bool ends_us(int number)
{
	struct sigaction now;
	sigset_t blocked;

	if (number == SIGKILL)
		return true;
	return ends_by_default(number) && sigaction(number, NULL, &now) == 0 &&
	       !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL &&
	       sigprocmask(SIG_SETMASK, NULL, &blocked) == 0 && !sigismember(&blocked, number);
}

/* Is it this process, or its group? -1 is all processes but this one. */
static bool is_for_us(pid_t target)
{
	return target == 0 || target == getpid() || target == -getpgrp();
}

static void about_to_signal(pid_t target, int number)
{
	int saved = errno;

	if (is_for_us(target) && ends_us(number))
		slot_killed();
	errno = saved;
}

PRELOAD_EXPORT int kill(pid_t target, int number)
{
	about_to_signal(target, number);
	return originals()->kill(target, number);
}

PRELOAD_EXPORT int killpg(pid_t group, int number)
{
	about_to_signal(-group, number);
	return originals()->killpg(group, number);
}

PRELOAD_EXPORT int raise(int number)
{
	about_to_signal(0, number);
	return originals()->raise(number);
}
