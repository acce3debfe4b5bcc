/* Which values an event has. */
#include "recorder/values/values.h"

#include <stdlib.h>
#include <string.h>

#include "format/event.h"
#include "recorder/code.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/objects.h"
#include "recorder/emit.h"
#include "recorder/root.h"
#include "recorder/values/capture.h"
#include "recorder/values/event.h"
#include "recorder/values/kept.h"
#include "recorder/values/requests.h"
#include "recorder/values/secrets.h"
#include "recorder/values/values_of.h"
#include "recorder/values/variables.h"

/* ---- the events ---- */

static uint8_t *put_alone(uint8_t *p, PyObject *o, bool hidden)
{
	value_event_begin(p);
	value_event_put(o, hidden);
	return value_event_end(p, EVENT_VALUES);
}

/* false: there is no room. */
static bool put_argument(const struct emit *e, uint32_t i, struct kept_frame *kept)
{
	const uint32_t variable = code_argument_variable(e->code, i);
	PyObject *o = frame_variable(e->frame, e->code, (int)variable);
	const struct code_values *v = e->record->values;
	const bool hidden = v->marks[variable] & VARIABLE_HIDDEN;
	bool done;

	if (!hidden && v->marks[variable] & VARIABLE_REQUEST)
		done = value_event_put_request(o, v->request_alone);
	else if (!hidden && v->request_alone)
		done = value_event_put_type(o);
	else
		done = value_event_put(o, hidden);
	if (!done)
		return false;
	variables_know(kept, variable, o, hidden);
	return true;
}

uint8_t *values_of_call(const struct emit *e, uint8_t *p)
{
	const struct code_values *v = e->record->values;

	if (!v || frame_is_foreign(e->frame))
		return p;
	struct kept_frame *kept = v->lines ? variables_begin(e) : NULL;
	if (!v->arguments)
		return p;
	value_event_begin(p);
	for (uint32_t i = 0; i < v->arguments; i++)
		if (!put_argument(e, i, kept))
			break;
	return value_event_end(p, EVENT_VALUES);
}

uint8_t *values_of_sent(const struct emit *e, uint8_t *p, PyObject *sent)
{
	const struct code_values *v = e->record->values;

	return v && v->calls && sent ? put_alone(p, sent, false) : p;
}

/* An asynchronous generator yields its value in an object of its own (Objects/genobject.c). */
static PyObject *unwrapped(const PyCodeObject *code, PyObject *o)
{
	struct wrapped {
		PyObject head;
		PyObject *value;
	};
	bool is = code->co_flags & CO_ASYNC_GENERATOR &&
		  !strcmp(Py_TYPE(o)->tp_name, "async_generator_wrapped_value");

	return is ? ((struct wrapped *)o)->value : o;
}

uint8_t *values_of_line(const struct emit *e, uint8_t *p)
{
	const struct code_values *v = e->record->values;

	return v && v->lines && !frame_is_foreign(e->frame) ? variables_put(e, p) : p;
}

uint8_t *values_of_yield(const struct emit *e, uint8_t *p, PyObject *yielded)
{
	const struct code_values *v = e->record->values;

	p = values_of_line(e, p);
	if (!v || !v->calls || !yielded)
		return p;
	return put_alone(p, unwrapped(e->code, yielded), v->hides_result);
}

static void frame_ends(const struct emit *e)
{
	if (e->record->values && e->record->values->lines)
		kept_forget(e->frame);
}

/* The last result that the name of its function hides, to be compared only: who resumes a generator
 * or a coroutine gets it in a StopIteration, whose frame has another name. */
static const PyObject *hidden_result;

static bool is_hidden_result(PyObject *exception)
{
	return PyObject_TypeCheck(exception, (PyTypeObject *)PyExc_StopIteration) &&
	       ((PyStopIterationObject *)exception)->value == hidden_result && hidden_result;
}

uint8_t *values_of_result(const struct emit *e, uint8_t *p, PyObject *result)
{
	const struct code_values *v = e->record->values;

	hidden_result = v && v->hides_result && result != Py_None ? result : NULL;
	p = values_of_yield(e, p, result);
	frame_ends(e);
	return p;
}

uint8_t *values_of_unwind(const struct emit *e, uint8_t *p)
{
	p = values_of_line(e, p);
	frame_ends(e);
	return p;
}

/* A module and a class body have no values of calls, but what they raise is kept. */
static bool keeps_exceptions_of(const struct emit *e)
{
	const struct code_values *v = e->record->values;

	return (v && !v->request_alone) || (code_runs_once(e->code) && values_are_of(e->code));
}

uint8_t *values_of_exception(const struct emit *e, uint8_t *p, PyObject *exception)
{
	p = values_of_line(e, p);
	if (!exception || !keeps_exceptions_of(e))
		return p;
	return put_alone(p, exception, is_hidden_result(exception));
}

/* ---- codes ---- */

void values_start(void)
{
	const struct arena_head *h = root.arena.head;

	root.keeps_values = h->values != VALUES_NONE;
	root.keeps_lines = h->values == VALUES_LINES;
	if (h->redact_bytes <= sizeof h->redact)
		secret_names_add(view_of(h->redact, h->redact_bytes));
	values_of_start();
}

bool values_are_of_lines(PyCodeObject *code)
{
	return root.keeps_lines && values_are_of(code);
}

static uint8_t marks_of(const PyCodeObject *code, int variable)
{
	PyObject *name = PyTuple_GET_ITEM(code->co_localsplusnames, variable);
	const bool shared = _PyLocals_GetKind(code->co_localspluskinds, variable) &
			    (CO_FAST_CELL | CO_FAST_FREE);

	return (uint8_t)((shared ? VARIABLE_SHARED : 0) |
			 (capture_name_is_secret(name) ? VARIABLE_HIDDEN : 0) |
			 (variable_is_told(name) ? 0 : VARIABLE_LEFT_OUT));
}

static struct code_values *values_new(const PyCodeObject *code, bool wanted, uint32_t request)
{
	const uint32_t arguments = code_runs_once(code) ? 0 : code_argument_count(code);
	const bool lines = root.keeps_lines && wanted;
	const uint32_t all = lines ? (uint32_t)code->co_nlocalsplus : arguments;
	struct code_values *v = calloc(1, sizeof *v + all * sizeof v->marks[0]);

	if (!v)
		return NULL;
	v->calls = wanted && !code_runs_once(code);
	v->lines = lines;
	v->request_alone = !wanted;
	v->arguments = arguments;
	v->variables = all;
	v->hides_result = capture_name_is_secret(code->co_name);
	for (uint32_t i = 0; i < all; i++)
		v->marks[i] = marks_of(code, (int)i);
	if (request < all)
		v->marks[request] |= VARIABLE_REQUEST;
	return v;
}

struct code_values *code_values_of(PyCodeObject *code)
{
	const bool once = code_runs_once(code);

	if (!root.keeps_values || (once && !root.keeps_lines))
		return NULL;
	const bool wanted = values_are_of(code);
	const uint32_t request = once ? REQUEST_NO_VARIABLE : request_variable_of(code);
	return wanted || request != REQUEST_NO_VARIABLE ? values_new(code, wanted, request) : NULL;
}
