// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/* The programs that run in the kernel: compiled for BPF when Pathline is built, loaded by kernel.c.
 * The kernel lets only programs under the GPL call what they need, hence the license of this file.
 *
 *	sched_process_exec    a child of the starter runs the program: it is looked at from here
 *	sched_process_fork    a process of the recording has made another one: it is looked at too
 *	sys_enter, sys_exit   a system call, told when it ends
 *	sched_switch          a thread left the processor; told when it is back
 *	sched_waking          who woke it
 *
 *	kernel_io.bpf.h       page faults, signals, disks, connections
 *
 * What is known of a thread is in its task's own storage. Structures of the kernel are named with
 * the fields that are read here, and no others (kernel_types.bpf.h).
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "kernel_event.h"
#include "kernel_types.bpf.h"

#define FOLLOWED_MAX 65536
#define RING_BYTES   (8 << 20)

char LICENSE[] SEC("license") = "GPL";

/* Set before this is loaded. */
const volatile unsigned int starter_pid;   /* as the collector sees it */
const volatile unsigned int pid_namespace; /* inode number of the collector's */
const volatile bool tells_calls;	   /* else they are only known as what a thread waits in */
const volatile bool tells_accepts;	   /* also if it does not tell calls */
const volatile struct kernel_call calls[KERNEL_CALLS];

/* Read by the collector. */
unsigned long long lost;

/* What is known of a thread. */
struct thread {
	unsigned long long call_ns; /* since when it is in a system call; 0: it is in none */
	unsigned long long off_ns;  /* since when it is off the processor; 0: it is not */
	unsigned long long woken_ns;
	unsigned long long arguments[6];
	unsigned int call, state;
	unsigned int waker_pid, waker_id, by_timer;
	unsigned int program_bytes;
	char waker[KERNEL_COMM_BYTES];
	char program[KERNEL_TEXT_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FOLLOWED_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct kernel_followed);
} followed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, unsigned int);
} in_timer SEC(".maps");

/* ---- who it is ---- */

static struct kernel_followed *find_followed(int tgid)
{
	return bpf_map_lookup_elem(&followed, &tgid);
}

/* What is read at an index is so only if that is a constant. */
#define SEEN_AT(i)                                                                                 \
	if (i <= level && BPF_CORE_READ(pid, numbers[i].ns, ns.inum) == pid_namespace)             \
	seen = (unsigned int)BPF_CORE_READ(pid, numbers[i].nr)
#define OWN_AT(i)                                                                                  \
	if (i == level)                                                                            \
	own = (unsigned int)BPF_CORE_READ(pid, numbers[i].nr)

/* The number of a task in the collector's namespace; 0: it has none there. */
static unsigned int pid_seen(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	unsigned int level = BPF_CORE_READ(pid, level), seen = 0;

	SEEN_AT(0);
	SEEN_AT(1);
	SEEN_AT(2);
	SEEN_AT(3);
	return seen;
}

/* The number of a thread as gettid(2) gives it there. */
static unsigned int own_id(struct task_struct *task, const struct kernel_followed *f)
{
	struct pid *pid;
	unsigned int level, own = 0;

	if (!f->nested)
		return (unsigned int)task->pid;
	pid = BPF_CORE_READ(task, thread_pid);
	level = BPF_CORE_READ(pid, level);
	OWN_AT(0);
	OWN_AT(1);
	OWN_AT(2);
	OWN_AT(3);
	return own;
}

static void note_lost(struct kernel_followed *f)
{
	__sync_fetch_and_add(&f->lost, 1);
	__sync_fetch_and_add(&lost, 1);
}

/* Room for an event, with what all have. NULL: it is lost, and counted. */
static struct kernel_event *begin_event(
	struct task_struct *task, struct kernel_followed *f, enum kernel_kind kind)
{
	struct kernel_event *e = bpf_ringbuf_reserve(&ring, sizeof *e, 0);

	if (!e) {
		note_lost(f);
		return 0;
	}
	e->kind = kind;
	e->pid = f->pid;
	e->native_id = own_id(task, f);
	e->call = 0;
	e->duration_ns = 0;
	e->end_ns = bpf_ktime_get_ns();
	return e;
}

/* A thread for which something goes on that ends while others run. */
struct owner {
	int tgid;
	unsigned int pid, native_id;
	unsigned long long since_ns, begun_ns;
};

static struct owner owner_of(struct task_struct *task, const struct kernel_followed *f)
{
	struct owner o = {0};

	o.tgid = task->tgid;
	o.pid = f->pid;
	o.native_id = own_id(task, f);
	o.since_ns = bpf_ktime_get_ns();
	return o;
}

/* As begin_event, also where another task runs. Its process may be over. */
static struct kernel_event *begin_owned(const struct owner *o, enum kernel_kind kind)
{
	struct kernel_event *e = bpf_ringbuf_reserve(&ring, sizeof *e, 0);
	struct kernel_followed *f = e ? 0 : find_followed(o->tgid);

	if (f)
		note_lost(f);
	else if (!e)
		__sync_fetch_and_add(&lost, 1);
	if (!e)
		return 0;
	e->kind = kind;
	e->pid = o->pid;
	e->native_id = o->native_id;
	e->call = 0;
	e->end_ns = bpf_ktime_get_ns();
	e->duration_ns = o->since_ns ? e->end_ns - o->since_ns : 0;
	return e;
}

/* The collector looks at the ring at times of its own: to wake it up would cost more than all. */
static void end_event(struct kernel_event *e)
{
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

/* ---- processes ---- */

static void follow(struct task_struct *task)
{
	struct kernel_followed new = {0};
	int tgid = task->tgid;

	new.pid = pid_seen(task);
	new.nested = BPF_CORE_READ(task, thread_pid, level) != 0;
	bpf_map_update_elem(&followed, &tgid, &new, BPF_ANY);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (child->pid == child->tgid && find_followed(parent->tgid))
		follow(child);
	return 0;
}

/* The starter has children of its own as well, which run nothing else. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	struct kernel_followed *f = find_followed(task->tgid);
	struct kernel_event *e;

	if (!f && starter_pid && pid_seen(BPF_CORE_READ(task, real_parent)) == starter_pid)
		follow(task);
	e = f ? begin_event(task, f, KERNEL_EXEC) : 0;
	if (e)
		end_event(e);
	return 0;
}

/* ---- names of arguments ---- */

static void put_file_name(struct kernel_event *e, struct file *file)
{
	const unsigned char *name = BPF_CORE_READ(file, f_path.dentry, d_name.name);
	long n = bpf_probe_read_kernel_str(e->syscall.text, KERNEL_TEXT_BYTES, name);

	if (n > 1) {
		e->syscall.text_kind = KERNEL_TEXT_FILE;
		e->syscall.text_bytes = (unsigned int)n - 1;
	}
}

/* As a struct sockaddr: family, port, address. */
static void put_peer(struct kernel_event *e, struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);
	unsigned short family = BPF_CORE_READ(sock, __sk_common.skc_family);
	unsigned short port = BPF_CORE_READ(sock, __sk_common.skc_dport);

	e->syscall.text_kind = KERNEL_TEXT_SOCKET;
	__builtin_memset(e->syscall.text, 0, SOCKADDR_BYTES);
	__builtin_memcpy(e->syscall.text, &family, sizeof family);
	__builtin_memcpy(e->syscall.text + 2, &port, sizeof port);
	if (family == FAMILY_INET) {
		unsigned int address = BPF_CORE_READ(sock, __sk_common.skc_daddr);
		__builtin_memcpy(e->syscall.text + 4, &address, sizeof address);
	} else if (family == FAMILY_INET6) {
		bpf_probe_read_kernel(e->syscall.text + 8, 16,
			__builtin_preserve_access_index(&sock->__sk_common.skc_v6_daddr));
	}
	e->syscall.text_bytes = SOCKADDR_BYTES;
}

/* Of the process; 0: it has none. */
static struct file *file_of(struct task_struct *task, unsigned long long fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **all = BPF_CORE_READ(table, fd);
	struct file *file = 0;

	if (fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof file, all + fd);
	return file;
}

static void put_descriptor(struct kernel_event *e, struct task_struct *task, unsigned long long fd)
{
	struct file *file = file_of(task, fd);

	if (!file)
		return;
	if ((BPF_CORE_READ(file, f_inode, i_mode) & MODE_TYPE) == MODE_SOCKET)
		put_peer(e, file);
	else
		put_file_name(e, file);
}

static void put_text(struct kernel_event *e, struct task_struct *task, const struct thread *t)
{
	unsigned int call = t->call, argument;
	unsigned long long value;
	long n;

	if (call >= KERNEL_CALLS)
		return;
	argument = calls[call].argument;
	if (argument >= 6)
		return;
	value = t->arguments[argument];
	switch (calls[call].names) {
	case KERNEL_NAMES_PATH:
		n = bpf_probe_read_user_str(e->syscall.text, KERNEL_TEXT_BYTES, (void *)value);
		if (n > 1) {
			e->syscall.text_kind = KERNEL_TEXT_PATH;
			e->syscall.text_bytes = (unsigned int)n - 1;
		}
		break;
	case KERNEL_NAMES_PROGRAM:
		e->syscall.text_kind = KERNEL_TEXT_PATH;
		e->syscall.text_bytes = t->program_bytes;
		bpf_probe_read_kernel(e->syscall.text, KERNEL_TEXT_BYTES, t->program);
		break;
	case KERNEL_NAMES_ADDRESS:
		if (bpf_probe_read_user(e->syscall.text, SOCKADDR_BYTES, (void *)value) == 0) {
			e->syscall.text_kind = KERNEL_TEXT_ADDRESS;
			e->syscall.text_bytes = SOCKADDR_BYTES;
		}
		break;
	case KERNEL_NAMES_FILE:
		put_descriptor(e, task, value);
		break;
	default:
		break;
	}
}

/* ---- system calls ---- */

static void tell_accepted(struct task_struct *task, struct kernel_followed *f,
	const struct thread *t, long long result);

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_followed *f = find_followed(task->tgid);
	struct thread *t;

	if (!f)
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		note_lost(f);
		return 0;
	}
	t->call = (unsigned int)number;
	t->arguments[0] = regs->di;
	t->arguments[1] = regs->si;
	t->arguments[2] = regs->dx;
	t->arguments[3] = regs->r10;
	t->arguments[4] = regs->r8;
	t->arguments[5] = regs->r9;
	if (t->call < KERNEL_CALLS && calls[t->call].names == KERNEL_NAMES_PROGRAM) {
		const unsigned long long at = t->arguments[calls[t->call].argument & 1];
		long n = bpf_probe_read_user_str(t->program, KERNEL_TEXT_BYTES, (void *)at);
		t->program_bytes = n > 1 ? (unsigned int)n - 1 : 0;
	}
	t->call_ns = bpf_ktime_get_ns();
	return 0;
}

static void end_call(struct task_struct *task, struct kernel_followed *f, struct thread *t,
	long long result, unsigned int unfinished)
{
	struct kernel_event *e = tells_calls ? begin_event(task, f, KERNEL_SYSCALL) : 0;

	if (e) {
		e->duration_ns = e->end_ns - t->call_ns;
		e->call = t->call + 1;
		e->syscall.result = result;
		e->syscall.unfinished = unfinished;
		e->syscall.text_kind = KERNEL_TEXT_NONE;
		e->syscall.text_bytes = 0;
		__builtin_memcpy(e->syscall.arguments, t->arguments, sizeof e->syscall.arguments);
		if (!unfinished)
			put_text(e, task, t);
		end_event(e);
	}
	t->call_ns = 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_followed *f = find_followed(task->tgid);
	struct thread *t = f ? bpf_task_storage_get(&threads, task, 0, 0) : 0;

	if (!t || !t->call_ns)
		return 0;
	if (tells_accepts && t->call < KERNEL_CALLS && calls[t->call].accepts && result >= 0)
		tell_accepted(task, f, t, result);
	end_call(task, f, t, result, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_thread_exit, struct task_struct *task)
{
	int tgid = task->tgid;
	struct kernel_followed *f = find_followed(tgid);
	struct task_struct *current = bpf_get_current_task_btf();
	struct thread *t = f ? bpf_task_storage_get(&threads, current, 0, 0) : 0;

	if (t && t->call_ns)
		end_call(task, f, t, 0, 1);
	if (f && BPF_CORE_READ(task, signal, live.counter) == 0)
		bpf_map_delete_elem(&followed, &tgid);
	return 0;
}

/* ---- the processor ---- */

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct kernel_followed *f = find_followed(prev->tgid);
	struct thread *t;
	struct kernel_event *e;

	if (f) {
		t = bpf_task_storage_get(&threads, prev, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (t) {
			t->state = preempt ? 0 : prev->__state;
			t->woken_ns = 0;
			t->off_ns = bpf_ktime_get_ns();
		}
	}
	f = find_followed(next->tgid);
	t = f ? bpf_task_storage_get(&threads, next, 0, 0) : 0;
	if (!t || !t->off_ns)
		return 0;
	e = begin_event(next, f, KERNEL_OFF);
	if (e) {
		e->duration_ns = e->end_ns - t->off_ns;
		e->call = t->call_ns ? t->call + 1 : 0;
		e->off.state = t->state;
		e->off.ready_ns = t->woken_ns ? e->end_ns - t->woken_ns : 0;
		e->off.waker_pid = t->woken_ns ? t->waker_pid : 0;
		e->off.waker_id = t->woken_ns ? t->waker_id : 0;
		e->off.by_timer = t->woken_ns ? t->by_timer : 0;
		__builtin_memcpy(e->off.waker, t->waker, sizeof e->off.waker);
		end_event(e);
	}
	t->off_ns = 0;
	return 0;
}

static bool is_in_timer(void)
{
	int zero = 0;
	const unsigned int *flag = bpf_map_lookup_elem(&in_timer, &zero);

	return flag && *flag;
}

static void set_in_timer(unsigned int is)
{
	int zero = 0;
	unsigned int *flag = bpf_map_lookup_elem(&in_timer, &zero);

	if (flag)
		*flag = is;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_timer)
{
	set_in_timer(1);
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(on_timer_over)
{
	set_in_timer(0);
	return 0;
}

/* The one who wakes is the current task, unless an interrupt has come upon it. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *woken)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_followed *f = find_followed(woken->tgid);
	struct kernel_followed *by = find_followed(task->tgid);
	const bool timer = is_in_timer();
	struct thread *t = f ? bpf_task_storage_get(&threads, woken, 0, 0) : 0;
	struct kernel_event *e;

	if (t && t->off_ns && !t->woken_ns) {
		t->by_timer = timer;
		t->waker_pid = timer ? 0 : by ? by->pid : (unsigned int)task->tgid;
		t->waker_id = timer ? 0 : by ? own_id(task, by) : (unsigned int)task->pid;
		bpf_probe_read_kernel_str(t->waker, sizeof t->waker, task->comm);
		t->woken_ns = bpf_ktime_get_ns();
	}
	if (!by || !f || timer)
		return 0;
	e = begin_event(task, by, KERNEL_WAKE);
	if (!e)
		return 0;
	e->wake.woken_pid = f->pid;
	e->wake.woken_id = own_id(woken, f);
	bpf_probe_read_kernel_str(e->wake.woken, sizeof e->wake.woken, woken->comm);
	end_event(e);
	return 0;
}

#include "kernel_io.bpf.h"
