#include "recorder/pause.h"

#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/link.h"
#include "recorder/mark.h"
#include "recorder/root.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "ring/ring.h"

/* No step begins in the chunk, so each event takes the slow path, which loses it. */
bool pause_begin(PyObject *text)
{
	if (!mark_is_recording())
		return false;
	if (!self || !self->paused)
		mark_put(text, NULL);
	if (!self)
		return false;
	if (self->paused++)
		return true;
	if (self->ring.chunk)
		self->ring.limit = self->ring.chunk->bytes;
	self->left_out = true;
	return true;
}

/* The gap comes at once, with all frames as they are here: so the first line after it is known. */
static void write_gap(struct thread *t)
{
	py_frame *frame = top_frame(current_thread_state());
	uint8_t *p = t->fresh && frame ? step(t) : NULL;

	if (p)
		p = step_to_caller(t, p, frame);
	if (p)
		ring_commit(&t->ring, p);
}

/* A forked child has states of its own, which are not paused. */
void pause_end(void)
{
	if (!self || !self->paused || --self->paused)
		return;
	ring_limit(&self->ring);
	write_gap(self);
}
