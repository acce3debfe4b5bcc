/* What is known of a process, without touching it. */
#define _GNU_SOURCE
#include "attach/target.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "attach/stop.h"
#include "attach/symbols.h"
#include "os/file.h"
#include "recorder/order.h"

#define STATUS_BYTES 8192

static int refuse(char why[ATTACH_WHY_BYTES], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(char why[ATTACH_WHY_BYTES], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, ATTACH_WHY_BYTES, format, arguments);
	va_end(arguments);
	return -1;
}

/* The number after a word of /proc/PID/status, or -1. */
static long status_number(const char *status, const char *word)
{
	const char *at = strstr(status, word);

	return at ? strtol(at + strlen(word), NULL, 10) : -1;
}

/* Of "Uid:", of which the first number is the real one, the second the effective one. */
static uint32_t effective_id(const char *status, const char *word)
{
	const char *at = strstr(status, word);
	unsigned real, effective = UINT32_MAX;

	return at && sscanf(at + strlen(word), "%u %u", &real, &effective) == 2 ? effective
										: UINT32_MAX;
}

/* Of "NSpid:	4711	12": in its own namespace; in an older kernel the only one. */
static int pid_there(const char *status, int pid)
{
	const char *at = strstr(status, "\nNSpid:");
	int number, there = pid;

	if (at)
		at += strlen("\nNSpid:");
	for (int bytes; at && sscanf(at, " %d%n", &number, &bytes) == 1; at += bytes) {
		there = number;
		if (at[bytes] == '\n')
			break;
	}
	return there;
}

/* A child by vfork has its parent's memory until it runs a program: what is put there is put into
 * the parent. */
static bool has_memory_of(int pid, long other)
{
	return other > 0 && syscall(SYS_kcmp, pid, (int)other, KCMP_VM, 0, 0) == 0;
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Mounts of its own can also be below the root. */
static bool is_foreign(int pid)
{
	char path[64], own[64];

	snprintf(path, sizeof path, "/proc/%d/ns/mnt", pid);
	if (!is_same_file(path, "/proc/self/ns/mnt"))
		return true;
	snprintf(path, sizeof path, "/proc/%d/root", pid);
	snprintf(own, sizeof own, "/proc/%d/root", (int)getpid());
	return !is_same_file(path, own);
}

static bool has_own_shm(int pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/root/dev/shm", pid);
	return !is_same_file(path, "/dev/shm");
}

/* ---- may it be attached? ---- */

static int judge_owner(const struct target *t, char *why)
{
	if (t->uid != geteuid() && geteuid() != 0)
		return refuse(why,
			"process %d belongs to another user; attach it as that user or as root: "
			"sudo pathline attach %d",
			t->pid, t->pid);
	return 0;
}

static int judge_state(const struct target *t, const char *status, char *why)
{
	const char *state = strstr(status, "\nState:\t");
	long tracer = status_number(status, "\nTracerPid:");

	if (state && (state[8] == 'Z' || state[8] == 'X'))
		return refuse(why, "process %d has ended", t->pid);
	if (tracer > 0)
		return refuse(why,
			"process %d is traced by process %ld (a debugger, strace); end that first: "
			"kill %ld",
			t->pid, tracer, tracer);
	if (has_memory_of(t->pid, status_number(status, "\nPPid:")))
		return refuse(why,
			"process %d runs in its parent's memory (vfork), because it has not run "
			"its program yet; try again: pathline attach %d",
			t->pid, t->pid);
	if (state && (state[8] == 'T' || state[8] == 't'))
		return refuse(why, "process %d is stopped; let it go on first: kill -CONT %d",
			t->pid, t->pid);
	return 0;
}

static bool may_trace_all(void)
{
	char status[STATUS_BYTES];
	unsigned long long rights = 0;
	const char *at = proc_text(getpid(), "status", status, sizeof status)
				 ? strstr(status, "\nCapEff:\t")
				 : NULL;

	return at && sscanf(at, "\nCapEff: %llx", &rights) == 1 && rights >> CAP_SYS_PTRACE & 1;
}

void target_explain_ptrace(int pid, char why[ATTACH_WHY_BYTES])
{
	char scope[16] = "";

	file_text("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
	if (scope[0] == '3')
		refuse(why,
			"the system lets no process be attached until it boots again (ptrace_scope "
			"is 3); record the program from its start: pathline record PROGRAM");
	else if (geteuid() != 0 && scope[0] > '0')
		refuse(why,
			"the system does not let process %d be attached (ptrace_scope is %c); as "
			"root: sudo pathline attach %d; or allow it: sudo sysctl "
			"kernel.yama.ptrace_scope=0",
			pid, scope[0], pid);
	else if (geteuid() != 0)
		refuse(why,
			"the system does not let process %d be attached (ptrace), as it has more "
			"rights than you, or wants to be protected; as root: sudo pathline attach "
			"%d",
			pid, pid);
	else if (!may_trace_all())
		refuse(why,
			"the system does not let process %d be attached (ptrace): root has no "
			"CAP_SYS_PTRACE here; of a container: docker run --cap-add=SYS_PTRACE "
			"IMAGE",
			pid);
	else
		refuse(why,
			"the system does not let process %d be attached, even by root (ptrace), as "
			"it belongs to another namespace or is protected; attach it from outside "
			"of this container, or record it from its start: pathline record PROGRAM",
			pid);
}

/* Why the system does not let us read the process, although it is ours. */
static int refuse_reading(const struct target *t, int err, char *why)
{
	if (err != EPERM && err != EACCES)
		return refuse(why,
			"process %d begins a program or ends (%s); try again: pathline attach %d",
			t->pid, strerror(err), t->pid);
	target_explain_ptrace(t->pid, why);
	return -1;
}

/* ---- what is mapped ---- */

/* One object, the first part of which is mapped at `base`. */
struct object {
	char path[4096];
	uint64_t base;
};

static const char *bare_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void find_in(struct target *t, uint64_t *address, uint64_t base, const char *name)
{
	if (!*address)
		*address = symbol_find(t->pid, base, name);
}

static bool is_libc(const char *name)
{
	return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-2", 6) ||
	       !strncmp(name, "libpthread", 10) || !strncmp(name, "libdl", 5);
}

static bool is_loader(const char *name)
{
	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-2.", 5);
}

/* Py_Version is there since 3.11: 0x030d00f0. */
static void look_at_interpreter(struct target *t, const struct object *o)
{
	uint64_t at = symbol_find(t->pid, o->base, "Py_Version");
	unsigned long version = 0;

	if (!at || !memory_read(t->pid, at, &version, sizeof version))
		return;
	snprintf(
		t->version, sizeof t->version, "%lu.%lu", version >> 24 & 255, version >> 16 & 255);
	snprintf(t->release, sizeof t->release, "%s.%lu", t->version, version >> 8 & 255);
	t->text_from = o->base;
	find_in(t, &t->add_pending, o->base, "Py_AddPendingCall");
}

static void look_at_object(struct target *t, const struct object *o)
{
	const char *name = bare_name(o->path);

	if (is_libc(name)) {
		find_in(t, &t->dlopen, o->base, "dlopen");
		find_in(t, &t->dlsym, o->base, "dlsym");
		find_in(t, &t->thread_create, o->base, "pthread_create");
		find_in(t, &t->system_call, o->base, "syscall");
	} else if (!t->version[0] &&
		   (!strncmp(name, "libpython", 9) || !strcmp(o->path, t->program))) {
		look_at_interpreter(t, o);
	}
}

/* The recorder may be in memory alone: "/memfd:pathline-recorder-3.13.so (deleted)". */
static void look_at_others(struct target *t, const struct object *o, const char *path)
{
	const char *name = bare_name(path);
	size_t n = strlen(name);

	if (!strcmp(name, "pathline-preload.so"))
		t->preloaded = true;
	if (!strncmp(name, "memfd:", 6))
		name += 6;
	if (!strncmp(name, "pathline-recorder-", 18) && !strcmp(o->path, path)) {
		snprintf(t->recorder, sizeof t->recorder, "%s", path);
		find_in(t, &t->entry, o->base, RECORDER_ORDERED);
	}
	if (n > 6 && !strncmp(name, "pathline-", 9) && !strcmp(name + n - 6, ".arena"))
		snprintf(t->arena, sizeof t->arena, "%s", path);
}

/* 7f0000000000-7f0000001000 r--p 00000000 08:01 1234   /usr/lib/libc.so.6 */
static void look_at_line(struct target *t, struct object *last, char *line)
{
	unsigned long long from, to, offset;
	int at = 0;
	char mode[8];

	if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &from, &to, mode, &offset, &at) < 4 ||
		!at || line[at] != '/')
		return;
	line[strcspn(line, "\n")] = 0;
	const char *path = line + at;
	if (strcmp(path, last->path) != 0 && offset == 0) {
		snprintf(last->path, sizeof last->path, "%s", path);
		last->base = from;
		if (!t->first_object)
			t->first_object = from;
		look_at_object(t, last);
	}
	if (t->text_from == last->base && !strcmp(path, last->path))
		t->text_to = to;
	if (is_loader(bare_name(path)) && !strcmp(path, last->path)) {
		t->loader_from = last->base;
		t->loader_to = to;
	}
	look_at_others(t, last, path);
}

static bool look_at_maps(struct target *t)
{
	char path[64];
	struct object last = {{0}, 0};
	char *line = NULL;
	size_t room = 0;

	snprintf(path, sizeof path, "/proc/%d/exe", t->pid);
	ssize_t n = readlink(path, t->program, sizeof t->program - 1);
	t->program[n > 0 ? n : 0] = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", t->pid);
	FILE *maps = n > 0 ? fopen(path, "re") : NULL;
	if (!maps)
		return false;
	while (getline(&line, &room, maps) > 0)
		look_at_line(t, &last, line);
	free(line);
	fclose(maps);
	if (t->system_call)
		t->system_call = stop_find_system_call(t->pid, t->system_call);
	return true;
}

/* ---- later ---- */

bool target_is_same(const struct target *t)
{
	uint8_t now[sizeof t->add_pending_bytes];

	return stop_find_system_call(t->pid, t->system_call) == t->system_call &&
	       memory_read(t->pid, t->add_pending, now, sizeof now) &&
	       memcmp(now, t->add_pending_bytes, sizeof now) == 0;
}

bool target_has_ended(int pid)
{
	char status[STATUS_BYTES];
	const char *state = proc_text(pid, "status", status, sizeof status)
				    ? strstr(status, "\nState:\t")
				    : NULL;

	return !state || state[8] == 'Z' || state[8] == 'X';
}

/* ---- all of it ---- */

static int judge_interpreter(struct target *t, char *why)
{
	if (!t->version[0])
		return refuse(why,
			"process %d (%s) is not a CPython of 3.11 or later that Pathline can find "
			"in its memory; those that are: pathline ps",
			t->pid, t->program);
	if (!t->dlopen || !t->dlsym || !t->thread_create || !t->add_pending || !t->system_call)
		return refuse(why,
			"process %d (%s) has no glibc with dlopen, so no library can be loaded "
			"into it; record it from its start: pathline record PROGRAM",
			t->pid, t->program);
	memory_read(t->pid, t->add_pending, t->add_pending_bytes, sizeof t->add_pending_bytes);
	return 0;
}

int target_look(struct target *t, int pid, char why[ATTACH_WHY_BYTES])
{
	char status[STATUS_BYTES];
	char byte;

	*t = (struct target){.pid = pid};
	if (!stop_is_built())
		return refuse(why, "attaching is there on x86-64 only; start the program with "
				   "`pathline record`");
	if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH) ||
		!proc_text(pid, "status", status, sizeof status))
		return refuse(why, "there is no process %d; those that are: pathline ps", pid);
	t->uid = effective_id(status, "\nUid:");
	t->gid = effective_id(status, "\nGid:");
	t->own_pid = pid_there(status, pid);
	t->foreign = is_foreign(pid) || t->uid != geteuid();
	t->own_shm = has_own_shm(pid);
	const int unread = look_at_maps(t) ? 0 : errno;
	if (unread && target_has_ended(pid))
		return refuse(why, "process %d has ended", pid);
	if (judge_state(t, status, why) < 0 || judge_owner(t, why) < 0)
		return -1;
	if (unread)
		return refuse_reading(t, unread, why);
	if (t->first_object && !memory_read(pid, t->first_object, &byte, 1)) {
		const int err = errno;
		return target_has_ended(pid) ? refuse(why, "process %d has ended", pid)
					     : refuse_reading(t, err, why);
	}
	return judge_interpreter(t, why);
}
