#define _GNU_SOURCE
#include "cmd/recorded.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "attach/attach.h"
#include "collector/collector.h"

bool recorded_directory(int pid, char directory[CMD_DIRECTORY_BYTES])
{
	struct target target;
	char why[ATTACH_WHY_BYTES];
	struct arena arena = {0};

	target_look(&target, pid, why); /* why it cannot be attached does not matter here */
	if (!target.arena[0])
		return false;
	const int fd = open(target.arena, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const bool found = fd >= 0 && arena_map(&arena, fd) == 0;
	if (found)
		snprintf(directory, CMD_DIRECTORY_BYTES, "%.*s", CMD_DIRECTORY_BYTES - 1,
			arena.head->directory);
	arena_unmap(&arena);
	if (fd >= 0)
		close(fd);
	return found;
}
