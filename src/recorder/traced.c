/* The hook of PY_START while the program has a trace function, or had one: a debugger's can move frames. Apart, so that who has none pays
 * nothing. */
#include "recorder/hooks.h"
#include "recorder/moment.h"

/* A frame that has begun begins again, where a debugger has moved it to (f_lineno): what the reader would take for its way to a return
 * was not run. */
static void tell_begun_again(PyCodeObject *code, PyThreadState *state)
{
	struct moment m;

	if (moment_look_in(&m, code, state) && !frame_is_foreign(m.frame) && m.frame->frame_obj &&
		stack_find(m.thread, m.frame) && moment_make_room_inside(&m))
		moment_end(&m, event_write2(m.at, EVENT_GAP, PL_GAP_JUMPED, 0));
}

PyObject *on_start_traced(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	bool stamped = root.arena.head->stamps == STAMPS_CALL;
	PyThreadState *state = hook_thread_state(self);

	if (!state->current_exception)
		tell_begun_again(code_of(args), state);
	return (stamped ? on_start_stamped : on_start)(hook, args, n, names);
}
