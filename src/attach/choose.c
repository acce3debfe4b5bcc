#define _GNU_SOURCE
#include "attach/choose.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "os/file.h"

struct call {
	long number; /* or one of these */
	unsigned long long arguments[6];
};
#define RUNS	  (-1)
#define NO_ANSWER (-2) /* it has ended, or is stopped, or waits in the kernel outside a call */

/* System calls in which a thread waits, and from which the kernel lets it go on as if nothing had
 * been; of some it says EINTR, upon which CPython waits again. A write is not one of them: if it is
 * interrupted, part of it is written. */
static bool is_wait(const struct call *c)
{
	switch (c->number) {
	case SYS_read:
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll:
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6:
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
	case SYS_epoll_pwait2:
#endif
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_accept:
	case SYS_accept4:
	case SYS_wait4:
	case SYS_waitid:
#ifdef SYS_pause
	case SYS_pause:
#endif
	case SYS_rt_sigtimedwait:
		return true;
	case SYS_recvfrom: /* with that flag part of it may be read already */
		return !(c->arguments[3] & MSG_WAITALL);
	case SYS_recvmsg:
		return !(c->arguments[2] & MSG_WAITALL);
	case SYS_futex:
		/* of semaphores and conditions; malloc's and the loader's locks use FUTEX_WAIT */
		return (c->arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	default:
		return false;
	}
}

/* Of "202 0x7f.. 0x189 0x0 …" the system call, and its arguments. */
static struct call call_of(int pid, int tid)
{
	char path[64], text[256];
	struct call c = {.number = NO_ANSWER};
	unsigned long long *a = c.arguments;

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", pid, tid);
	if (!file_text(path, text, sizeof text))
		return c;
	if (!strncmp(text, "running", 7))
		c.number = RUNS;
	else if (sscanf(text, "%ld %llx %llx %llx %llx", &c.number, a, a + 1, a + 2, a + 3) != 5 ||
		 c.number < 0)
		c.number = NO_ANSWER;
	return c;
}

static bool waits_now(int pid, int tid)
{
	const struct call c = call_of(pid, tid);

	return is_wait(&c);
}

/* A thread of the process that waits, the main one first; 0: none does. */
static int find_waiting(int pid)
{
	char path[64];
	const struct dirent *e;
	int found = 0;

	if (waits_now(pid, pid))
		return pid;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	while (tasks && !found && (e = readdir(tasks))) {
		int tid = atoi(e->d_name);
		if (tid > 0 && waits_now(pid, tid))
			found = tid;
	}
	if (tasks)
		closedir(tasks);
	return found;
}

int choose_thread(int pid, struct chosen *who, struct obstacle *why)
{
	const int waiting = find_waiting(pid);

	*who = (struct chosen){waiting ? waiting : pid, waiting != 0};
	if (waiting)
		return 0;
	const struct call c = call_of(pid, pid);
	if (c.number == RUNS)
		return 0;
	*why = (struct obstacle){.tid = pid, .call = c.number};
	return c.number == NO_ANSWER && target_has_ended(pid) ? -ESRCH : -EAGAIN;
}

bool choose_allows(const struct stop *s, const struct target *t, bool waits, struct obstacle *why)
{
	const uint64_t at = stop_place(s);
	struct call c = {.number = stop_in_system_call(s)};

	for (unsigned i = 0; i < 4; i++)
		c.arguments[i] = stop_argument(s, i);
	/* the loader reads files, too: with its lock, and before libc can be used */
	const bool loads = at >= t->loader_from && at < t->loader_to;
	const bool may = waits ? is_wait(&c) && !loads
			       : c.number < 0 && at >= t->text_from && at < t->text_to;
	if (!may)
		*why = (struct obstacle){.tid = s->tid, .call = loads ? -1 : c.number, .place = at};
	return may;
}

/* ---- what it waited for ---- */

/* In which a program may be for long, or which must not be disturbed. */
static const struct {
	long number;
	const char *name;
} CALLS[] = {
	{SYS_write, "write"},
	{SYS_brk, "brk"},
	{SYS_mmap, "mmap"},
	{SYS_munmap, "munmap"},
	{SYS_mprotect, "mprotect"},
	{SYS_openat, "openat"},
	{SYS_clone, "clone"},
	{SYS_execve, "execve"},
	{SYS_exit, "exit"},
	{SYS_exit_group, "exit_group"},
	{SYS_fsync, "fsync"},
	{SYS_connect, "connect"},
	{SYS_sendto, "sendto"},
	{SYS_futex, "futex: a lock, perhaps of malloc or of the loader"},
#ifdef SYS_vfork
	{SYS_vfork, "vfork: its child has not run a program yet"},
#endif
#ifdef SYS_clone3
	{SYS_clone3, "clone3"},
#endif
};

static const char *call_name(long number)
{
	for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
		if (CALLS[i].number == number)
			return CALLS[i].name;
	return "";
}

/* The name of what is mapped at `place`; "": nothing that has one. */
static void find_object(int pid, uint64_t place, char *to, size_t room)
{
	char path[64], *line = NULL;
	size_t bytes = 0;
	unsigned long long from, until;

	*to = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "re");
	while (maps && getline(&line, &bytes, maps) > 0) {
		const char *slash = strrchr(line, '/');
		if (sscanf(line, "%llx-%llx", &from, &until) == 2 && place >= from &&
			place < until && slash)
			snprintf(to, room, "%.*s", (int)strcspn(slash + 1, " \n"), slash + 1);
	}
	free(line);
	if (maps)
		fclose(maps);
}

void choose_explain(int pid, const struct obstacle *why, char *to, size_t room)
{
	char object[64];

	*to = 0;
	if (why->late)
		snprintf(to, room, "thread %d stopped too late", why->tid);
	else if (why->call >= 0)
		snprintf(to, room, "thread %d was in system call %ld%s%s%s", why->tid, why->call,
			*call_name(why->call) ? " (" : "", call_name(why->call),
			*call_name(why->call) ? ")" : "");
	else if (why->place) {
		find_object(pid, why->place, object, sizeof object);
		snprintf(to, room, "thread %d was in %s", why->tid,
			*object ? object : "code of no file");
	}
}
