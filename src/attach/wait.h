/* Waiting for a thread that we trace to stop, so that it is held as short as can be.
 *
 * We run on its processor meanwhile, and sleep: it can go on at once where we ran. Had we asked
 * again and again, or waited on another processor, it would wait for a free one each time it goes
 * on, which takes milliseconds on a busy machine.
 *
 * One thread at a time. The waits are interrupted by SIGALRM. */
#ifndef PL_ATTACH_WAIT_H
#define PL_ATTACH_WAIT_H

#include <stdbool.h>
#include <stdint.h>

void wait_begin(int tid);
/* waitpid for it. false: nothing came in time, or the thread is gone. */
bool wait_for_stop(int tid, int64_t within_ns, int *status);
/* When it was last known that it had not stopped: at most 0.2 ms before it did. */
int64_t wait_last_ns(void);
void wait_end(void);

/* CLOCK_MONOTONIC */
int64_t wait_clock_ns(void);

#endif
