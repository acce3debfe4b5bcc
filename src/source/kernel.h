/* The kernel as a source: system calls, when threads left the processor, what disks did, page
 * faults, signals and connections, by programs that it runs itself (kernel.bpf.c). They go away
 * with the descriptors of this process, also if it is killed. */
#ifndef PL_SOURCE_KERNEL_H
#define PL_SOURCE_KERNEL_H

#include "source/source.h"

/* The groups of events that can be asked for. */
#define KERNEL_GROUPS(X)                                                                           \
	X(SYSCALL, "syscall")                                                                      \
	X(SCHED, "sched")                                                                          \
	X(BLOCK, "block")                                                                          \
	X(FAULT, "fault")                                                                          \
	X(SIGNAL, "signal")                                                                        \
	X(NET, "net")

enum kernel_group {
#define X(constant, word) KERNEL_GROUP_##constant,
	KERNEL_GROUPS(X)
#undef X
		KERNEL_GROUP_COUNT
};

/* s->wish is a list of groups with commas: "syscall,sched"; "" is all. false: one of the words is
 * no group; *word is it. */
bool kernel_groups_read(const char *list, uint32_t *groups, struct pl_view *word);

extern const struct source_operations kernel_source;

#endif
