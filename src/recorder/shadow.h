/* The shadow stack: the frames of a thread as they were recorded.
 * 
 * An entry is the address of a frame, with marks in bits that no address has; or it represents a
 * frame that is none of the interpreter, or one that is left out (the two lowest bits).
 */
#ifndef PL_RECORDER_SHADOW_H
#define PL_RECORDER_SHADOW_H

#include "recorder/compat/frame.h"
#include "recorder/code.h"
#include "recorder/thread.h"

/* C code can report events of its own through PyMonitoring_* (Cython does since 3.13). It has code
 * objects but no frames of the interpreter. In the shadow stack its code represents the frame,
 * marked by the lowest bit. */
static inline py_frame *foreign_frame(const PyCodeObject *code)
{
	return (py_frame *)((uintptr_t)code | 1);
}

static inline bool frame_is_foreign(const py_frame *frame)
{
	return (uintptr_t)frame & 1;
}

/* A frame of code that is left out begins and ends without an event, so its address does not
 * identify it. In its place the shadow stack has what was written to the stream: the number of its
 * code, and the site in its caller. */
static inline py_frame *outside_frame(uint32_t number, uint32_t site)
{
	return (py_frame *)((uintptr_t)site << 34 | (uintptr_t)number << 2 | 2);
}

#define OUTSIDE_SITE_MAX ((1u << 30) - 1)

static inline uint32_t outside_site(const py_frame *frame)
{
	return (uint32_t)((uintptr_t)frame >> 34);
}

static inline bool frame_is_outside(const py_frame *frame)
{
	return ((uintptr_t)frame & 3) == 2;
}

/* Is this entry of the shadow stack a frame that can be looked into? */
static inline bool frame_is_real(const py_frame *frame)
{
	return !((uintptr_t)frame & 3);
}

/* At the address of a frame of the shadow stack there may be another frame by now. If its calls are
 * recorded late (code_record.late) and it is pending, then it is another one, of which nothing was
 * written. But if an event needed the frame while it was pending, its call was written early: then
 * its entry has a mark, in a bit that no address has.
 *
 *   main -> low, at `if a < b`, which calls K.__lt__   shadow   main  K.__init__, the place of low
 *   low is written early: POPS 1, ENTER low                     main  low+EARLY */
#define MARK_EARLY ((uintptr_t)1 << 63)
/* Its witness was written where the frame is, and must not be written by the instruction after it
 * (code_unit.later). */
#define MARK_TOLD ((uintptr_t)1 << 62)
/* It was linked before it began, for what was called at its first RESUME by a signal handler. */
#define MARK_LINKED ((uintptr_t)1 << 61)
/* It is at a yield but not suspended: it raises there, or the yield is being written. Any other
 * frame that is at a yield has not been resumed. */
#define MARK_STANDS ((uintptr_t)1 << 60)
#define MARKS	    (MARK_EARLY | MARK_TOLD | MARK_LINKED | MARK_STANDS)

static inline py_frame *frame_marked(const py_frame *frame, uintptr_t mark)
{
	return (py_frame *)((uintptr_t)frame | mark);
}

static inline py_frame *frame_unmarked(const py_frame *entry)
{
	return (py_frame *)((uintptr_t)entry & ~(frame_is_real(entry) ? MARKS : 0));
}

/* Does the entry of the shadow stack have this frame's address? */
static inline bool entry_is(const py_frame *entry, const py_frame *frame)
{
	return ((uintptr_t)entry ^ (uintptr_t)frame) << 4 == 0;
}

/* ---- the stack ---- */

void stack_push(struct thread *t, py_frame *frame);
/* The same if there is room: depth < room. */
static inline void stack_put(struct thread *t, py_frame *frame)
{
	t->frames[t->depth++] = frame;
	t->top = frame;
}
/* Its place in the shadow stack, counted from 1; 0: it is not there. The entry may be that of an
 * earlier frame at this address (stack_place). */
static inline uint32_t stack_find(const struct thread *t, const py_frame *frame)
{
	uint32_t i = t->depth; /* from the top, where it mostly is */

	while (i && !entry_is(t->frames[i - 1], frame))
		i--;
	return i;
}

/* The same for a frame that may be looked into; 0: it was not written. */
uint32_t stack_place(const struct thread *t, py_frame *frame);
/* Make room for that many more entries. false: there is no memory. */
bool stack_reserve(struct thread *t, uint32_t more);

/* The shadow stack alone: an event, or a POPS, must say the same. depth > 0. */
static inline void stack_pop(struct thread *t)
{
	t->depth--;
	t->top = t->depth ? t->frames[t->depth - 1] : NULL;
}
static inline void stack_mark(struct thread *t, uint32_t place, uintptr_t mark)
{
	t->frames[place - 1] = frame_marked(frame_unmarked(t->frames[place - 1]), mark);
	t->top = t->frames[t->depth - 1];
}

static inline void stack_cut(struct thread *t, uint32_t depth)
{
	t->depth = depth;
	t->top = depth ? t->frames[depth - 1] : NULL;
}

/* ---- is it the frame that is there now? ---- */

/* The entry of the shadow stack has the frame's address: is it the frame that is there now, and
 * runs? */
static inline bool entry_is_true(const py_frame *entry, py_frame *frame)
{
	bool told = (uintptr_t)entry & (MARK_EARLY | MARK_TOLD) || !frame_is_pending(frame);

	return told && ((uintptr_t)entry & MARK_STANDS || !frame_not_resumed(frame));
}

/* Of a frame that has not begun, at `place` of the shadow stack: was its own start written? One
 * that was written late has the mark for that. */
static inline bool was_entered(const struct thread *t, uint32_t place, py_frame *frame)
{
	const struct code_record *r = code_known(frame_code(frame));

	return t->entered == frame &&
	       (!r || !r->facts.late || (uintptr_t)t->frames[place - 1] & MARK_EARLY);
}

#endif
