/* The recorder, as the preload starts it: one shared library for each minor version of CPython,
 * loaded by path (pathline-recorder-3.13.so beside the preload), entered through this one function.
 * No Python.h here.
 */
#ifndef PL_RECORDER_RECORDER_H
#define PL_RECORDER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include "ring/arena.h"

#define RECORDER_ENTRY "pathline_recorder_start"

typedef void key_hook(unsigned key, const void *value);
typedef void leave_hook(bool killed);

/* Called before and after a call in which an event loop may wait; `caller` is where it returns to.
 * begin returns what end gets; 0: it is not wanted. Both are called without the GIL, and leave
 * errno unchanged. */
struct wait_hooks {
	uint64_t (*begin)(const void *caller);
	void (*end)(uint64_t since);
};

/* bench/driver.py has the same fields. */
struct recorder_start {
	struct arena arena; /* mapped; stays so */
	uint32_t parent;    /* number of the process that started this one, 0: none */
	/* begin with the first frame of __main__; if not, at once (-m: runpy runs before; an
	 * embedding program imports) */
	bool at_main;
	uint32_t how; /* enum message_how: HOW_START or HOW_EXEC */
	/* The process's slot, in which the preload writes how the process ends. The recorder stores
	 * it at its start and again in each forked child (NULL until the child has its own). */
	struct process_slot *_Atomic *slot;
	/* Where the recorder may store a function that is called in a thread that has set a value
	 * for a pthread key: so 3.11 finds new thread states. */
	key_hook *_Atomic *on_key;
	/* And one that is called by a thread that is about to end the process, or to become another
	 * program; `killed`: by a signal, perhaps without the GIL, or in a signal handler. */
	leave_hook *_Atomic *on_leave;
	const struct wait_hooks *_Atomic *on_wait;
	/* Has the program given up rights? A system call of the recorder that the program does not
	 * make may then end it. */
	const _Atomic bool *confined;
};

/* Called with the GIL, in the audit event cpython.run_* or the first event of an embedding program;
 * and again if Python was ended and initialised again in this process. 0; or a negative number,
 * with the reason in *why (a static text), and nothing was changed in the interpreter. */
int pathline_recorder_start(const struct recorder_start *start, const char **why);

/* The same in a program that runs: each thread's stack, as it is now, begins its path. The recorder
 * may have been there before, and have left. If it fails, the arena is still the caller's. */
int pathline_recorder_attach(const struct recorder_start *start, const char **why);
/* Called with the GIL, outside of the recorder's callbacks: give the interpreter back what was
 * taken, and end the process's part of the recording. The arena is unmapped; the library stays, and
 * does nothing. 0; or a negative number, with the reason in *why: then it may be tried again. */
int pathline_recorder_leave(const char **why);

#endif
