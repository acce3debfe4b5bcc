/* Tool ids of sys.monitoring, as the program sees them: as if the recorder had none.
 *
 * The recorder takes one of the six ids. The program's calls of sys.monitoring's functions come
 * here first (function_take), and the id that they name is replaced by the interpreter's id that
 * represents it:
 *
 *	the program's   0  1  2  3  4  5
 *	its own id      0  1  2  3  .  4    the recorder has 5; the program has 0 to 3, and 5
 *
 * So the recorder keeps its id and its enabled events, whatever ids the program asks for, and
 * get_tool says that the recorder's id is free. Moving the recorder to another id instead would
 * lose events that are in flight, and would enable again what other tools have disabled. Only a
 * program that takes all six ids needs the recorder's too. It gets it: a GAP in each thread and a
 * note say so, and nothing is recorded until the program frees one.
 *
 *	taken, or has callbacks          the own id belongs to the program's id alone
 *	freed, with no event enabled     the own id may be lent: its callbacks are put
 *	                                 aside, and come back with the next own id
 *
 * What the program could notice: if two of its tools get one event, that with the higher id is
 * called first. The own ids keep that order if possible, which it is not if all ids between are
 * taken by then.
 *
 * Not on the hot path: nothing here runs at an event, but tools_raised_at_jump at a RAISE.
 */
#include "recorder/tools.h"

#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "recorder/engine.h"
#include "recorder/root.h"
#include "recorder/sysfunction.h"
#include "recorder/tiers/tiers.h"
#include "recorder/tool_ids.h"

/* A call of the program that names the id, which args[0] has too. */
struct asked {
	int which;
	int id;
	PyObject *module;
	PyObject *const *args;
	Py_ssize_t n;
};

/* The interpreter answers as it would if the program had all ids to itself: for functions that look
 * at the tool's name, or fail. No code of the program runs meanwhile. */
static PyObject *answer_as_said(const struct asked *a)
{
	PyObject **names = monitoring_tool_names(tool_ids.of), *here = names[a->id];

	names[a->id] = tool_ids.ids[a->id].taken ? names[tool_ids.ids[a->id].own] : NULL;
	PyObject *result = tool_call(a->which, a->module, a->args, a->n);
	names[a->id] = here;
	return result;
}

static PyObject *answer_exchanged(const struct asked *a)
{
	return tool_call_with(a->which, a->module, tool_ids.ids[a->id].own, a->args, a->n);
}

static PyObject *answer_use(const struct asked *a)
{
	if (tool_ids.ids[a->id].taken || !PyUnicode_Check(a->args[1]))
		return answer_as_said(a);
	tool_id_for_sure(a->id, a->module);
	PyObject *done = answer_exchanged(a);
	tool_ids.ids[a->id].taken = done != NULL;
	return done;
}

static PyObject *answer_free(const struct asked *a)
{
	if (!tool_ids.ids[a->id].taken)
		return answer_as_said(a);
	PyObject *done = answer_exchanged(a);
	tool_ids.ids[a->id].taken = !done;
	if (done && tool_ids.deaf)
		tool_hear_again(a->module);
	return done;
}

/* For functions that need a tool. */
static PyObject *answer_if_taken(const struct asked *a)
{
	return tool_ids.ids[a->id].taken ? answer_exchanged(a) : answer_as_said(a);
}

/* While another tool gets branches, code must not be hot. */
static PyObject *answer_set_events(const struct asked *a)
{
	PyObject *set = a->args[a->n - 1];
	int overflow;

	if (tool_ids.ids[a->id].taken && PyLong_Check(set) &&
		events_need_lines(PyLong_AsLongAndOverflow(set, &overflow)))
		tier_stop();
	return answer_if_taken(a);
}

/* Also for an id that is not taken, but has an own id from here on. */
static PyObject *answer_callback(const struct asked *a)
{
	tool_id_for_sure(a->id, a->module);
	return answer_exchanged(a);
}

static PyObject *answer_events(const struct asked *a)
{
	return tool_ids.ids[a->id].own == NOT_YET ? PyLong_FromLong(0) : answer_exchanged(a);
}

static PyObject *answer_local_events(const struct asked *a)
{
	bool none = tool_ids.ids[a->id].own == NOT_YET;

	return none && PyCode_Check(a->args[1]) ? PyLong_FromLong(0)
	       : none				? answer_as_said(a)
						: answer_exchanged(a);
}

static const struct {
	Py_ssize_t n;
	int flags;
	bool number_last; /* the last argument is the number, not the id */
	const char *name;
	PyObject *(*answer)(const struct asked *a);
} functions[] = {
	[USE] = {2, METH_FASTCALL, false, "use_tool_id", answer_use},
	[FREE] = {1, METH_O, false, "free_tool_id", answer_free},
	[GET] = {1, METH_O, false, "get_tool", answer_as_said},
	[CLEAR] = {1, METH_O, false, "clear_tool_id", answer_if_taken}, /* 3.14 and later */
	[CALLBACK] = {3, METH_FASTCALL, false, "register_callback", answer_callback},
	[EVENTS] = {1, METH_O, false, "get_events", answer_events},
	[SET_EVENTS] = {2, METH_FASTCALL, true, "set_events", answer_set_events},
	[LOCAL_EVENTS] = {2, METH_FASTCALL, false, "get_local_events", answer_local_events},
	[SET_LOCAL_EVENTS] = {3, METH_FASTCALL, true, "set_local_events", answer_set_events},
};

/* NOT_YET: it is not an id. */
static int id_in(PyObject *number)
{
	int overflow = 0;
	long id = PyLong_AsLongAndOverflow(number, &overflow);

	return id >= 0 && id < TOOLS && !overflow ? (int)id : NOT_YET;
}

/* The argument may be an object whose code computes the number: that is called once, in the
 * interpreter's order. */
static PyObject *as_number(PyObject *argument)
{
	return PyIndex_Check(argument) ? PyNumber_Index(argument) : Py_NewRef(argument);
}

static PyObject *answer_of_id(const struct asked *asked)
{
	const Py_ssize_t last = asked->n - 1;
	PyObject *args[ARGUMENTS_MOST] = {NULL}, *result = NULL;
	struct asked a = *asked;

	for (Py_ssize_t i = 0; i <= last; i++)
		args[i] = asked->args[i];
	args[last] = functions[a.which].number_last ? as_number(args[last]) : Py_NewRef(args[last]);
	a.args = args;
	if (args[last])
		result = functions[a.which].answer(&a);
	Py_XDECREF(args[last]);
	return result;
}

static PyObject *call_answered(int which, PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	PyObject *own_args[ARGUMENTS_MOST], *result = NULL;

	if (n != functions[which].n || !tool_ids.of ||
		tool_ids.of != current_thread_state()->interp)
		return tool_call(which, module, args, n);
	for (Py_ssize_t i = 1; i < n; i++)
		own_args[i] = args[i];
	own_args[0] = as_number(args[0]);
	if (!own_args[0])
		return NULL;
	int id = PyLong_Check(own_args[0]) ? id_in(own_args[0]) : NOT_YET;
	struct asked a = {which, id, module, own_args, n};
	result = id == NOT_YET ? tool_call(which, module, own_args, n) : answer_of_id(&a);
	Py_DECREF(own_args[0]);
	return result;
}

/* A debugger that uses sys.monitoring can do all that one with a trace function can. */
static PyObject *use_tool_id(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	PyObject *done = call_answered(USE, module, args, n);
	bool debugger = done && PyLong_Check(args[0]) && id_in(args[0]) == DEBUGGER;

	if (debugger && current_thread_state()->interp == PyInterpreterState_Main())
		hooks_are_traced();
	return done;
}

static PyObject *free_tool_id(PyObject *module, PyObject *id)
{
	return call_answered(FREE, module, &id, 1);
}

static PyObject *get_tool(PyObject *module, PyObject *id)
{
	return call_answered(GET, module, &id, 1);
}

static PyObject *clear_tool_id(PyObject *module, PyObject *id)
{
	return call_answered(CLEAR, module, &id, 1);
}

static PyObject *register_callback(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return call_answered(CALLBACK, module, args, n);
}

static PyObject *get_events(PyObject *module, PyObject *id)
{
	return call_answered(EVENTS, module, &id, 1);
}

static PyObject *set_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return call_answered(SET_EVENTS, module, args, n);
}

static PyObject *get_local_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return call_answered(LOCAL_EVENTS, module, args, n);
}

static PyObject *set_local_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return call_answered(SET_LOCAL_EVENTS, module, args, n);
}

/* A set of the interpreter's ids, as a set of the program's. */
static long as_programs_ids(long own_ids)
{
	long set = 0;

	for (int i = 0; i < TOOLS; i++)
		if (tool_ids.ids[i].own != NOT_YET && own_ids >> tool_ids.ids[i].own & 1)
			set |= 1L << i;
	return set | (own_ids & ~((1L << TOOLS) - 1));
}

static PyCFunction their_all_events;

static PyObject *all_events(PyObject *module, PyObject *none)
{
	PyObject *all = their_all_events(module, none), *shown = NULL, *event, *tools;
	Py_ssize_t at = 0;
	bool done = true;

	if (!all || !tool_ids.of || tool_ids.of != current_thread_state()->interp)
		return all;
	shown = PyDict_New();
	while (shown && done && PyDict_Next(all, &at, &event, &tools)) {
		long set = as_programs_ids(PyLong_AsLong(tools));
		PyObject *number = set ? PyLong_FromLong(set) : NULL;
		done = !set || (number && PyDict_SetItem(shown, event, number) == 0);
		Py_XDECREF(number);
	}
	Py_DECREF(all);
	if (!done)
		Py_CLEAR(shown);
	return shown;
}

/* ---- the beginning ---- */

static PyCFunction method_of_fast(fast_function function)
{
	return (PyCFunction)(void (*)(void))function;
}

static bool take_function(PyObject *module, int which, PyCFunction own)
{
	PyObject *function = PyObject_GetAttrString(module, functions[which].name);
	bool taken = function_take(function, functions[which].flags, own, &tool_ids.theirs[which]);
	bool missing = !function && which == CLEAR && PY_VERSION_HEX < 0x030e0000;

	Py_XDECREF(function);
	PyErr_Clear();
	return taken || missing;
}

static void take_all_events(PyObject *module)
{
	PyObject *function = PyObject_GetAttrString(module, "_all_events");

	function_take(function, METH_NOARGS, all_events, &their_all_events);
	Py_XDECREF(function);
	PyErr_Clear();
}

static bool takes_all;

void tools_take(PyObject *module)
{
	tool_ids.of = NULL;
	tool_ids.deaf = false;
	take_all_events(module);
	takes_all = take_function(module, USE, method_of_fast(use_tool_id));
	takes_all &= take_function(module, FREE, free_tool_id);
	takes_all &= take_function(module, GET, get_tool);
	takes_all &= take_function(module, CLEAR, clear_tool_id);
	takes_all &= take_function(module, CALLBACK, method_of_fast(register_callback));
	takes_all &= take_function(module, EVENTS, get_events);
	takes_all &= take_function(module, SET_EVENTS, method_of_fast(set_events));
	takes_all &= take_function(module, LOCAL_EVENTS, method_of_fast(get_local_events));
	takes_all &= take_function(module, SET_LOCAL_EVENTS, method_of_fast(set_local_events));
}

static bool has_debugger(PyObject *module)
{
	PyObject *name = root.tool == DEBUGGER
				 ? NULL
				 : PyObject_CallMethod(module, "get_tool", "i", DEBUGGER);
	bool has = name && name != Py_None;

	Py_XDECREF(name);
	return has;
}

void tools_begin(PyObject *module, long events)
{
	PyInterpreterState *interpreter = current_thread_state()->interp;

	tool_ids.heard = events;
	if (takes_all && tool_tables_are_known(interpreter, module)) {
		tool_look_at_ids(interpreter);
		tool_ids.of = interpreter;
	}
	if (BRANCHES_NEED_LINES && !tool_ids.of)
		tier_stop();
	if (has_debugger(module))
		hooks_are_traced();
	PyErr_Clear();
}

/* ---- the end ---- */

bool tools_stay_moved(void)
{
	for (int i = 0; tool_ids.of && i < TOOLS; i++)
		if (tool_ids.ids[i].own != NOT_YET && tool_ids.ids[i].own != i)
			return true;
	return false;
}

void tools_end(void)
{
	tool_ids.of = NULL;
}

PyInterpreterState *tools_translate_nothing(void)
{
	PyInterpreterState *of = tool_ids.of;

	tool_ids.of = NULL;
	return of;
}

void tools_translate_again(PyInterpreterState *of)
{
	tool_ids.of = of;
}

void tools_clean(PyObject *module)
{
	if (tool_ids.theirs[SET_LOCAL_EVENTS])
		tool_clean_codes(module, root.tool);
}
