/* An arena for the tests of the preload, without a collector: make one, or show what the preload
 *wrote into it.
 *
 *	preload-arena create PATH DIRECTORY NO_CHILDREN
 *	preload-arena show PATH		counts, then a line a slot: number parent pid end end_code
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ring/arena.h"

static int create(char **argv)
{
	struct arena arena;
	int fd;

	if (arena_create(&arena, argv[2], 64, &fd) < 0)
		return 1;
	snprintf(arena.head->directory, sizeof arena.head->directory, "%s", argv[3]);
	arena.head->no_children = (uint32_t)atoi(argv[4]);
	return 0;
}

static int show(const char *path)
{
	struct arena arena;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || arena_map(&arena, fd) < 0)
		return 1;
	const struct arena_head *head = arena.head;
	printf("preloaded %u\npythons %u\nrefused %u\nwhy %s\n", head->preloaded, head->pythons,
		head->refused, head->refused_why);
	for (unsigned i = 0; i < ARENA_PROCESSES; i++) {
		const struct process_slot *s = &head->slots[i];
		if (s->state != SLOT_FREE)
			printf("slot %u %u %u %u %u\n", s->number, s->parent, s->pid, s->end,
				s->end_code);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "create") == 0)
		return create(argv);
	if (argc == 3 && strcmp(argv[1], "show") == 0)
		return show(argv[2]);
	return 2;
}
