/* Which thread of a program is stopped, and where it may be used. pthread_create asks for memory,
 * so its thread must not be in malloc or in the loader: see attach.h. */
#ifndef PL_ATTACH_CHOOSE_H
#define PL_ATTACH_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attach/stop.h"
#include "attach/target.h"

struct chosen {
	int tid;
	bool waits; /* in a system call; else it runs */
};

/* Why the last try was given up. All zero: there was none. */
struct obstacle {
	int tid;
	long call;	/* the system call in which it was; -1: in none */
	uint64_t place; /* of its instruction, if it was stopped; else 0 */
	bool late;	/* it was held for too long already */
};

/* A thread that may be used where it is now. 0; -EAGAIN: there is none; -ESRCH: the program has
 * ended. */
int choose_thread(int pid, struct chosen *who, struct obstacle *why);
/* Once it is stopped: it was chosen while it ran on. */
bool choose_allows(const struct stop *s, const struct target *t, bool waits, struct obstacle *why);
/* "the thread 4711 was in libc.so.6" */
void choose_explain(int pid, const struct obstacle *why, char *to, size_t room);

#endif
