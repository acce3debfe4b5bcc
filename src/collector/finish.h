/* Finishing: what a collector that died left behind is brought into its recording by whoever comes
 * next.
 *
 * A collector holds a lock (flock) on its arena's file as long as it lives, so an arena whose lock
 * can be taken has lost its collector. The finisher takes the lock, rebuilds the collector's state
 * from the recording (what each thread's last block brought it to), and goes on from there: nothing
 * is lost and nothing comes twice.
 *
 * `record` claims its own arena (by another lock, fcntl's), as it alone knows how the command
 * ended: others leave the arena to it as long as it lives.
 */
#ifndef PL_COLLECTOR_FINISH_H
#define PL_COLLECTOR_FINISH_H

#include <stdbool.h>

/* Finish the dead arenas of this user in /dev/shm, and the one that may lie in `directory` (NULL:
 * none). Processes that still live keep their arena; what they have written so far is brought in.
 * Gives the number of arenas that were finished. Never prints; failures leave an arena as it is for
 * the next one. */
int finish_dead_arenas(const char *directory);
/* Is there one in /dev/shm? Changes nothing, and takes microseconds: for who must not wait. */
bool finish_wanted(void);
/* Claim an arena, for as long as this process and its descriptor live. */
void finish_claim(int arena_fd);
/* The claimed one at this path, whose process `pid` ended with wait(2)'s `status`. false: it could
 * not be finished. */
bool finish_arena(const char *path, int pid, int status);

#endif
