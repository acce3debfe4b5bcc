/* A forked child begins where its parent was. */
#include "recorder/fork.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "format/event.h"
#include "pathline/event.h"
#include "recorder/code.h"
#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/generators.h"
#include "recorder/link.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/tasks.h"
#include "recorder/thread.h"
#include "recorder/tools.h"
#include "recorder/window.h"

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
	*out = (struct stood){.entry = entry_of_frame(frame, MARK_NONE),
		.generator = generator ? generator_of(frame) : 0,
		.number = record->number,
		.unit = frame_unit(frame, code)};
	if (frame_is_root(frame))
		task_find(current_thread_state(), frame, false, &out->task);
	if (frame_is_due(frame))
		out->entry.mark = MARK_TOLD;
	if (record->left_out)
		out->entry = entry_left_out(record->number, frame_site(frame));
	return true;
}

void fork_forget(void)
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
	bool told = root.policy.lines && !tools_are_all_taken();
	const PyThreadState *ts = ENGINE_TRACES || told ? NULL : current_thread_state();

	return ts ? frame_recorded(top_frame(ts)) : NULL;
}

void thread_stands_at_fork(void)
{
	py_frame *top = stands_in_child();
	uint32_t count = 0;

	fork_forget();
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
			fork_forget();
			return;
		}
	}
}

/* Has the thread that was forked run anything since, without an event? Before an exec it usually
 * has not. */
bool went_on_unheard(void)
{
	bool forked = root.stood && root.stood_pid == (uint32_t)syscall(SYS_gettid);
	py_frame *top = forked ? stands_in_child() : NULL;

	return top && (root.stood->entry.frame != top ||
			      frame_unit(top, frame_code(top)) != root.stood->unit);
}

/* In the child, where only the thread that forked goes on: link its frames from the bottom up, as a
 * reader pushes them, each TASK directly before the frame that is its root. If no tool id is free,
 * nothing will be reported of these frames: a gap says so, and they are taken off again. */
uint8_t *write_stood(struct thread *t, uint8_t *p)
{
	uint32_t count = root.stood_count;

	if (t->native_id != root.stood_pid)
		return p;
	if (!shadow_reserve(&t->shadow, count)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	for (const struct stood *s = root.stood + count; s-- > root.stood && p;) {
		shadow_put(&t->shadow, s->entry);
		if (s->task.number)
			p = event_write_task(p, s->task.number, s->task.name, s->task.length);
		p = step_on(t, event_write3(p, EVENT_LINK, s->number, s->generator, s->unit));
	}
	if (root.stood_unheard && p) {
		p = event_write2(p, EVENT_GAP, PL_GAP_TOOLS, 0);
		p = event_write1(p, EVENT_POPS, t->shadow.depth);
		shadow_cut(&t->shadow, 0);
	}
	fork_forget();
	return p;
}
