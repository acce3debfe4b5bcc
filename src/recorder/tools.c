/* Tool ids of sys.monitoring, as the program sees them: as if the recorder had none.
 *
 * The recorder takes one of the six ids. The program's calls of sys.monitoring's functions come here first (function_take), and the id that
 * they name is exchanged for the one that stands for it:
 *
 *	the program's   0  1  2  3  4  5
 *	stands for it   0  1  2  3  .  4        the recorder has 5; the program has taken 0 to 3, and 5
 *
 * So the recorder keeps its id and what it hears, whatever ids the program asks for, and get_tool says that the recorder's id is free. Only a
 * program that takes all six needs that one, too. It gets it: a GAP in each thread and a note say so, and nothing is recorded until the
 * program frees one.
 *
 * What the program could notice: of two tools of the program that hear of one event the higher id is called first, and the ids that stand for
 * its ids may have another order. Not on the hot path: nothing here is asked at an event.
 */
#include "recorder/hooks.h"

#define TOOLS	 6
#define NOT_YET	 (-1)
#define DEBUGGER 0 /* sys.monitoring.DEBUGGER_ID */

/* By the program's id. An id that was free as the program first named it keeps what stands for it, as its callbacks outlive it (3.12, 3.13). */
static struct {
	int own; /* the interpreter's id, NOT_YET: none */
	bool taken;
} ids[TOOLS];
static PyInterpreterState *of; /* whose they are; NULL: nothing is exchanged */
static bool deaf;	       /* the recorder has no id */

typedef PyObject *(*fast_function)(PyObject *module, PyObject *const *args, Py_ssize_t n);

enum { USE, FREE, GET, CLEAR, CALLBACK, EVENTS, SET_EVENTS, LOCAL_EVENTS, SET_LOCAL_EVENTS };
static PyCFunction theirs[SET_LOCAL_EVENTS + 1];

static PyObject *call_fast(int which, PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return ((fast_function)(void (*)(void))theirs[which])(module, args, n);
}

/* ---- which id stands for which ---- */

static bool is_spoken_for(int own)
{
	if (!deaf && own == root.tool)
		return true;
	for (int i = 0; i < TOOLS; i++)
		if (ids[i].own == own)
			return true;
	return false;
}

/* One that another id of the program has, which it does not use now; NOT_YET: there is none. */
static int borrow_unused(void)
{
	for (int i = TOOLS; i--;)
		if (ids[i].own != NOT_YET && !ids[i].taken) {
			int own = ids[i].own;
			ids[i].own = NOT_YET;
			return own;
		}
	return NOT_YET;
}

/* The interpreter's id that stands for it; NOT_YET: all are used. */
static int own_id(int id)
{
	if (ids[id].own != NOT_YET)
		return ids[id].own;
	int own = is_spoken_for(id) ? TOOLS - 1 : id;
	while (own >= 0 && is_spoken_for(own))
		own--;
	ids[id].own = own >= 0 ? own : borrow_unused();
	return ids[id].own;
}

/* The id that an argument names. NOT_YET: it is none, or not to be exchanged: what the program asks for is done as it says it. */
static int named_id(PyObject *argument)
{
	int overflow = 0;
	long id = of == current_thread_state()->interp && PyLong_Check(argument)
			  ? PyLong_AsLongAndOverflow(argument, &overflow)
			  : NOT_YET;

	return id >= 0 && id < TOOLS && !overflow ? (int)id : NOT_YET;
}

/* ---- all six are taken ---- */

static void let_id_go(PyObject *module)
{
	PyObject *id = PyLong_FromLong(root.tool), *none = PyLong_FromLong(0), *done = NULL;

	for (size_t i = 0; id && i < hook_count; i++) {
		PyObject *event = PyLong_FromLong(hooks[i].number);
		PyObject *args[] = {id, event, Py_None};
		if (event && hooks[i].number)
			Py_XDECREF(call_fast(CALLBACK, module, args, 3));
		Py_XDECREF(event);
	}
	if (id && none)
		Py_XDECREF(call_fast(SET_EVENTS, module, (PyObject *[]){id, none}, 2));
	if (id)
		done = theirs[FREE](module, id);
	Py_XDECREF(done);
	Py_XDECREF(none);
	Py_XDECREF(id);
	PyErr_Clear();
}

/* Every line is told behind the gap: what the recorder knows of what is switched off is true no more. */
static void stop_to_hear(PyObject *module)
{
	if (!atomic_load_explicit(&root.stopped, memory_order_relaxed)) {
		hooks_will_tell_lines();
		if (root.slot)
			message_note(PL_GAP_UNKNOWN,
				"the program took all six tool ids of sys.monitoring: nothing is recorded until it frees one");
		threads_lose_the_path(PL_GAP_UNKNOWN);
	}
	let_id_go(module);
	deaf = true;
}

static void hear_again(PyObject *module, int own)
{
	PyInterpreterState *program = of;

	if (atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return;
	of = NULL; /* what is called on the way is the recorder's */
	root.tool = own;
	deaf = !hooks_listen(module);
	of = program;
	PyErr_Clear();
	if (!deaf)
		hooks_hear_again();
}

static int id_for_sure(int id, PyObject *module)
{
	if (own_id(id) == NOT_YET)
		stop_to_hear(module);
	return own_id(id);
}

/* ---- what the program calls ---- */

static PyObject *is_used(int id)
{
	return PyErr_Format(PyExc_ValueError, "tool %d is already in use", id);
}

static PyObject *is_not_used(int id)
{
	return PyErr_Format(PyExc_ValueError, "tool %d is not in use", id);
}

/* The function, with another first argument. */
#define ARGUMENTS_MOST 3
static PyObject *call_with(int which, PyObject *module, int own, PyObject *const *args, Py_ssize_t n)
{
	PyObject *id = PyLong_FromLong(own), *result = NULL;
	PyObject *own_args[ARGUMENTS_MOST] = {id};

	if (!id)
		return NULL;
	for (Py_ssize_t i = 1; i < n; i++)
		own_args[i] = args[i];
	result = call_fast(which, module, own_args, n);
	Py_DECREF(id);
	return result;
}

static PyObject *call_one_with(int which, PyObject *module, int own)
{
	PyObject *id = PyLong_FromLong(own);
	PyObject *result = id ? theirs[which](module, id) : NULL;

	Py_XDECREF(id);
	return result;
}

static PyObject *use_tool_id(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	int id = n == 2 && PyUnicode_Check(args[1]) ? named_id(args[0]) : NOT_YET;

	if (id == NOT_YET)
		return call_fast(USE, module, args, n);
	if (ids[id].taken)
		return is_used(id);
	PyObject *done = call_with(USE, module, id_for_sure(id, module), args, n);
	ids[id].taken = done != NULL;
	if (done && id == DEBUGGER)
		hooks_are_traced(); /* it can do all that one with a trace function can */
	return done;
}

static PyObject *free_tool_id(PyObject *module, PyObject *argument)
{
	int id = named_id(argument);

	if (id == NOT_YET)
		return theirs[FREE](module, argument);
	if (!ids[id].taken)
		Py_RETURN_NONE;
	PyObject *done = call_one_with(FREE, module, ids[id].own);
	if (!done)
		return NULL;
	ids[id].taken = false;
	if (deaf) {
		int own = ids[id].own;
		ids[id].own = NOT_YET;
		hear_again(module, own);
	}
	return done;
}

/* Of an id that the program has not taken there is nothing to ask or to clear. */
static PyObject *one_of_taken(int which, PyObject *module, PyObject *argument)
{
	int id = named_id(argument);

	if (id == NOT_YET)
		return theirs[which](module, argument);
	if (!ids[id].taken)
		Py_RETURN_NONE;
	return call_one_with(which, module, ids[id].own);
}

static PyObject *get_tool(PyObject *module, PyObject *argument)
{
	return one_of_taken(GET, module, argument);
}

static PyObject *clear_tool_id(PyObject *module, PyObject *argument)
{
	return one_of_taken(CLEAR, module, argument);
}

static PyObject *get_events(PyObject *module, PyObject *argument)
{
	int id = named_id(argument);

	if (id == NOT_YET)
		return theirs[EVENTS](module, argument);
	if (!ids[id].taken)
		return PyLong_FromLong(0);
	return call_one_with(EVENTS, module, ids[id].own);
}

/* Also of an id that is not taken. */
static PyObject *register_callback(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	int id = n == 3 ? named_id(args[0]) : NOT_YET;

	if (id == NOT_YET)
		return call_fast(CALLBACK, module, args, n);
	return call_with(CALLBACK, module, id_for_sure(id, module), args, n);
}

static PyObject *set_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	int id = n == 2 ? named_id(args[0]) : NOT_YET;

	if (id == NOT_YET)
		return call_fast(SET_EVENTS, module, args, n);
	return ids[id].taken ? call_with(SET_EVENTS, module, ids[id].own, args, n) : is_not_used(id);
}

static PyObject *get_local_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	int id = n == 2 && PyCode_Check(args[1]) ? named_id(args[0]) : NOT_YET;

	if (id == NOT_YET)
		return call_fast(LOCAL_EVENTS, module, args, n);
	return ids[id].taken ? call_with(LOCAL_EVENTS, module, ids[id].own, args, n)
			     : PyLong_FromLong(0);
}

static PyObject *set_local_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	int id = n == 3 && PyCode_Check(args[1]) ? named_id(args[0]) : NOT_YET;

	if (id == NOT_YET)
		return call_fast(SET_LOCAL_EVENTS, module, args, n);
	return ids[id].taken ? call_with(SET_LOCAL_EVENTS, module, ids[id].own, args, n)
			     : is_not_used(id);
}

/* ---- to begin with ---- */

static PyCFunction fast(fast_function function)
{
	return (PyCFunction)(void (*)(void))function;
}

static bool take(PyObject *module, int which, const char *name, int flags, PyCFunction function)
{
	PyObject *of_tools = PyObject_GetAttrString(module, name);
	bool taken = function_take(of_tools, flags, function, &theirs[which]);

	Py_XDECREF(of_tools);
	PyErr_Clear();
	return taken;
}

/* Which ids the program, or what ran before it, has by now. */
static void look_at_ids(PyObject *module)
{
	for (int i = 0; i < TOOLS; i++) {
		PyObject *name = call_one_with(GET, module, i);
		ids[i].taken = i != root.tool && name && name != Py_None;
		ids[i].own = ids[i].taken ? i : NOT_YET;
		Py_XDECREF(name);
		PyErr_Clear();
	}
}

bool tools_take(PyObject *module)
{
	of = NULL;
	deaf = false;
	take(module, CLEAR, "clear_tool_id", METH_O, clear_tool_id); /* 3.14 and later */
	return take(module, GET, "get_tool", METH_O, get_tool) &&
	       take(module, FREE, "free_tool_id", METH_O, free_tool_id) &&
	       take(module, EVENTS, "get_events", METH_O, get_events) &&
	       take(module, CALLBACK, "register_callback", METH_FASTCALL,
		       fast(register_callback)) &&
	       take(module, SET_EVENTS, "set_events", METH_FASTCALL, fast(set_events)) &&
	       take(module, LOCAL_EVENTS, "get_local_events", METH_FASTCALL,
		       fast(get_local_events)) &&
	       take(module, SET_LOCAL_EVENTS, "set_local_events", METH_FASTCALL,
		       fast(set_local_events)) &&
	       take(module, USE, "use_tool_id", METH_FASTCALL, fast(use_tool_id));
}

void tools_exchange(PyObject *module)
{
	look_at_ids(module);
	of = current_thread_state()->interp;
	if (ids[DEBUGGER].taken)
		hooks_are_traced();
}

/* ---- what the recorder calls, by its own id ---- */

bool tools_set_local_events(PyCodeObject *code, int events)
{
	PyObject *module = PySys_GetObject("monitoring"), *set = PyLong_FromLong(events);
	PyObject *id = PyLong_FromLong(root.tool), *done = NULL;
	PyObject *args[] = {id, (PyObject *)code, set};

	if (module && set && id && theirs[SET_LOCAL_EVENTS])
		done = call_fast(SET_LOCAL_EVENTS, module, args, 3);
	Py_XDECREF(id);
	Py_XDECREF(set);
	Py_XDECREF(done);
	return done != NULL;
}
