/* The hooks of native functions, and what their files share.
 *
 *	__cyg_profile_func_enter -> ready for this function? -> 16 bytes into the thread's ring
 *	                                 | no
 *	                                 +-> this process's first, or after fork: process.c
 *	                                 +-> this thread's first: a ring for it
 *	                                 +-> another file than last time, or dlclose: modules.c
 *
 * Whether a thread is ready is one comparison of a number, the generation. It is in a page that the
 * kernel wipes in a forked child, so a child never writes into its parent's rings, however it was
 * forked. dlclose counts it up.
 *
 * The program never waits for us: no lock is waited for, what cannot be written is counted. No
 * memory is allocated, errno stays.
 */
#ifndef PL_NATIVE_NATIVE_H
#define PL_NATIVE_NATIVE_H

#include <unistd.h>
#include "ring/native_area.h"

#define NATIVE_EXPORT __attribute__((visibility("default")))

/* Of the process. Written by who holds `lock`, except the atomic fields. */
struct native {
	struct native_area area;
	_Atomic uint32_t lock;	/* pid of who is in there; others go on without it */
	_Atomic uint32_t state; /* enum native_state */
	/* in a page of its own; 0 there: not begun in this process. NULL: off */
	_Atomic uint64_t *generation;
	uint64_t last_generation; /* the greatest one so far */
	uint32_t image, pid, pid_space;
	char path[PATH_MAX]; /* of the area; "": not known yet */
};
enum native_state { NATIVE_NEW, NATIVE_ON, NATIVE_OFF };
extern struct native native;

/* false: another thread has it. One that is our parent's is not there any more. */
static inline bool native_lock(void)
{
	const uint32_t pid = (uint32_t)getpid();
	uint32_t holder = 0;

	return atomic_compare_exchange_strong(&native.lock, &holder, pid) ||
	       (holder != pid && atomic_compare_exchange_strong(&native.lock, &holder, pid));
}

static inline void native_unlock(void)
{
	atomic_store_explicit(&native.lock, 0, memory_order_release);
}

/* process.c: be on, if there is a recording. Called at the first function, and in each forked
 * child. false: not now, or never. */
bool native_begin_process(void);

/* modules.c. Addresses of which a function's file is known: from `start` on, so many bytes. */
struct native_range {
	uintptr_t start, length;
};
/* false: it cannot be said now. */
bool native_module_of(uintptr_t address, struct native_range *out);
/* In a forked child, with the lock: nothing is known. */
void native_modules_reset(void);

#endif
