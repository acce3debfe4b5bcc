/* The program's tool ids, and which id of the interpreter represents each (tools.c). */
#ifndef PL_RECORDER_TOOL_IDS_H
#define PL_RECORDER_TOOL_IDS_H

#include "recorder/compat/python.h"

#define TOOLS	 6
#define NOT_YET	 (-1)
#define DEBUGGER 0 /* sys.monitoring.DEBUGGER_ID */

typedef PyObject *(*fast_function)(PyObject *module, PyObject *const *args, Py_ssize_t n);

enum { USE, FREE, GET, CLEAR, CALLBACK, EVENTS, SET_EVENTS, LOCAL_EVENTS, SET_LOCAL_EVENTS };

struct tool_ids {
	/* Index: the program's id. */
	struct program_id {
		/* The interpreter's id; NOT_YET: none. It stays when the id is freed, as callbacks
		 * and events do (3.12, 3.13). */
		int own;
		bool taken;
		/* owned; its callbacks while `own` is NOT_YET */
		PyObject *aside[_PY_MONITORING_EVENTS];
	} ids[TOOLS];
	PyInterpreterState *of; /* the interpreter of these ids; NULL: nothing is replaced */
	bool deaf;		/* the recorder has no id */
	long heard;		/* its enabled events, when it has an id */
	PyCFunction theirs[SET_LOCAL_EVENTS + 1]; /* the interpreter's functions */
};

extern struct tool_ids tool_ids;

#define ARGUMENTS_MOST 3

PyObject *tool_call(int which, PyObject *module, PyObject *const *args, Py_ssize_t n);
/* The same with another first argument. */
PyObject *tool_call_with(int which, PyObject *module, int own, PyObject *const *args, Py_ssize_t n);
PyObject *tool_call_of_id(int which, PyObject *module, int own);
/* Events of the id, in the code, or NULL: everywhere. -1: an error, which stays set. */
int tool_set_number(int which, PyObject *module, int own, PyObject *code, long events);
long tool_events(PyObject *module, int own);
/* The interpreter's id that represents the program's; one is found if it has none. */
int tool_id_for_sure(int id, PyObject *module);
/* In no code that the recorder knows is the id named: it is in use, with no event enabled. */
void tool_clean_codes(PyObject *module, int own);
/* The program has freed an id while the recorder had none: take one again. */
void tool_hear_again(PyObject *module);
/* Does the interpreter keep names and callbacks where its headers say? What the recorder has
 * registered must be there. */
bool tool_tables_are_known(const PyInterpreterState *interpreter, PyObject *module);
/* Which ids the program, or what ran before it, has by now. */
void tool_look_at_ids(const PyInterpreterState *interpreter);

#endif
