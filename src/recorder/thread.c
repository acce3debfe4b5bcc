/* A thread's state: its shadow stack, and the slow half of a step.
 *
 * What comes before an event, in this order, each only if it is due:
 *
 *	TIME      the collector's tick is another one, or a chunk begins
 *	SWITCH    another thread of the process wrote last
 *	GAP       events were lost
 *	POPS      frames above have gone, or (after a loss) all of them
 *	GREENLET  another greenlet runs
 *	LINK ...  frames are there that the stream does not know, bottom first
 */
#define _GNU_SOURCE
#include "recorder/state.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAMES_FIRST	 1024
#define NAME_CHECK_TICKS 64 /* a thread's name is checked again after this many ticks */

__thread struct thread *self;
static pthread_key_t at_thread_end;

/* ---- the shadow stack ---- */

/* mremap moves pages, not bytes. */
static bool frames_grow(struct thread *t, uint32_t room)
{
	void *at = t->frames ? mremap(t->frames, t->room * sizeof *t->frames,
				       room * sizeof *t->frames, MREMAP_MAYMOVE)
			     : mmap(NULL, room * sizeof *t->frames, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	t->frames = at;
	t->room = room;
	return true;
}

static bool frames_reserve(struct thread *t, uint32_t more)
{
	uint32_t room = t->room ? t->room : FRAMES_FIRST;

	while (room - t->depth < more)
		room *= 2;
	return room == t->room || frames_grow(t, room);
}

void stack_push(struct thread *t, py_frame *frame)
{
	if (unlikely(t->depth == t->room) && !frames_reserve(t, 1)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return;
	}
	stack_put(t, frame);
}

static void stack_cut(struct thread *t, uint32_t depth)
{
	t->depth = depth;
	t->top = depth ? t->frames[depth - 1] : NULL;
}

/* The same for a frame that may be looked into; 0: it was not written. */
static uint32_t stack_place(const struct thread *t, py_frame *frame)
{
	uint32_t place = stack_find(t, frame);

	return place && entry_is_true(t->frames[place - 1], frame) ? place : 0;
}

/* The event bytes up to p are complete: make them visible, and make room for the next. */
static uint8_t *step_on(struct thread *t, uint8_t *p)
{
	ring_commit(&t->ring, p);
	return p < t->ring.limit ? p : ring_refill(&t->ring, t->time_ticks);
}

/* A LINK with a commit of its own: a chain can be longer than a step has room for. */
/* The event is lost, but not what was written before it, because the shadow stack has that
 * already. */
static uint8_t *give_up(struct thread *t, uint8_t *p)
{
	ring_commit(&t->ring, p);
	return NULL;
}

uint8_t *step_tell_due(struct thread *t, uint8_t *p)
{
	py_frame *frame = t->top && frame_is_real(t->top) ? frame_unmarked(t->top) : NULL;

	if (!frame || (uintptr_t)t->top & MARK_TOLD || !frame_is_due(frame))
		return p;
	PyCodeObject *code = frame_code(frame);
	stack_mark(t, t->depth, MARK_TOLD);
	return event_write_line(p, code_known(code)->units[frame_unit(frame, code)].start - 1);
}

/* The unit at which its caller is. */
static uint32_t site_of(py_frame *frame)
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
	t->frames[below] = outside_frame(number, site_of(frame));
	stack_cut(t, below + 1);
	return step_on(t, event_write3(p, EVENT_LINK, number, 0, frame_unit(frame, code)));
}

/* As write_link, for a frame whose call is pending. */
static uint8_t *write_early(struct thread *t, uint8_t *p, py_frame *frame, uint32_t below)
{
	struct code_record *record = code_record(frame_code(frame));
	uint32_t site = site_of(frame);

	record->bottom |= site == EVENT_NO_SITE;
	stack_cut(t, below + 1);
	return step_on(t, step_tell_due(t, write_enter(t, p, site, record->number, 0)));
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
	if (unlikely(record->late)) {
		bool pending = frame_is_pending(frame);
		t->frames[below] = frame_marked(frame, pending ? MARK_EARLY : 0);
		if (pending && !(t->calls_lost && !below))
			return write_early(t, p, frame, below);
	}
	if (unlikely(frame_is_due(frame)))
		t->frames[below] = frame_marked(frame, MARK_TOLD);
	if (unlikely(record->late && frame_not_begun(frame)))
		t->frames[below] = frame_marked(frame, MARK_LINKED);
	stack_cut(t, below + 1);
	uint64_t generator =
		frame_in_generator(frame) && record->generator_like ? generator_of(frame) : 0;
	uint32_t unit = flags == EVENT_HIDDEN ? EVENT_NO_UNIT : frame_unit(frame, code);
	if (unlikely(frame == t->later))
		unit -= LOOK_UP_UNITS;
	return step_on(t, event_write3(p, EVENT_LINK | flags, record->number, generator, unit));
}

/* ---- greenlets ---- */

static uint8_t *write_here(struct thread *t, uint8_t *p)
{
	py_frame *frame = frame_unmarked(t->top);

	p = step_tell_due(t, p);

	return event_write1(p, EVENT_AT, frame_unit(frame, frame_code(frame)));
}

static bool top_is_unheard(const struct thread *t)
{
	py_frame *frame = frame_unmarked(t->top);
	PyCodeObject *code = frame_code(frame);

	return line_is_unheard(t, frame, code_known(code), frame_unit(frame, code));
}

/* Write where the top frame is: what it did last is known then, and comes before the frame above
 * it. Not if a trace function, which is called before the line is recorded, is above it: the line
 * is still to come. */
static uint8_t *write_at(struct thread *t, uint8_t *p)
{
	if (ENGINE_TRACES || !t->top || !frame_is_real(t->top) || top_is_unheard(t))
		return p;
	return step_on(t, write_here(t, p));
}

/* Another greenlet runs: the shadow stack is empty from here on. */
static uint8_t *write_greenlet(struct thread *t, uint8_t *p)
{
	p = write_at(t, p);
	if (!p)
		return NULL;
	stack_cut(t, 0);
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
static bool is_root(py_frame *frame)
{
	py_frame *caller = frame_caller(frame);
	const struct code_record *record = code_record(frame_code(frame));

	return frame_in_generator(frame) && record && record->coroutine &&
	       !(caller && frame_may_await(caller));
}

/* The task whose root the next frame is, above depth `below`. begins: as task_find. */
static uint8_t *write_task(
	const struct thread *t, uint8_t *p, py_frame *frame, uint32_t below, bool begins)
{
	if (!below && t->greenlet)
		return write_greenlet_name(t, p);
	return is_root(frame) ? task_write(p, current_thread_state(), frame, begins) : p;
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
		base = code_is_left_out(frame_code(f)) ? 0 : stack_place(t, f);
		if (base)
			break;
		count++;
	}
	if (!base && greenlet_changed(t, false))
		p = write_greenlet(t, p);
	else if (t->depth > base)
		p = event_write1(p, EVENT_POPS, t->depth - base);
	stack_cut(t, base);
	if (!p)
		return NULL;
	if (!frames_reserve(t, count)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	p = write_at(t, step_on(t, p));
	if (!p)
		return NULL;
	py_frame *f = frame;
	for (uint32_t i = count; i; i--, f = frame_caller(f))
		t->frames[base + i - 1] = f;
	for (uint32_t i = 0; i < count && p; i++) {
		bool ours = moved && i + 1 == count;
		unsigned flags = !ours && runs_hidden(base, t->frames[base + i])
					 ? EVENT_HIDDEN
					 : link_flags(t, base + i, ours);
		p = write_task(t, p, t->frames[base + i], base + i,
			is_async_generator(t->frames[base + i]));
		p = write_link(t, p, t->frames[base + i], base + i, flags);
	}
	t->kept = 0;
	t->calls_lost = false;
	return p;
}

/* A foreign frame that is not on the shadow stack: it is above the Python frames there. */
static uint8_t *link_foreign(struct thread *t, uint8_t *p, py_frame *frame)
{
	PyCodeObject *code = (PyCodeObject *)((uintptr_t)frame & ~(uintptr_t)1);
	struct code_record *record = code_record(code);

	p = step_to_caller(t, p, top_frame(current_thread_state()));
	if (!p || !record)
		return p ? give_up(t, p) : NULL;
	p = event_write3(p, EVENT_LINK, record->number, 0, EVENT_NO_UNIT);
	stack_push(t, frame);
	return step_on(t, p);
}

/* The entry of the shadow stack at the address of a frame that has not begun is one that has
 * returned, with all above it. Or another tool raised instead of its first instruction: then it was
 * the last to be entered. */
static uint8_t *drop_stale(struct thread *t, uint8_t *p, uint32_t place)
{
	p = step_on(t, event_write1(p, EVENT_POPS, t->depth - place + 1));
	stack_cut(t, place - 1);
	return p;
}

/* moved: as in link_chain. */
static uint8_t *step_to(struct thread *t, uint8_t *p, py_frame *frame, bool moved)
{
	uint32_t place = stack_find(t, frame);

	bool stale = place && !frame_is_foreign(frame) &&
		     (frame_not_begun(frame) ? !(moved && was_entered(t, place, frame))
					     : !entry_is_true(t->frames[place - 1], frame));
	if (stale) {
		p = drop_stale(t, p, place);
		return p ? link_chain(t, p, frame, moved) : NULL;
	}
	if (!place)
		return frame_is_foreign(frame) ? link_foreign(t, p, frame)
					       : link_chain(t, p, frame, moved);
	if (t->depth > place)
		p = event_write1(p, EVENT_POPS, t->depth - place);
	stack_cut(t, place);
	return p;
}

/* ---- calls by code that is left out ---- */

/* The frame, which is left out, becomes the top, above depth `below`. */
static uint8_t *write_outside(struct thread *t, uint8_t *p, py_frame *frame, uint32_t below)
{
	PyCodeObject *code = frame_code(frame);
	uint32_t number = code_outside_number(code, code_record(code)), site = site_of(frame);

	if (!number)
		return give_up(t, p);
	t->frames[below] = outside_frame(number, site);
	stack_cut(t, below + 1);
	p = write_task(t, p, frame, below, true);
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
		if (place + i > t->depth ||
			t->frames[place + i - 1] != outside_frame(number, site_of(frame)) ||
			is_root(frame))
			kept = i - 1;
	}
	return kept;
}

static bool only_foreign_above(const struct thread *t, uint32_t place)
{
	for (uint32_t i = place; i < t->depth; i++)
		if (!frame_is_foreign(t->frames[i]))
			return false;
	return true;
}

/* Put the `count` frames from `frame` down, which are left out, above `place`. */
static uint8_t *put_outside(
	struct thread *t, uint8_t *p, py_frame *frame, uint32_t place, uint32_t count)
{
	uint32_t kept = outside_kept(t, frame, place, count);

	if (kept == count && only_foreign_above(t, place + count))
		return p;
	if (t->depth > place + kept)
		p = step_on(t, event_write1(p, EVENT_POPS, t->depth - place - kept));
	stack_cut(t, place + kept);
	if (p && !frames_reserve(t, count - kept)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	for (uint32_t i = count; i > kept; i--, frame = frame_caller(frame))
		t->frames[place + i - 1] = frame;
	for (uint32_t i = kept; i < count && p; i++)
		p = write_outside(t, p, t->frames[place + i], place + i);
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
	place = inside ? stack_place(t, inside) : 0;
	if (inside && (!place || frame_not_begun(inside))) {
		p = step_to(t, p, inside, false);
		place = t->depth;
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
	uint32_t place = stack_find(t, frame);

	if (place)
		p = drop_stale(t, p, place);
	return p ? link_chain(t, p, frame, true) : NULL;
}

uint8_t *step_to_caller(struct thread *t, uint8_t *p, py_frame *caller)
{
	uint32_t place = t->depth;

	if (!caller && greenlet_changed(t, true))
		return write_greenlet(t, p);
	if (caller && code_is_left_out(frame_code(caller)))
		return step_to_outside(t, p, caller);
	if (caller && entry_is(t->top, caller) && !frame_not_begun(caller) &&
		entry_is_true(t->top, caller))
		return p;
	/* foreign frames above the caller stay: it is they that call */
	while (place && frame_is_foreign(t->frames[place - 1]))
		place--;
	if (place < t->depth && entry_is(place ? t->frames[place - 1] : NULL, caller) &&
		(!caller || entry_is_true(t->frames[place - 1], caller)))
		return p;
	if (caller)
		return step_to(t, p, caller, false);
	if (t->depth)
		p = event_write1(p, EVENT_POPS, t->depth);
	stack_cut(t, 0);
	return p;
}

/* ---- a forked child ---- */

/* The child's stream begins at its first event, but lines and returns without an event may have
 * come before that. So it begins with the stack as it was at the fork, and the reader fills them in
 * from there.
 *
 *	the program    pid = fork()   if not pid:   x = 3 (a witness)
 *	the child      LINKs: at fork()             LINE
 *
 * Only the thread that forked is in the child, and what it has not run yet is unchanged. */
static bool keep_stood(struct stood *out, py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *record = code_known(code);

	if (!record || (record->left_out && !record->number))
		return false;
	bool generator = frame_in_generator(frame) && record->generator_like;
	*out = (struct stood){.frame = frame,
		.generator = generator ? generator_of(frame) : 0,
		.number = record->number,
		.unit = frame_unit(frame, code)};
	if (is_root(frame))
		task_find(current_thread_state(), frame, false, &out->task);
	if (frame_is_pending(frame))
		out->frame = frame_marked(frame, MARK_EARLY);
	if (frame_is_due(frame))
		out->frame = frame_marked(frame, MARK_TOLD);
	if (record->left_out)
		out->frame = outside_frame(record->number, site_of(frame));
	return true;
}

static void forget_stood(void)
{
	if (root.stood)
		munmap(root.stood, root.stood_count * sizeof *root.stood);
	root.stood = NULL;
	root.stood_count = 0;
}

/* If each line is recorded nothing comes before the first event, unless no event is reported; a
 * thread that forked without the GIL runs no Python in the child. */
static py_frame *stands_in_child(void)
{
	bool told = root.tells_lines && !tools_are_all_taken();
	const PyThreadState *ts = ENGINE_TRACES || told ? NULL : current_thread_state();

	return ts ? frame_recorded(top_frame(ts)) : NULL;
}

void thread_stands_at_fork(void)
{
	py_frame *top = stands_in_child();
	uint32_t count = 0;

	forget_stood();
	for (py_frame *f = top; f; f = frame_caller(f))
		count++;
	void *at = count ? mmap(NULL, count * sizeof *root.stood, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			 : MAP_FAILED;
	if (at == MAP_FAILED)
		return;
	root.stood = at;
	root.stood_count = count;
	root.stood_unheard = tools_are_all_taken();
	root.stood_pid = (uint32_t)getpid();
	for (uint32_t i = 0; i < count; i++, top = frame_caller(top)) {
		if (!keep_stood(&root.stood[i], top)) {
			forget_stood();
			return;
		}
	}
}

/* Has the thread that was forked run anything since, without an event? Before an exec it usually
 * has not. */
static bool went_on_unheard(void)
{
	bool forked = root.stood && root.stood_pid == (uint32_t)syscall(SYS_gettid);
	py_frame *top = forked ? stands_in_child() : NULL;

	return top && (!entry_is(root.stood->frame, top) ||
			      frame_unit(top, frame_code(top)) != root.stood->unit);
}

/* In the child, where only the thread that forked goes on: link its frames from the bottom up, as a
 * reader pushes them, each TASK directly before the frame that is its root. If no tool id is free,
 * nothing will be reported of these frames: a gap says so, and they are taken off again. */
static uint8_t *write_stood(struct thread *t, uint8_t *p)
{
	uint32_t count = root.stood_count;

	if (t->native_id != root.stood_pid)
		return p;
	if (!frames_reserve(t, count)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	for (const struct stood *s = root.stood + count; s-- > root.stood && p;) {
		t->frames[t->depth] = (py_frame *)(uintptr_t)s->frame;
		stack_cut(t, t->depth + 1);
		if (s->task.number)
			p = event_write_task(p, s->task.number, s->task.name, s->task.length);
		p = step_on(t, event_write3(p, EVENT_LINK, s->number, s->generator, s->unit));
	}
	if (root.stood_unheard && p) {
		p = event_write2(p, EVENT_GAP, PL_GAP_TOOLS, 0);
		p = event_write1(p, EVENT_POPS, t->depth);
		stack_cut(t, 0);
	}
	forget_stood();
	return p;
}

/* ---- the slow half of a step ---- */

static uint8_t *write_idle(struct thread *t, uint8_t *p)
{
	uint64_t before = t->idle_from > t->time_ticks ? t->idle_from - t->time_ticks : 0;

	p = event_write2(p, EVENT_IDLE, before, t->idle_ticks);
	t->idle_ticks = 0;
	return p;
}

static uint8_t *write_idle_and_time(struct thread *t, uint8_t *p)
{
	return write_time(t, t->idle_ticks ? write_idle(t, p) : p, now_ticks());
}

/* The thread that wrote before is named with its position in its stream: so the two streams are
 * related where the GIL changed hands. Its state is still there when the thread is not
 * (take_state). */
static bool take_ring(struct thread *t)
{
	return !atomic_exchange_explicit(&t->taken, true, memory_order_acquire);
}

static void give_ring_back(struct thread *t)
{
	atomic_store_explicit(&t->taken, false, memory_order_release);
}

/* The frame on its shadow stack in which another thread is. One that has not begun or was not
 * resumed yet is skipped. 0: not known. The shadow stack may still have a frame that returned, at
 * the address of a new one, which will have an event after its RESUME. */
static uint32_t stands_at(const struct thread *t, py_frame *frame)
{
	for (frame = frame_recorded(frame); frame; frame = frame_recorded(frame_caller(frame))) {
		uint32_t place = stack_find(t, frame);
		if (place && frame_not_resumed(frame) &&
			!((uintptr_t)t->frames[place - 1] & MARK_STANDS))
			place = 0;
		if (place &&
			(frame_not_begun(frame) || !entry_is_true(t->frames[place - 1], frame)))
			return 0;
		if (place)
			return place;
	}
	return 0;
}

/* How many frames that are left out are above `place`, called from where the frame there is. */
static uint32_t outside_above(const struct thread *t, uint32_t place)
{
	py_frame *frame = frame_unmarked(t->frames[place - 1]);
	uint32_t i = place, site = frame_unit(frame, frame_code(frame));

	while (i < t->depth && frame_is_outside(t->frames[i]))
		i++;
	bool called = i > place && outside_site(t->frames[place]) == (site & OUTSIDE_SITE_MAX);
	return called ? i - place : 0;
}

/* The frame and its callers that are pending: their calls were before now. NULL: there was no room
 * for one. */
static uint8_t *write_untold(struct thread *t, uint8_t *p, py_frame *frame)
{
	py_frame *const top = frame;
	uint32_t count = 0, place = 0;

	for (; frame && !frame_not_begun(frame); frame = frame_caller(frame)) {
		place = stack_place(t, frame);
		if (place)
			break;
		if (!frame_is_pending(frame))
			return p;
		count++;
	}
	if (!count || !place || !frames_reserve(t, count))
		return p;
	if (t->depth > place)
		p = event_write1(p, EVENT_POPS, t->depth - place);
	stack_cut(t, place);
	frame = top;
	for (uint32_t i = count; i; i--, frame = frame_caller(frame))
		t->frames[place + i - 1] = frame;
	for (uint32_t i = 0; i < count && p; i++) {
		frame = t->frames[place + i];
		p = write_enter(t, p, site_of(frame), code_known(frame_code(frame))->number, 0);
		stack_put(t, frame_marked(frame, MARK_EARLY));
		p = step_on(t, step_tell_due(t, p));
	}
	return p;
}

uint8_t *thread_write_owed(struct thread *t, uint8_t *p)
{
	p = event_write1(p, EVENT_AGAIN | EVENT_OPEN, t->owes - 1);
	t->owes = 0;
	return p;
}

/* A pass is written before its jump, at which the interpreter may release the GIL. If a thread is
 * still there, the pass is to come. Or it has been, and this is the next time around, of which
 * another tool was called before us. So when it came is not known, once it is written. Returns
 * where the stream ends now. */
static uint8_t *take_back(struct thread *t, const PyThreadState *ts)
{
	const size_t ahead = ring_ahead(&t->ring);
	py_frame *frame = ahead ? top_frame(ts) : NULL;
	uint8_t here[EVENT_BYTES_MAX];

	while (frame && ts->tracing && !entry_is(t->top, frame)) /* the frames of a callback */
		frame = frame_caller(frame);
	if (!frame || !entry_is(t->top, frame))
		return t->ring.at;
	const uint32_t unit = frame_unit(frame, frame_code(frame));
	const size_t bytes = (size_t)(event_write1(here, EVENT_AGAIN, unit) - here);
	if (bytes != ahead || memcmp(t->ring.at - ahead, here, bytes) != 0)
		return t->ring.at;
	t->owes = unit + 1;
	return t->ring.at - ahead;
}

/* Is it where it was when the pass was taken back? */
static bool stands_at_owed(const struct thread *t, py_frame *frame)
{
	return entry_is(t->top, frame) && frame_unit(frame, frame_code(frame)) + 1 == t->owes;
}

/* Another thread waits for the GIL, or is in C: write in its stream where it is, as if that were
 * its own event. What it did since its last event is known then, and was before this switch. In a
 * callback of another tool it may be on a line that is not recorded. `last`: no event of the thread
 * can follow, so this one has a time, before which all that has no event ran. */
static void write_stand(struct thread *t, PyThreadState *ts, bool last)
{
	py_frame *frame = ts && !t->fresh ? top_frame(ts) : NULL;
	uint8_t *p = t->ring.at;

	if (!frame || !p || p >= t->ring.limit)
		return;
	const bool owed = t->owes;
	p = take_back(t, ts);
	if (last)
		p = write_time(t, p, now_ticks());
	if (ts->tracing) {
		if (owed) /* no callback comes between the jump and its target */
			p = thread_write_owed(t, p);
		ring_commit(&t->ring, p);
		return;
	}
	if (t->owes && !stands_at_owed(t, frame))
		p = thread_write_owed(t, p);
	p = write_untold(t, p, frame);
	if (!p) {
		event_lose(t);
		return;
	}
	uint32_t place = stands_at(t, frame);
	if (!place || frame_is_foreign(t->frames[place - 1])) {
		ring_commit(&t->ring, p);
		return;
	}
	uint32_t outside = !entry_is(t->frames[place - 1], frame) ? outside_above(t, place) : 0;
	if (place + outside < t->depth)
		p = event_write1(p, EVENT_POPS, t->depth - place - outside);
	stack_cut(t, place + outside);
	if (!outside)
		p = write_here(t, p);
	ring_commit(&t->ring, p);
}

/* It is at the jump of a pass that was just taken back. */
static void hear_landing(const struct thread *t)
{
	PyCodeObject *code = frame_code(frame_unmarked(t->top));

	hot_hear_landing(code, code_known(code), t->lands - 1);
}

static void tell_stand(struct thread *t)
{
	if (ENGINE_TRACES || !take_ring(t))
		return;
	const bool owed = t->owes; /* a thread's end writes it, with the ring */
	if (!atomic_load_explicit(&t->ended, memory_order_acquire))
		write_stand(t, root.describing ? NULL : thread_state_of(t->native_id), false);
	if (landings_are_heard() && !owed && t->owes)
		hear_landing(t);
	give_ring_back(t);
}

static uint8_t *write_switch(struct thread *t, uint8_t *p)
{
	struct thread *before = root.last;

	if (before)
		tell_stand(before);

	root.last = t;
	root.switches++;
	atomic_store_explicit(&root.slot->switches, root.switches, memory_order_relaxed);
	return event_write3(p, EVENT_SWITCH, root.switches, before ? before->number + 1 : 0,
		before ? ring_position(&before->ring) : 0);
}

/* After a loss the reader knows nothing of the stack: empty it; the next event links what is
 * there. */
static uint8_t *write_loss(struct thread *t, uint8_t *p)
{
	if (t->lost)
		p = event_write2(p, EVENT_GAP,
			root.arena.head->on_full == FULL_DROP ? PL_GAP_DROPPED : PL_GAP_FULL,
			t->lost);
	if (t->depth && t->known)
		p = event_write1(p, EVENT_POPS, t->depth);
	stack_cut(t, 0);
	if (t->greenlets)
		greenlets_lost(t);
	t->calls_lost = t->lost != 0;
	t->lost = 0;
	t->fresh = false;
	return p;
}

/* A C thread can have one state for each call of Python. */
static void tell_state(struct thread *t)
{
	const PyThreadState *ts = current_thread_state();

	if (ts == t->state_told)
		return;
	t->state_told = ts;
	ring_set_state(&t->ring, (uintptr_t)ts);
}

static void look_each_tick(struct thread *t, uint64_t tick)
{
	if (tick == t->tick_looked)
		return;
	t->tick_looked = tick;
	tell_state(t);
	interpreters_look();
	if (--t->ticks_to_name == 0) {
		t->ticks_to_name = NAME_CHECK_TICKS;
		thread_check_name(t);
	}
}

static bool stamps_all(const struct thread *t)
{
	return root.arena.head->stamps == STAMPS_LINE || (root.section_count && sections_on(t));
}

/* Looking for room costs a walk over the arena, and the collector a system call, so not at every
 * lost event. */
#define LOST_PER_LOOK 256u
#define LOST_PER_CALL (64 * LOST_PER_LOOK)

/* A time is written after each refill as well: the chunk's open_ticks is the last time that was
 * written, and a block may begin there. Without room `at` does not change, so the next event comes
 * here again. */
uint8_t *step_slow(struct thread *t, uint8_t *p)
{
	bool full = p >= t->ring.limit;
	t->calls_lost = false;
	if ((full && t->lost % LOST_PER_LOOK) ||
		atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return NULL;
	uint64_t tick = atomic_load_explicit(&root.arena.head->tick, memory_order_relaxed);
	if (full) {
		p = ring_refill(&t->ring, t->time_ticks);
		if (!p) {
			if (t->lost % LOST_PER_CALL == 0 &&
				!ring_collector_alive(&root.arena, root.slot))
				recorder_stop(PL_GAP_COLLECTOR);
			return NULL;
		}
		p = write_idle_and_time(t, p);
	} else if (tick != t->tick) {
		p = write_idle_and_time(t, p);
		look_each_tick(t, tick);
	}
	t->tick = stamps_all(t) ? NO_TICK : tick;
	if (root.last != t)
		p = write_switch(t, p);
	if (t->owes)
		p = thread_write_owed(t, p);
	if (t->fresh)
		p = write_loss(t, p);
	t->known = true;
	return unlikely(root.stood != NULL) ? write_stood(t, p) : p;
}

/* ---- its life ---- */

/* If another thread has the ring's lock, it releases it without waiting for any other. */
static void stand_killed(struct thread *t)
{
	while (!take_ring(t))
		sched_yield();
	write_stand(t, PyGILState_GetThisThreadState(), true);
	give_ring_back(t);
}

/* This thread, outside of an event, writes where it is. */
static void tell_own_stand(PyThreadState *ts)
{
	uint8_t *p = step(self);

	if (!p)
		return;
	py_frame *frame = frame_recorded(top_frame(ts));
	if (!frame)
		p = step_to_caller(self, p, NULL);
	else if (!entry_is(self->top, frame) || !entry_is_true(self->top, frame))
		p = step_to_frame(self, p, frame);
	p = p ? write_at(self, p) : NULL;
	if (p)
		ring_commit(&self->ring, p);
}

void thread_begins_to_tell(void)
{
	PyThreadState *ts = self ? current_thread_state() : NULL;

	for (struct thread *t = root.threads; t; t = t->next)
		t->stale = true;
	if (!ts || ts->tracing || root.describing || root.forked)
		return;
	tell_own_stand(ts);
	self->stale = false;
}

/* If there is no room, or the place in the ring is in use, it is as with a lost event. */
static void lose_the_path(struct thread *t, enum pl_gap_reason reason)
{
	uint8_t *p = t != self ? t->ring.at : root.describing ? NULL : step(t);

	if (p && p < t->ring.limit)
		ring_commit(&t->ring, event_write2(p, EVENT_GAP, reason, 0));
	else
		event_lose(t);
	t->fresh = true;
	t->tick = NO_TICK;
	t->line_frame = NULL;
}

void threads_lose_the_path(enum pl_gap_reason reason)
{
	for (struct thread *t = root.threads; t; t = t->next) {
		if (t != self && (t->fresh || !take_ring(t)))
			continue;
		if (!atomic_load_explicit(&t->ended, memory_order_acquire))
			lose_the_path(t, reason);
		if (t != self)
			give_ring_back(t);
	}
}

void thread_leaves(bool killed)
{
	/* the last event of a forked child may be its first */
	bool first = went_on_unheard() && (self || thread_begin());
	bool records =
		self && !root.forked && !atomic_load_explicit(&root.stopped, memory_order_relaxed);
	if (records && killed && !first) {
		stand_killed(self);
		return;
	}
	PyThreadState *ts = records ? current_thread_state() : NULL;
	if (ts)
		tell_own_stand(ts);
}

/* Its last frames may have returned without an event. A thread that the finished interpreter ended
 * in the middle of them still has its state. */
static void pop_the_rest(struct thread *t)
{
	bool returned = t->depth && !t->fresh && !interpreter_finalizing() &&
			!PyGILState_GetThisThreadState();

	uint8_t *p = t->ring.at;

	if (!returned || !p || p >= t->ring.limit)
		return;
	if (t->owes)
		p = thread_write_owed(t, p);
	ring_commit(&t->ring, event_write1(p, EVENT_POPS, t->depth));
}

/* Runs without the GIL: it changes nothing that others write. */
static void thread_end(void *p)
{
	struct thread *t = p;

	self = NULL;
	while (!take_ring(t))
		sched_yield();
	if (!ENGINE_TRACES)
		pop_the_rest(t);
	ring_close(&t->ring);
	atomic_store_explicit(&t->ended, true, memory_order_release);
	give_ring_back(t);
}

int thread_init(void)
{
	return pthread_key_create(&at_thread_end, thread_end);
}

/* States of ended threads are used again, except the thread that wrote last: its position must
 * still be written. */
static struct thread *take_state(void)
{
	for (struct thread *t = root.threads; t; t = t->next)
		if (t != root.last && atomic_load_explicit(&t->ended, memory_order_acquire))
			return t;
	struct thread *t =
		mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t == MAP_FAILED)
		return NULL;
	t->next = root.threads;
	root.threads = t;
	return t;
}

/* Numbers are given in the order in which threads are first seen. The state may be that of an ended
 * thread, whose shadow stack's memory it keeps. */
struct thread *thread_begin(void)
{
	if (atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return NULL;
	if (root.forked && !process_begin_in_child())
		return NULL;
	struct thread *t = take_state();
	if (!t || (!t->frames && !frames_grow(t, FRAMES_FIRST))) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	py_frame **frames = t->frames;
	uint32_t room = t->room;
	struct thread *next = t->next;
	*t = (struct thread){
		.frames = frames, .room = room, .next = next, .number = root.thread_count++};
	t->native_id = (uint64_t)syscall(SYS_gettid);
	t->time_ticks = now_ticks();
	t->ticks_to_name = 1;
	t->fresh = true;
	t->owes = 0;
	ring_init(&t->ring, &root.arena, root.slot, t->number);
	t->ring.native_id = (uint32_t)t->native_id;
	tell_state(t);
	sections_of_new_thread(t);
	self = t;
	pthread_setspecific(at_thread_end, t);
	thread_check_name(t);
	return t;
}

/* fork leaves one thread, and rings that belong to the parent. States are kept to be used again;
 * the thread that writes first in the child gets number 0. */
void thread_forget_all(void)
{
	for (struct thread *t = root.threads; t; t = t->next) {
		ring_forget(&t->ring);
		atomic_store_explicit(&t->ended, true, memory_order_relaxed);
	}
	sections_forked();
	self = NULL;
	root.last = NULL;
	root.thread_count = 0;
}
