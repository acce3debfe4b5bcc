/* Install the hooks, and disable them. Not on the hot path. */
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"

#include "recorder/code.h"
#include "recorder/engine.h"
#include "recorder/greenlets.h"
#include "recorder/hooks.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/switch.h"
#include "recorder/sysfunction.h"
#include "recorder/thread.h"
#include "recorder/tools.h"
#include "recorder/traced.h"
#include "recorder/window.h"

PyTypeObject hook_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pathline.hook",
	.tp_basicsize = sizeof(struct hook),
	.tp_vectorcall_offset = offsetof(struct hook, call),
	.tp_call = PyVectorcall_Call,
	.tp_flags =
		Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

PyObject *hook_disable;

/* In place of a callback that may disable its event. */
static PyObject *on_off(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)args, (void)n, (void)names;
	return result_beside(PyErr_GetRaisedException(), hook_disable);
}

/* In place of a callback of an event that is not local: that one can only do nothing. */
static PyObject *on_deaf(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)args, (void)n, (void)names;
	return result_beside(PyErr_GetRaisedException(), Py_None);
}

/* ---- the table ---- */

/* clang-format off */
#define HOOK(name, is_local, function, stamped) {name, is_local, HEARD_ALWAYS, function, {PyObject_HEAD_INIT(&hook_type) NULL}, stamped}

struct hook_row hooks[] = {
	HOOK("PY_START", true, on_start, on_start_stamped),
	HOOK("PY_RESUME", true, on_resume, on_resume_stamped),
	HOOK("PY_THROW", false, on_throw, on_throw_stamped),
	HOOK("LINE", true, on_line, NULL),
	HOOK("PY_RETURN", true, on_return, on_return_stamped),
	HOOK("PY_YIELD", true, on_yield, on_yield_stamped),
	HOOK("PY_UNWIND", false, on_unwind, on_unwind_stamped),
	HOOK("RAISE", false, on_raise, on_raise_stamped),
	HOOK("RERAISE", false, on_reraise, NULL),
	HOOK("EXCEPTION_HANDLED", false, on_handled, NULL),
	{"JUMP", true, HEARD_FOR_PASSES, on_jump, {PyObject_HEAD_INIT(&hook_type) NULL}, NULL},
	{"INSTRUCTION", true, HEARD_IN_HOT_CODE, on_instruction, {PyObject_HEAD_INIT(&hook_type) NULL}, NULL},
};
/* clang-format on */
const size_t hook_count = sizeof hooks / sizeof *hooks;

/* ---- waiting for __main__ ---- */

static bool awaiting; /* __main__ */

/* The error that is set stays set. */
static bool compiles_just_in_time(void)
{
	PyObject *jit = PySys_GetObject("_jit"); /* borrowed; NULL: before 3.14 */
	PyObject *raised = PyErr_GetRaisedException();
	PyObject *enabled = jit ? PyObject_CallMethod(jit, "is_enabled", NULL) : NULL;
	bool compiles = enabled == Py_True;

	Py_XDECREF(enabled);
	PyErr_Clear();
	PyErr_SetRaisedException(raised);
	return compiles;
}

static void enable_events(void)
{
	bool stamped = root.arena.head->stamps == STAMPS_CALL;

	for (size_t i = 0; i < hook_count; i++)
		hooks[i].hook.call = root.traced && hooks[i].function == on_start ? on_start_traced
				     : stamped && hooks[i].stamped		  ? hooks[i].stamped
								   : hooks[i].function;
}

/* If compiled code is left at an enabled line, LINE does not fire, as if the line had begun before.
 * Code is compiled where no LINE is enabled, so enable each one. Asked late, because the compiler
 * is enabled after the first code that runs (3.14). */
static void begin_to_hear(void)
{
	awaiting = false;
	struct policy_wishes wishes = root.wishes;

	wishes.compiles = compiles_just_in_time();
	root_wish(&wishes);
	if (wishes.exact || wishes.compiles)
		root.hot_lines = 0;
	enable_events();
}

/* In place of on_start, until the first frame of __main__. */
static PyObject *on_start_before_main(
	PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	if (!main_begins(current_frame(current_thread_state())))
		return result_beside(PyErr_GetRaisedException(), Py_None);
	begin_to_hear();
	return ((struct hook *)hook)->call(hook, args, n, names);
}

static void wait_for_main(void)
{
	awaiting = main_awaited();
	if (!awaiting)
		return;
	for (size_t i = 0; i < hook_count; i++)
		hooks[i].hook.call = hooks[i].function == on_start ? on_start_before_main : on_deaf;
}

/* Only pointers are replaced. So this may be called from any thread, also from a callback, where
 * set_events would change code that is running. */
void hooks_off(void)
{
	for (size_t i = 0; i < hook_count; i++)
		hooks[i].hook.call = hooks[i].local ? on_off : on_deaf;
}

/* What was disabled is enabled again; for other tools as well, because the interpreter offers
 * nothing else. */
void hooks_hear_again(void)
{
	if (tools_are_all_taken())
		return;
	PyObject *monitoring = PySys_GetObject("monitoring");
	PyObject *raised = PyErr_GetRaisedException();
	PyObject *done =
		monitoring ? PyObject_CallMethod(monitoring, "restart_events", NULL) : NULL;

	Py_XDECREF(done);
	PyErr_Clear();
	PyErr_SetRaisedException(raised);
}

void hooks_will_tell_lines(void)
{
	struct policy_wishes wishes = root.wishes;

	if (wishes.lines)
		return;
	thread_begins_to_tell();
	wishes.lines = true;
	root_wish(&wishes);
}

void hooks_tell_lines(void)
{
	if (root.policy.lines)
		return;
	hooks_will_tell_lines();
	hooks_hear_again();
}

void hooks_are_traced(void)
{
	if (root.traced || atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return;
	root.traced = true;
	if (!awaiting)
		enable_events();
	hooks_tell_lines();
}

/* ---- which events are enabled ---- */

/* By convention debuggers have 0, coverage 1, profilers 2; 5 is called first and hardly ever
 * used. */
static int take_tool(PyObject *monitoring)
{
	static const int wish[] = {5, 4, 3, 2, 1, 0};

	for (size_t i = 0; i < sizeof wish / sizeof *wish; i++) {
		PyObject *done =
			PyObject_CallMethod(monitoring, "use_tool_id", "is", wish[i], "pathline");
		if (done) {
			Py_DECREF(done);
			return wish[i];
		}
		PyErr_Clear();
	}
	return -1;
}

static bool listen_to(PyObject *monitoring, PyObject *events, struct hook_row *row, long *set)
{
	PyObject *number = PyObject_GetAttrString(events, row->event);
	PyObject *before = number ? PyObject_CallMethod(monitoring, "register_callback", "iOO",
					    root.tool, number, &row->hook)
				  : NULL;
	bool done = before != NULL;

	row->number = done ? PyLong_AsLong(number) : 0;
	if (row->where != HEARD_IN_HOT_CODE)
		*set |= row->number;
	Py_XDECREF(before);
	Py_XDECREF(number);
	return done;
}

static bool is_heard(const struct hook_row *row)
{
	switch (row->where) {
	case HEARD_FOR_PASSES:
		return root.arena.head->passes == PASSES_ALL;
	case HEARD_IN_HOT_CODE:
		return root.hot_lines != 0 || landings_are_heard();
	default:
		return true;
	}
}

static bool enable_locally(PyObject *monitoring, PyObject *code, int set)
{
	PyObject *done =
		PyObject_CallMethod(monitoring, "set_local_events", "iOi", root.tool, code, set);

	Py_XDECREF(done);
	return done != NULL;
}

/* When events are enabled, the interpreter changes the code of all frames on the stacks of threads,
 * and other code when it is next called or resumed. The frames of greenlets that wait are neither:
 * they would return without an event, and on 3.15 the first exception in one is a crash. An event
 * that is enabled for a code alone has it changed at once. */
static bool reach_waiting(PyObject *monitoring, PyObject *codes)
{
	Py_ssize_t at = 0;
	PyObject *code;

	while (PyDict_Next(codes, &at, NULL, &code))
		if (!enable_locally(monitoring, code, 1 << PY_MONITORING_EVENT_PY_START) ||
			!enable_locally(monitoring, code, 0))
			return false;
	return true;
}

/* waiting: the codes of greenlets that wait; set: the events that are enabled. */
static bool listen_to_all(PyObject *monitoring, PyObject *events, PyObject *waiting, long *set)
{
	bool all = true;

	for (size_t i = 0; i < hook_count; i++)
		if (is_heard(&hooks[i]))
			all = all && listen_to(monitoring, events, &hooks[i], set);
	PyObject *done =
		all ? PyObject_CallMethod(monitoring, "set_events", "il", root.tool, *set) : NULL;
	Py_XDECREF(done);
	return done && reach_waiting(monitoring, waiting);
}

int hooks_install(bool at_main, const char **why)
{
	PyObject *monitoring = PySys_GetObject("monitoring"), *events = NULL, *waiting = NULL;
	long set = 0;
	int result = -1;

	*why = "sys.monitoring cannot be had";
	if (!monitoring || PyType_Ready(&hook_type) < 0)
		goto done;
	events = PyObject_GetAttrString(monitoring, "events");
	hook_disable = PyObject_GetAttrString(monitoring, "DISABLE");
	if (!events || !hook_disable)
		goto done;
	*why = "the frames of greenlets that wait cannot be found; start the program with "
	       "`pathline record`";
	waiting = greenlets_waiting_codes();
	if (!waiting)
		goto done;
	root.traced = false; /* of an earlier interpreter */
	root_wish_of_head(false);
	tools_take(monitoring);
	*why = "all six tool ids of sys.monitoring are in use";
	root.tool = take_tool(monitoring);
	if (root.tool < 0)
		goto done;
	*why = "sys.monitoring refused the callbacks";
	if (CODE_MAY_BE_HOT)
		root.hot_lines = root.arena.head->hot_lines;
	begin_to_hear();
	if (at_main)
		wait_for_main();
	if (listen_to_all(monitoring, events, waiting, &set)) {
		atomic_store_explicit(root.on_leave, thread_leaves, memory_order_release);
		traced_take();
		tools_begin(monitoring, set);
		result = 0;
	}
done:
	Py_XDECREF(events);
	Py_XDECREF(waiting);
	PyErr_Clear();
	return result;
}

/* ---- in a running program ---- */

bool hooks_reach_all(const char **why)
{
	*why = "the program has taken a tool id of sys.monitoring that Pathline had here before; "
	       "restart it";
	return !root.left || !tools_stay_moved();
}

void hooks_take_stack(PyThreadState *ts)
{
	(void)ts;
}

/* ---- leaving ---- */

static void unhear(PyObject *monitoring, const struct hook_row *row)
{
	PyObject *before = row->number ? PyObject_CallMethod(monitoring, "register_callback", "ilO",
						 root.tool, row->number, Py_None)
				       : NULL;

	Py_XDECREF(before);
	PyErr_Clear();
}

static void call_with_tool(PyObject *monitoring, const char *name, const char *format)
{
	Py_XDECREF(PyObject_CallMethod(monitoring, name, format, root.tool, 0));
	PyErr_Clear();
}

void hooks_give_back(void)
{
	functions_give_back();
	tools_end();
}

void hooks_remove(void)
{
	traced_give_back();
	if (!tools_stay_moved())
		hooks_give_back();
	PyObject *monitoring = PySys_GetObject("monitoring"), *raised = PyErr_GetRaisedException();
	PyInterpreterState *of = tools_translate_nothing();

	hooks_off();
	if (monitoring && !tools_are_all_taken()) {
		call_with_tool(monitoring, "set_events", "ii");
		for (size_t i = 0; i < hook_count; i++)
			unhear(monitoring, &hooks[i]);
		tools_clean(monitoring);
		call_with_tool(monitoring, "free_tool_id", "i");
	}
	tools_translate_again(of);
	for (size_t i = 0; i < hook_count; i++) {
		hooks[i].hook.call = on_deaf; /* if something still calls it */
		hooks[i].number = 0;	      /* the next recording may not want it */
	}
	Py_CLEAR(hook_disable);
	PyErr_Clear();
	PyErr_SetRaisedException(raised);
}
