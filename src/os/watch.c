#define _GNU_SOURCE
#include "os/watch.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "base/map.h"
#include "os/file.h"

/* linux/pidfd.h of 6.15, which older headers do not have. */
struct pidfd_info {
	uint64_t mask;
	uint64_t cgroupid;
	uint32_t pid, tgid, ppid;
	uint32_t ids[8];
	int32_t exit_code;
};
#define PIDFD_WANT_EXIT (UINT64_C(1) << 3)
#define PIDFD_GET_INFO	_IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, 64)

/* Fields of /proc/PID/stat, by the numbers of proc(5). */
enum {
	STAT_STATE = 3,
	STAT_START = 22,
	STAT_CODE = 26,
	STAT_STACK = 28,
	STAT_ARGUMENTS = 48,
	STAT_ENVIRONMENT = 50,
	STAT_ENVIRONMENT_END = 51,
	STAT_EXIT = 52
};
#define STAT_FIELDS 53

/* Field 3 is the first after the name, which is in brackets and may contain anything. */
static bool read_stat(int pid, char *state, uint64_t fields[STAT_FIELDS])
{
	char text[4096];

	memset(fields, 0, STAT_FIELDS * sizeof *fields);
	if (!proc_text(pid, "stat", text, sizeof text))
		return false;
	char *at = strrchr(text, ')');
	if (!at || !at[1])
		return false;
	*state = at[2];
	at += 3;
	for (int i = STAT_STATE + 1; i < STAT_FIELDS && *at; i++)
		fields[i] = strtoull(at, &at, 10);
	return true;
}

/* A hash of where the kernel has put code, stack, arguments and environment, and which file it
 * runs: exec changes all of these. 0: not known, as for another user's process. */
static uint64_t image_of(int pid, const uint64_t fields[STAT_FIELDS])
{
	struct {
		uint64_t code, stack, arguments[2], environment[2];
		char executable[256];
	} image = {.code = fields[STAT_CODE], .stack = fields[STAT_STACK]};
	char path[64];

	memcpy(image.arguments, &fields[STAT_ARGUMENTS], sizeof image.arguments);
	memcpy(image.environment, &fields[STAT_ENVIRONMENT], sizeof image.environment);
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	if (readlink(path, image.executable, sizeof image.executable) < 0 || !image.stack)
		return 0;
	return hash_bytes(&image, sizeof image);
}

bool watch_open(struct watch *w, int pid)
{
	uint64_t fields[STAT_FIELDS];
	char state;

	*w = (struct watch){.pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0)};
	if (w->pidfd < 0 && errno == ESRCH)
		return false;
	if (read_stat(pid, &state, fields)) {
		w->start = fields[STAT_START];
		w->image = image_of(pid, fields);
	}
	return true;
}

void watch_close(struct watch *w)
{
	if (w->pidfd >= 0)
		close(w->pidfd);
	w->pidfd = -1;
}

/* Without a pidfd the pid may belong to another process by now: the start time shows that. A zombie
 * has ended. */
bool watch_ended(const struct watch *w)
{
	uint64_t fields[STAT_FIELDS];
	char state;

	if (w->pidfd >= 0) {
		struct pollfd p = {.fd = w->pidfd, .events = POLLIN};
		return poll(&p, 1, 0) == 1 && (p.revents & (POLLIN | POLLHUP));
	}
	if (kill(w->pid, 0) < 0 && errno == ESRCH)
		return true;
	return read_stat(w->pid, &state, fields) &&
	       ((w->start && fields[STAT_START] != w->start) || state == 'Z' || state == 'X');
}

/* Linux 6.15 and later keep the status for holders of a pidfd; before, the ioctl fails. */
static bool reaped_status(const struct watch *w, int *status)
{
	struct pidfd_info info = {.mask = PIDFD_WANT_EXIT};

	if (w->pidfd < 0 || ioctl(w->pidfd, PIDFD_GET_INFO, &info) < 0 ||
		!(info.mask & PIDFD_WANT_EXIT))
		return false;
	*status = info.exit_code;
	return true;
}

/* A pidfd has the exit status once the process is reaped; before that, the zombie shows it in
 * /proc. */
bool watch_status(const struct watch *w, int *status)
{
	uint64_t fields[STAT_FIELDS];
	char state;

	if (reaped_status(w, status))
		return true;
	if (read_stat(w->pid, &state, fields) && state == 'Z' &&
		(!w->start || fields[STAT_START] == w->start)) {
		*status = (int)fields[STAT_EXIT];
		return true;
	}
	return reaped_status(w, status); /* reaped in the meantime */
}

bool watch_execed(const struct watch *w)
{
	uint64_t fields[STAT_FIELDS];
	char state;

	if (!w->image || !read_stat(w->pid, &state, fields) || fields[STAT_START] != w->start)
		return false;
	uint64_t now = image_of(w->pid, fields);
	return now && now != w->image;
}

/* "NSpid:	4711	12	1": its pid in our namespace first, in its own last. */
static bool is_there_called(int pid, uint32_t inner_pid)
{
	char text[4096];
	char *at = proc_text(pid, "status", text, sizeof text) ? strstr(text, "\nNSpid:") : NULL;
	char *end = at ? strchr(at + 1, '\n') : NULL;

	if (!end)
		return false;
	*end = 0;
	at = strrchr(at, '\t');
	return at && strtoul(at, NULL, 10) == inner_pid;
}

int watch_find(uint32_t pid, uint32_t pid_space)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	struct stat st;
	char path[64];
	int found = 0;

	while (proc && !found && (d = readdir(proc))) {
		int outer = (int)strtol(d->d_name, NULL, 10);
		if (outer <= 0)
			continue;
		snprintf(path, sizeof path, "/proc/%d/ns/pid", outer);
		if (stat(path, &st) == 0 && (uint32_t)st.st_ino == pid_space &&
			is_there_called(outer, pid))
			found = outer;
	}
	if (proc)
		closedir(proc);
	return found;
}

/* 1: the word is there; 0: it is not; -1: the file could not be read, or is empty. */
static int has(int pid, const char *name, const char *word, struct pl_buf *room)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	if (file_read_all(-1, path, 16u << 20, room) < 0 || !room->used)
		return -1;
	return memmem(room->at, room->used, word, strlen(word)) != NULL;
}

int watch_maps(const struct watch *w, const char *word)
{
	struct pl_buf room = {0};
	int found = has(w->pid, "maps", word, &room);

	buf_release(&room);
	return found;
}

/* In the middle of an exec a process has neither the old environment nor the new one: the kernel
 * has made its memory, and sets the end of the environment last. If it has no environment because
 * we may not see its memory, or that is gone, we cannot see its executable either. */
static bool is_in_exec(int pid, const uint64_t fields[STAT_FIELDS])
{
	char path[64], executable[2];

	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	return !fields[STAT_ENVIRONMENT_END] && readlink(path, executable, sizeof executable) > 0;
}

/* A process is read in two steps; an exec between them would show halves of two programs. */
#define LOOKS_AT_ONE 16
/* An exec takes less than a millisecond. One that takes longer, on a busy machine, may be ours. */
#define EXEC_WAIT_MS 30

static bool comes_out_of_exec(int pid, uint64_t fields[STAT_FIELDS])
{
	const struct timespec ms = {.tv_nsec = 1000000};
	char state;

	for (int waited = 0; is_in_exec(pid, fields); waited++) {
		if (waited == EXEC_WAIT_MS)
			return false;
		nanosleep(&ms, NULL);
		if (!read_stat(pid, &state, fields))
			return true;
	}
	return true;
}

/* Its own program has the word in its environment until our library is mapped, and then among its
 * mappings. */
static bool has_or_may_have(
	int pid, uint64_t before[STAT_FIELDS], const char *word, struct pl_buf *room)
{
	uint64_t after[STAT_FIELDS];
	char state;

	for (int i = 0; i < LOOKS_AT_ONE; i++) {
		if (has(pid, "environ", word, room) == 1 || has(pid, "maps", word, room) == 1)
			return true;
		if (!read_stat(pid, &state, after))
			return false;
		if (!comes_out_of_exec(pid, after))
			return true;
		if (image_of(pid, before) == image_of(pid, after))
			return false;
		memcpy(before, after, sizeof after);
	}
	return false;
}

struct search {
	const char *word;
	int self, except;
	uint64_t since;		 /* processes that began before are not looked at … */
	struct pl_map no_longer; /* … and only once those that run no program: pid -> 1 */
	struct pl_buf room;
};

static void leave_out(struct search *s, int pid)
{
	uint64_t *place = map_put(&s->no_longer, (uint64_t)pid);

	if (place)
		*place = 1;
}

/* A process without memory runs no program; one whose memory we may read does. false: neither is
 * known. */
static bool ask_memory(int pid, bool *has_one)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {NULL, 1};

	*has_one = process_vm_readv(pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
	return *has_one || errno == ESRCH;
}

/* Kernel threads, zombies and other users' processes: neither their environment nor their maps can
 * be read. This is checked first, because it costs a quarter of reading `stat`; memory comes first,
 * because it needs no path. */
static bool runs_nothing(int pid)
{
	char path[64], executable[2];
	bool has_one;

	if (ask_memory(pid, &has_one))
		return !has_one;
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	return readlink(path, executable, sizeof executable) < 0;
}

static bool look_at(struct search *s, int pid)
{
	uint64_t fields[STAT_FIELDS];
	char state;

	if (!read_stat(pid, &state, fields))
		return false;
	if (fields[STAT_START] >= s->since)
		return has_or_may_have(pid, fields, s->word, &s->room);
	leave_out(s, pid);
	return false;
}

static bool is_ours(int pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d", pid);
	return stat(path, &st) == 0 && st.st_uid == getuid();
}

static bool look_if_new(struct search *s, int pid)
{
	if (pid <= 0 || pid == s->self || pid == s->except ||
		map_find(&s->no_longer, (uint64_t)pid))
		return false;
	if (!runs_nothing(pid))
		return is_ours(pid) && look_at(s, pid);
	leave_out(s, pid);
	return false;
}

static bool look_at_all(struct search *s)
{
	DIR *proc = opendir("/proc");
	bool found = false;
	struct dirent *d;

	while (proc && !found && (d = readdir(proc)))
		found = look_if_new(s, (int)strtol(d->d_name, NULL, 10));
	if (proc)
		closedir(proc);
	return found;
}

#define FEW	32
#define YOUNG_S 2 /* nobody makes so many processes in this time that pids wrap around */

/* Those that began after us have the pids after ours, up to the last one that was given. */
static bool are_few(const struct search *s, uint64_t last)
{
	struct timespec now;

	if (!s->since || last < (uint64_t)s->self || last - (uint64_t)s->self > FEW ||
		clock_gettime(CLOCK_BOOTTIME, &now) < 0)
		return false;
	return (uint64_t)now.tv_sec < s->since / (uint64_t)sysconf(_SC_CLK_TCK) + YOUNG_S;
}

static bool look_once(struct search *s, uint64_t last)
{
	bool found = false;

	if (!are_few(s, last))
		return look_at_all(s);
	for (uint64_t pid = (uint64_t)s->self + 1; pid <= last && !found; pid++)
		found = look_if_new(s, (int)pid);
	return found;
}

/* The pid of the newest process or thread (proc(5)); 0: not known. */
static uint64_t last_pid(void)
{
	char text[128];
	const char *last =
		file_text("/proc/loadavg", text, sizeof text) ? strrchr(text, ' ') : NULL;

	return last ? strtoull(last, NULL, 10) : 0;
}

#define LOOKS 3

/* A process that passes the word on to a new one and exits, while /proc is read, may be missed
 * once. If no process is new, none was missed. */
bool watch_anyone_has(const char *word, int except)
{
	uint64_t fields[STAT_FIELDS];
	char state;
	struct search s = {.word = word,
		.self = getpid(),
		.except = except,
		.since = read_stat(getpid(), &state, fields) ? fields[STAT_START] : 0};
	uint64_t before, after = last_pid();
	bool found, still;
	int looks = 0;

	do {
		before = after;
		found = look_once(&s, before);
		after = last_pid();
		still = after && after == before;
	} while (!found && !still && ++looks < LOOKS);
	map_release(&s.no_longer);
	buf_release(&s.room);
	return found;
}
