/* Idle waits of event loops, which the preload reports before and after the call (preload/wait.c).
 *
 * The GIL is not held there, so nothing is written into the ring. The thread keeps the two times in
 * its own state, and its next step writes them (IDLE, before the TIME that is due then). Several
 * waits without an event in between count as one.
 *
 * A wait is an event loop's if the run of a loop calls it: in Python through a selector or not, or
 * in a library of C (base/loops.h). What a task or a callback waits for belongs to its line, also
 * if a selector is used: subprocess does. So does a socket with a timeout, which waits with poll.
 */
#define _GNU_SOURCE
#include "recorder/waits.h"

#include <dlfcn.h>
#include <string.h>
#include "base/loops.h"
#include "recorder/compat/frame.h"
#include "recorder/root.h"
#include "recorder/step.h"
#include "recorder/thread.h"

/* The selectors around a selector that are looked through. */
#define SELECTORS_MAX 8

/* The end of a name. Its letters that are not ASCII are not needed. */
static void copy_end(PyObject *name, char *text, size_t room)
{
	size_t length = (size_t)PyUnicode_GET_LENGTH(name);
	const size_t first = length < room ? 0 : length - room + 1;

	length -= first;
	for (size_t i = 0; i < length; i++) {
		Py_UCS4 c = PyUnicode_READ_CHAR(name, (Py_ssize_t)(first + i));
		text[i] = (char)(c && c < 128 ? c : '?');
	}
	text[length] = 0;
}

/* Its own frames do not change while it is in a call, so they can be read without the GIL. */
static bool in_loop(void)
{
	PyThreadState *ts = PyGILState_GetThisThreadState();
	py_frame *frame = ts ? top_frame(ts) : NULL;
	char file[64], function[64];

	for (int i = 0; frame && i < SELECTORS_MAX; i++, frame = frame_caller(frame)) {
		copy_end(frame_code(frame)->co_name, function, sizeof function);
		if (loops_selects(function))
			continue;
		copy_end(frame_code(frame)->co_filename, file, sizeof file);
		return loops_run(file, function);
	}
	return false;
}

/* Is the call in a library that is an event loop? There are few such places, so what was found out
 * of one is kept: its address, and 1 more than twice it if it is. */
static bool in_loop_library(const void *caller)
{
	static _Atomic uintptr_t known[64];
	const uintptr_t word = (uintptr_t)caller << 1;
	_Atomic uintptr_t *place = &known[((uintptr_t)caller >> 2) % 64];
	uintptr_t old = atomic_load_explicit(place, memory_order_relaxed);
	Dl_info info;

	if ((old | 1) == (word | 1))
		return old & 1;
	bool is = dladdr(caller, &info) && info.dli_fname && loops_library(info.dli_fname);
	atomic_store_explicit(place, word | is, memory_order_relaxed);
	return is;
}

static uint64_t wait_begins(const void *caller)
{
	if (!self || root.forked || atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return 0;
	return in_loop() || in_loop_library(caller) ? now_ticks() : 0;
}

static void wait_ends(uint64_t since)
{
	uint64_t now = now_ticks();

	if (!self || now <= since)
		return;
	if (!self->idle_ticks)
		self->idle_from = since;
	self->idle_ticks += now - since;
	self->tick = NO_TICK;
}

const struct wait_hooks recorder_waits = {.begin = wait_begins, .end = wait_ends};
