/* The collector of a command that records, as a process beside it: its start, and its report. */
#ifndef PL_CMD_DRAIN_H
#define PL_CMD_DRAIN_H

#include <limits.h>
#include <sys/types.h>
#include "cmd/record_end.h"
#include "collector/collector.h"

struct drain {
	struct arena arena; /* mapped when the collector is ready */
	char arena_path[2 * PATH_MAX];
	int arena_fd; /* open while we claim the arena */
	int channel;  /* to the collector; -1: none */
	pid_t collector;
};

/* Fork it, wait until it is ready, and claim its arena. s: all but its channel; command: for
 * messages. CMD_GO, or an exit code after saying why. */
int drain_start(struct drain *d, struct collector_start *s, const char *command);
/* The program `pid` has ended, or is left: wait for the report while the collector's clock
 * ticks. */
enum answer drain_ask(struct drain *d, int pid, int status, struct collector_packet *p);

#endif
