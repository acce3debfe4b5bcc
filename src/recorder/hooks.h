/* The callbacks of sys.monitoring as objects: a static type of our own with a vectorcall slot,
 * because calling a PyCFunction would take a level of C recursion from the program.
 *
 * hooks.c and lines.c hold the callbacks and nothing else: with emit.h and the two beside it they
 * are the hot path, linked against an allow-list of symbols that a test checks (no malloc, no
 * lock, no I/O, no call that can run Python code).
 *
 * The interpreter calls with the GIL, and calls none while a callback of this thread runs (it
 * counts them in the thread state's `tracing`, Python/instrumentation.c). args are borrowed:
 *
 *	PY_START PY_RESUME                    code, offset
 *	PY_RETURN PY_YIELD                    code, offset, value
 *	PY_THROW PY_UNWIND RAISE RERAISE
 *	EXCEPTION_HANDLED                     code, offset, exception
 *	LINE                                  code, line
 *	INSTRUCTION                           code, offset
 *	JUMP                                  code, offset, target's offset
 *
 * What a callback returns is None, or DISABLE for "not here again" where the event is local. It
 * never fails: a callback that raises would raise in the program.
 */
#ifndef PL_RECORDER_HOOKS_H
#define PL_RECORDER_HOOKS_H

#include "recorder/compat/python.h"
#include "base/expect.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/emit.h"
#include "recorder/emit_fast.h"
#include "recorder/thread.h"

/* clang-format off */
struct hook {
	PyObject_HEAD
	vectorcallfunc call; /* replaced when the recorder stops itself */
};
/* clang-format on */

struct hook_row {
	const char *event; /* in sys.monitoring.events */
	bool local;	   /* its callback may return DISABLE */
	enum {
		HEARD_ALWAYS,
		HEARD_FOR_PASSES, /* unless --passes none */
		HEARD_IN_HOT_CODE /* only there: tiers/hot.c asks for it */
	} where;
	vectorcallfunc function;
	struct hook hook;
	vectorcallfunc stamped; /* with --clock call: the same, with a stamp; NULL: it has none */
	long number;		/* of the event, once it is enabled; else 0 */
};

/* One for each event, and the same with a stamp (stamped.c), for those that have one. */
#define HOOK_IS(name)                                                                              \
	PyObject *name(PyObject *hook, PyObject *const *args, size_t n, PyObject *names);          \
	PyObject *name##_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
HOOK_IS(on_start);
HOOK_IS(on_resume);
HOOK_IS(on_throw);
HOOK_IS(on_line);
HOOK_IS(on_return);
HOOK_IS(on_yield);
HOOK_IS(on_unwind);
HOOK_IS(on_raise);
HOOK_IS(on_instruction);
HOOK_IS(on_reraise);
HOOK_IS(on_handled);
HOOK_IS(on_jump);
#undef HOOK_IS

extern PyTypeObject hook_type;
extern PyObject *hook_disable; /* sys.monitoring.DISABLE; owned */
extern struct hook_row hooks[];
extern const size_t hook_count;

static inline PyCodeObject *code_of(PyObject *const *args)
{
	return (PyCodeObject *)args[0];
}

/* The code unit of an event's own offset, which is in bytes. */
static inline uint32_t unit_of(PyObject *offset)
{
	const PyLongObject *l = (const PyLongObject *)offset;
	long bytes = PyUnstable_Long_IsCompact(l) ? PyUnstable_Long_CompactValue(l)
						  : PyLong_AsLong(offset);

	return (uint32_t)bytes / (uint32_t)sizeof(_Py_CODEUNIT);
}

/* As unit_of, if that calls nothing; EVENT_NO_UNIT: it would. An offset is never below 0. */
static inline uint32_t unit_fast(PyObject *offset)
{
	const PyLongObject *l = (const PyLongObject *)offset;

	return PyUnstable_Long_IsCompact(l)
		       ? l->long_value.ob_digit[0] / (uint32_t)sizeof(_Py_CODEUNIT)
		       : EVENT_NO_UNIT;
}

/* What a callback returns if `thrown` was set when it was called (it was taken away, because what
 * we ask the interpreter must not find it). Cython reports the start or resume of a generator into
 * which an exception is being thrown while that exception is set; with a result it would become a
 * SystemError. Without a result Cython goes where the exception would have sent it. */
static inline PyObject *take_thrown(PyThreadState *state)
{
	PyObject *thrown = state->current_exception;

	state->current_exception = NULL;
	return thrown;
}

/* As state_seen; also NULL if an exception is set. */
static inline PyThreadState *state_at_ease(const struct thread *t)
{
	PyThreadState *seen = state_seen(t);

	return seen && !seen->current_exception ? seen : NULL;
}

static inline PyObject *result_beside(PyObject *thrown, PyObject *result)
{
	if (likely(thrown == NULL))
		return Py_NewRef(result);
	PyErr_SetRaisedException(thrown);
	return NULL;
}

/* emit_look found nothing to record. Code that is left out is disabled here. */
static inline PyObject *nothing_here(const struct emit *e)
{
	return Py_NewRef(emit_is_left_out(e) ? hook_disable : Py_None);
}

#endif
