#define _GNU_SOURCE
#include "preload/left.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "preload/preload.h"

static void count_left(struct arena_head *head, enum left_kind kind, const char *path)
{
	struct left_out *row = &head->left_out[kind];
	size_t n = strnlen(path, sizeof row->first - 1);

	if (atomic_fetch_add_explicit(&row->count, 1, memory_order_acq_rel) != 0)
		return;
	memcpy(row->first, path, n);
	row->first[n] = 0;
}

void left_out(enum left_kind kind, const char *path)
{
	struct arena arena;

	if (preload.arena.head) {
		count_left(preload.arena.head, kind, path);
		return;
	}
	int fd = open(preload.arena_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
	if (fd < 0)
		return;
	if (arena_map(&arena, fd) == 0) {
		count_left(arena.head, kind, path);
		arena_unmap(&arena);
	}
	close(fd);
}
