/* Names that belong to the program, and strings of the recording (names.c). */
#ifndef PL_RECORDER_NAMES_H
#define PL_RECORDER_NAMES_H

#include "recorder/compat/python.h"
#include "recorder/emit_fast.h"

struct thread;

uint32_t exception_type_number(PyObject *exception);
/* The name as a traceback writes it: with its module, unless that is builtins or __main__. Returns
 * its length, which can be more than the room; like snprintf. Runs no code of the program. */
size_t type_name(PyTypeObject *type, char *name, size_t room);

/* ts: its state. */
void thread_check_name(struct thread *t, const PyThreadState *ts);

void names_forget(void); /* as greenlets_forget */
/* A new recording begins: it has no strings yet. */
void strings_forget(void);
/* module.name, borrowed; NULL when the module is not imported or has no such name. */
PyObject *module_attribute(const char *module, const char *name);
/* What the instance itself has by that name, a literal, in its dict or in a slot; a new reference,
 * or NULL. What would run Python code (a property, a __getattr__) is not asked. */
PyObject *plain_attribute(PyObject *object, const char *name);
/* A str as bytes, with surrogateescape; *keep is to be released by the caller (may be NULL). Never
 * leaves an error. */
const char *text_of(PyObject *str, size_t *length, PyObject **keep);

/* This thread's attribute of a threading.local; as plain_attribute. */
PyObject *local_attribute(PyObject *local, const char *name);

#endif
