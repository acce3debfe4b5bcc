#define _GNU_SOURCE
#include "attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "attach/pages.h"
#include "attach/stop.h"
#include "attach/symbols.h"
#include "attach/wait.h"
#include "os/file.h"
#include "recorder/order.h"

/* Between two tries, in which the program goes on. */
#define TRY_AGAIN_NS 1000000
#define TRIES	     2000
/* On a machine that is overloaded a try takes long. */
#define TRY_FOR_NS INT64_C(10000000000)
/* What is left to do takes half of the millisecond for which a thread may be held. */
#define LATE_NS 500000

/* ---- sending ---- */

static void fill_order(struct recorder_order *to, const struct attach_order *o, int library_fd)
{
	*to = (struct recorder_order){.dlopen = o->target->dlopen,
		.dlsym = o->target->dlsym,
		.leave = o->arena == NULL,
		.pid = o->target->own_pid,
		.parent = o->parent,
		.sent_ns = wait_clock_ns(),
		.library_fd = library_fd};
	snprintf(to->entry, sizeof to->entry, RECORDER_ORDERED);
	if (library_fd < 0)
		snprintf(to->library, sizeof to->library, "%s", o->recorder);
	else
		snprintf(to->library, sizeof to->library, "/proc/self/fd/%d", library_fd);
	snprintf(to->arena, sizeof to->arena, "%s", o->arena ? o->arena : "");
}

/* Before what cannot be given up any more. */
static bool is_late(const struct stop *s, struct obstacle *why)
{
	const bool late = wait_clock_ns() - s->begun_ns > LATE_NS;

	if (late)
		*why = (struct obstacle){.tid = s->tid, .call = -1, .late = true};
	return late;
}

/* Stop the thread, if it is at a place where it may be used. 0, or -errno: EAGAIN when it is not,
 * and goes on. */
static int hold(const struct attach_order *o, const struct chosen *who, struct stop *s,
	struct attach_sent *sent)
{
	int err = stop_begin(s, who->tid);

	s->system_call = o->target->system_call;
	if (err == 0 && !target_is_same(o->target)) {
		stop_end(s);
		return -ESTALE;
	}
	if (err == 0 && (!choose_allows(s, o->target, who->waits, &sent->obstacle) ||
				is_late(s, &sent->obstacle))) {
		stop_end(s);
		err = -EAGAIN;
	}
	return err;
}

/* In a thread that is held. What it has done stays done for the next try. */
static int send_held(
	const struct attach_order *o, struct stop *s, bool waits, struct attach_sent *sent)
{
	struct recorder_order order;

	const int err = sent->pages ? 0 : pages_map(s, &sent->pages);

	if (err < 0)
		return err;
	fill_order(&order, o, sent->library_fd);
	order.own_thread = waits;
	if (!pages_fill(s->tid, sent->pages, &order))
		return -EIO;
	if (is_late(s, &sent->obstacle) || !pages_run(s, o->target, sent->pages, waits))
		return -EAGAIN;
	return 0;
}

static int send_by(const struct attach_order *o, const struct chosen *who, struct attach_sent *sent)
{
	static struct stop s;
	int err = hold(o, who, &s, sent);

	if (err < 0)
		return err;
	err = send_held(o, &s, who->waits, sent);
	if (err == 0)
		pages_let_unmap(s.tid, sent->pages);
	stop_end(&s);
	sent->held_ns = s.held_ns;
	sent->tid = who->tid;
	return err;
}

/* ---- the library, for a program that does not see our files ---- */

static int make_file(
	const struct attach_order *o, const struct chosen *who, struct attach_sent *sent)
{
	static struct stop s;
	char name[64] = "";
	const char *slash = strrchr(o->recorder, '/');
	int err = hold(o, who, &s, sent);

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

static void close_library(struct stop *s, int library_fd)
{
	if (library_fd >= 0)
		stop_system(s, SYS_close, (uint64_t[6]){(uint64_t)library_fd});
}

/* Nothing was sent: what the program has for that is taken back. */
static void take_all_back(const struct attach_order *o, struct attach_sent *sent)
{
	static struct stop s;

	if ((sent->library_fd < 0 && !sent->pages) || target_has_ended(o->target->pid) ||
		stop_begin(&s, o->target->pid) < 0)
		return;
	s.system_call = o->target->system_call;
	if (target_is_same(o->target)) {
		close_library(&s, sent->library_fd);
		if (sent->pages)
			pages_unmap(&s, sent->pages);
	}
	stop_end(&s);
	sent->library_fd = -1;
	sent->pages = 0;
}

static int try_once(const struct attach_order *o, struct attach_sent *sent)
{
	struct chosen who;
	int err = choose_thread(o->target->pid, &who, &sent->obstacle);

	if (err == 0 && o->arena && o->target->foreign && !o->target->entry && sent->library_fd < 0)
		err = give_library(o, &who, sent);
	return err < 0 ? err : send_by(o, &who, sent);
}

static void explain(const struct attach_order *o, const struct attach_sent *sent, int err,
	char why[ATTACH_WHY_BYTES])
{
	char obstacle[ATTACH_WHY_BYTES / 2];

	choose_explain(o->target->pid, &sent->obstacle, obstacle, sizeof obstacle);
	if (target_has_ended(o->target->pid))
		snprintf(why, ATTACH_WHY_BYTES, "it ended meanwhile");
	else if (err == -ESTALE)
		snprintf(why, ATTACH_WHY_BYTES,
			"it runs another program now (exec); try again: pathline attach %d",
			o->target->pid);
	else if (err == -EAGAIN)
		snprintf(why, ATTACH_WHY_BYTES,
			"no thread of process %d came to a place where it may be stopped%s%s; try "
			"again: pathline attach %d",
			o->target->pid, *obstacle ? ": " : "", obstacle, o->target->pid);
	else if (err == -EPERM && !sent->no_file)
		target_explain_ptrace(o->target->pid, why);
	else
		snprintf(why, ATTACH_WHY_BYTES, "process %d cannot be %s: %s", o->target->pid,
			sent->no_file ? "given the recorder as a file in memory (memfd)"
				      : "stopped (ptrace)",
			strerror(-err));
}

int attach_send(const struct attach_order *o, struct attach_sent *sent, char why[ATTACH_WHY_BYTES])
{
	const struct timespec pause = {.tv_nsec = TRY_AGAIN_NS};
	int err = -EAGAIN, nice = getpriority(PRIO_PROCESS, 0);

	const int64_t until_ns = wait_clock_ns() + TRY_FOR_NS;

	*sent = (struct attach_sent){.library_fd = -1};
	setpriority(PRIO_PROCESS, 0, -20); /* while a thread is held; only root may */
	while (sent->tries < TRIES && err == -EAGAIN && wait_clock_ns() < until_ns) {
		sent->tries++;
		err = try_once(o, sent);
		if (err == -EAGAIN)
			nanosleep(&pause, NULL);
	}
	setpriority(PRIO_PROCESS, 0, nice);
	if (err == 0)
		return 0;
	take_all_back(o, sent);
	explain(o, sent, err, why);
	return -1;
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
	s.system_call = o->target->system_call;
	unsigned failed = target_is_same(o->target) ? attach_failed(o, sent) : ORDER_OPEN;
	if (failed)
		pages_unmap(&s, sent->pages);
	if (failed == ORDER_NOT_LOADED) /* else it is closed */
		close_library(&s, sent->library_fd);
	stop_end(&s);
}
