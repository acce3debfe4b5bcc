/* Programs of kernel.bpf.c, and a part of it: page faults, signals, what disks and connections did.
 * What ends while other tasks run is kept with its owner till then. */
#define SIGNALS_MAX	  64
#define TRIES_MAX	  8192
#define CONNECTIONS_MAX	  16384
#define OPERATION_MASK	  255
#define FAULT_PRESENT	  1
#define FAULT_WRITES	  2
#define FAULT_EXECUTES	  16
#define STATE_ESTABLISHED 1
#define STATE_SYN_SENT	  2
#define STATE_CLOSE	  7
#define FROM_KERNEL	  (struct kernel_siginfo *)1
#define IGNORED		  (void *)1

/* ---- page faults ---- */

static int tell_fault(unsigned long address, unsigned long code, unsigned int in_kernel)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_followed *f = find_followed(task->tgid);
	struct kernel_event *e = f ? begin_event(task, f, KERNEL_FAULT) : 0;

	if (!e)
		return 0;
	e->fault.address = address;
	e->fault.access = code & FAULT_EXECUTES ? KERNEL_FAULT_EXECUTE
			  : code & FAULT_WRITES ? KERNEL_FAULT_WRITE
						: KERNEL_FAULT_READ;
	e->fault.is_protected = code & FAULT_PRESENT;
	e->fault.in_kernel = in_kernel;
	end_event(e);
	return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(on_fault, unsigned long address, struct pt_regs *regs, unsigned long code)
{
	return tell_fault(address, code, 0);
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(on_kernel_fault, unsigned long address, struct pt_regs *regs, unsigned long code)
{
	return tell_fault(address, code, 1);
}

/* ---- signals ---- */

static void put_other(struct kernel_event *e, struct task_struct *other)
{
	struct kernel_followed *f = find_followed(other->tgid);

	e->signal.pid = f ? f->pid : (unsigned int)other->tgid;
	e->signal.id = f ? own_id(other, f) : (unsigned int)other->pid;
	bpf_probe_read_kernel_str(e->signal.comm, sizeof e->signal.comm, other->comm);
}

static void put_no_other(struct kernel_event *e)
{
	e->signal.pid = e->signal.id = 0;
	e->signal.comm[0] = 0;
}

SEC("tp_btf/signal_generate")
int BPF_PROG(on_signal, int number, struct kernel_siginfo *info, struct task_struct *target)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_followed *f = find_followed(target->tgid);
	struct kernel_followed *by = find_followed(task->tgid);
	const bool of_kernel =
		info == FROM_KERNEL || (info > FROM_KERNEL && BPF_CORE_READ(info, si_code) > 0);
	struct kernel_event *e = by && !of_kernel ? begin_event(task, by, KERNEL_SIGNAL) : 0;

	if (e) {
		e->signal.number = (unsigned int)number;
		e->signal.what = KERNEL_SIGNAL_SENT;
		put_other(e, target);
		end_event(e);
	}
	e = f ? begin_event(target, f, KERNEL_SIGNAL) : 0;
	if (!e)
		return 0;
	e->signal.number = (unsigned int)number;
	e->signal.what = of_kernel ? KERNEL_SIGNAL_OF_KERNEL : KERNEL_SIGNAL_RECEIVED;
	if (of_kernel)
		put_no_other(e);
	else
		put_other(e, task);
	end_event(e);
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_delivery, int number, struct kernel_siginfo *info, struct k_sigaction *action)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_followed *f = find_followed(task->tgid);
	struct kernel_event *e = f ? begin_event(task, f, KERNEL_SIGNAL) : 0;
	void *handler;

	if (!e)
		return 0;
	handler = BPF_CORE_READ(action, sa.sa_handler);
	e->signal.number = (unsigned int)number;
	e->signal.what = !handler	      ? KERNEL_SIGNAL_DEFAULT
			 : handler == IGNORED ? KERNEL_SIGNAL_IGNORED
					      : KERNEL_SIGNAL_HANDLED;
	put_no_other(e);
	end_event(e);
	return 0;
}

/* ---- disks ---- */

/* By the address of the bio, then of the request that it is part of. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TRIES_MAX);
	__type(key, unsigned long long);
	__type(value, struct owner);
} tries SEC(".maps");

/* In the thread that wants it; a request is often given to the disk by another one. */
SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_bio, struct bio *bio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_followed *f = find_followed(task->tgid);
	unsigned long long key = (unsigned long long)bio;
	struct owner o;

	if (!f)
		return 0;
	o = owner_of(task, f);
	bpf_map_update_elem(&tries, &key, &o, BPF_ANY);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_request, struct request *request)
{
	unsigned long long key = (unsigned long long)BPF_CORE_READ(request, bio);
	const struct owner *found = bpf_map_lookup_elem(&tries, &key);
	struct owner o;

	if (!found)
		return 0;
	o = *found;
	o.begun_ns = bpf_ktime_get_ns();
	bpf_map_delete_elem(&tries, &key);
	key = (unsigned long long)request;
	bpf_map_update_elem(&tries, &key, &o, BPF_ANY);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_done, struct request *request, unsigned char status, unsigned int bytes)
{
	unsigned long long key = (unsigned long long)request;
	const struct owner *o = bpf_map_lookup_elem(&tries, &key);
	struct kernel_event *e = o ? begin_owned(o, KERNEL_BLOCK) : 0;

	if (e) {
		e->block.queued_ns = o->begun_ns - o->since_ns;
		e->block.sector = BPF_CORE_READ(request, __sector);
		e->block.bytes = bytes;
		e->block.operation = BPF_CORE_READ(request, cmd_flags) & OPERATION_MASK;
		e->block.status = status;
		e->block.disk[0] = 0;
		bpf_probe_read_kernel_str(e->block.disk, sizeof e->block.disk,
			BPF_CORE_READ(request, q, disk, disk_name));
		end_event(e);
	}
	if (o)
		bpf_map_delete_elem(&tries, &key);
	return 0;
}

/* ---- connections ---- */

/* By the address of the socket, from its connect or accept to its end. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CONNECTIONS_MAX);
	__type(key, unsigned long long);
	__type(value, struct owner);
} connections SEC(".maps");

/* Both ends as struct sockaddr. */
static void put_ends(struct kernel_event *e, const struct sock *sock)
{
	unsigned short family = BPF_CORE_READ(sock, __sk_common.skc_family);
	unsigned short far = BPF_CORE_READ(sock, __sk_common.skc_dport);
	unsigned short near = bpf_htons(BPF_CORE_READ(sock, __sk_common.skc_num));
	char *to = e->net.far, *at = e->net.near;

	__builtin_memset(to, 0, SOCKADDR_BYTES);
	__builtin_memset(at, 0, SOCKADDR_BYTES);
	__builtin_memcpy(to, &family, sizeof family);
	__builtin_memcpy(at, &family, sizeof family);
	__builtin_memcpy(to + 2, &far, sizeof far);
	__builtin_memcpy(at + 2, &near, sizeof near);
	if (family == FAMILY_INET) {
		unsigned int address = BPF_CORE_READ(sock, __sk_common.skc_daddr);
		__builtin_memcpy(to + 4, &address, sizeof address);
		address = BPF_CORE_READ(sock, __sk_common.skc_rcv_saddr);
		__builtin_memcpy(at + 4, &address, sizeof address);
	} else {
		bpf_probe_read_kernel(to + 8, 16,
			__builtin_preserve_access_index(&sock->__sk_common.skc_v6_daddr));
		bpf_probe_read_kernel(at + 8, 16,
			__builtin_preserve_access_index(&sock->__sk_common.skc_v6_rcv_saddr));
	}
}

static void tell_connection(
	const struct owner *o, const struct sock *sock, enum kernel_net what, bool with_duration)
{
	struct kernel_event *e = begin_owned(o, KERNEL_NET);

	if (!e)
		return;
	e->net.what = what;
	if (!with_duration)
		e->duration_ns = 0;
	put_ends(e, sock);
	end_event(e);
}

/* The kernel may be told of the answer by any task that runs then. */
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(on_state, const struct sock *sock, const int before, const int now)
{
	unsigned long long key = (unsigned long long)sock;
	const struct owner *found;
	struct task_struct *task;
	struct kernel_followed *f;

	if (now == STATE_SYN_SENT) {
		task = bpf_get_current_task_btf();
		f = find_followed(task->tgid);
		if (f) {
			struct owner o = owner_of(task, f);
			bpf_map_update_elem(&connections, &key, &o, BPF_ANY);
		}
		return 0;
	}
	found = bpf_map_lookup_elem(&connections, &key);
	if (!found)
		return 0;
	if (before == STATE_SYN_SENT)
		tell_connection(found, sock,
			now == STATE_ESTABLISHED ? KERNEL_NET_CONNECTED : KERNEL_NET_FAILED, true);
	if (now == STATE_CLOSE)
		bpf_map_delete_elem(&connections, &key);
	return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(on_retransmit, const struct sock *sock)
{
	unsigned long long key = (unsigned long long)sock;
	const struct owner *found = bpf_map_lookup_elem(&connections, &key);

	if (found)
		tell_connection(found, sock, KERNEL_NET_RETRANSMITTED, false);
	return 0;
}

/* At the end of accept(2), which knows the thread that got the connection. */
static void tell_accepted(struct task_struct *task, struct kernel_followed *f,
	const struct thread *t, long long result)
{
	struct file *file = file_of(task, (unsigned long long)result);
	struct socket *socket = file ? BPF_CORE_READ(file, private_data) : 0;
	struct sock *sock = BPF_CORE_READ(socket, sk);
	unsigned short family = BPF_CORE_READ(sock, __sk_common.skc_family);
	unsigned long long key = (unsigned long long)sock;
	struct owner o;

	if (!sock || (family != FAMILY_INET && family != FAMILY_INET6))
		return;
	o = owner_of(task, f);
	o.since_ns = t->call_ns;
	bpf_map_update_elem(&connections, &key, &o, BPF_ANY);
	tell_connection(&o, sock, KERNEL_NET_ACCEPTED, true);
}
