/* The recorder comes into a program that runs, and leaves it.
 *
 *   attach   start, as in a new program; then for each thread: GAP attached, LINKs of its stack
 *   leave    each thread's way up to here, GAP detached; hooks, tool id, functions of the
 *            interpreter and handlers of signals are given back; records of code are freed
 *
 * Both run with the GIL, so no other thread changes its frames. What cannot be given back stays,
 * and does nothing: handlers of fork and of the interpreter's end, an index of co_extra, the
 * library. `self` of other threads cannot be reached: their states stay, and get new rings when the
 * recorder comes again.
 */
#include "recorder/recorder.h"

#include <string.h>
#include "base/buf.h"
#include "format/event.h"
#include "pathline/event.h"
#include "recorder/code.h"
#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/trace_function.h"
#include "recorder/engine.h"
#include "recorder/fork.h"
#include "recorder/generators.h"
#include "recorder/globals.h"
#include "recorder/greenlets.h"
#include "recorder/link.h"
#include "recorder/names.h"
#include "recorder/passes.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/signals.h"
#include "recorder/source.h"
#include "recorder/step.h"
#include "recorder/switch.h"
#include "recorder/thread.h"
#include "recorder/values/kept.h"
#include "recorder/window.h"
#include "ring/ring.h"

#define ENTRY __attribute__((visibility("default")))

/* ---- what is on the stacks ---- */

/* Asks for memory, so code of the program may run. false: one of them cannot be described. */
static bool describe_frames(py_frame *frame)
{
	bool all = true;

	for (; frame && all; frame = frame_caller(frame)) {
		frame_is_elsewhere(frame);
		all = code_record(frame_code(frame)) != NULL;
	}
	frame_is_elsewhere(NULL);
	return all;
}

/* Its first frame that has begun, does not wait to be resumed, and is not left out by a filter: the
 * path shows those only where they call what is recorded. */
static py_frame *standing_frame(const PyThreadState *ts)
{
	py_frame *frame = top_frame(ts);

	while (frame &&
		(frame_not_begun(frame) || frame_not_resumed(frame) ||
			frame_may_begin_again(ts, frame) || code_is_left_out(frame_code(frame))))
		frame = frame_caller(frame);
	return frame;
}

/* Where `self` is another thread's for a moment. */
static uint8_t *write_links(struct thread *t, uint8_t *p, py_frame *frame, PyThreadState *ts)
{
	struct thread *own = self;

	self = t;
	p = step_link_all(t, p, frame, ts);
	self = own;
	return p;
}

/* The tick is looked at already: what else is done then concerns the thread that runs. */
static void write_stack(struct thread *t, PyThreadState *ts)
{
	t->tick_looked = atomic_load_explicit(&root.arena.head->tick, memory_order_relaxed);
	uint8_t *p = step(t);

	p = p ? step_on(t, event_write2(p, EVENT_GAP, PL_GAP_ATTACHED, 0)) : NULL;
	p = p ? write_links(t, p, standing_frame(ts), ts) : NULL;
	if (p)
		ring_commit(&t->ring, p);
	else
		event_lose(t);
}

/* Code of the program may have run while codes were described, and the thread be gone. */
static bool is_alive(const PyThreadState *ts)
{
	const PyThreadState *known = PyInterpreterState_ThreadHead(PyInterpreterState_Main());

	while (known && known != ts)
		known = PyThreadState_Next((PyThreadState *)known);
	return known != NULL;
}

static void tell_stack(PyThreadState *ts)
{
	if (!top_frame(ts) || !describe_frames(top_frame(ts)) || !is_alive(ts) || !top_frame(ts))
		return;
	const bool own = ts == current_thread_state();
	struct thread *t = own ? self ? self : thread_begin() : thread_begin_for(ts);
	if (t && t->fresh && describe_frames(top_frame(ts))) {
		/* one of an earlier recording has not told it in this one */
		thread_check_name(t, ts);
		write_stack(t, ts);
	}
	hooks_take_stack(ts);
}

/* Its events tell it later. */
static void take_stack(PyThreadState *ts)
{
	if (top_frame(ts) && describe_frames(top_frame(ts)) && is_alive(ts))
		hooks_take_stack(ts);
}

/* Which greenlet a thread is in is asked at its own events. */
static bool has_greenlets(void)
{
	return module_attribute("greenlet", "getcurrent") != NULL;
}

#define THREADS_MAX 4096

/* The states first: the list may change while code is described. */
static void for_each_stack(void (*each)(PyThreadState *ts))
{
	static PyThreadState *states[THREADS_MAX];
	uint32_t count = 0;
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main());

	for (; ts && count < THREADS_MAX; ts = PyThreadState_Next(ts))
		states[count++] = ts;
	while (count--)
		if (is_alive(states[count]))
			each(states[count]);
}

/* ---- leaving ---- */

static void forget_recording(void)
{
	codes_forget();
	kept_forget_all();
	names_forget();
	strings_forget();
	fork_forget();
	greenlets_forget();
	generators_forget();
	passes_forget_all();
	source_begin();
	buf_reset(&root.command);
	buf_reset(&root.command_text);
	buf_reset(&root.executable);
	buf_reset(&root.interpreter);
	buf_reset(&root.stdlib_dir);
	memset(&root.filter, 0, sizeof root.filter);
	memset(&root.values_of, 0, sizeof root.values_of);
	root.filters = root.keeps_values = root.keeps_lines = false;
	root.flight = root.looks_at_unwinds = false;
	root.section_count = 0;
	root.tasks = root.switches = 0;
	root.fork_parent = root.shared_codes = 0;
	root.last = NULL;
}

static void leave_arena(void)
{
	struct process_slot *slot = root.slot;

	root.slot = NULL;
	root.forked = false;
	if (root.slot_out)
		atomic_store_explicit(root.slot_out, NULL, memory_order_release);
	if (slot) {
		ring_close(&root.messages);
		atomic_store_explicit(&slot->end, SLOT_END_DETACHED, memory_order_release);
		atomic_store_explicit(&slot->state, SLOT_DONE, memory_order_release);
	}
	arena_unmap(&root.arena);
	root.arena = (struct arena){0};
}

ENTRY int pathline_recorder_leave(const char **why)
{
	uint32_t none = 0;

	if (!root.arena.head)
		return 0;
	if (root.describing) {
		*why = "the recorder is at work in another thread";
		return -1;
	}
	if (root.slot && !atomic_load(&root.stopped))
		threads_end_the_path(PL_GAP_DETACHED);
	atomic_compare_exchange_strong(&root.stopped, &none, PL_GAP_DETACHED + 1);
	hooks_remove();
	signals_remove();
	threads_leave();
	leave_arena();
	forget_recording();
	root.left = true;
	return 0;
}

/* In the main thread, between two instructions. Somebody may have attached it again meanwhile. */
static int leave_now(void *data)
{
	const struct raised raised = raised_take();
	const char *why;
	(void)data;

	if (atomic_load(&root.stopped))
		pathline_recorder_leave(&why);
	raised_give_back(raised);
	return 0;
}

/* If the interpreter has no room for it, the hooks are off all the same. */
static void leave_soon(void)
{
	Py_AddPendingCall(leave_now, NULL);
}

/* ---- coming ---- */

static void begin_again(void)
{
	atomic_store(&root.stopped, 0);
	root.traced = false;
	root.hot_in_vain = 0;
	root.moves_seen = false;
	root.describing = 0;
}

ENTRY int pathline_recorder_attach(const struct recorder_start *start, const char **why)
{
	if (root.arena.head && pathline_recorder_leave(why) < 0)
		return -1;
	if (!hooks_reach_all(why))
		return -1;
	begin_again();
	root.leave_soon = leave_soon;
	if (pathline_recorder_start(start, why) < 0) {
		hooks_give_back();
		root.arena = (struct arena){0}; /* the caller's */
		root.slot = NULL;
		if (root.slot_out)
			atomic_store_explicit(root.slot_out, NULL, memory_order_release);
		atomic_store(&root.stopped, PL_GAP_UNKNOWN + 1);
		forget_recording();
		root.left = true;
		root.leave_soon = NULL;
		return -1;
	}
	if (has_greenlets())
		hooks_tell_lines();
	for_each_stack(has_greenlets() ? take_stack : tell_stack);
	PyErr_Clear();
	return 0;
}
