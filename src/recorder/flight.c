#include "recorder/flight.h"

#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/root.h"

void flight_start(void)
{
	root.flight = root.arena.head->flight != 0;
	root.looks_at_unwinds = root.flight || root.keeps_lines;
}

bool flight_want(void)
{
	if (!root.flight || (!root.slot && !root.forked))
		return false;
	atomic_fetch_add_explicit(&root.arena.head->flight_wanted, 1, memory_order_relaxed);
	return true;
}

/* It handles what ends a thread or a process that multiprocessing made, and prints it. */
static bool prints_what_ends(PyCodeObject *code)
{
	static const char *const names[] = {"Thread._bootstrap_inner", "BaseProcess._bootstrap"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (PyUnicode_CompareWithASCIIString(code->co_qualname, names[i]) == 0)
			return true;
	return false;
}

bool flight_is_orderly(PyObject *exception)
{
	return exception &&
	       (PyObject_TypeCheck(exception, (PyTypeObject *)PyExc_SystemExit) ||
		       PyObject_TypeCheck(exception, (PyTypeObject *)PyExc_GeneratorExit));
}

void flight_unwound(PyObject *exception)
{
	py_frame *frame = top_frame(current_thread_state());
	py_frame *caller = frame ? frame_caller(frame) : NULL;

	if (!frame || flight_is_orderly(exception))
		return;
	if (!caller || prints_what_ends(frame_code(caller)))
		flight_want();
}
