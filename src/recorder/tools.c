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
#include "recorder/hooks.h"

#define TOOLS	 6
#define NOT_YET	 (-1)
#define DEBUGGER 0 /* sys.monitoring.DEBUGGER_ID */

/* Index: the program's id. */
static struct program_id {
	/* The interpreter's id; NOT_YET: none. It stays when the id is freed, as callbacks and
	 * events do (3.12, 3.13). */
	int own;
	bool taken;
	PyObject *aside[_PY_MONITORING_EVENTS]; /* owned; its callbacks while `own` is NOT_YET */
} ids[TOOLS];
static PyInterpreterState *of; /* the interpreter of these ids; NULL: nothing is replaced */
static bool deaf;	       /* the recorder has no id */
static long heard;	       /* its enabled events, when it has an id */

typedef PyObject *(*fast_function)(PyObject *module, PyObject *const *args, Py_ssize_t n);

enum { USE, FREE, GET, CLEAR, CALLBACK, EVENTS, SET_EVENTS, LOCAL_EVENTS, SET_LOCAL_EVENTS };
static PyCFunction theirs[SET_LOCAL_EVENTS + 1];

bool tools_are_all_taken(void)
{
	return deaf;
}

/* ---- the interpreter's functions ---- */

static PyObject *call_theirs(int which, PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	switch (which) {
	case FREE:
	case GET:
	case CLEAR:
	case EVENTS:
		return theirs[which](module, args[0]);
	default:
		return ((fast_function)(void (*)(void))theirs[which])(module, args, n);
	}
}

/* Call it with another first argument. */
#define ARGUMENTS_MOST 3
static PyObject *call_with(
	int which, PyObject *module, int own, PyObject *const *args, Py_ssize_t n)
{
	PyObject *id = PyLong_FromLong(own), *result = NULL;
	PyObject *own_args[ARGUMENTS_MOST] = {id};

	if (!id)
		return NULL;
	for (Py_ssize_t i = 1; i < n; i++)
		own_args[i] = args[i];
	result = call_theirs(which, module, own_args, n);
	Py_DECREF(id);
	return result;
}

static PyObject *call_of_id(int which, PyObject *module, int own)
{
	return call_with(which, module, own, NULL, 1);
}

/* -1: an error, which stays set. */
static int set_number(int which, PyObject *module, int own, PyObject *code, long events)
{
	PyObject *set = PyLong_FromLong(events);
	PyObject *args[ARGUMENTS_MOST] = {NULL, code ? code : set, set};
	PyObject *done = set ? call_with(which, module, own, args, code ? 3 : 2) : NULL;

	Py_XDECREF(set);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

static long events_of(PyObject *module, int own)
{
	PyObject *set = call_of_id(EVENTS, module, own);
	long events = set ? PyLong_AsLong(set) : -1;

	Py_XDECREF(set);
	PyErr_Clear();
	return events;
}

/* ---- code that was instrumented for an id ---- */

struct cleaning {
	PyObject *module;
	int own;
};

/* Code keeps for each place which tools were enabled there when it was last instrumented, also
 * where they were disabled later. The next tool with that id would get the last one's events until
 * the code is instrumented again. A local event, enabled and disabled again, causes that. */
static void clean_code(PyCodeObject *code, struct code_record *r, void *context)
{
	const struct cleaning *c = context;
	PyObject *module = c->module;

	if (deaf)
		hot_forget(r);
	if (!code_is_instrumented_for(code, c->own))
		return;
	set_number(SET_LOCAL_EVENTS, module, c->own, (PyObject *)code,
		1 << PY_MONITORING_EVENT_PY_RETURN);
	PyErr_Clear();
	set_number(SET_LOCAL_EVENTS, module, c->own, (PyObject *)code, 0);
	PyErr_Clear();
}

/* All code that the recorder knows. The id is in use, with no event enabled. */
static void clean_codes(PyObject *module, int own)
{
	codes_each(clean_code, &(struct cleaning){module, own});
}

/* ---- which own id represents which ---- */

static bool is_spoken_for(int own)
{
	if (!deaf && own == root.tool)
		return true;
	for (int i = 0; i < TOOLS; i++)
		if (ids[i].own == own)
			return true;
	return false;
}

static bool fits_in(int own, int below, int above)
{
	return own > below && own < above && !is_spoken_for(own);
}

/* A free id; if possible one that keeps the program's ids in the order in which the interpreter
 * calls them. NOT_YET: none. */
static int find_free(int id)
{
	int below = NOT_YET, above = TOOLS;

	for (int i = 0; i < TOOLS; i++) {
		int own = ids[i].own;
		if (own != NOT_YET && i < id && own > below)
			below = own;
		if (own != NOT_YET && i > id && own < above)
			above = own;
	}
	if (fits_in(id, below, above))
		return id;
	for (int own = above; own-- > below + 1;)
		if (fits_in(own, below, above))
			return own;
	for (int own = TOOLS; own--;)
		if (!is_spoken_for(own))
			return own;
	return NOT_YET;
}

static void put_aside(struct program_id *p)
{
	PyObject **callbacks = monitoring_callbacks(of, p->own);

	for (int i = 0; i < _PY_MONITORING_EVENTS; i++) {
		p->aside[i] = callbacks[i];
		callbacks[i] = NULL;
	}
	p->own = NOT_YET;
}

static void give(struct program_id *p, int own)
{
	PyObject **callbacks = monitoring_callbacks(of, own);

	p->own = own;
	for (int i = 0; own != NOT_YET && i < _PY_MONITORING_EVENTS; i++) {
		callbacks[i] = p->aside[i];
		p->aside[i] = NULL;
	}
}

/* The own id of another id of the program, which is not taken and has no event enabled; NOT_YET:
 * none. */
static int lend(PyObject *module)
{
	for (int i = TOOLS; i--;) {
		int own = ids[i].own;
		if (own != NOT_YET && !ids[i].taken && !events_of(module, own)) {
			put_aside(&ids[i]);
			return own;
		}
	}
	return NOT_YET;
}

/* lend, and clean the code that the recorder knows of what the last tool left there. */
static int lend_clean(PyObject *module)
{
	int own = lend(module);
	PyObject *name = own == NOT_YET ? NULL : PyUnicode_FromString("pathline");
	PyObject *args[] = {NULL, name};
	PyObject *used = name ? call_with(USE, module, own, args, 2) : NULL;

	if (used) {
		clean_codes(module, own);
		Py_XDECREF(call_of_id(FREE, module, own));
	}
	Py_XDECREF(used);
	Py_XDECREF(name);
	PyErr_Clear();
	return own;
}

/* ---- all six are taken ---- */

static void let_id_go(PyObject *module)
{
	PyObject **callbacks = monitoring_callbacks(of, root.tool);

	for (int i = 0; i < _PY_MONITORING_EVENTS; i++)
		Py_CLEAR(callbacks[i]);
	set_number(SET_EVENTS, module, root.tool, NULL, 0);
	PyErr_Clear();
	deaf = true;
	root.first_move = (struct first_move){0};
	clean_codes(module, root.tool);
	Py_XDECREF(call_of_id(FREE, module, root.tool));
	PyErr_Clear();
}

/* Each time there is a gap; the note is written once a process. */
static void note_once(void)
{
	static uint32_t noted; /* number of the process that wrote it */

	if (noted != root.slot->number)
		message_note(PL_GAP_TOOLS, "nothing is recorded until it frees one");
	noted = root.slot->number;
}

/* All lines are recorded after the gap: what the recorder knows of disabled places is no longer
 * true. */
static void stop_to_hear(PyObject *module)
{
	bool records = !atomic_load_explicit(&root.stopped, memory_order_relaxed) &&
		       (self || thread_begin());

	if (records) {
		hooks_will_tell_lines();
		note_once();
		threads_lose_the_path(PL_GAP_TOOLS);
	}
	let_id_go(module);
}

/* Take an id again. That all events are enabled again also concerns what other tools have disabled;
 * but nothing else would enable what the last tool with that id had disabled in code that has not
 * run since. */
static void hear_again(PyObject *module)
{
	int own =
		atomic_load_explicit(&root.stopped, memory_order_relaxed) ? NOT_YET : lend(module);
	PyObject *name = own == NOT_YET ? NULL : PyUnicode_FromString("pathline");
	PyObject *args[] = {NULL, name};
	PyObject *used = name ? call_with(USE, module, own, args, 2) : NULL;

	if (used) {
		PyObject **callbacks = monitoring_callbacks(of, own);
		for (size_t i = 0; i < hook_count; i++)
			if (hooks[i].number)
				callbacks[event_index(hooks[i].number)] =
					Py_NewRef((PyObject *)&hooks[i].hook);
		deaf = false;
		root.tool = own;
		set_number(SET_EVENTS, module, own, NULL, heard);
		PyErr_Clear();
		hooks_hear_again();
	}
	Py_XDECREF(used);
	Py_XDECREF(name);
	PyErr_Clear();
}

static int id_for_sure(int id, PyObject *module)
{
	if (ids[id].own != NOT_YET)
		return ids[id].own;
	int own = find_free(id);
	if (own == NOT_YET)
		own = lend_clean(module);
	if (own == NOT_YET) {
		stop_to_hear(module);
		own = find_free(id);
	}
	give(&ids[id], own);
	return own;
}

/* ---- what the program calls ---- */

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
	PyObject **names = monitoring_tool_names(of), *here = names[a->id];

	names[a->id] = ids[a->id].taken ? names[ids[a->id].own] : NULL;
	PyObject *result = call_theirs(a->which, a->module, a->args, a->n);
	names[a->id] = here;
	return result;
}

static PyObject *answer_exchanged(const struct asked *a)
{
	return call_with(a->which, a->module, ids[a->id].own, a->args, a->n);
}

static PyObject *answer_use(const struct asked *a)
{
	if (ids[a->id].taken || !PyUnicode_Check(a->args[1]))
		return answer_as_said(a);
	id_for_sure(a->id, a->module);
	PyObject *done = answer_exchanged(a);
	ids[a->id].taken = done != NULL;
	return done;
}

static PyObject *answer_free(const struct asked *a)
{
	if (!ids[a->id].taken)
		return answer_as_said(a);
	PyObject *done = answer_exchanged(a);
	ids[a->id].taken = !done;
	if (done && deaf)
		hear_again(a->module);
	return done;
}

/* For functions that need a tool. */
static PyObject *answer_if_taken(const struct asked *a)
{
	return ids[a->id].taken ? answer_exchanged(a) : answer_as_said(a);
}

/* While another tool gets branches, code must not be hot. */
static PyObject *answer_set_events(const struct asked *a)
{
	PyObject *set = a->args[a->n - 1];
	int overflow;

	if (ids[a->id].taken && PyLong_Check(set) &&
		events_need_lines(PyLong_AsLongAndOverflow(set, &overflow)))
		hot_stop();
	return answer_if_taken(a);
}

/* Also for an id that is not taken, but has an own id from here on. */
static PyObject *answer_callback(const struct asked *a)
{
	id_for_sure(a->id, a->module);
	return answer_exchanged(a);
}

static PyObject *answer_events(const struct asked *a)
{
	return ids[a->id].own == NOT_YET ? PyLong_FromLong(0) : answer_exchanged(a);
}

static PyObject *answer_local_events(const struct asked *a)
{
	bool none = ids[a->id].own == NOT_YET;

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

static PyObject *answer(int which, PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	PyObject *own_args[ARGUMENTS_MOST], *result = NULL;

	if (n != functions[which].n || !of || of != current_thread_state()->interp)
		return call_theirs(which, module, args, n);
	for (Py_ssize_t i = 1; i < n; i++)
		own_args[i] = args[i];
	own_args[0] = as_number(args[0]);
	if (!own_args[0])
		return NULL;
	int id = PyLong_Check(own_args[0]) ? id_in(own_args[0]) : NOT_YET;
	struct asked a = {which, id, module, own_args, n};
	result = id == NOT_YET ? call_theirs(which, module, own_args, n) : answer_of_id(&a);
	Py_DECREF(own_args[0]);
	return result;
}

/* A debugger that uses sys.monitoring can do all that one with a trace function can. */
static PyObject *use_tool_id(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	PyObject *done = answer(USE, module, args, n);
	bool debugger = done && PyLong_Check(args[0]) && id_in(args[0]) == DEBUGGER;

	if (debugger && current_thread_state()->interp == PyInterpreterState_Main())
		hooks_are_traced();
	return done;
}

static PyObject *free_tool_id(PyObject *module, PyObject *id)
{
	return answer(FREE, module, &id, 1);
}

static PyObject *get_tool(PyObject *module, PyObject *id)
{
	return answer(GET, module, &id, 1);
}

static PyObject *clear_tool_id(PyObject *module, PyObject *id)
{
	return answer(CLEAR, module, &id, 1);
}

static PyObject *register_callback(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return answer(CALLBACK, module, args, n);
}

static PyObject *get_events(PyObject *module, PyObject *id)
{
	return answer(EVENTS, module, &id, 1);
}

static PyObject *set_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return answer(SET_EVENTS, module, args, n);
}

static PyObject *get_local_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return answer(LOCAL_EVENTS, module, args, n);
}

static PyObject *set_local_events(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	return answer(SET_LOCAL_EVENTS, module, args, n);
}

/* A set of the interpreter's ids, as a set of the program's. */
static long as_programs_ids(long own_ids)
{
	long set = 0;

	for (int i = 0; i < TOOLS; i++)
		if (ids[i].own != NOT_YET && own_ids >> ids[i].own & 1)
			set |= 1L << i;
	return set | (own_ids & ~((1L << TOOLS) - 1));
}

static PyCFunction their_all_events;

static PyObject *all_events(PyObject *module, PyObject *none)
{
	PyObject *all = their_all_events(module, none), *shown = NULL, *event, *tools;
	Py_ssize_t at = 0;
	bool done = true;

	if (!all || !of || of != current_thread_state()->interp)
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

static PyCFunction fast(fast_function function)
{
	return (PyCFunction)(void (*)(void))function;
}

static bool take(PyObject *module, int which, PyCFunction own)
{
	PyObject *function = PyObject_GetAttrString(module, functions[which].name);
	bool taken = function_take(function, functions[which].flags, own, &theirs[which]);
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
	of = NULL;
	deaf = false;
	take_all_events(module);
	takes_all = take(module, USE, fast(use_tool_id));
	takes_all &= take(module, FREE, free_tool_id);
	takes_all &= take(module, GET, get_tool);
	takes_all &= take(module, CLEAR, clear_tool_id);
	takes_all &= take(module, CALLBACK, fast(register_callback));
	takes_all &= take(module, EVENTS, get_events);
	takes_all &= take(module, SET_EVENTS, fast(set_events));
	takes_all &= take(module, LOCAL_EVENTS, fast(get_local_events));
	takes_all &= take(module, SET_LOCAL_EVENTS, fast(set_local_events));
}

/* Does the interpreter keep names and callbacks where its headers say? What the recorder has
 * registered must be there. */
static bool tables_are_known(const PyInterpreterState *interpreter, PyObject *module)
{
	PyObject *name = call_of_id(GET, module, root.tool);
	bool known = name && name == monitoring_tool_names(interpreter)[root.tool];

	for (size_t i = 0; i < hook_count; i++)
		if (hooks[i].number)
			known &= monitoring_callbacks(
					 interpreter, root.tool)[event_index(hooks[i].number)] ==
				 (PyObject *)&hooks[i].hook;
	Py_XDECREF(name);
	return known;
}

/* Which ids the program, or what ran before it, has by now. */
static void look_at_ids(const PyInterpreterState *interpreter)
{
	for (int i = 0; i < TOOLS; i++) {
		bool taken = i != root.tool && monitoring_tool_names(interpreter)[i];
		ids[i] = (struct program_id){.own = taken ? i : NOT_YET, .taken = taken};
	}
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

	heard = events;
	if (takes_all && tables_are_known(interpreter, module)) {
		look_at_ids(interpreter);
		of = interpreter;
	}
	if (BRANCHES_NEED_LINES && !of)
		hot_stop();
	if (has_debugger(module))
		hooks_are_traced();
	PyErr_Clear();
}

/* ---- callbacks that raise ---- */

/* What an object of the program's runs when it is called: borrowed, NULL: not known. */
static PyObject *call_of(PyObject *object)
{
	PyObject *name = PyUnicode_InternFromString("__call__");
	PyObject *call = name ? _PyType_Lookup(Py_TYPE(object), name) : NULL;

	if (!name)
		PyErr_Clear();
	Py_XDECREF(name);
	return call;
}

/* Is the callback a function with this code, or a method or an object with such a function? */
static bool callback_has(PyObject *callback, const PyCodeObject *code)
{
	if (callback && PyMethod_Check(callback))
		callback = PyMethod_GET_FUNCTION(callback);
	else if (callback && !PyFunction_Check(callback))
		callback = call_of(callback);
	return callback && PyFunction_Check(callback) &&
	       PyFunction_GET_CODE(callback) == (PyObject *)code;
}

static bool is_jump_callback(const PyCodeObject *code)
{
	for (int tool = 0; tool < TOOLS; tool++) {
		PyObject **callbacks = monitoring_callbacks(of, tool);
		if (tool == root.tool && !deaf)
			continue;
		if (callback_has(callbacks[PY_MONITORING_EVENT_JUMP], code) ||
			callback_has(callbacks[PY_MONITORING_EVENT_BRANCH], code))
			return true;
	}
	return false;
}

/* The traceback has the frame that raised, and then what was called there: the callback, as far as
 * it is not of C. */
bool tools_raised_at_jump(PyObject *exception)
{
	if (!of || !PyExceptionInstance_Check(exception))
		return false;
	PyObject *here = ((PyBaseExceptionObject *)exception)->traceback;
	PyTracebackObject *called =
		here && PyTraceBack_Check(here) ? ((PyTracebackObject *)here)->tb_next : NULL;
	PyCodeObject *callee = called ? PyFrame_GetCode(called->tb_frame) : NULL;
	bool raised = callee && is_jump_callback(callee);

	Py_XDECREF(callee);
	return raised;
}

/* ---- calls of the recorder, with its own id ---- */

bool tools_set_local_events(PyCodeObject *code, int events)
{
	PyObject *module = PySys_GetObject("monitoring");

	if (deaf || !module)
		return false;
	if (theirs[SET_LOCAL_EVENTS])
		return set_number(SET_LOCAL_EVENTS, module, root.tool, (PyObject *)code, events) ==
		       0;
	PyObject *done =
		PyObject_CallMethod(module, "set_local_events", "iOi", root.tool, code, events);
	Py_XDECREF(done);
	return done != NULL;
}
