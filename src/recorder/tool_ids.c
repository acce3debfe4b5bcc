/* The program's tool ids, and which id of the interpreter represents each (tools.c). */
#include "recorder/tool_ids.h"

#include "pathline/event.h"
#include "recorder/code.h"
#include "recorder/compat/monitoring.h"
#include "recorder/engine.h"
#include "recorder/hooks.h"
#include "recorder/message.h"
#include "recorder/root.h"
#include "recorder/switch.h"
#include "recorder/thread.h"
#include "recorder/tiers/tiers.h"
#include "recorder/tools.h"

struct tool_ids tool_ids;

bool tools_are_all_taken(void)
{
	return tool_ids.deaf;
}

/* ---- the interpreter's functions ---- */

PyObject *tool_call(int which, PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	switch (which) {
	case FREE:
	case GET:
	case CLEAR:
	case EVENTS:
		return tool_ids.theirs[which](module, args[0]);
	default:
		return ((fast_function)(void (*)(void))tool_ids.theirs[which])(module, args, n);
	}
}

/* Call it with another first argument. */
PyObject *tool_call_with(int which, PyObject *module, int own, PyObject *const *args, Py_ssize_t n)
{
	PyObject *id = PyLong_FromLong(own), *result = NULL;
	PyObject *own_args[ARGUMENTS_MOST] = {id};

	if (!id)
		return NULL;
	for (Py_ssize_t i = 1; i < n; i++)
		own_args[i] = args[i];
	result = tool_call(which, module, own_args, n);
	Py_DECREF(id);
	return result;
}

PyObject *tool_call_of_id(int which, PyObject *module, int own)
{
	return tool_call_with(which, module, own, NULL, 1);
}

/* -1: an error, which stays set. */
int tool_set_number(int which, PyObject *module, int own, PyObject *code, long events)
{
	PyObject *set = PyLong_FromLong(events);
	PyObject *args[ARGUMENTS_MOST] = {NULL, code ? code : set, set};
	PyObject *done = set ? tool_call_with(which, module, own, args, code ? 3 : 2) : NULL;

	Py_XDECREF(set);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

long tool_events(PyObject *module, int own)
{
	PyObject *set = tool_call_of_id(EVENTS, module, own);
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

	if (tool_ids.deaf)
		tier_forget(r);
	if (!code_is_instrumented_for(code, c->own))
		return;
	tool_set_number(SET_LOCAL_EVENTS, module, c->own, (PyObject *)code,
		1 << PY_MONITORING_EVENT_PY_RETURN);
	PyErr_Clear();
	tool_set_number(SET_LOCAL_EVENTS, module, c->own, (PyObject *)code, 0);
	PyErr_Clear();
}

void tool_clean_codes(PyObject *module, int own)
{
	codes_each(clean_code, &(struct cleaning){module, own});
}

/* ---- which own id represents which ---- */

static bool is_spoken_for(int own)
{
	if (!tool_ids.deaf && own == root.tool)
		return true;
	for (int i = 0; i < TOOLS; i++)
		if (tool_ids.ids[i].own == own)
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
		int own = tool_ids.ids[i].own;
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

static void tool_put_aside(struct program_id *p)
{
	PyObject **callbacks = monitoring_callbacks(tool_ids.of, p->own);

	for (int i = 0; i < _PY_MONITORING_EVENTS; i++) {
		p->aside[i] = callbacks[i];
		callbacks[i] = NULL;
	}
	p->own = NOT_YET;
}

static void tool_give_id(struct program_id *p, int own)
{
	PyObject **callbacks = monitoring_callbacks(tool_ids.of, own);

	p->own = own;
	for (int i = 0; own != NOT_YET && i < _PY_MONITORING_EVENTS; i++) {
		callbacks[i] = p->aside[i];
		p->aside[i] = NULL;
	}
}

/* The own id of another id of the program, which is not taken and has no event enabled; NOT_YET:
 * none. */
static int tool_lend(PyObject *module)
{
	for (int i = TOOLS; i--;) {
		int own = tool_ids.ids[i].own;
		if (own != NOT_YET && !tool_ids.ids[i].taken && !tool_events(module, own)) {
			tool_put_aside(&tool_ids.ids[i]);
			return own;
		}
	}
	return NOT_YET;
}

/* lend, and clean the code that the recorder knows of what the last tool left there. */
static int lend_clean(PyObject *module)
{
	int own = tool_lend(module);
	PyObject *name = own == NOT_YET ? NULL : PyUnicode_FromString("pathline");
	PyObject *args[] = {NULL, name};
	PyObject *used = name ? tool_call_with(USE, module, own, args, 2) : NULL;

	if (used) {
		tool_clean_codes(module, own);
		Py_XDECREF(tool_call_of_id(FREE, module, own));
	}
	Py_XDECREF(used);
	Py_XDECREF(name);
	PyErr_Clear();
	return own;
}

/* ---- all six are taken ---- */

static void let_id_go(PyObject *module)
{
	PyObject **callbacks = monitoring_callbacks(tool_ids.of, root.tool);

	for (int i = 0; i < _PY_MONITORING_EVENTS; i++)
		Py_CLEAR(callbacks[i]);
	tool_set_number(SET_EVENTS, module, root.tool, NULL, 0);
	PyErr_Clear();
	tool_ids.deaf = true;
	root.first_move = (struct first_move){0};
	tool_clean_codes(module, root.tool);
	Py_XDECREF(tool_call_of_id(FREE, module, root.tool));
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
void tool_hear_again(PyObject *module)
{
	int own = atomic_load_explicit(&root.stopped, memory_order_relaxed) ? NOT_YET
									    : tool_lend(module);
	PyObject *name = own == NOT_YET ? NULL : PyUnicode_FromString("pathline");
	PyObject *args[] = {NULL, name};
	PyObject *used = name ? tool_call_with(USE, module, own, args, 2) : NULL;

	if (used) {
		PyObject **callbacks = monitoring_callbacks(tool_ids.of, own);
		for (size_t i = 0; i < hook_count; i++)
			if (hooks[i].number)
				callbacks[event_index(hooks[i].number)] =
					Py_NewRef((PyObject *)&hooks[i].hook);
		tool_ids.deaf = false;
		root.tool = own;
		tool_set_number(SET_EVENTS, module, own, NULL, tool_ids.heard);
		PyErr_Clear();
		hooks_hear_again();
	}
	Py_XDECREF(used);
	Py_XDECREF(name);
	PyErr_Clear();
}

int tool_id_for_sure(int id, PyObject *module)
{
	if (tool_ids.ids[id].own != NOT_YET)
		return tool_ids.ids[id].own;
	int own = find_free(id);
	if (own == NOT_YET)
		own = lend_clean(module);
	if (own == NOT_YET) {
		stop_to_hear(module);
		own = find_free(id);
	}
	tool_give_id(&tool_ids.ids[id], own);
	return own;
}

/* Does the interpreter keep names and callbacks where its headers say? What the recorder has
 * registered must be there. */
bool tool_tables_are_known(const PyInterpreterState *interpreter, PyObject *module)
{
	PyObject *name = tool_call_of_id(GET, module, root.tool);
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
void tool_look_at_ids(const PyInterpreterState *interpreter)
{
	for (int i = 0; i < TOOLS; i++) {
		bool taken = i != root.tool && monitoring_tool_names(interpreter)[i];
		tool_ids.ids[i] = (struct program_id){.own = taken ? i : NOT_YET, .taken = taken};
	}
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
		PyObject **callbacks = monitoring_callbacks(tool_ids.of, tool);
		if (tool == root.tool && !tool_ids.deaf)
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
	if (!tool_ids.of || !PyExceptionInstance_Check(exception))
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

	if (tool_ids.deaf || !module)
		return false;
	if (tool_ids.theirs[SET_LOCAL_EVENTS])
		return tool_set_number(
			       SET_LOCAL_EVENTS, module, root.tool, (PyObject *)code, events) == 0;
	PyObject *done =
		PyObject_CallMethod(module, "set_local_events", "iOi", root.tool, code, events);
	Py_XDECREF(done);
	return done != NULL;
}
