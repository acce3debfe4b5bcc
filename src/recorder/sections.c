/* Sections in which each event is stamped, for `pathline.precise_timestamping()`.
 *
 * A section belongs to what began it. In a generator or coroutine (the innermost one on the stack)
 * that is its frame: the section is on where that frame is on the stack, whatever thread runs it,
 * and other tasks are not stamped while it waits. Otherwise it is the thread, or the greenlet.
 *
 * A thread in a section has no tick (NO_TICK), so each of its steps takes the slow path, which
 * stamps, and checks whether the thread still is in a section. A coroutine that resumes is noticed
 * by a mark at its code (code_record.sections). A thread without a section pays nothing.
 *
 * An event that is disabled because it follows from the path cannot be stamped. So when code first
 * runs in a section all of it is enabled again, and stays so (policy_facts.section) until it often
 * ran outside; otherwise a section in a loop would enable the whole program again at each pass.
 *
 * With the GIL.
 */
#include "recorder/sections.h"

#include "recorder/code.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/engine.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/thread.h"

#define HEARD_IN_VAIN 1000

static struct section *section_find(uint64_t id)
{
	for (uint32_t i = 0; i < root.section_count; i++)
		if (root.sections[i].id == id)
			return &root.sections[i];
	return NULL;
}

static const py_frame *generator_on_stack(void)
{
	py_frame *frame = top_frame(current_thread_state());

	while (frame && !frame_in_generator(frame))
		frame = frame_caller(frame);
	if (!frame)
		return NULL;
	struct code_record *record = code_record(frame_code(frame));
	if (record)
		record->sections = record->in_full = true;
	return frame;
}

bool section_hears(const struct thread *t, struct code_record *r)
{
	struct policy_facts facts = r->facts;
	bool heard = facts.section;

	if (!root.section_count || !sections_on(t))
		return false;
	facts.section = true;
	r->section_lines = HEARD_IN_VAIN;
	code_judge(r, facts);
	return !heard;
}

void section_is_over(struct code_record *r)
{
	struct policy_facts facts = r->facts;

	facts.section = false;
	code_judge(r, facts);
}

/* Any frame on the stack may continue in the section. */
static void hear_stack(void)
{
	py_frame *frame = top_frame(current_thread_state());
	bool some = false;

	for (; frame; frame = frame_caller(frame)) {
		struct code_record *r = code_known(frame_code(frame));
		if (r && !r->left_out)
			some |= section_hears(self, r);
	}
	if (some)
		hooks_hear_again();
}

uint64_t section_begin(void)
{
	if (!self || root.section_count == SECTIONS_MAX ||
		atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return 0;
	const py_frame *frame = generator_on_stack();
	root.sections[root.section_count++] = (struct section){.id = ++root.section_ids,
		.frame = frame,
		.thread = self,
		.greenlet = self->greenlet};
	self->tick = NO_TICK;
	hear_stack();
	return root.section_ids;
}

void section_end(uint64_t id)
{
	struct section *s = section_find(id);

	if (s)
		*s = root.sections[--root.section_count];
}

bool sections_on(const struct thread *t)
{
	for (uint32_t i = 0; i < root.section_count; i++) {
		const struct section *s = &root.sections[i];
		if (s->frame ? shadow_find(&t->shadow, s->frame)
			     : s->thread == t && s->greenlet == t->greenlet)
			return true;
	}
	return false;
}

/* Its state may be that of a thread that was killed in a section. In a forked child the thread that
 * forked continues with its own. */
void sections_of_new_thread(struct thread *t)
{
	for (uint32_t i = root.section_count; i-- > 0;) {
		struct section *s = &root.sections[i];
		if (s->thread == t)
			section_end(s->id);
		else if (!s->thread)
			s->thread = t;
	}
	if (root.section_count)
		t->tick = NO_TICK;
}

void sections_forked(void)
{
	for (uint32_t i = root.section_count; i-- > 0;) {
		struct section *s = &root.sections[i];
		if (s->thread == self)
			s->thread = NULL;
		else
			section_end(s->id);
	}
}
