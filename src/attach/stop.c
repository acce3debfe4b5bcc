#define _GNU_SOURCE
#include "attach/stop.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attach/symbols.h"
#include "attach/wait.h"

#if defined(__x86_64__)

/* A thread in an uninterruptible wait stops when that ends: it is not held meanwhile. Once it has
 * stopped, it is never given up before it is put back. */
#define STOP_WAIT_NS	 INT64_C(10000000000)
#define CALL_WAIT_NS	 INT64_C(1000000)
#define CALL_WAITS	 4000
#define RED_ZONE_BYTES	 512
#define DIRECTION_FLAG	 0x400u
#define SYSCALL_LOOK	 96
#define SIGNALS_HELD(no) (~(UINT64_C(1) << ((no)-1)))

static bool is_our_stop(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
}

/* A signal that is about to be delivered goes first. */
static int wait_for_interrupt(int tid)
{
	int status;

	while (wait_for_stop(tid, STOP_WAIT_NS, &status)) {
		if (is_our_stop(status))
			return 0;
		long signal = status >> 16 ? 0 : WSTOPSIG(status);
		if (ptrace(PTRACE_CONT, tid, NULL, signal) < 0)
			return -errno;
	}
	return -EBUSY;
}

static int keep_state(struct stop *s)
{
	struct iovec floating = {s->floating, sizeof s->floating};
	uint64_t held = SIGNALS_HELD(SIGTRAP) & SIGNALS_HELD(SIGSEGV) & SIGNALS_HELD(SIGBUS) &
			SIGNALS_HELD(SIGILL) & SIGNALS_HELD(SIGFPE);

	if (ptrace(PTRACE_GETREGS, s->tid, NULL, &s->kept) < 0 ||
		ptrace(PTRACE_GETREGSET, s->tid, (void *)NT_X86_XSTATE, &floating) < 0 ||
		ptrace(PTRACE_GETSIGMASK, s->tid, (void *)sizeof s->signals, &s->signals) < 0)
		return -errno;
	s->floating_bytes = floating.iov_len;
	held |= s->signals;
	return ptrace(PTRACE_SETSIGMASK, s->tid, (void *)sizeof held, &held) < 0 ? -errno : 0;
}

/* PTRACE_DETACH needs a thread that is stopped. If it has not stopped, our end lets it go. */
int stop_begin(struct stop *s, int tid)
{
	*s = (struct stop){.tid = tid};
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0)
		return -errno;
	wait_begin(tid);
	int err = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0 ? -errno : wait_for_interrupt(tid);
	s->begun_ns = wait_last_ns();
	if (err == 0)
		err = keep_state(s);
	if (err < 0) {
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
		wait_end();
	}
	return err;
}

bool stop_is_built(void)
{
	return true;
}

uint64_t stop_argument(const struct stop *s, unsigned number)
{
	const uint64_t arguments[4] = {s->kept.rdi, s->kept.rsi, s->kept.rdx, s->kept.r10};

	return arguments[number & 3];
}

long stop_in_system_call(const struct stop *s)
{
	return (long)s->kept.orig_rax;
}

uint64_t stop_place(const struct stop *s)
{
	return s->kept.rip;
}

uint64_t stop_scratch(const struct stop *s)
{
	return (s->kept.rsp - 2 * RED_ZONE_BYTES) & ~UINT64_C(63);
}

uint64_t stop_find_system_call(int pid, uint64_t at)
{
	uint8_t bytes[SYSCALL_LOOK];

	if (!memory_read(pid, at, bytes, sizeof bytes))
		return 0;
	for (size_t i = 0; i + 1 < sizeof bytes; i++)
		if (bytes[i] == 0x0f && bytes[i + 1] == 0x05)
			return at + i;
	return 0;
}

/* orig_rax: it is in no system call that the kernel would begin again. */
static bool go(struct stop *s, struct user_regs_struct *r, enum __ptrace_request request)
{
	r->orig_rax = (uint64_t)-1;
	r->eflags &= ~(unsigned long)DIRECTION_FLAG;
	return ptrace(PTRACE_SETREGS, s->tid, NULL, r) == 0 &&
	       ptrace(request, s->tid, NULL, NULL) == 0;
}

static bool is_trap(int status)
{
	return WSTOPSIG(status) == SIGTRAP && status >> 16 == 0;
}

int64_t stop_system(struct stop *s, long number, const uint64_t arguments[6])
{
	struct user_regs_struct r = s->kept;
	int status;

	r.rip = s->system_call;
	r.rax = (uint64_t)number;
	r.rdi = arguments[0];
	r.rsi = arguments[1];
	r.rdx = arguments[2];
	r.r10 = arguments[3];
	r.r8 = arguments[4];
	r.r9 = arguments[5];
	bool done = go(s, &r, PTRACE_SINGLESTEP) && wait_for_stop(s->tid, STOP_WAIT_NS, &status) &&
		    is_trap(status) && ptrace(PTRACE_GETREGS, s->tid, NULL, &r) == 0;
	return done ? (int64_t)r.rax : -EAGAIN;
}

/* The call has not come back. Stopped where it is: 1: at its end; 0: in the middle, so it must go
 * on; -1: it waits for a lock, perhaps one of the thread's own, and can be given up. */
static int look_at_call(struct stop *s)
{
	struct user_regs_struct r;
	int status;

	if (ptrace(PTRACE_INTERRUPT, s->tid, NULL, NULL) < 0 ||
		!wait_for_stop(s->tid, STOP_WAIT_NS, &status))
		return -1;
	if (is_trap(status))
		return 1;
	if (ptrace(PTRACE_GETREGS, s->tid, NULL, &r) < 0 || r.orig_rax == SYS_futex)
		return -1;
	return ptrace(PTRACE_CONT, s->tid, NULL, NULL) < 0 ? -1 : 0;
}

static bool wait_for_call(struct stop *s)
{
	int status;

	for (int i = 0; i < CALL_WAITS; i++) {
		if (wait_for_stop(s->tid, CALL_WAIT_NS, &status))
			return is_trap(status);
		int at = look_at_call(s);
		if (at)
			return at > 0;
	}
	return false;
}

/* Below what the interrupted function may have under its stack pointer. */
bool stop_call(struct stop *s, uint64_t at, uint64_t function, const uint64_t arguments[4],
	uint64_t *result)
{
	struct user_regs_struct r = s->kept;

	r.rip = at;
	r.rax = function;
	r.rdi = arguments[0];
	r.rsi = arguments[1];
	r.rdx = arguments[2];
	r.rcx = arguments[3];
	r.rsp = (r.rsp - RED_ZONE_BYTES) & ~UINT64_C(63);
	bool done = go(s, &r, PTRACE_CONT) && wait_for_call(s) &&
		    ptrace(PTRACE_GETREGS, s->tid, NULL, &r) == 0;
	*result = r.rax;
	return done;
}

void stop_end(struct stop *s)
{
	struct iovec floating = {s->floating, s->floating_bytes};

	ptrace(PTRACE_SETREGSET, s->tid, (void *)NT_X86_XSTATE, &floating);
	ptrace(PTRACE_SETREGS, s->tid, NULL, &s->kept);
	ptrace(PTRACE_SETSIGMASK, s->tid, (void *)sizeof s->signals, &s->signals);
	s->held_ns = wait_clock_ns() - s->begun_ns;
	ptrace(PTRACE_DETACH, s->tid, NULL, NULL);
	wait_end();
}

#else /* not written yet */

bool stop_is_built(void)
{
	return false;
}

int stop_begin(struct stop *s, int tid)
{
	(void)s, (void)tid;
	return -ENOSYS;
}

long stop_in_system_call(const struct stop *s)
{
	(void)s;
	return -1;
}

uint64_t stop_argument(const struct stop *s, unsigned number)
{
	(void)s, (void)number;
	return 0;
}

uint64_t stop_place(const struct stop *s)
{
	(void)s;
	return 0;
}

uint64_t stop_scratch(const struct stop *s)
{
	(void)s;
	return 0;
}

uint64_t stop_find_system_call(int pid, uint64_t at)
{
	(void)pid, (void)at;
	return 0;
}

int64_t stop_system(struct stop *s, long number, const uint64_t arguments[6])
{
	(void)s, (void)number, (void)arguments;
	return -ENOSYS;
}

bool stop_call(struct stop *s, uint64_t at, uint64_t function, const uint64_t arguments[4],
	uint64_t *result)
{
	(void)s, (void)at, (void)function, (void)arguments, (void)result;
	return false;
}

void stop_end(struct stop *s)
{
	(void)s;
}

#endif
