/* Debuggers: trace functions that the program sets, and frames that are moved (f_lineno). In a file
 * of their own, so that a program without them pays nothing. */
#include "recorder/traced.h"

#include "format/event.h"
#include "pathline/event.h"
#include "recorder/code.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/emit.h"
#include "recorder/engine.h"
#include "recorder/hooks.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/sysfunction.h"
#include "recorder/thread.h"

/* ---- trace functions that the program sets ---- */

static PyCFunction set_trace, set_trace_everywhere, call_tracing;

typedef PyObject *(*fast_function)(PyObject *module, PyObject *const *args, Py_ssize_t n);

/* Does what the program requests here affect what is recorded? */
static bool is_recorded(const PyThreadState *ts)
{
	return ts->interp == PyInterpreterState_Main() &&
	       !atomic_load_explicit(&root.stopped, memory_order_relaxed);
}

/* Does a trace function want each instruction of a frame? In any thread, because it may be set for
 * all. */
static bool instructions_are_traced(void)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main());

	for (; ts; ts = PyThreadState_Next(ts))
		for (py_frame *f = top_frame(ts); f; f = frame_caller(f))
			if (f->frame_obj && f->frame_obj->f_trace_opcodes)
				return true;
	return false;
}

/* From the next event on all of them are needed, and the first may be one that was disabled. If
 * frames wanted their instructions before, the interpreter forgets that when the function becomes a
 * second tool of their code (3.13 to 3.15): from then on it notes which tool has what, and begins
 * with none. */
static PyObject *traced_from_now(PyObject *result)
{
	const PyThreadState *ts = current_thread_state();

	if (!result || !is_recorded(ts) || !thread_is_traced(ts))
		return result;
	bool heard = root.policy.lines;
	hooks_are_traced();
	if (heard && instructions_are_traced())
		hooks_hear_again();
	return result;
}

static PyObject *own_set_trace_all(PyObject *module, PyObject *function)
{
	return traced_from_now(set_trace(module, function));
}

static PyObject *own_set_trace_everywhere(PyObject *module, PyObject *function)
{
	return traced_from_now(set_trace_everywhere(module, function));
}

/* Also in a callback of another tool, whose own frames have no events either, as those of a trace
 * function. */
static PyObject *own_call_tracing(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	if (is_recorded(current_thread_state()))
		hooks_are_traced();
	return ((fast_function)(void (*)(void))call_tracing)(module, args, n);
}

static PyCFunction method_of_fastcall(fast_function function)
{
	return (PyCFunction)(void (*)(void))function;
}

/* Trace functions that are set in C are found at the next event. */
static void take_functions(void)
{
	function_take(PySys_GetObject("settrace"), METH_O, own_set_trace_all, &set_trace);
	function_take(PySys_GetObject("_settraceallthreads"), METH_O, own_set_trace_everywhere,
		&set_trace_everywhere);
	function_take(PySys_GetObject("call_tracing"), METH_FASTCALL,
		method_of_fastcall(own_call_tracing), &call_tracing);
}

/* ---- frames that are moved ---- */

static setter set_line;

/* A thread with a trace function, which is called before us, shows it by the line that we get then.
 * So this is one that another tool moves, whose callback for lines comes after ours. */
static bool will_be_moved(struct emit *e, py_frame *frame)
{
	PyThreadState *ts = current_thread_state();
	py_frame *f = is_recorded(ts) && !thread_is_traced(ts) ? top_frame(ts) : NULL;

	while (f && f != frame)
		f = frame_caller(f);
	if (!f)
		return false;
	*e = (struct emit){.thread = self, .state = ts, .code = frame_code(f), .frame = f};
	e->record = code_known(e->code);
	return e->thread && e->record && !emit_is_left_out(e);
}

/* The lines that led there are written, and that it continues elsewhere. From now on each line is
 * recorded, because nothing else shows where that is. */
static int own_set_line(PyObject *object, PyObject *line, void *closure)
{
	struct emit e;
	bool moves = will_be_moved(&e, ((PyFrameObject *)object)->f_frame);

	if (moves && e.state->what_event == PY_MONITORING_EVENT_LINE && emit_make_room_inside(&e))
		emit_end(&e, event_write1(e.at, EVENT_AT, emit_unit(&e)));
	int result = set_line(object, line, closure);
	if (!moves || result)
		return result;
	if (emit_make_room_inside(&e))
		emit_end(&e, event_write2(e.at, EVENT_GAP, PL_GAP_JUMPED, 0));
	hooks_are_traced();
	return result;
}

/* The table of the type's attributes belongs to the interpreter and is writable data; as with
 * functions, it outlives the interpreter. */
static void take_line(void)
{
	PyObject *names = PyType_GetDict(&PyFrame_Type);
	PyObject *f_lineno = names ? PyDict_GetItemString(names, "f_lineno") : NULL;

	if (f_lineno && Py_IS_TYPE(f_lineno, &PyGetSetDescr_Type)) {
		PyGetSetDef *row = ((PyGetSetDescrObject *)f_lineno)->d_getset;
		if (row->set != own_set_line)
			set_line = row->set;
		row->set = own_set_line;
	}
	Py_XDECREF(names);
}

void traced_take(void)
{
	take_functions();
	take_line();
	PyErr_Clear();
}

void traced_give_back(void)
{
	PyObject *names = PyType_GetDict(&PyFrame_Type);
	PyObject *f_lineno = names ? PyDict_GetItemString(names, "f_lineno") : NULL;

	if (f_lineno && Py_IS_TYPE(f_lineno, &PyGetSetDescr_Type)) {
		PyGetSetDef *row = ((PyGetSetDescrObject *)f_lineno)->d_getset;
		if (row->set == own_set_line)
			row->set = set_line;
	}
	Py_XDECREF(names);
}

/* ---- what is enabled from then on ---- */

/* A frame that has begun begins again, where a debugger has moved it (f_lineno): what the reader
 * would take for its way to a return did not run. */
static void tell_begun_again(PyCodeObject *code, PyThreadState *state)
{
	struct emit e;

	if (!emit_look_in(&e, code, state))
		return;
	bool stale = e.thread->stale;
	e.thread->stale = false;
	if (!stale && !frame_is_foreign(e.frame) && e.frame->frame_obj &&
		shadow_find(&e.thread->shadow, e.frame) && emit_make_room_inside(&e))
		emit_end(&e, event_write2(e.at, EVENT_GAP, PL_GAP_JUMPED, 0));
}

PyObject *on_start_traced(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	bool stamped = root.arena.head->stamps == STAMPS_CALL;
	PyThreadState *state = hook_thread_state(self);

	if (!state->current_exception)
		tell_begun_again(code_of(args), state);
	return (stamped ? on_start_stamped : on_start)(hook, args, n, names);
}
