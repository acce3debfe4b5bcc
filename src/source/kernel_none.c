/* The kernel as a source, where Pathline was built without what it takes. */
#include <stdio.h>
#include "source/kernel.h"

static int start_none(struct source *s, const struct source_tree *tree)
{
	(void)tree;
	snprintf(s->why, sizeof s->why,
		"this Pathline was built without BPF; build it where clang, bpftool and libbpf-dev "
		"are: apt-get install clang bpftool libbpf-dev");
	return -1;
}

static const struct source_kind no_kinds[1];

const struct source_operations kernel_source = {
	.name = "kernel", .kinds = no_kinds, .start = start_none};
