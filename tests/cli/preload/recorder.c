/* In the recorder's place: takes a slot and notes in DIRECTORY/starts, a line each: number parent
 * how pid. */
#define _GNU_SOURCE
#include "recorder/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct recorder_start started;

static void forked(void)
{
	atomic_store(started.slot, NULL);
}

static void note(const char *directory, const struct process_slot *slot, uint32_t how)
{
	char line[4200];

	snprintf(line, sizeof line, "%s/starts", directory);
	int fd = open(line, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int n = snprintf(
		line, sizeof line, "%u %u %u %u\n", slot->number, slot->parent, how, slot->pid);
	if (write(fd, line, (size_t)n) == n)
		close(fd);
}

__attribute__((visibility("default"))) int pathline_recorder_start(
	const struct recorder_start *start, const char **why)
{
	struct arena arena = start->arena;
	struct process_slot *slot = arena_take_slot(&arena);

	if (!slot) {
		*why = "no slot";
		return -1;
	}
	slot->pid = (uint32_t)getpid();
	slot->parent = start->parent;
	atomic_store(&slot->state, SLOT_LIVE);
	atomic_store(start->slot, slot);
	started = *start;
	pthread_atfork(NULL, NULL, forked);
	note(arena.head->directory, slot, start->how);
	return 0;
}
