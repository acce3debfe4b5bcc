/* Finishing: what a collector that died left is brought into its recording by the next command.
 *
 * A collector holds a lock (flock) on its arena's file as long as it lives. So if the lock of an
 * arena can be taken, its collector is dead. The finisher takes the lock, rebuilds the collector's
 * state from the recording (each thread's last block), and continues from there. Nothing is lost,
 * and nothing is written twice.
 *
 * `record` claims its own arena with another lock (fcntl), because only it knows how the command
 * ended. Others leave the arena to it as long as it lives.
 */
#ifndef PL_COLLECTOR_FINISH_H
#define PL_COLLECTOR_FINISH_H

#include <stdbool.h>

/* Finish the dead arenas of this user in /dev/shm, and the one that may be in `directory` (NULL:
 * none). Processes that are alive keep their arena; what they have written so far is brought in.
 * Returns the number of arenas that were finished. Never prints; after a failure an arena is
 * unchanged, for the next finisher. */
int finish_dead_arenas(const char *directory);
/* Is there one in /dev/shm? Changes nothing and takes microseconds, for callers that must not
 * wait. */
bool finish_wanted(void);
/* Claim an arena, for as long as this process and its descriptor live. */
void finish_claim(int arena_fd);
/* Finish the claimed arena at this path, whose process `pid` ended with the `status` of wait(2).
 * false: it could not be finished. */
bool finish_arena(const char *path, int pid, int status);

#endif
