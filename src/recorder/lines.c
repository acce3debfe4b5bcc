/* LINE, and INSTRUCTION in its place: the callbacks of witnesses. As hooks.c. */
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"

#include "base/expect.h"
#include "bytecode/passes.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/emit.h"
#include "recorder/emit_fast.h"
#include "recorder/emit_slow.h"
#include "recorder/hooks.h"
#include "recorder/passes.h"
#include "recorder/root.h"
#include "recorder/sections.h"
#include "recorder/shadow.h"
#include "recorder/spared.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "recorder/tiers/tiers.h"
#include "recorder/values/values.h"
#include "ring/ring.h"

static PyObject *line_slow(PyCodeObject *code, PyObject *line_number);
static PyObject *instruction_slow(PyObject *const *args);

/* The slow half of LINE, or, `moved`, of INSTRUCTION, which reports a witness of hot code. */
__attribute__((always_inline)) static inline PyObject *witness_slow(
	PyObject *const *args, bool moved)
{
	return moved ? instruction_slow(args) : line_slow(code_of(args), args[1]);
}

/* The frame is the top of the shadow stack, and p is where the ring goes on after what was written
 * before it. */
static inline void witness_write(struct thread *t, uint8_t *p, uint32_t start)
{
	ring_commit(&t->ring, event_write_line(p, start - 1));
}

/* May the event there take the fast path? */
static inline bool unit_is_plain(uint32_t bits, bool moved)
{
	_Static_assert((HEARD_MOVED & HEARD_MOVES) && !(HEARD_MAY_MOVE & HEARD_MOVES),
		"of who is heard by INSTRUCTION this bit is set");
	return moved ? (bits & UNIT_BITS(.pass = PASS_ALWAYS, .heard = 3, .later = 1)) ==
			       UNIT_BITS(.heard = HEARD_MOVED)
		     : (bits & UNIT_BITS(.witness = 1, .pass = PASS_TELLS, .heard = HEARD_MOVES)) ==
			       UNIT_BITS(.witness = 1);
}

/* Did another tool get the LINE before us, and may it have moved the frame (f_lineno)? */
static inline bool may_be_moved(const PyCodeObject *code, uint32_t unit)
{
	return others_hear_line(code, unit, root.tool);
}

/* Another pass of a loop, reported before the jump. */
__attribute__((noinline)) static PyObject *again_fast(struct thread *t, py_frame *frame,
	const struct code_record *r, uint32_t unit, PyObject *const *args)
{
	uint8_t *p = t->ring.at;
	uint32_t bits = unit_bits(r->units[unit]);
	bool plain = (bits & UNIT_BITS(.heard = 3)) == UNIT_BITS(.heard = HEARD_MOVED);

	if (!plain || !unit_is_pass(bits) || root.first_move.record || step_is_slow_inline(t, p))
		return instruction_slow(args);
	if (t->shadow.top != frame) {
		uint32_t place = place_below(t, frame);
		if (!place)
			return instruction_slow(args);
		p = drop_to(t, p, place);
	}
	ring_commit_ahead(&t->ring, p, event_write1(p, EVENT_AGAIN, unit));
	Py_RETURN_NONE;
}

/* The number of the line start that the event there is of; 0: none. INSTRUCTION is reported after
 * the unit that looks it up. */
__attribute__((always_inline)) static inline uint32_t witness_start(
	const struct code_record *r, uint32_t unit, uint32_t bits, bool moved)
{
	const uint32_t start_bits = UNIT_BITS(.start = START_MAX);

	if (moved && unlikely(!(bits & start_bits)))
		bits = unit_bits(r->units[unit - LOOK_UP_UNITS]);
	return bits & start_bits;
}

/* The frame that wrote last is at a witness, or its caller is, with nothing to write before it:
 * most events. If not, the slow path. Nothing is called on the way, so no register is saved. */
__attribute__((always_inline)) static inline PyObject *witness_event(
	PyObject *const *args, bool moved)
{
	struct thread *t = self;
	PyCodeObject *code = code_of(args);
	struct plain_event e;

	if (!t || root.policy.lines || !plain_look(&e, t, code, gil_holder_seen(t)))
		return witness_slow(args, moved);
	struct code_record *r = (struct code_record *)code_mark(code);
	uint32_t unit = frame_unit_or_none(e.frame, code);
	if (unit >= r->unit_count)
		return witness_slow(args, moved);
	if (!moved && unlikely(e.frame->frame_obj != NULL) && may_be_moved(code, unit))
		return witness_slow(args, moved);
	uint32_t bits = unit_bits(r->units[unit]);
	uint8_t *p = t->ring.at;
	if (!unit_is_plain(bits, moved))
		return moved ? again_fast(t, e.frame, r, unit, args) : witness_slow(args, false);
	uint32_t start = witness_start(r, unit, bits, moved);
	if (!start || step_is_slow(t, p))
		return witness_slow(args, moved);
	if (!moved && unlikely(++r->lines_heard == root.hot_lines))
		return witness_slow(args, moved);
	if (t->shadow.top != e.frame) {
		uint32_t place = place_below(t, e.frame);
		if (!place || shadow_has(&t->shadow, place, MARK_TOLD))
			return witness_slow(args, moved);
		p = drop_to(t, p, place);
	} else if (moved && shadow_has(&t->shadow, t->shadow.depth, MARK_TOLD)) {
		return witness_slow(args, moved);
	}
	witness_write(t, p, start);
	Py_RETURN_NONE;
}

/* A line that follows from the path: is it in a section? */
static bool section_wants(const struct emit *e)
{
	struct code_record *r = e->record;

	if (!r->facts.section || (root.section_count && sections_on(e->thread)))
		return r->facts.section;
	if (!--r->section_lines)
		section_is_over(r);
	return false;
}

/* Make room for the witness. */
static bool witness_make_room(struct emit *e, uint32_t unit)
{
	if (!emit_make_room_inside(e))
		return false;
	if (unlikely(root.policy.lines)) {
		e->thread->line_frame = e->frame;
		e->thread->line_unit = unit;
	}
	return true;
}

/* Is the frame elsewhere than at the reported line? A trace function, which has a frame object, is
 * called before us. If it set f_lineno, the reported line will not run. A line number before the
 * code's first line proves nothing: 3.14 and later keep the distance from the first line as an
 * unsigned number, and report another line. */
static bool line_is_moved(const struct emit *e, const PyCodeObject *code, uint32_t start, long told)
{
	int32_t line = e->record->lines[start - 1];

	return e->frame->frame_obj && line >= code->co_firstlineno && line != told;
}

__attribute__((noinline)) static PyObject *line_slow(PyCodeObject *code, PyObject *line_number)
{
	struct emit e;

	if (!emit_look(&e, code))
		return nothing_here(&e);
	uint32_t unit = emit_unit(&e);
	if (e.record && e.record->straight && !code_policy(e.record).hears) {
		spare_more_lines(code, unit);
		return Py_NewRef(hook_disable); /* all follow from the path */
	}
	bool begins = e.record && tier_concerns_line(e.record) && tier_line(code, e.record, unit);
	struct code_unit here = e.record ? emit_start(&e, unit) : (struct code_unit){0};
	if (here.start && !here.witness && !code_policy(e.record).lines && !section_wants(&e))
		return Py_NewRef(e.record->facts.section
					 ? Py_None
					 : hook_disable); /* it follows from the path */
	if (e.record && unit_tells_later(e.record, unit))
		return Py_NewRef(hook_disable);
	if (!witness_make_room(&e, unit))
		Py_RETURN_NONE;
	const long told = PyLong_AsLong(line_number);
	if (here.start && unlikely(line_is_moved(&e, code, here.start, told)))
		here.start = 0;
	if (unlikely(here.pass & PASS_TELLS))
		passes_line(e.frame, here.pass & PASS_ENTERS ? unit : unit + 1);
	uint8_t *p = e.record->values ? values_of_line(&e, e.at) : e.at;
	if (likely(here.start != 0))
		emit_end(&e, event_write_line(p, here.start - 1));
	else
		emit_end(&e, event_write_line_at(p, unit, told));
	bool moves = here.heard >= HEARD_MOVES && !here.later &&
		     tier_line_moves(e.thread, e.frame, e.record, unit, begins);
	return Py_NewRef(moves ? hook_disable : Py_None);
}

PyObject *on_line(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	return witness_event(args, false);
}

static bool lands_here(const struct thread *t, uint32_t unit)
{
	bool ended = atomic_load_explicit(&t->ended, memory_order_relaxed);

	return t->owes && t->lands == unit + 1 && !ended;
}

/* The thread has the GIL again, and did nothing since its jump: the pass begins now. */
static void pass_lands(struct emit *e)
{
	const uint32_t jump = e->thread->owes - 1;

	e->thread->owes = 0;
	if (emit_make_room_inside(e))
		emit_end(e, event_write1(values_of_line(e, e->at), EVENT_AGAIN, jump));
}

/* Several threads may owe a pass of the same code. */
static PyObject *landing_slow(struct emit *e, uint32_t unit)
{
	if (e->record && lands_here(e->thread, unit) && e->thread->shadow.top == e->frame)
		pass_lands(e);
	for (const struct thread *t = root.threads; t; t = t->next)
		if (lands_here(t, unit))
			Py_RETURN_NONE;
	return Py_NewRef(hook_disable);
}

/* INSTRUCTION fires at a unit, before it runs: in hot code it takes the place of LINE at witnesses
 * and of JUMP at the ends of loops (hot.c), as it is cheaper there. What it finds: a place where a
 * pass that is owed begins; a pass; a place that is only counted; a witness, at its own
 * unit, or, later, LOOK_UP_UNITS after it. */
__attribute__((noinline)) static PyObject *instruction_slow(PyObject *const *args)
{
	struct emit e;
	PyCodeObject *code = code_of(args);
	uint32_t unit = unit_of(args[1]);
	bool lines_told = root.policy.lines;

	if (!emit_look(&e, code))
		return nothing_here(&e);
	if (landings_are_heard())
		return landing_slow(&e, unit);
	bool heard = e.record && tier_instruction(e.thread, e.frame, e.record, unit);
	if (heard && unit_is_pass(unit_bits(e.record->units[unit]))) {
		if (e.record->units[unit].heard == HEARD_MOVED && emit_make_room_inside(&e))
			emit_end_ahead(&e, event_write1(e.at, EVENT_AGAIN, unit));
		Py_RETURN_NONE;
	}
	if (!heard || e.record->units[unit].heard < HEARD_MOVES)
		return Py_NewRef(heard ? Py_None : hook_disable);
	bool later = !e.record->units[unit].start;
	struct code_unit here = e.record->units[later ? unit - LOOK_UP_UNITS : unit];
	uint32_t place = shadow_find(&e.thread->shadow, e.frame);
	if (later && place && shadow_has(&e.thread->shadow, place, MARK_TOLD)) {
		shadow_mark(&e.thread->shadow, place, MARK_NONE);
		Py_RETURN_NONE;
	}
	bool told = here.heard == HEARD_MOVED && !(later && lines_told);
	e.thread->later = later ? e.frame : NULL;
	if (told && witness_make_room(&e, unit))
		emit_end(&e, event_write_line(e.at, here.start - 1));
	e.thread->later = NULL;
	Py_RETURN_NONE;
}

PyObject *on_instruction(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	return witness_event(args, true);
}
