/* Tasks of asyncio and trio, and the names of greenlets; read as names.c has it, without running
 * Python code.
 */
#include "recorder/tasks.h"

#include <inttypes.h>
#include <string.h>
#include "base/map.h"
#include "format/event.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/emit_fast.h"
#include "recorder/generators.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/thread.h"

/* Where a C Task keeps its coroutine and its name: found once, by searching the object for what its
 * own getters return. The struct is private to Modules/_asynciomodule.c and no header has it. The
 * getters are C, and are called until this succeeds once. An offset of 0 is that of the object's
 * head, so it means none. */
static struct {
	PyTypeObject *type; /* _asyncio.Task; borrowed, a module keeps it */
	size_t coroutine_off, name_off;
} task_layout;

static size_t find_pointer(PyObject *object, const void *value)
{
	size_t bytes = (size_t)Py_TYPE(object)->tp_basicsize;

	for (size_t off = sizeof(PyObject); off + sizeof value <= bytes; off += sizeof value)
		if (memcmp((char *)object + off, &value, sizeof value) == 0)
			return off;
	return 0;
}

static bool learn_layout(PyTypeObject *type, PyObject *task)
{
	PyObject *coroutine = NULL, *name = NULL;

	if (Py_TYPE(task) != type)
		return false;
	coroutine = PyObject_CallMethod(task, "get_coro", NULL);
	name = PyObject_CallMethod(task, "get_name", NULL);
	if (coroutine && name && coroutine != Py_None) {
		task_layout.coroutine_off = find_pointer(task, coroutine);
		task_layout.name_off = find_pointer(task, name);
		if (task_layout.coroutine_off && task_layout.name_off)
			task_layout.type = type;
	}
	Py_XDECREF(coroutine);
	Py_XDECREF(name);
	PyErr_Clear();
	return task_layout.type != NULL;
}

static PyObject *task_slot(PyObject *task, size_t off)
{
	PyObject *value;

	memcpy(&value, (char *)task + off, sizeof value);
	return value;
}

/* "Task-N"; snprintf would take most of the time of a task's resume. */
static size_t default_name(unsigned long n, char *to)
{
	static const char front[5] = "Task-";
	char digits[20], *first = &digits[sizeof digits];

	do
		*--first = (char)('0' + n % 10);
	while (n /= 10);
	size_t length = (size_t)(&digits[sizeof digits] - first);
	memcpy(to, front, sizeof front);
	memcpy(to + sizeof front, first, length);
	return sizeof front + length;
}

/* Copy a name (str; an int N for the default "Task-N" that nobody has asked for yet). */
static size_t copy_name(PyObject *name, char *to)
{
	PyObject *keep = NULL;
	size_t length = 0;

	if (name && PyLong_Check(name))
		return default_name(PyLong_AsUnsignedLong(name), to);
	if (!name || !PyUnicode_Check(name))
		return 0;
	const char *text = text_of(name, &length, &keep);
	if (length > EVENT_TEXT_MAX)
		length = EVENT_TEXT_MAX;
	memcpy(to, text, length);
	Py_XDECREF(keep);
	return length;
}

/* The type of a task lives as long as the task: if the layout is that of its type, nothing must be
 * looked up. */
static bool is_c_task(PyObject *task)
{
	if (task_layout.type && Py_TYPE(task) == task_layout.type)
		return true;
	PyObject *type = module_attribute("_asyncio", "Task");
	if (!type || !PyType_Check(type) || !PyObject_TypeCheck(task, (PyTypeObject *)type))
		return false;
	if (task_layout.type != (PyTypeObject *)type && !learn_layout((PyTypeObject *)type, task))
		task_layout.type = NULL;
	return true;
}

/* What is read of a task, and the attributes that have it: of a Task in Python, and of trio's. */
enum task_part { TASK_COROUTINE, TASK_NAME };
static const char *const task_attributes[][2] = {
	[TASK_COROUTINE] = {"_coro", "coro"},
	[TASK_NAME] = {"_name", "name"},
};

/* A new reference; NULL: it cannot be read. */
static PyObject *task_part(PyObject *task, enum task_part part)
{
	PyObject *found = NULL;

	if (is_c_task(task)) {
		if (task_layout.type)
			found = task_slot(task, part == TASK_NAME ? task_layout.name_off
								  : task_layout.coroutine_off);
		Py_XINCREF(found);
		return found;
	}
	for (size_t i = 0; !found && i < 2; i++)
		found = plain_attribute(task, task_attributes[part][i]);
	return found;
}

static bool task_runs(PyObject *task, PyObject *coroutine)
{
	PyObject *its = task_part(task, TASK_COROUTINE);

	Py_XDECREF(its);
	return its == coroutine;
}

/* `current` is a dict from loops to the tasks that run in them, at most a few. Returns the task
 * that runs the coroutine, or that of the loop; borrowed, or NULL. */
static PyObject *task_among(PyObject *current, PyObject *coroutine, PyObject *loop)
{
	PyObject *of, *task;
	Py_ssize_t at = 0;

	if (!current || !PyDict_CheckExact(current))
		return NULL;
	while (PyDict_Next(current, &at, &of, &task))
		if (loop ? of == loop : task_runs(task, coroutine))
			return task;
	return NULL;
}

/* asyncio's loop that runs on this thread: a new reference, or NULL. */
static PyObject *running_loop(void)
{
	PyObject *ask = module_attribute("_asyncio", "_get_running_loop");
	PyObject *local = module_attribute("asyncio.events", "_running_loop"), *loop = NULL;

	if (ask && PyCFunction_Check(ask)) {
		loop = PyObject_CallNoArgs(ask);
		PyErr_Clear();
		return loop;
	}
	PyObject *pair = local ? local_attribute(local, "loop_pid") : NULL;
	if (pair && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair))
		loop = PyTuple_GET_ITEM(pair, 0);
	Py_XINCREF(loop);
	Py_XDECREF(pair);
	return loop;
}

/* The run context is the thread's own, and has a task while one runs. */
static PyObject *trio_task(void)
{
	PyObject *context = module_attribute("trio._core._run", "GLOBAL_RUN_CONTEXT");
	PyObject *task = context ? local_attribute(context, "task") : NULL;

	Py_XDECREF(task); /* the context holds it */
	return task;
}

/* The task that runs the coroutine; if there is none and `any` is set, the one that runs on this
 * thread: its own coroutine may be an object that is not Python's, or it runs this one by hand.
 * Borrowed, or NULL. */
static PyObject *current_task_of(PyThreadState *ts, PyObject *coroutine, bool any)
{
	PyObject *task = thread_running_task(ts);

	if (task)
		return any || task_runs(task, coroutine) ? task : NULL;
	PyObject *current = module_attribute("_asyncio", "_current_tasks");
	task = task_among(current, coroutine, NULL);
	PyObject *plain = task ? NULL : module_attribute("asyncio.tasks", "_current_tasks");
	if (plain && plain != current)
		task = task_among(plain, coroutine, NULL);
	if (!task && (task = trio_task()))
		return any || task_runs(task, coroutine) ? task : NULL;
	if (task || !any || !plain)
		return task;
	PyObject *loop = running_loop();
	if (loop)
		task = task_among(current, NULL, loop);
	if (loop && !task)
		task = task_among(plain, NULL, loop);
	Py_XDECREF(loop);
	return task;
}

/* A task's number, by the frame of its coroutine and the generator's number, which is never used
 * again, so that an earlier frame at the same address is not mistaken for it. If the coroutine is
 * not Python's: by its address and the task's. With the GIL; kept as long as the map of
 * generators.c, and for the same reason. */
static struct pl_map task_numbers, task_tokens;

static uint64_t known_task(uint64_t key, uint64_t token)
{
	const uint64_t *had = map_find(&task_tokens, key), *number;

	number = had && *had == token ? map_find(&task_numbers, key) : NULL;
	return number ? *number : 0;
}

static uint64_t task_number_of(uint64_t key, uint64_t token)
{
	uint64_t number = known_task(key, token);

	if (number)
		return number;
	uint64_t *to = map_put(&task_numbers, key), *of = map_put(&task_tokens, key);
	number = ++root.tasks;
	if (to && of) {
		*to = number;
		*of = token;
	}
	return number;
}

static bool is_generator(const PyObject *coroutine)
{
	return coroutine && (PyCoro_CheckExact(coroutine) || PyGen_CheckExact(coroutine) ||
				    PyAsyncGen_CheckExact(coroutine));
}

static uint64_t number_of_task(PyObject *task, PyObject *coroutine)
{
	if (!is_generator(coroutine))
		return task_number_of((uint64_t)(uintptr_t)task,
			(uint64_t)1 << 63 | (uint64_t)(uintptr_t)coroutine);
	py_frame *frame = generator_frame(coroutine);
	return task_number_of((uint64_t)(uintptr_t)frame, generator_of(frame));
}

void tasks_forget(void)
{
	task_layout.type = NULL;
	map_release(&task_numbers);
	map_release(&task_tokens);
}

bool task_find(PyThreadState *ts, py_frame *frame, bool begins, struct task_told *out)
{
	PyObject *task = current_task_of(ts, frame_generator(frame), begins);

	out->length = 0;
	out->task = task;
	if (!task) {
		out->number = known_task((uint64_t)(uintptr_t)frame, generator_of(frame));
		return out->number != 0;
	}
	PyObject *coroutine = task_part(task, TASK_COROUTINE), *name = task_part(task, TASK_NAME);
	out->number = number_of_task(task, coroutine);
	out->length = (uint32_t)copy_name(name, out->name);
	Py_XDECREF(coroutine);
	Py_XDECREF(name);
	PyErr_Clear();
	return true;
}

uint8_t *task_write(uint8_t *p, PyThreadState *ts, py_frame *frame, bool begins)
{
	struct task_told task;

	self->task_frame = NULL;
	if (!task_find(ts, frame, begins, &task))
		return p;
	if (task.task) {
		self->task = task.task;
		self->task_frame = frame;
		self->task_generator = generator_of(frame);
		self->task_number = task.number;
		self->task_name = hash_bytes(task.name, task.length);
	}
	return event_write_task(p, task.number, task.name, task.length);
}

uint8_t *task_write_renamed(uint8_t *p, py_frame *frame)
{
	char text[EVENT_TEXT_MAX];

	self->task_frame = NULL;
	if (generator_of(frame) != self->task_generator)
		return p;
	PyObject *name = task_part(self->task, TASK_NAME);
	uint32_t length = (uint32_t)copy_name(name, text);
	Py_XDECREF(name);
	PyErr_Clear();
	return length && hash_bytes(text, length) != self->task_name
		       ? event_write_task(p, self->task_number, text, length)
		       : p;
}

/* ---- greenlets ---- */

/* gevent's `name` would give the greenlet an ident if it has none yet, which the program can see.
 * So only a name that was set is used. */
size_t greenlet_name(PyObject *greenlet, uint64_t number, char *name)
{
	PyObject **dict = _PyObject_GetDictPtr(greenlet);
	PyObject *set = dict && *dict && PyDict_CheckExact(*dict)
				? PyDict_GetItemString(*dict, "name")
				: NULL;
	size_t length = set && PyUnicode_Check(set) ? copy_name(set, name) : 0;

	PyErr_Clear();
	return length ? length
		      : (size_t)snprintf(name, EVENT_TEXT_MAX, "Greenlet-%" PRIu64, number);
}
