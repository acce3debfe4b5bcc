#define _GNU_SOURCE
#include "attach/wait.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include "os/file.h"

/* waitpid knows no time: the ticks of a timer interrupt it. */
#define TICK_US 200

/* Of /proc/PID/stat, counted from 1; the third follows the name. */
#define FIELD_PROCESSOR 39
#define FIELD_STATE	3

static struct {
	struct sigaction action;
	cpu_set_t processors;
	bool moved;
	int64_t last_ns;
} before;

int64_t wait_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Where it runs, or ran last; -1: it is not known. */
static int processor_of(int tid)
{
	char text[1024];
	char *at = proc_text(tid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;

	if (at)
		at++; /* the space before the state */
	for (int field = FIELD_STATE; at && field < FIELD_PROCESSOR; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at) : -1;
}

static void move_to(int processor)
{
	cpu_set_t one;

	before.moved = false;
	if (processor < 0 || processor >= CPU_SETSIZE ||
		sched_getaffinity(0, sizeof before.processors, &before.processors) < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	before.moved = sched_setaffinity(0, sizeof one, &one) == 0;
}

static void on_tick(int number)
{
	(void)number;
}

static void set_ticks(long every_us)
{
	const struct timeval tick = {.tv_usec = every_us};

	setitimer(ITIMER_REAL, &(struct itimerval){tick, tick}, NULL);
}

void wait_begin(int tid)
{
	const struct sigaction interrupt = {.sa_handler = on_tick};
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &interrupt, &before.action);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	move_to(processor_of(tid));
	set_ticks(TICK_US);
	before.last_ns = wait_clock_ns();
}

bool wait_for_stop(int tid, int64_t within_ns, int *status)
{
	const int64_t until_ns = wait_clock_ns() + within_ns;

	for (;;) {
		pid_t got = waitpid(tid, status, __WALL);
		if (got == tid)
			return WIFSTOPPED(*status);
		if (errno != EINTR || before.last_ns > until_ns)
			return false;
		before.last_ns = wait_clock_ns();
	}
}

int64_t wait_last_ns(void)
{
	return before.last_ns;
}

void wait_end(void)
{
	set_ticks(0);
	sigaction(SIGALRM, &before.action, NULL);
	if (before.moved)
		sched_setaffinity(0, sizeof before.processors, &before.processors);
}
