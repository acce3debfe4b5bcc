/* The hooks: one callback an event of sys.monitoring. This is the hot path, with moment.h. */
#include "recorder/hooks.h"

#include "bytecode/passes.h"

#include "recorder/moment.h"

/* The code unit of an event's own offset, which is in bytes. */
static uint32_t unit_of(PyObject *offset)
{
	const PyLongObject *l = (const PyLongObject *)offset;
	long bytes = PyUnstable_Long_IsCompact(l) ? PyUnstable_Long_CompactValue(l)
						  : PyLong_AsLong(offset);

	return (uint32_t)bytes / (uint32_t)sizeof(_Py_CODEUNIT);
}

/* moment_look found nothing to record. Code that is left out is not heard of again at this place. */
static PyObject *nothing_here(const struct moment *m)
{
	return Py_NewRef(moment_is_left_out(m) ? hook_disable : Py_None);
}

/* false: it is not to be heard of again, being left out or told late */
__attribute__((noinline)) static bool enter_in_full(PyCodeObject *code, PyThreadState *state)
{
	struct code_record *record = code_record(code);

	if (record && record->late && !root.tells_calls && !thread_is_traced(state))
		return false;
	if (__builtin_expect(record && record->plan, 0))
		plan_enter(code, record);
	return record_enter(code, state, MARK_EARLY);
}

PyObject *on_start(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	PyThreadState *state = current_thread_state();
	PyObject *thrown = take_thrown(state);
	(void)hook, (void)n, (void)names;

	bool heard = enter_at_once(code_of(args), state) || enter_in_full(code_of(args), state);
	return result_beside(thrown, heard ? Py_None : hook_disable);
}

__attribute__((noinline)) static bool resume_in_full(PyCodeObject *code, PyThreadState *state)
{
	return record_reenter(code, state, EVENT_RESUME);
}

PyObject *on_resume(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	PyThreadState *state = current_thread_state();
	PyObject *thrown = take_thrown(state);
	(void)hook, (void)n, (void)names;

	bool heard = resume_at_once(code_of(args), state) || resume_in_full(code_of(args), state);
	return result_beside(thrown, heard ? Py_None : hook_disable);
}

PyObject *on_throw(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_reenter(code_of(args), current_thread_state(), EVENT_THROW);
	Py_RETURN_NONE;
}

/* Brings the shadow stack to the caller of a frame that is told late; NULL: the frame itself was told early, or something else is
 * unusual, and nothing was done. */
static inline uint8_t *begin_at_caller(
	struct thread *t, const py_frame *frame, uint8_t *p, uint32_t *site)
{
	py_frame *caller = plain_caller(frame);

	*site = told_site(caller);
	if (*site == EVENT_NO_SITE || t->depth == t->room)
		return NULL;
	if (entry_is(t->top, caller))
		return p;
	uint32_t place = frame_is_real(t->top) ? place_below(t, caller) : 0;
	bool told = place && t->frames[place] != frame && entry_is(t->frames[place], frame);
	return place && !told ? drop_to(t, p, place) : NULL;
}

/* Its call. Apart, so that a line alone saves no registers for it. */
static __attribute__((noinline)) uint8_t *begin_at_once(
	struct thread *t, py_frame *frame, uint8_t *p, const struct code_record *r)
{
	uint32_t site;

	p = begin_at_caller(t, frame, p, &site);
	if (!p)
		return NULL;
	p = plain_write_enter(t, p, site, r);
	stack_put(t, frame);
	t->entered = frame;
	return p;
}

/* A witness of the frame that wrote last or its caller, with nothing to stand before it: most events by far. `moved`: it is heard by INSTRUCTION. false: nothing was done. */
__attribute__((always_inline)) static inline bool witness_at_once(PyCodeObject *code, bool moved)
{
	struct thread *t = self;
	intptr_t mark = code_mark(code);

	if (!t || mark <= 0 || root.tells_lines)
		return false;
	struct code_record *r = (struct code_record *)mark;
	PyThreadState *ts = current_thread_state();
	py_frame *frame = current_frame(ts);
	if (!frame || frame_code(frame) != code || (!moved && frame->frame_obj) ||
		thread_is_traced(ts))
		return false;
	uint32_t unit = frame_unit_or_none(frame, code);
	if (unit >= r->unit_count)
		return false;
	const struct code_unit *here = &r->units[unit];
	uint8_t *p = t->ring.at;
	if (moved ? here->heard != HEARD_MOVED || here->later
		  : !here->witness || here->pass & PASS_TELLS || here->heard >= HEARD_MOVES)
		return false;
	if (moved && !here->start)
		here -= LOOK_UP_UNITS;
	uint32_t start = here->start;
	if (!start || step_is_slow(t, p))
		return false;
	if (!moved && __builtin_expect(++r->lines_heard == root.hot_lines, 0))
		return false;
	if (__builtin_expect(here->begins, 0)) {
		p = begin_at_once(t, frame, p, r);
		if (!p)
			return false;
	} else if (!entry_is(t->top, frame)) {
		uint32_t place = place_below(t, frame);
		if (!place || (uintptr_t)t->frames[place - 1] & MARK_TOLD)
			return false;
		p = drop_to(t, p, place);
	} else if (moved && (uintptr_t)t->top & MARK_TOLD) {
		return false;
	}
	ring_commit(&t->ring, event_write_line(p, start - 1));
	return true;
}

/* A line that the path shows: is it of a section? */
static bool section_wants(const struct moment *m)
{
	if (!m->record->precise || (root.section_count && sections_on(m->thread)))
		return m->record->precise;
	m->record->precise--;
	return false;
}

/* The call is told here, if it was not. While all lines are told a frame may come back to here, and the mark stays. */
static void begin_in_full(struct moment *m)
{
	struct thread *t = m->thread;
	uint32_t place = stack_find(t, m->frame);

	if (!place || !((uintptr_t)t->frames[place - 1] & MARK_EARLY))
		record_enter(m->code, m->state, root.tells_lines ? MARK_EARLY : 0);
	else if (!root.tells_lines)
		stack_mark(t, place, 0);
}

/* Room for the witness, and its call before it, if that is told by it. */
static bool witness_begin(struct moment *m, uint32_t unit, struct code_unit here)
{
	if (__builtin_expect(here.begins, 0))
		begin_in_full(m);
	if (!moment_make_room_inside(m))
		return false;
	if (__builtin_expect(root.tells_lines, 0)) {
		m->thread->line_frame = m->frame;
		m->thread->line_unit = unit;
	}
	return true;
}

/* By this LINE, or it was and its lines have been counted since. */
static bool is_hot(const struct code_record *r)
{
	return root.hot_lines && (r->lines_heard == root.hot_lines || (r->plan && plan_is_due(r)));
}

__attribute__((noinline)) static PyObject *line_in_full(PyCodeObject *code, PyObject *line_number)
{
	struct moment m;

	if (!moment_look(&m, code))
		return nothing_here(&m);
	uint32_t unit = moment_unit(&m);
	bool begins = m.record && is_hot(m.record) && hot_begins(code, m.record, unit);
	if (__builtin_expect(m.record && m.record->plan, 0))
		plan_line(code, m.record, unit);
	struct code_unit here = m.record ? moment_start(&m, unit) : (struct code_unit){0};
	if (here.start && !here.witness && !root.tells_lines && !section_wants(&m))
		return Py_NewRef(
			m.record->precise ? Py_None : hook_disable); /* it is known from the path */
	if (m.record && unit_tells_later(m.record, unit))
		return Py_NewRef(hook_disable);
	if (!witness_begin(&m, unit, here))
		Py_RETURN_NONE;
	/* A trace function, which has a frame object, is called before us: if it has set f_lineno,
	 * the frame stands elsewhere than at the line that is told, and which will not run. */
	if (here.start && __builtin_expect(m.frame->frame_obj != NULL, 0) &&
		here.line != PyLong_AsLong(line_number))
		here.start = 0;
	if (__builtin_expect(here.pass & PASS_TELLS, 0))
		passes_line(m.frame, unit);
	if (__builtin_expect(here.start != 0, 1))
		moment_end(&m, event_write_line(m.at, here.start - 1));
	else
		moment_end(&m, event_write2(m.at, EVENT_LINE_AT, unit,
				       (uint64_t)PyLong_AsLong(line_number)));
	bool moves = here.heard >= HEARD_MOVES && !here.later &&
		     hot_line_moves(m.thread, m.frame, m.record, unit, begins);
	return Py_NewRef(moves ? hook_disable : Py_None);
}

PyObject *on_line(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (__builtin_expect(witness_at_once(code_of(args), false), 1))
		Py_RETURN_NONE;
	return line_in_full(code_of(args), args[1]);
}

#if CODE_MAY_BE_HOT
__attribute__((noinline)) static PyObject *instruction_in_full(PyCodeObject *code, uint32_t unit)
{
	struct moment m;
	bool lines_told = root.tells_lines;

	if (!moment_look(&m, code))
		return nothing_here(&m);
	bool heard = m.record && hot_instruction_is_heard(m.thread, m.frame, m.record, unit);
	if (m.record && plan_is_counting(m.record))
		heard = plan_counts(m.record, unit);
	if (!heard || m.record->units[unit].heard < HEARD_MOVES)
		return Py_NewRef(heard ? Py_None : hook_disable);
	bool later = !m.record->units[unit].start;
	struct code_unit here = m.record->units[later ? unit - LOOK_UP_UNITS : unit];
	uint32_t place = stack_find(m.thread, m.frame);
	if (later && place && (uintptr_t)m.thread->frames[place - 1] & MARK_TOLD) {
		stack_mark(m.thread, place, 0);
		Py_RETURN_NONE;
	}
	bool told = here.heard == HEARD_MOVED && !(later && lines_told);
	if (told && witness_begin(&m, unit, here))
		moment_end(&m, event_write_line(m.at, here.start - 1));
	Py_RETURN_NONE;
}

PyObject *on_instruction(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (__builtin_expect(witness_at_once(code_of(args), true), 1))
		Py_RETURN_NONE;
	return instruction_in_full(code_of(args), unit_of(args[1]));
}
#endif

/* Forward jumps, and those back that cannot be AGAIN, are switched off where they run first. */
PyObject *on_jump(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (!moment_look(&m, code_of(args)) || !m.record)
		return nothing_here(&m);
	uint32_t unit = unit_of(args[1]); /* 3.12 has the frame at the target by now */
	uint32_t pass = moment_start(&m, unit).pass;
	if (!(pass & (PASS_ALWAYS | PASS_CHECK | PASS_TRACK)))
		return Py_NewRef(hook_disable);
	bool again = pass & PASS_ALWAYS;
	if (pass & (PASS_CHECK | PASS_TRACK))
		again |= passes_jump(m.frame, unit_of(args[2])) && pass & PASS_CHECK;
	if (again && moment_make_room_inside(&m))
		moment_end(&m, event_write1(m.at, EVENT_AGAIN, unit));
	Py_RETURN_NONE;
}

PyObject *on_raise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (!code_is_left_out(code_of(args)))
		record_raise(code_of(args), exception_type_number(args[2]),
			Py_IS_TYPE(args[2], (PyTypeObject *)PyExc_KeyboardInterrupt));
	Py_RETURN_NONE;
}

PyObject *on_reraise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (!code_is_left_out(code_of(args)))
		record_reraise(code_of(args), unit_of(args[1]), exception_type_number(args[2]));
	Py_RETURN_NONE;
}

PyObject *on_handled(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (!code_is_left_out(code_of(args)))
		record_handled(code_of(args), unit_of(args[1]), exception_type_number(args[2]));
	Py_RETURN_NONE;
}

__attribute__((noinline)) static PyObject *return_in_full(PyCodeObject *code, uint32_t unit)
{
	struct moment m;

	if (!moment_look(&m, code))
		return nothing_here(&m);
	unit = moment_told_unit(&m, unit);
	if (m.record && moment_start(&m, unit).silent && !m.record->bottom && !m.record->precise &&
		!root.tells_returns) {
		m.record->hushed = true; /* the next event shows that the frame is gone */
		return Py_NewRef(hook_disable);
	}
	record_return(&m, unit);
	Py_RETURN_NONE;
}

PyObject *on_return(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	uint32_t unit = unit_of(args[1]);
	if (root.tells_returns && return_at_once(code_of(args), current_thread_state(), unit))
		Py_RETURN_NONE;
	return return_in_full(code_of(args), unit);
}

__attribute__((noinline)) static bool yield_in_full(PyCodeObject *code, uint32_t unit)
{
	return record_yield(code, unit);
}

PyObject *on_yield(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	uint32_t unit = unit_of(args[1]);
	bool heard = yield_at_once(code_of(args), current_thread_state(), unit) ||
		     yield_in_full(code_of(args), unit);
	return Py_NewRef(heard ? Py_None : hook_disable);
}

PyObject *on_unwind(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_unwind(code_of(args));
	Py_RETURN_NONE;
}
