/* The hooks: one callback an event of sys.monitoring. This is the hot path.
 *
 * Each finds its thread and frame, makes a step's room, and writes a few bytes. Nothing here
 * raises, allocates, locks, or calls the system once the code object is known; what is not known
 * goes to the slow halves in thread.c and code.c.
 */
#include "recorder/hooks.h"

/* Everything that a callback starts from. */
struct moment {
	struct thread *thread;
	PyThreadState *state;
	PyCodeObject *code;
	py_frame *frame;
	struct code_record *record;
	uint8_t *at;
};

static void lose(struct thread *t)
{
	t->lost++;
	t->fresh = true;
	if (root.slot)
		atomic_fetch_add_explicit(&root.slot->lost, 1, memory_order_relaxed);
}

/* Find out where we are and make room; false: the event is lost, and counted. */
static inline bool begin(struct moment *m, PyObject *const *args)
{
	m->code = (PyCodeObject *)args[0];
	m->thread = self ? self : thread_begin();
	if (!m->thread)
		return false;
	m->state = current_thread_state();
	m->frame = current_frame(m->state);
	if (__builtin_expect(!m->frame || frame_code(m->frame) != m->code, 0))
		m->frame = foreign_frame(m->code);
	m->record = code_record(m->code);
	m->at = m->record ? step(m->thread) : NULL;
	if (__builtin_expect(!m->at, 0)) {
		lose(m->thread);
		return false;
	}
	return true;
}

/* begin, for an event of a frame that has been entered already: it becomes the top of the shadow
 * stack. */
static inline bool begin_inside(struct moment *m, PyObject *const *args)
{
	if (!begin(m, args))
		return false;
	if (__builtin_expect(m->thread->top != m->frame, 0)) {
		m->at = step_to_frame(m->thread, m->at, m->frame);
		if (!m->at) {
			lose(m->thread);
			return false;
		}
	}
	return true;
}

static inline void end(struct moment *m, uint8_t *p)
{
	ring_commit(&m->thread->ring, p);
}

static inline uint32_t moment_unit(const struct moment *m)
{
	return __builtin_expect(frame_is_foreign(m->frame), 0) ? EVENT_NO_UNIT
							       : frame_unit(m->frame, m->code);
}

/* The unit that the event's own offset names. */
static uint32_t moment_offset(const struct moment *m, PyObject *offset)
{
	return frame_is_foreign(m->frame)
		       ? EVENT_NO_UNIT
		       : (uint32_t)(PyLong_AsLong(offset) / (long)sizeof(_Py_CODEUNIT));
}

/* The frame of Python below this one; NULL: none. */
static inline py_frame *moment_caller(const struct moment *m)
{
	return __builtin_expect(frame_is_foreign(m->frame), 0) ? top_frame(m->state)
							       : frame_caller(m->frame);
}

/* ---- entries ---- */

/* The name of the task whose root this coroutine is, if it is one: entered by an event loop, or
 * eagerly. */
static uint8_t *write_task(struct moment *m, py_frame *caller, bool started, uint8_t *p)
{
	char name[EVENT_TEXT_MAX];

	if (!m->record->coroutine || frame_is_foreign(m->frame) || !frame_in_generator(m->frame))
		return p;
	if (caller && frame_in_generator(caller) && !started)
		return p;
	size_t length = task_name(m->state, frame_generator(m->frame), name);
	return length ? event_write_text(p, EVENT_TASK, name, length) : p;
}

/* Bring the stack to the caller; gives the site, or EVENT_NO_SITE; m->at NULL: lost. */
static uint32_t at_caller(struct moment *m, py_frame *caller)
{
	if (m->thread->top != caller)
		m->at = step_to_caller(m->thread, m->at, caller);
	if (m->thread->top != caller) /* C code that reports itself called */
		return EVENT_NO_UNIT;
	return caller ? frame_unit(caller, frame_code(caller)) : EVENT_NO_SITE;
}

PyObject *on_start(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (!begin(&m, args))
		Py_RETURN_NONE;
	py_frame *caller = moment_caller(&m);
	uint32_t site = at_caller(&m, caller);
	if (!m.at) {
		lose(m.thread);
		Py_RETURN_NONE;
	}
	uint64_t generator =
		m.record->generator_like && !frame_is_foreign(m.frame) ? generator_new(m.frame) : 0;
	uint8_t *p = event_write_enter(m.at, site, m.record->number, generator);
	stack_push(m.thread, m.frame);
	end(&m, generator ? write_task(&m, caller, true, p) : p);
	Py_RETURN_NONE;
}

static void reenter(PyObject *const *args, enum event_kind kind)
{
	struct moment m;

	if (!begin(&m, args))
		return;
	py_frame *caller = moment_caller(&m);
	uint32_t site = at_caller(&m, caller);
	if (!m.at) {
		lose(m.thread);
		return;
	}
	uint8_t *p = event_write_resume(m.at, kind, site, m.record->number,
		frame_is_foreign(m.frame) ? 0 : generator_of(m.frame), moment_unit(&m));
	stack_push(m.thread, m.frame);
	end(&m, write_task(&m, caller, false, p));
}

static PyObject *on_resume(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	reenter(args, EVENT_RESUME);
	Py_RETURN_NONE;
}

static PyObject *on_throw(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	reenter(args, EVENT_THROW);
	Py_RETURN_NONE;
}

/* ---- inside ---- */

static PyObject *on_line(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (!begin_inside(&m, args))
		Py_RETURN_NONE;
	uint32_t unit = moment_unit(&m);
	struct code_unit here =
		unit < m.record->unit_count ? m.record->units[unit] : (struct code_unit){0};
	/* A trace function, which has a frame object, is called before us: if it has set f_lineno, the frame stands
	 * elsewhere than at the line that is told, and which will not run. */
	if (here.start && __builtin_expect(m.frame->frame_obj != NULL, 0) &&
		here.line != PyLong_AsLong(args[1]))
		here.start = 0;
	if (__builtin_expect(here.start != 0, 1))
		end(&m, event_write_line(m.at, here.start - 1));
	else
		end(&m, event_write2(m.at, EVENT_LINE_AT, unit, (uint64_t)PyLong_AsLong(args[1])));
	Py_RETURN_NONE;
}

static PyObject *on_raise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	uint32_t type = exception_type_number(args[2]);
	if (begin_inside(&m, args))
		end(&m, event_write2(m.at, EVENT_RAISE, moment_unit(&m), type));
	Py_RETURN_NONE;
}

static PyObject *on_reraise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	uint32_t type = exception_type_number(args[2]);
	if (begin_inside(&m, args))
		end(&m, event_write3(m.at, EVENT_RERAISE, moment_offset(&m, args[1]),
				moment_unit(&m), type));
	Py_RETURN_NONE;
}

static PyObject *on_handled(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	uint32_t type = exception_type_number(args[2]);
	if (begin_inside(&m, args))
		end(&m, event_write2(m.at, EVENT_HANDLED, moment_offset(&m, args[1]), type));
	Py_RETURN_NONE;
}

/* ---- exits ---- */

static PyObject *on_return(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (begin_inside(&m, args)) {
		end(&m, event_write1(m.at, EVENT_LEAVE, moment_unit(&m)));
		stack_pop(m.thread);
		if (m.record->generator_like)
			generator_gone(m.frame);
	}
	Py_RETURN_NONE;
}

static PyObject *on_yield(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (begin_inside(&m, args)) {
		end(&m, event_write1(m.at, EVENT_SUSPEND, moment_unit(&m)));
		stack_pop(m.thread);
	}
	Py_RETURN_NONE;
}

static PyObject *on_unwind(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (begin_inside(&m, args)) {
		end(&m, event_write0(m.at, EVENT_UNWIND));
		stack_pop(m.thread);
		if (m.record->generator_like)
			generator_gone(m.frame);
	}
	Py_RETURN_NONE;
}

/* ---- the table ---- */

/* clang-format off */
#define HOOK(name, is_local, function) {name, is_local, function, {PyObject_HEAD_INIT(&hook_type) NULL}}

struct hook_row hooks[] = {
	HOOK("PY_START", true, on_start),
	HOOK("PY_RESUME", true, on_resume),
	HOOK("PY_THROW", false, on_throw),
	HOOK("LINE", true, on_line),
	HOOK("PY_RETURN", true, on_return),
	HOOK("PY_YIELD", true, on_yield),
	HOOK("PY_UNWIND", false, on_unwind),
	HOOK("RAISE", false, on_raise),
	HOOK("RERAISE", false, on_reraise),
	HOOK("EXCEPTION_HANDLED", false, on_handled),
};
/* clang-format on */
const size_t hook_count = sizeof hooks / sizeof *hooks;
