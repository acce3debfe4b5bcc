#define _GNU_SOURCE
#include "source/kernel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "source/kernel_event.h"
#include "source/kernel_rows.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "source/kernel.skel.h"
#pragma GCC diagnostic pop

#define BTF_PATH "/sys/kernel/btf/vmlinux"

struct kernel {
	struct kernel_bpf *bpf;	  /* owned */
	struct ring_buffer *ring; /* owned */
	struct source *source;
	struct pl_buf fields;	 /* room */
	unsigned long long lost; /* of it was told */
};

/* ---- what it needs ---- */

static int no_messages(enum libbpf_print_level level, const char *format, va_list rest)
{
	(void)level;
	(void)format;
	(void)rest;
	return 0;
}

static int refuse_kernel(struct source *s, int err)
{
	if (access(BTF_PATH, R_OK) < 0)
		snprintf(s->why, sizeof s->why,
			"this kernel does not describe itself (%s: %s); it needs one that is built "
			"with CONFIG_DEBUG_INFO_BTF=y",
			BTF_PATH, strerror(errno));
	else if (err == -EPERM || err == -EACCES)
		snprintf(s->why, sizeof s->why,
			"the kernel lets only root, or who has CAP_BPF and CAP_PERFMON, load "
			"programs into it: sudo pathline record --kernel …");
	else
		snprintf(s->why, sizeof s->why,
			"the kernel refuses its programs: %s; Linux 5.18 or newer takes them",
			strerror(-err));
	return err;
}

static void set_groups(struct kernel_bpf *bpf, uint32_t groups)
{
	const bool calls = groups & 1u << KERNEL_GROUP_SYSCALL;
	const bool sched = groups & 1u << KERNEL_GROUP_SCHED;
	const bool net = groups & 1u << KERNEL_GROUP_NET;
	const struct {
		struct bpf_program *program;
		bool wanted;
	} rows[] = {
		{bpf->progs.on_enter, calls || sched || net},
		{bpf->progs.on_exit, calls || sched || net},
		{bpf->progs.on_switch, sched},
		{bpf->progs.on_waking, sched},
		{bpf->progs.on_timer, sched},
		{bpf->progs.on_timer_over, sched},
		{bpf->progs.on_bio, groups & 1u << KERNEL_GROUP_BLOCK},
		{bpf->progs.on_request, groups & 1u << KERNEL_GROUP_BLOCK},
		{bpf->progs.on_done, groups & 1u << KERNEL_GROUP_BLOCK},
		{bpf->progs.on_fault, groups & 1u << KERNEL_GROUP_FAULT},
		{bpf->progs.on_kernel_fault, groups & 1u << KERNEL_GROUP_FAULT},
		{bpf->progs.on_signal, groups & 1u << KERNEL_GROUP_SIGNAL},
		{bpf->progs.on_delivery, groups & 1u << KERNEL_GROUP_SIGNAL},
		{bpf->progs.on_state, net},
		{bpf->progs.on_retransmit, net},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		bpf_program__set_autoload(rows[i].program, rows[i].wanted);
	bpf->rodata->tells_calls = calls;
	bpf->rodata->tells_accepts = net;
}

static int load_kernel(struct kernel *k, const struct source_tree *tree, uint32_t groups)
{
	struct stat space;

	libbpf_set_print(no_messages);
	k->bpf = kernel_bpf__open();
	if (!k->bpf)
		return -errno;
	k->bpf->rodata->starter_pid = tree->starter_pid;
	k->bpf->rodata->pid_namespace =
		stat("/proc/self/ns/pid", &space) == 0 ? (unsigned int)space.st_ino : 0;
	kernel_rows_calls((struct kernel_call *)(uintptr_t)k->bpf->rodata->calls);
	set_groups(k->bpf, groups);
	int err = kernel_bpf__load(k->bpf);
	return err ? err : kernel_bpf__attach(k->bpf);
}

/* ---- events ---- */

/* The ring gives them one by one. */
static int take_event(void *context, void *data, size_t bytes)
{
	struct kernel *k = context;
	const struct kernel_event *e = data;
	struct source *s = k->source;

	if (bytes < sizeof *e)
		return 0;
	if (e->kind == KERNEL_EXEC) {
		s->host->cut(s, e->pid);
		return 0;
	}
	buf_reset(&k->fields);
	kernel_rows_write(&k->fields, e);
	if (k->fields.failed) {
		k->fields.failed = false;
		s->host->lost(s, e->pid, 1);
		return 0;
	}
	const struct source_event event = {.kind = e->kind,
		.pid = e->pid,
		.native_id = e->native_id,
		.mono_ns = (int64_t)e->end_ns,
		.fields = buf_view(&k->fields)};
	s->host->event(s, &event);
	return 0;
}

/* Of each process what it has lost; what those have that are gone is said without a process. */
static void tell_lost(struct kernel *k)
{
	const int map = bpf_map__fd(k->bpf->maps.followed);
	const unsigned long long all = k->bpf->bss->lost;
	struct kernel_followed f;
	unsigned long long named = 0;
	int key, *before = NULL;

	if (all == k->lost)
		return;
	while (bpf_map_get_next_key(map, before, &key) == 0) {
		before = &key;
		if (bpf_map_lookup_elem(map, &key, &f) || !f.lost)
			continue;
		k->source->host->lost(k->source, f.pid, f.lost);
		named += f.lost;
		f.lost = 0;
		bpf_map_update_elem(map, &key, &f, BPF_EXIST);
	}
	if (all - k->lost > named)
		k->source->host->lost(k->source, 0, all - k->lost - named);
	k->lost = all;
}

static void drain_kernel(struct source *s, int64_t now_ns)
{
	struct kernel *k = s->self;

	(void)now_ns;
	ring_buffer__consume(k->ring);
	tell_lost(k);
}

/* ---- its life ---- */

static void release_kernel(struct kernel *k)
{
	ring_buffer__free(k->ring);
	kernel_bpf__destroy(k->bpf);
	buf_release(&k->fields);
	free(k);
}

static int start_kernel(struct source *s, const struct source_tree *tree)
{
	struct kernel *k = calloc(1, sizeof *k);
	struct pl_view word;
	uint32_t groups;
	int err = k && kernel_groups_read(s->wish, &groups, &word) ? 0 : -ENOMEM;

	kernel_rows_begin();
	if (err == 0)
		err = load_kernel(k, tree, groups);
	if (err == 0) {
		k->source = s;
		k->ring = ring_buffer__new(bpf_map__fd(k->bpf->maps.ring), take_event, k, NULL);
		err = k->ring ? 0 : -errno;
	}
	if (err == 0) {
		s->self = k;
		return 0;
	}
	if (k)
		release_kernel(k);
	return refuse_kernel(s, err);
}

static void stop_kernel(struct source *s)
{
	drain_kernel(s, 0);
	release_kernel(s->self);
	s->self = NULL;
}

const struct source_operations kernel_source = {
	.name = "kernel",
	.kinds = kernel_kinds,
	.kind_count = KERNEL_EXEC - 1,
	.start = start_kernel,
	.drain = drain_kernel,
	.stop = stop_kernel,
};
