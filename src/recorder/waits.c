/* Idle waits of event loops, which the preload reports before and after the call (preload/wait.c).
 *
 * The GIL is not held there, so nothing is written into the ring. The thread keeps the two times in
 * its own state, and its next step writes them (IDLE, before the TIME that is due then). Several
 * waits without an event in between count as one.
 *
 * An epoll belongs to an event loop. So do poll and select if the module selectors called them; a
 * socket with a timeout waits with poll, and that wait belongs to its line.
 */
#include "recorder/state.h"

#include <string.h>

/* Its own frames do not change while it is in a call, so they can be read without the GIL. */
static bool in_selectors(void)
{
	static const char name[] = "/selectors.py";
	PyThreadState *ts = PyGILState_GetThisThreadState();
	py_frame *frame = ts ? top_frame(ts) : NULL;
	PyObject *file = frame ? frame_code(frame)->co_filename : NULL;

	if (!file || !PyUnicode_IS_COMPACT_ASCII(file))
		return false;
	size_t length = (size_t)PyUnicode_GET_LENGTH(file), n = sizeof name - 1;
	return length >= n &&
	       !memcmp((const char *)PyUnicode_1BYTE_DATA(file) + length - n, name, n);
}

static uint64_t wait_begins(enum wait_kind kind)
{
	if (!self || root.forked || atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return 0;
	return kind == WAIT_EPOLL || in_selectors() ? now_ticks() : 0;
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
