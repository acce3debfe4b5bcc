/* When recording begins, and how it is stopped. */
#include "recorder/window.h"

#include <string.h>
#include "pathline/event.h"
#include "recorder/compat/frame.h"
#include "recorder/engine.h"
#include "recorder/names.h"
#include "recorder/root.h"

bool main_awaited(void)
{
	PyObject *module = PyImport_AddModule("__main__"); /* borrowed */

	root.main_names = module ? PyModule_GetDict(module) : NULL;
	return root.main_names != NULL;
}

/* What the interpreter itself runs from a file: 3.13's -c gives its text to linecache, and the
 * traceback of a program that does not compile is printed. These belong to the program; the
 * interpreter's frozen import system does not. */
bool main_begins(py_frame *frame)
{
	PyObject *file = frame_code(frame)->co_filename, *keep;
	size_t length;

	if (frame->f_globals == root.main_names)
		return true;
	if (frame_caller(frame))
		return false;
	const char *name = text_of(file, &length, &keep);
	bool frozen = length >= 8 && memcmp(name, "<frozen ", 8) == 0;
	Py_XDECREF(keep);
	return !frozen;
}

/* The first reason counts. May be called from any thread: it only stores, and calls nothing of
 * Python. The slot's word informs the collector, because there may be no room for an event. */
void recorder_stop(enum pl_gap_reason reason)
{
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&root.stopped, &none, (uint32_t)reason + 1))
		return;
	if (root.slot)
		atomic_store_explicit(
			&root.slot->stopped, (uint32_t)reason + 1, memory_order_release);
	hooks_off();
}
