/* A thread of another process that is stopped for a moment, and in whose place something is
 * called.
 *
 *	stop_begin   PTRACE_SEIZE, INTERRUPT; registers and floating point are kept
 *	stop_system  a system call, made by stepping over a `syscall` instruction of its libc
 *	stop_call    a function, from a page of ours that ends in a breakpoint
 *	stop_end     all is put back, and the thread goes on: also into a system call that it was in
 *
 * Only that thread stops. Signals of the program wait meanwhile.
 */
#ifndef PL_ATTACH_STOP_H
#define PL_ATTACH_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#define STOP_FLOATING_BYTES 16384

/* One at a time in a process (wait.h). */
struct stop {
	int tid;
	uint64_t system_call; /* address of a `syscall` instruction, which the caller sets */
	uint64_t signals;     /* its mask */
	struct user_regs_struct kept;
	size_t floating_bytes;
	int64_t begun_ns; /* at most 0.2 ms before it stopped */
	int64_t held_ns;  /* set by stop_end */
	uint8_t floating[STOP_FLOATING_BYTES];
};

/* Is there code for this machine? */
bool stop_is_built(void);
/* 0; or -errno: EAGAIN when it did not stop in time. On failure nothing is held. */
int stop_begin(struct stop *s, int tid);
/* In user code, or in this system call (kept.orig_rax)? -1: in none. */
long stop_in_system_call(const struct stop *s);
/* Of that system call; `number` from 0 to 3. */
uint64_t stop_argument(const struct stop *s, unsigned number);
uint64_t stop_place(const struct stop *s);
/* Under its stack: 256 bytes that nothing uses while it is held. */
uint64_t stop_scratch(const struct stop *s);
/* The address of a `syscall` instruction near `at`; 0: none was found. Nothing is stopped. */
uint64_t stop_find_system_call(int pid, uint64_t at);
/* The call's result, which may be -errno. */
int64_t stop_system(struct stop *s, long number, const uint64_t arguments[6]);
/* Jump to `at`, which calls `function` with two pairs of arguments and then breaks. false: it did
 * not come back in time. */
bool stop_call(struct stop *s, uint64_t at, uint64_t function, const uint64_t arguments[4],
	uint64_t *result);
void stop_end(struct stop *s);

#endif
