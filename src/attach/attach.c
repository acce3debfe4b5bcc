#define _GNU_SOURCE
#include "attach/attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "attach/stop.h"
#include "attach/symbols.h"
#include "os/file.h"
#include "recorder/order.h"

/* Between two tries, in which the program goes on. */
#define TRY_AGAIN_NS 1000000
#define TRIES	     2000

/* ---- the code in the page ---- */

#define CODE_CALL_AT 128

#define AT(field) (uint8_t) offsetof(struct recorder_order, field)
#define AT4(field)                                                                                 \
	(uint8_t)(offsetof(struct recorder_order, field) & 255),                                   \
		(uint8_t)(offsetof(struct recorder_order, field) >> 8), 0, 0

/* clang-format off */
/* With the order in rdi. As a pending call it returns 0, as a thread NULL. */
static const uint8_t code_run[] = {
	0x53,                         /* push rbx: the stack is aligned now */
	0x48, 0x89, 0xfb,             /* mov rbx, rdi */
	0x48, 0x8d, 0xbb, AT4(library), /* lea rdi, [rbx + library] */
	0xbe, 0x02, 0x00, 0x00, 0x00, /* mov esi, RTLD_NOW */
	0xff, 0x53, AT(dlopen),       /* call [rbx + dlopen] */
	0x48, 0x85, 0xc0,             /* test rax, rax */
	0x74, 0x18,                   /* jz failed */
	0x48, 0x89, 0xc7,             /* mov rdi, rax */
	0x48, 0x8d, 0xb3, AT4(entry), /* lea rsi, [rbx + entry] */
	0xff, 0x53, AT(dlsym),        /* call [rbx + dlsym] */
	0x48, 0x85, 0xc0,             /* test rax, rax */
	0x74, 0x06,                   /* jz failed */
	0x48, 0x89, 0xdf,             /* mov rdi, rbx */
	0x5b,                         /* pop rbx */
	0xff, 0xe0,                   /* jmp rax: nothing of this page is on the stack */
	/* failed: */
	0xc7, 0x43, AT(status), ORDER_NOT_LOADED, 0x00, 0x00, 0x00, /* mov [rbx + status], 1 */
	0x31, 0xc0,                   /* xor eax, eax */
	0x5b,                         /* pop rbx */
	0xc3,                         /* ret */
};
/* What a stopped thread does: call rax; int3. */
static const uint8_t code_call[] = {0xff, 0xd0, 0xcc};
/* clang-format on */
_Static_assert(sizeof code_run <= CODE_CALL_AT, "the two do not overlap");
_Static_assert(offsetof(struct recorder_order, leave) < 128, "offsets of one byte");

/* ---- which thread ---- */

struct chosen {
	int tid;
	bool waits; /* in a system call; else it runs */
};

/* System calls in which a thread waits, and from which the kernel lets it go on as if nothing had
 * been. */
static bool is_wait(long number, uint64_t futex_operation)
{
	switch (number) {
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
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_accept:
	case SYS_accept4:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_wait4:
	case SYS_waitid:
#ifdef SYS_pause
	case SYS_pause:
#endif
	case SYS_rt_sigtimedwait:
		return true;
	case SYS_futex:
		/* of semaphores and conditions; malloc's and the loader's locks use FUTEX_WAIT */
		return (futex_operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	default:
		return false;
	}
}

#define RUNS	  (-1)
#define NO_ANSWER (-2) /* it has ended, or is stopped, or waits in the kernel outside a call */

/* Of "202 0x7f.. 0x189 0x0 …" the number of the system call, and its second argument. */
static long call_of(int pid, int tid, unsigned long long *second)
{
	char path[64], text[256];
	unsigned long long first;
	long number;

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", pid, tid);
	if (!file_text(path, text, sizeof text))
		return NO_ANSWER;
	if (!strncmp(text, "running", 7))
		return RUNS;
	return sscanf(text, "%ld %llx %llx", &number, &first, second) == 3 && number >= 0
		       ? number
		       : NO_ANSWER;
}

static bool waits_now(int pid, int tid)
{
	unsigned long long second;
	const long number = call_of(pid, tid, &second);

	return number >= 0 && is_wait(number, second);
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

/* A thread is stopped only if it may be used where it is now. 0, or -EAGAIN. */
static int choose(int pid, struct chosen *who)
{
	const int waiting = find_waiting(pid);
	unsigned long long second;

	*who = (struct chosen){waiting ? waiting : pid, waiting != 0};
	return waiting || call_of(pid, pid, &second) == RUNS ? 0 : -EAGAIN;
}

/* It was chosen while it ran on. */
static bool may_be_used(const struct stop *s, const struct target *t, bool waits)
{
	const uint64_t at = stop_place(s);

	if (waits)
		return stop_in_system_call(s) >= 0 &&
		       is_wait(stop_in_system_call(s), stop_second_argument(s));
	return stop_in_system_call(s) < 0 && at >= t->text_from && at < t->text_to;
}

/* ---- the two pages ---- */

static uint64_t map_pages(struct stop *s)
{
	const uint64_t map[6] = {0, ORDER_PAGES_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0};
	int64_t at = stop_system(s, SYS_mmap, map);

	return at < 0 && at > -4096 ? 0 : (uint64_t)at;
}

static void unmap_pages(struct stop *s, uint64_t at)
{
	stop_system(s, SYS_munmap, (uint64_t[6]){at, ORDER_PAGES_BYTES});
}

static bool fill_pages(struct stop *s, uint64_t at, const struct recorder_order *order)
{
	const uint64_t protect[6] = {at, ORDER_AT, PROT_READ | PROT_EXEC};

	return memory_write(s->tid, at, code_run, sizeof code_run) &&
	       memory_write(s->tid, at + CODE_CALL_AT, code_call, sizeof code_call) &&
	       memory_write(s->tid, at + ORDER_AT, order, sizeof *order) &&
	       stop_system(s, SYS_mprotect, protect) == 0;
}

/* pthread_create(&thread, NULL, run, order), or Py_AddPendingCall(run, order): 0. run: our code, or
 * the recorder that is there. */
static bool begin_run(struct stop *s, const struct target *t, uint64_t at, bool waits)
{
	const uint64_t order = at + ORDER_AT, run = t->entry ? t->entry : at;
	const uint64_t create[4] = {order + offsetof(struct recorder_order, thread), 0, run, order};
	const uint64_t add[4] = {run, order};
	uint64_t result;

	return stop_call(s, at + CODE_CALL_AT, waits ? t->thread_create : t->add_pending,
		       waits ? create : add, &result) &&
	       (uint32_t)result == 0;
}

static bool let_unmap(const struct stop *s, uint64_t at)
{
	const uint32_t yes = 1;

	return memory_write(s->tid, at + ORDER_AT + offsetof(struct recorder_order, may_unmap),
		&yes, sizeof yes);
}

/* ---- sending ---- */

static void fill_order(struct recorder_order *to, const struct attach_order *o, int library_fd)
{
	*to = (struct recorder_order){.dlopen = o->target->dlopen,
		.dlsym = o->target->dlsym,
		.leave = o->arena == NULL,
		.library_fd = library_fd};
	snprintf(to->entry, sizeof to->entry, RECORDER_ORDERED);
	if (library_fd < 0)
		snprintf(to->library, sizeof to->library, "%s", o->recorder);
	else
		snprintf(to->library, sizeof to->library, "/proc/self/fd/%d", library_fd);
	snprintf(to->arena, sizeof to->arena, "%s", o->arena ? o->arena : "");
}

/* Stop the thread, if it is at a place where it may be used. 0, or -errno: EAGAIN when it is not,
 * and goes on. */
static int hold(const struct attach_order *o, const struct chosen *who, struct stop *s)
{
	int err = stop_begin(s, who->tid);

	if (err == 0 && !(may_be_used(s, o->target, who->waits) &&
				stop_find_system_call(s, o->target->system_call))) {
		stop_end(s);
		err = -EAGAIN;
	}
	return err;
}

static int send_by(const struct attach_order *o, const struct chosen *who, struct attach_sent *sent)
{
	struct recorder_order order;
	static struct stop s;

	fill_order(&order, o, sent->library_fd);
	order.own_thread = who->waits;
	int err = hold(o, who, &s);
	if (err < 0)
		return err;
	uint64_t at = map_pages(&s);
	err = at ? 0 : -ENOMEM;
	if (err == 0 && !(fill_pages(&s, at, &order) && begin_run(&s, o->target, at, who->waits))) {
		unmap_pages(&s, at);
		err = -EAGAIN;
	}
	if (err == 0)
		let_unmap(&s, at);
	stop_end(&s);
	sent->held_ns = s.held_ns;
	sent->tid = who->tid;
	sent->pages = at;
	return err;
}

/* ---- the library, for a program that does not see our files ---- */

static int make_file(
	const struct attach_order *o, const struct chosen *who, struct attach_sent *sent)
{
	static struct stop s;
	char name[64] = "";
	const char *slash = strrchr(o->recorder, '/');
	int err = hold(o, who, &s);

	if (err < 0)
		return err;
	snprintf(name, sizeof name, "%s", slash ? slash + 1 : o->recorder);
	const uint64_t arguments[6] = {stop_scratch(&s), MFD_CLOEXEC};
	int64_t fd = memory_write(s.tid, arguments[0], name, sizeof name)
			     ? stop_system(&s, SYS_memfd_create, arguments)
			     : -EFAULT;
	stop_end(&s);
	sent->no_file = fd < 0;
	return (int)fd;
}

/* The program may have put another file in its place, which it could not write, but we could: an
 * empty one that no directory has does no harm. */
static bool is_new_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0 && st.st_size == 0;
}

static bool copy_library(const struct attach_order *o, int library_fd)
{
	char path[64];
	struct stat st;
	off_t at = 0;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", o->target->pid, library_fd);
	int from = open(o->recorder, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 : open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool done = to >= 0 && is_new_file(to) && fstat(from, &st) == 0;

	while (done && at < st.st_size)
		done = sendfile(to, from, &at, (size_t)(st.st_size - at)) > 0;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return done;
}

/* In memory that only the program has; it loads it by its descriptor. */
static int give_library(
	const struct attach_order *o, const struct chosen *who, struct attach_sent *sent)
{
	int fd = make_file(o, who, sent);

	if (fd < 0)
		return fd;
	sent->library_fd = fd;
	sent->no_file = !copy_library(o, fd);
	return sent->no_file ? -EIO : 0;
}

static void close_library(const struct attach_order *o, struct stop *s, int library_fd)
{
	if (library_fd >= 0 && stop_find_system_call(s, o->target->system_call))
		stop_system(s, SYS_close, (uint64_t[6]){(uint64_t)library_fd});
}

/* Nothing was sent: what it has for that is taken back. */
static void take_library_back(const struct attach_order *o, struct attach_sent *sent)
{
	static struct stop s;

	if (sent->library_fd < 0 || stop_begin(&s, o->target->pid) < 0)
		return;
	close_library(o, &s, sent->library_fd);
	stop_end(&s);
	sent->library_fd = -1;
}

static int try_once(const struct attach_order *o, struct attach_sent *sent)
{
	struct chosen who;
	int err = choose(o->target->pid, &who);

	if (err == 0 && o->arena && o->target->foreign && !o->target->entry && sent->library_fd < 0)
		err = give_library(o, &who, sent);
	return err < 0 ? err : send_by(o, &who, sent);
}

int attach_send(const struct attach_order *o, struct attach_sent *sent, char why[ATTACH_WHY_BYTES])
{
	const struct timespec pause = {.tv_nsec = TRY_AGAIN_NS};
	int err = -EAGAIN, nice = getpriority(PRIO_PROCESS, 0);

	*sent = (struct attach_sent){.library_fd = -1};
	setpriority(PRIO_PROCESS, 0, -20); /* while a thread is held; only root may */
	for (int i = 0; i < TRIES && err == -EAGAIN; i++) {
		err = try_once(o, sent);
		if (err == -EAGAIN)
			nanosleep(&pause, NULL);
	}
	setpriority(PRIO_PROCESS, 0, nice);
	if (err < 0)
		take_library_back(o, sent);
	if (err == -EAGAIN)
		snprintf(why, ATTACH_WHY_BYTES,
			"no thread of process %d came to a place where it may be stopped; try "
			"again",
			o->target->pid);
	else if (err < 0)
		snprintf(why, ATTACH_WHY_BYTES, "process %d cannot be %s: %s", o->target->pid,
			sent->no_file ? "given the recorder as a file in memory (memfd)"
				      : "stopped (ptrace)",
			strerror(-err));
	return err < 0 ? -1 : 0;
}

/* Once the recorder has unmapped the pages the program may have others at their address. */
unsigned attach_failed(const struct attach_order *o, const struct attach_sent *sent)
{
	static struct recorder_order now, ours;

	fill_order(&ours, o, sent->library_fd);
	bool is_there = memory_read(o->target->pid, sent->pages + ORDER_AT, &now, sizeof now) &&
			!memcmp(now.entry, ours.entry, sizeof now.entry) &&
			!memcmp(now.library, ours.library, sizeof now.library) &&
			now.dlopen == ours.dlopen && now.dlsym == ours.dlsym;
	return is_there ? now.status : ORDER_OPEN;
}

/* What is left of the run is a few instructions. */
void attach_take_back(const struct attach_order *o, const struct attach_sent *sent)
{
	const struct timespec pause = {.tv_nsec = 10 * TRY_AGAIN_NS};
	static struct stop s;

	nanosleep(&pause, NULL);
	if (stop_begin(&s, o->target->pid) < 0)
		return;
	unsigned failed = attach_failed(o, sent);
	if (failed && stop_find_system_call(&s, o->target->system_call))
		unmap_pages(&s, sent->pages);
	if (failed == ORDER_NOT_LOADED) /* else it is closed */
		close_library(o, &s, sent->library_fd);
	stop_end(&s);
}
