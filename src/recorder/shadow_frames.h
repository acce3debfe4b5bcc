/* The shadow stack and the interpreter's: is the frame of an entry the one that is there now? */
#ifndef PL_RECORDER_SHADOW_FRAMES_H
#define PL_RECORDER_SHADOW_FRAMES_H

#include "recorder/compat/frame.h"
#include "recorder/code.h"
#include "recorder/shadow.h"
#include "recorder/thread.h"

/* The entry at `place` has the frame's address: does the frame that is there now run? One that has
 * yielded without an event, and whose resume was not written, is not the one of the entry. */
static inline bool entry_is_true(const struct thread *t, uint32_t place, py_frame *frame)
{
	return shadow_has(&t->shadow, place, MARK_STANDS) || !frame_not_resumed(frame);
}

/* As shadow_find, for a frame that may be looked into; 0: it was not written. */
static inline uint32_t shadow_place(const struct thread *t, py_frame *frame)
{
	uint32_t place = shadow_find(&t->shadow, frame);

	return place && entry_is_true(t, place, frame) ? place : 0;
}

#endif
