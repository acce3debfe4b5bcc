/* Steps to a frame: the shadow stack, and the stream with it, become the frames that are there
 * now. */
#include "recorder/link.h"

#include "base/expect.h"
#include "format/event.h"
#include "pathline/event.h"
#include "recorder/code.h"
#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "recorder/generators.h"
#include "recorder/greenlets.h"
#include "recorder/left_out.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/shadow_frames.h"
#include "recorder/step.h"
#include "recorder/tasks.h"
#include "recorder/thread.h"
#include "recorder/window.h"
#include "ring/ring.h"

/* The event bytes up to p are complete: make them visible, and make room for the next. */
uint8_t *step_on(struct thread *t, uint8_t *p)
{
	ring_commit(&t->ring, p);
	return p < t->ring.limit ? p : ring_refill(&t->ring, t->time_ticks);
}

/* The event is lost, but not what was written before it, because the shadow stack has that
 * already. */
static uint8_t *give_up(struct thread *t, uint8_t *p)
{
	ring_commit(&t->ring, p);
	return NULL;
}

uint8_t *step_tell_due(struct thread *t, uint8_t *p)
{
	struct shadow *s = &t->shadow;
	py_frame *frame = s->top;

	if (!frame || !frame_is_real(frame) || shadow_has(s, s->depth, MARK_TOLD) ||
		!frame_is_due(frame))
		return p;
	PyCodeObject *code = frame_code(frame);
	shadow_mark(s, s->depth, MARK_TOLD);
	return event_write_line(p, code_known(code)->units[frame_unit(frame, code)].start - 1);
}

/* The unit at which its caller is. */
uint32_t frame_site(py_frame *frame)
{
	py_frame *caller = frame_caller(frame);

	return caller ? frame_unit(caller, frame_code(caller)) : EVENT_NO_SITE;
}

/* As write_link, for a frame that is left out. */
static uint8_t *write_link_outside(struct thread *t, uint8_t *p, py_frame *frame, uint32_t below)
{
	PyCodeObject *code = frame_code(frame);
	uint32_t number = code_outside_number(code, code_record(code));

	if (!number)
		return give_up(t, p);
	shadow_cut(&t->shadow, below);
	shadow_put(&t->shadow, entry_left_out(number, frame_site(frame)));
	return step_on(t, event_write3(p, EVENT_LINK, number, 0, frame_unit(frame, code)));
}

/* The frame becomes the top, above depth `below`. */
static uint8_t *write_link(
	struct thread *t, uint8_t *p, py_frame *frame, uint32_t below, unsigned flags)
{
	PyCodeObject *code = frame_code(frame);
	struct code_record *record = code_record(code);

	if (!record)
		return give_up(t, p);
	if (unlikely(record->left_out))
		return write_link_outside(t, p, frame, below);
	shadow_cut(&t->shadow, below);
	shadow_put_frame(&t->shadow, frame);
	if (unlikely(frame_is_due(frame)))
		shadow_mark(&t->shadow, below + 1, MARK_TOLD);
	uint64_t generator =
		frame_in_generator(frame) && record->generator_like ? generator_of(frame) : 0;
	uint32_t unit = flags == EVENT_HIDDEN ? EVENT_NO_UNIT : frame_unit(frame, code);
	if (unlikely(frame == t->later))
		unit -= LOOK_UP_UNITS;
	return step_on(t, event_write3(p, EVENT_LINK | flags, record->number, generator, unit));
}

/* ---- greenlets ---- */

uint8_t *write_here(struct thread *t, uint8_t *p)
{
	py_frame *frame = t->shadow.top;

	p = step_tell_due(t, p);

	return event_write1(p, EVENT_AT, frame_unit(frame, frame_code(frame)));
}

static bool top_is_unheard(const struct thread *t)
{
	py_frame *frame = t->shadow.top;
	PyCodeObject *code = frame_code(frame);

	return line_is_unheard(t, frame, code_known(code), frame_unit(frame, code));
}

/* Write where the top frame is: what it did last is known then, and comes before the frame above
 * it. Not if a trace function, which is called before the line is recorded, is above it: the line
 * is still to come. */
uint8_t *write_at(struct thread *t, uint8_t *p)
{
	if (ENGINE_TRACES || !t->shadow.top || !frame_is_real(t->shadow.top) || top_is_unheard(t))
		return p;
	return step_on(t, write_here(t, p));
}

/* Another greenlet runs: the shadow stack is empty from here on. */
static uint8_t *write_greenlet(struct thread *t, uint8_t *p)
{
	p = write_at(t, p);
	if (!p)
		return NULL;
	shadow_cut(&t->shadow, 0);
	t->line_frame = NULL;
	return step_on(t, event_write1(p, EVENT_GREENLET, t->greenlet));
}

uint8_t *write_greenlet_name(const struct thread *t, uint8_t *p)
{
	PyObject *running = t->greenlet ? greenlet_running() : NULL;
	char name[EVENT_TEXT_MAX];

	if (!running || running != t->greenlet_at)
		return p;
	return event_write_task(p, t->greenlet, name, greenlet_name(running, t->greenlet, name));
}

/* ---- steps to a frame ---- */

/* The frames with which a greenlet was left are the same when it runs again; only `frame`, whose
 * event it is, has gone on. */
static unsigned link_flags(const struct thread *t, uint32_t place, bool moved)
{
	if (place >= t->kept)
		return 0;
	return moved ? EVENT_BACK | EVENT_MOVED : EVENT_BACK;
}

/* The calls of frames above one that was written were written as well, as all are by now. The
 * exception is what runs without events: a trace function, whose own calls are reported again if it
 * requests that (sys.call_tracing). */
static bool runs_hidden(uint32_t base, py_frame *frame)
{
	return root.traced && base && !frame_in_generator(frame) && !frame_not_begun(frame);
}

/* A coroutine that no coroutine awaits. */
bool frame_is_root(py_frame *frame)
{
	py_frame *caller = frame_caller(frame);
	const struct code_record *record = code_record(frame_code(frame));

	return frame_in_generator(frame) && record && record->coroutine &&
	       !(caller && frame_may_await(caller));
}

/* The task whose root the next frame is, above depth `below`. begins: as task_find. */
static uint8_t *link_write_task(
	const struct thread *t, uint8_t *p, py_frame *frame, uint32_t below, bool begins)
{
	if (!below && t->greenlet)
		return write_greenlet_name(t, p);
	return frame_is_root(frame) ? task_write(p, current_thread_state(), frame, begins) : p;
}

/* What is thrown into one goes past the coroutines that await it: these have no frame meanwhile, so
 * it is the root, and no task has it as its coroutine. */
static bool is_async_generator(py_frame *frame)
{
	return frame_in_generator(frame) && frame_code(frame)->co_flags & CO_ASYNC_GENERATOR;
}

/* `frame` is not on the shadow stack: link it, with all its callers down to one that is there.
 *
 *   shadow   a b x y          the interpreter: frame -> d -> c -> b -> a
 *   POPS 2   a b              `base` is b's place, `count` the three above it
 *   LINKs    a b c d frame    written bottom first, so the frames are stored first and then written
 *
 * moved: the event is the frame's own. */
static uint8_t *link_chain(struct thread *t, uint8_t *p, py_frame *frame, bool moved)
{
	uint32_t count = 0, base = 0;

	for (py_frame *f = frame; f; f = frame_caller(f)) {
		base = code_is_left_out(frame_code(f)) ? 0 : shadow_place(t, f);
		if (base)
			break;
		count++;
	}
	if (!base && greenlet_changed(t, false))
		p = write_greenlet(t, p);
	else if (t->shadow.depth > base)
		p = event_write1(p, EVENT_POPS, t->shadow.depth - base);
	shadow_cut(&t->shadow, base);
	if (!p)
		return NULL;
	if (!shadow_reserve(&t->shadow, count)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	p = write_at(t, step_on(t, p));
	if (!p)
		return NULL;
	py_frame *f = frame;
	for (uint32_t i = count; i; i--, f = frame_caller(f))
		shadow_keep(&t->shadow, base + i, f);
	for (uint32_t i = 0; i < count && p; i++) {
		bool ours = moved && i + 1 == count;
		f = shadow_at(&t->shadow, base + i + 1)->frame;
		unsigned flags = !ours && runs_hidden(base, f) ? EVENT_HIDDEN
							       : link_flags(t, base + i, ours);
		p = link_write_task(t, p, f, base + i, is_async_generator(f));
		p = write_link(t, p, f, base + i, flags);
	}
	t->kept = 0;
	return p;
}

uint8_t *step_link_all(struct thread *t, uint8_t *p, py_frame *frame, PyThreadState *state)
{
	uint32_t count = 0;

	for (py_frame *f = frame; f; f = frame_caller(f))
		count++;
	if (!shadow_reserve(&t->shadow, count)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	for (uint32_t i = count; i; i--, frame = frame_caller(frame))
		shadow_keep(&t->shadow, i, frame);
	for (uint32_t i = 0; i < count && p; i++) {
		py_frame *f = shadow_at(&t->shadow, i + 1)->frame;
		if (frame_is_root(f))
			p = task_write(p, state, f, is_async_generator(f));
		p = write_link(t, p, f, i, 0);
	}
	return p;
}

/* A foreign frame that is not on the shadow stack: it is above the Python frames there. */
static uint8_t *link_foreign(struct thread *t, uint8_t *p, PyCodeObject *code)
{
	struct code_record *record = code_record(code);

	p = step_to_caller(t, p, top_frame(current_thread_state()));
	if (!p || !record)
		return p ? give_up(t, p) : NULL;
	p = event_write3(p, EVENT_LINK, record->number, 0, EVENT_NO_UNIT);
	thread_push(t, entry_of_code(code));
	return step_on(t, p);
}

/* The entry of the shadow stack at the address of a frame that has not begun is one that has
 * returned, with all above it. Or another tool raised instead of its first instruction: then it was
 * the last to be entered. */
static uint8_t *drop_stale(struct thread *t, uint8_t *p, uint32_t place)
{
	p = step_on(t, event_write1(p, EVENT_POPS, t->shadow.depth - place + 1));
	shadow_cut(&t->shadow, place - 1);
	return p;
}

/* What is above `place` has returned. */
static uint8_t *pop_to(struct thread *t, uint8_t *p, uint32_t place)
{
	if (t->shadow.depth > place)
		p = event_write1(p, EVENT_POPS, t->shadow.depth - place);
	shadow_cut(&t->shadow, place);
	return p;
}

/* moved: as in link_chain. */
static uint8_t *step_to(struct thread *t, uint8_t *p, py_frame *frame, bool moved)
{
	uint32_t place = shadow_find(&t->shadow, frame);

	bool stale = place && (frame_not_begun(frame) ? !(moved && t->entered == frame)
						      : !entry_is_true(t, place, frame));
	if (stale) {
		p = drop_stale(t, p, place);
		return p ? link_chain(t, p, frame, moved) : NULL;
	}
	return place ? pop_to(t, p, place) : link_chain(t, p, frame, moved);
}

uint8_t *step_to_foreign(struct thread *t, uint8_t *p, PyCodeObject *code)
{
	uint32_t place = shadow_find_code(&t->shadow, code);

	return place ? pop_to(t, p, place) : link_foreign(t, p, code);
}

/* ---- calls by code that is left out ---- */

/* The frame, which is left out, becomes the top, above depth `below`. */
static uint8_t *link_write_outside(struct thread *t, uint8_t *p, py_frame *frame, uint32_t below)
{
	PyCodeObject *code = frame_code(frame);
	uint32_t number = code_outside_number(code, code_record(code)), site = frame_site(frame);

	if (!number)
		return give_up(t, p);
	shadow_cut(&t->shadow, below);
	shadow_put(&t->shadow, entry_left_out(number, site));
	p = link_write_task(t, p, frame, below, true);
	return step_on(t, event_write_outside(p, site, number));
}

/* The root of a task can be that of another task the next time, although the frame looks the same.
 *
 * How many of the `count` frames from `frame` down the shadow stack already has above `place`, from
 * the bottom. Frames that were called from another place, or through others, are other frames. */
static uint32_t outside_kept(
	const struct thread *t, py_frame *frame, uint32_t place, uint32_t count)
{
	uint32_t kept = count;

	for (uint32_t i = count; i; i--, frame = frame_caller(frame)) {
		uint32_t number = code_record(frame_code(frame))->number;
		if (place + i > t->shadow.depth ||
			!entry_is_left_out(
				shadow_at(&t->shadow, place + i), number, frame_site(frame)) ||
			frame_is_root(frame))
			kept = i - 1;
	}
	return kept;
}

/* Put the `count` frames from `frame` down, which are left out, above `place`. */
static uint8_t *put_outside(
	struct thread *t, uint8_t *p, py_frame *frame, uint32_t place, uint32_t count)
{
	uint32_t kept = outside_kept(t, frame, place, count);

	if (kept == count && shadow_under_foreign(&t->shadow, t->shadow.depth) <= place + count)
		return p;
	if (t->shadow.depth > place + kept)
		p = step_on(t, event_write1(p, EVENT_POPS, t->shadow.depth - place - kept));
	shadow_cut(&t->shadow, place + kept);
	if (p && !shadow_reserve(&t->shadow, count - kept)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	for (uint32_t i = count; i > kept; i--, frame = frame_caller(frame))
		shadow_keep(&t->shadow, place + i, frame);
	for (uint32_t i = kept; i < count && p; i++)
		p = link_write_outside(
			t, p, shadow_at(&t->shadow, place + i + 1)->frame, place + i);
	return p;
}

/* `caller` is left out, and calls code that is recorded. Find the recorded frame below it; the
 * stream gets what is between the two:
 *
 *   the interpreter   main -> sorted_by -> key_of -> (an entry)      sorted_by, key_of are left out
 *   the stream        main | OUTSIDE sorted_by | OUTSIDE key_of | ENTER
 *
 * As long as the same frames call from the same places, that was written. The entry of a recorded
 * frame is always written, so a recorded frame that is on the shadow stack is there, and so are the
 * frames below it. */
static uint8_t *step_to_outside(struct thread *t, uint8_t *p, py_frame *caller)
{
	uint32_t count = 0, place = 0;
	py_frame *inside = caller;

	for (; inside && code_is_left_out(frame_code(inside)); inside = frame_caller(inside))
		count++;
	place = inside ? shadow_place(t, inside) : 0;
	if (inside && (!place || frame_not_begun(inside))) {
		p = step_to(t, p, inside, false);
		place = t->shadow.depth;
	} else if (!inside && (t->greenlets || !outside_kept(t, caller, 0, count)) &&
		   greenlet_changed(t, false)) {
		p = write_greenlet(t, p);
	}
	return p ? put_outside(t, p, caller, place, count) : NULL;
}

uint8_t *step_to_frame(struct thread *t, uint8_t *p, py_frame *frame)
{
	return step_to(t, p, frame, true);
}

uint8_t *step_to_frame_again(struct thread *t, uint8_t *p, py_frame *frame)
{
	uint32_t place = shadow_find(&t->shadow, frame);

	if (place)
		p = drop_stale(t, p, place);
	return p ? link_chain(t, p, frame, true) : NULL;
}

uint8_t *step_to_caller(struct thread *t, uint8_t *p, py_frame *caller)
{
	struct shadow *s = &t->shadow;

	if (!caller && greenlet_changed(t, true))
		return write_greenlet(t, p);
	if (caller && code_is_left_out(frame_code(caller)))
		return step_to_outside(t, p, caller);
	if (caller && s->top == caller && !frame_not_begun(caller) &&
		entry_is_true(t, s->depth, caller))
		return p;
	/* foreign frames above the caller stay: it is they that call */
	uint32_t place = shadow_under_foreign(s, s->depth);
	if (place < s->depth && shadow_at(s, place)->frame == caller &&
		(!caller || entry_is_true(t, place, caller)))
		return p;
	return caller ? step_to(t, p, caller, false) : pop_to(t, p, 0);
}
