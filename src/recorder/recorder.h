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

/* The sides of a call in which an event loop may wait: begin gives what end wants, 0: nobody wants to
 * know. Both are called without the GIL, and touch no errno. */
enum wait_kind { WAIT_EPOLL, WAIT_POLL };
struct wait_hooks {
	uint64_t (*begin)(enum wait_kind kind);
	void (*end)(uint64_t since);
};

/* bench/driver.py has the same fields. */
struct recorder_start {
	struct arena arena; /* mapped; stays so */
	uint32_t parent;    /* number of the process that started this one, 0: none */
	bool at_main; /* begin with the first frame of __main__; else at once (-m: runpy runs before; an
			 embedding program imports) */
	uint32_t how; /* enum message_how: HOW_START or HOW_EXEC */
	/* The process's slot, for the preload to note there how the process ends. The recorder
	 * stores it at its start and anew in each forked child (NULL until the child has one of its
	 * own). */
	struct process_slot *_Atomic *slot;
	/* Where the recorder may leave a function that is called in a thread when that has set a
	 * value for a key of pthreads: so 3.11 meets new thread states. */
	key_hook *_Atomic *on_key;
	/* And one that is called by a thread that is about to end the process, or to become another program; `killed`: by a signal,
	 * perhaps without the GIL, or in a signal handler. */
	leave_hook *_Atomic *on_leave;
	const struct wait_hooks *_Atomic *on_wait;
};

/* Called under the GIL, in the audit event cpython.run_* or the first of an embedding program;
 * again, when Python was ended and initialised anew in this process. 0, or a negative number with
 * *why (a constant or static text) saying what cannot be; then nothing has been changed in the
 * interpreter.
 */
int pathline_recorder_start(const struct recorder_start *start, const char **why);

#endif
