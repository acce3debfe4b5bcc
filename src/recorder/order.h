/* What `pathline attach` and `detach` leave in a running program for the recorder to do. No
 * Python.h here.
 *
 *	page 0   machine code (attach/pages.c): dlopen the library, dlsym the entry, jump to it;
 *	         not run if the library is there already
 *	page 1   struct recorder_order
 *
 * The entry unmaps both pages: the jump leaves nothing of page 0 on the stack. If it cannot, it
 * leaves them, with the reason in `status`.
 */
#ifndef PL_RECORDER_ORDER_H
#define PL_RECORDER_ORDER_H

#include <stdint.h>

#define ORDER_PAGES_BYTES 8192u
#define ORDER_AT	  4096u
#define ORDER_TEXT_MAX	  1536
#define RECORDER_ORDERED  "pathline_recorder_ordered"

enum order_status {
	ORDER_OPEN = 0,
	ORDER_NOT_LOADED = 1, /* dlopen or dlsym failed */
	ORDER_NO_ARENA = 2,   /* the arena cannot be opened there */
	ORDER_DROPPED = 3,    /* may_unmap was never set: who gave the order is gone */
};

struct recorder_order {
	uint64_t dlopen, dlsym; /* their addresses in the program */
	uint64_t thread;	/* where pthread_create writes its result */
	uint32_t status;	/* enum order_status; written in the program */
	/* written from outside: no thread is on its way back to page 0, so it may be unmapped */
	uint32_t may_unmap;
	uint32_t leave;	     /* 0: attach */
	uint32_t own_thread; /* it is run by a thread of ours, without the GIL */
	char entry[32];
	char library[ORDER_TEXT_MAX];
	char arena[ORDER_TEXT_MAX];
	/* of the program, to be closed: the library, which was loaded from it; -1: none */
	int32_t library_fd;
	/* whom it is for: a child that it forks before it is carried out has it, too, and does
	 * nothing */
	int32_t pid;
	uint32_t parent; /* number of the process that started it; 0: none recorded */
	int64_t sent_ns; /* CLOCK_MONOTONIC, before it was filled in */
};
_Static_assert(sizeof(struct recorder_order) <= ORDER_PAGES_BYTES - ORDER_AT, "it fits its page");

/* As a pending call of the interpreter, with the GIL, or as a thread. NULL. */
void *pathline_recorder_ordered(struct recorder_order *order);

/* For the package: the program itself, with the GIL, lets the recorder come in, with the arena at
 * that path; and leave. 0; or -1, with the reason in *why (a static text). */
int ordered_come_in(const char *path, const char **why);
int ordered_leave(const char **why);

#endif
