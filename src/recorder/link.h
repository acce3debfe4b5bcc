/* Steps that make a frame the top of the shadow stack: POPS, LINK, OUTSIDE, GREENLET (link.c). */
#ifndef PL_RECORDER_LINK_H
#define PL_RECORDER_LINK_H

#include "recorder/compat/python.h"
#include "recorder/thread.h"

/* Make `frame` the top of the shadow stack, for an event that is not an entry: writes POPS or
 * LINKs. */
uint8_t *step_to_frame(struct thread *t, uint8_t *p, py_frame *frame);
/* The same for C code that reports events of its own. */
uint8_t *step_to_foreign(struct thread *t, uint8_t *p, PyCodeObject *code);
/* As step_to_frame, if the shadow stack's entry for the frame is from before the frame was left. */
uint8_t *step_to_frame_again(struct thread *t, uint8_t *p, py_frame *frame);
/* As step_to_frame, for an entry: the caller (may be NULL) becomes the top. A caller that is left
 * out is written as OUTSIDE, with those below it. */
uint8_t *step_to_caller(struct thread *t, uint8_t *p, py_frame *caller);
/* All frames of a thread that stands still, from the bottom; the shadow stack is empty. `state` is
 * the thread's, and `self` is `t`. */
uint8_t *step_link_all(struct thread *t, uint8_t *p, py_frame *frame, PyThreadState *state);
/* Write the top frame's witness here, if that is due and will not be written by the instruction
 * after it. */
uint8_t *step_tell_due(struct thread *t, uint8_t *p);
/* Before the bottom frame of the running greenlet: write its number and name. */
uint8_t *write_greenlet_name(const struct thread *t, uint8_t *p);

/* The event bytes up to p are complete: make them visible, and make room for the next. */
uint8_t *step_on(struct thread *t, uint8_t *p);
/* Write where the top frame is: what it did last is known then. */
uint8_t *write_here(struct thread *t, uint8_t *p);
/* The same if it is known, and not if a trace function is above the frame. */
uint8_t *write_at(struct thread *t, uint8_t *p);
/* The unit at which its caller is. */
uint32_t frame_site(py_frame *frame);
/* A coroutine that no coroutine awaits. */
bool frame_is_root(py_frame *frame);

#endif
