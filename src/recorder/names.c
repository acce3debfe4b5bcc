/* Names that are the program's: exception types, asyncio tasks, threads. Read without running any
 * Python code: a property, a __getattr__ or a metaclass would be events in the middle of an event,
 * and could change what the program does. What would need it has no name here.
 *
 * Modules are looked for among the imported ones and never imported: an import can be seen.
 */
#include "recorder/state.h"

#include <inttypes.h>
#include <string.h>
#include "format/message.h"

const char *text_of(PyObject *str, size_t *length, PyObject **keep)
{
	Py_ssize_t n;
	const char *text = PyUnicode_AsUTF8AndSize(str, &n);

	*keep = NULL;
	if (!text) { /* lone surrogates stand for bytes that were no UTF-8 */
		PyErr_Clear();
		*keep = PyUnicode_AsEncodedString(str, "utf-8", "surrogateescape");
		if (!*keep) {
			PyErr_Clear();
			*keep = PyUnicode_AsEncodedString(str, "utf-8", "surrogatepass");
		}
		if (!*keep) {
			PyErr_Clear();
			*length = 1;
			return "?";
		}
		text = PyBytes_AS_STRING(*keep);
		n = PyBytes_GET_SIZE(*keep);
	}
	*length = (size_t)n;
	return text;
}

/* ---- looking into modules that the program has imported ---- */

/* The texts that are looked up are literals, few, and looked up at each resume of a task: as objects they are made once, and
 * then have their hashes. Borrowed; NULL: no memory. */
static PyObject *key_of(const char *literal)
{
	static struct {
		const char *literal;
		PyObject *key; /* owned, for good */
	} keys[32];
	size_t i = 0;

	while (i < sizeof keys / sizeof *keys && keys[i].literal && keys[i].literal != literal)
		i++;
	if (i == sizeof keys / sizeof *keys)
		return NULL;
	if (!keys[i].key)
		keys[i].key = PyUnicode_InternFromString(literal);
	keys[i].literal = literal;
	return keys[i].key;
}

static PyObject *look_up(PyObject *dict, const char *literal)
{
	PyObject *key = key_of(literal);

	return key ? PyDict_GetItemWithError(dict, key) : NULL;
}

PyObject *module_attribute(const char *module, const char *name)
{
	PyObject *modules = imported_modules();
	PyObject *found = modules && PyDict_CheckExact(modules) ? look_up(modules, module) : NULL;

	return found && PyModule_Check(found) ? look_up(PyModule_GetDict(found), name) : NULL;
}

/* A plain instance attribute; a new reference, or NULL. What would run Python code (a property, a
 * __getattr__) is not followed. */
static PyObject *plain_attribute(PyObject *object, const char *name)
{
	PyObject *key = key_of(name), *found = NULL;

	if (key && Py_TYPE(object)->tp_getattro == PyObject_GenericGetAttr &&
		!_PyType_Lookup(Py_TYPE(object), key))
		found = PyObject_GenericGetAttr(object, key);
	PyErr_Clear();
	return found;
}

/* ---- strings of the recording ---- */

static struct pl_map strings; /* hash of the text -> number */

/* The number of a text in the recording, told at its first use; 0: it could not be told. Two texts
 * of one 64-bit hash would be one: names of types are few. */
static uint32_t string_number(const char *text, size_t length)
{
	uint64_t *number = map_put(&strings, hash_bytes(text, length));
	struct pl_buf fields = {0};

	if (!number)
		return 0;
	if (*number)
		return (uint32_t)*number;
	*number =
		atomic_fetch_add_explicit(&root.arena.head->next_string, 1, memory_order_relaxed) +
		1;
	buf_varint(&fields, *number);
	buf_string(&fields, text, length);
	if (!message_put(MESSAGE_STRING, &fields))
		*number = 0;
	buf_release(&fields);
	return (uint32_t)*number;
}

/* ---- exception types ---- */

/* The name as a traceback writes it: with its module, unless that is builtins or __main__. */
static size_t type_name(PyTypeObject *type, char *name, size_t room)
{
	if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
		const char *plain = strncmp(type->tp_name, "builtins.", 9) == 0 ? type->tp_name + 9
										: type->tp_name;
		return (size_t)snprintf(name, room, "%s", plain);
	}
	PyObject *keep_module = NULL, *keep_name;
	size_t module_length = 0, length;
	PyObject *module = type->tp_dict ? PyDict_GetItemString(type->tp_dict, "__module__") : NULL;
	const char *m = module && PyUnicode_Check(module)
				? text_of(module, &module_length, &keep_module)
				: "";
	const char *n = text_of(((PyHeapTypeObject *)type)->ht_qualname, &length, &keep_name);
	bool bare = !module_length || strcmp(m, "builtins") == 0 || strcmp(m, "__main__") == 0;
	int written =
		bare ? snprintf(name, room, "%.*s", (int)length, n)
		     : snprintf(name, room, "%.*s.%.*s", (int)module_length, m, (int)length, n);
	Py_XDECREF(keep_module);
	Py_XDECREF(keep_name);
	return written < 0 ? 0 : (size_t)written;
}

/* A type's version tag is never given twice, so address and tag name a type; tag 0 is none. */
struct known_type {
	PyTypeObject *type;
	unsigned int tag;
	uint32_t number;
};

static struct known_type known[64]; /* under the GIL; a cache by address, a newer one replaces */

uint32_t exception_type_number(PyObject *exception)
{
	PyTypeObject *type = Py_TYPE(exception);
	struct known_type *k = &known[((uintptr_t)type >> 5) & 63];
	char name[512];

	if (root.forked && !process_begin_in_child())
		return 0;
	bool heap = type->tp_flags & Py_TPFLAGS_HEAPTYPE;
	if (k->type == type && (!heap || (type->tp_version_tag && k->tag == type->tp_version_tag)))
		return k->number;
	size_t length = type_name(type, name, sizeof name);
	if (length >= sizeof name)
		length = sizeof name - 1;
	uint32_t number = string_number(name, length);
	if (number)
		*k = (struct known_type){type, type->tp_version_tag, number};
	return number;
}

/* ---- asyncio tasks ---- */

/* Where a C Task keeps its coroutine and its name: found once, by looking for what its own getters
 * give. The struct is private to Modules/_asynciomodule.c and no header has it. The getters are C,
 * and are asked until they have told it once; an offset of 0 is that of the object's head, hence
 * none. */
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

/* "Task-N": snprintf would take most of what a resume of a task takes. */
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

/* A task's own type lives as long as the task: where the layout is its type's nothing is to be looked up. */
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

/* The task's name if it is this coroutine's task, else 0. */
static size_t name_if_of(PyObject *task, PyObject *coroutine, char *to)
{
	if (is_c_task(task)) {
		if (!task_layout.type || task_slot(task, task_layout.coroutine_off) != coroutine)
			return 0;
		return copy_name(task_slot(task, task_layout.name_off), to);
	}
	PyObject *its = plain_attribute(task, "_coro");
	PyObject *name = its == coroutine ? plain_attribute(task, "_name") : NULL;
	size_t length = copy_name(name, to);
	Py_XDECREF(its);
	Py_XDECREF(name);
	return length;
}

/* `current` is a dict from loops to the tasks that run in them: a few at most. */
static size_t name_among(PyObject *current, PyObject *coroutine, char *to)
{
	PyObject *loop, *task;
	Py_ssize_t at = 0;
	size_t length = 0;

	if (!current || !PyDict_CheckExact(current))
		return 0;
	while (!length && PyDict_Next(current, &at, &loop, &task))
		length = name_if_of(task, coroutine, to);
	return length;
}

void names_forget(void)
{
	memset(known, 0, sizeof known);
	task_layout.type = NULL;
}

size_t task_name(PyThreadState *ts, PyObject *coroutine, char *name)
{
	PyObject *task = thread_running_task(ts);
	size_t length = 0;

	if (task)
		return name_if_of(task, coroutine, name);
	PyObject *current = module_attribute("_asyncio", "_current_tasks");
	length = name_among(current, coroutine, name);
	if (!length) {
		PyObject *plain = module_attribute("asyncio.tasks", "_current_tasks");
		length = plain == current ? 0 : name_among(plain, coroutine, name);
	}
	PyErr_Clear();
	return length;
}

/* ---- greenlets ---- */

/* gevent's `name` would give the greenlet an ident if it has none yet, which the program can see:
 * only a name that was set is taken. */
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

/* ---- threads ---- */

/* The Thread object of a thread that is just beginning: `self` of Thread._bootstrap, its bottom
 * frame. */
static PyObject *bootstrap_self(void)
{
	py_frame *bottom = NULL;

	for (py_frame *f = current_frame(current_thread_state()); f; f = frame_caller(f))
		bottom = f;
	if (!bottom || frame_is_shim(bottom) || frame_code(bottom)->co_nlocals < 1 ||
		!PyUnicode_EqualToUTF8(frame_code(bottom)->co_qualname, "Thread._bootstrap"))
		return NULL;
	return frame_local(bottom, 0);
}

/* threading._active has the thread once it has started; before, it is found as `self` of its first
 * frame. A name is told again when it is another object, which is when the program set it. */
void thread_check_name(struct thread *t)
{
	PyObject *active = module_attribute("threading", "_active"), *object = NULL, *name = NULL,
		 *keep = NULL;
	PyObject *ident = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
	size_t length;

	if (active && ident && PyDict_CheckExact(active))
		object = PyDict_GetItemWithError(active, ident);
	if (!object)
		object = bootstrap_self();
	name = object ? plain_attribute(object, "_name") : NULL;
	if (name && PyUnicode_Check(name)) {
		if (name != t->name_seen) {
			const char *text = text_of(name, &length, &keep);
			message_thread(t, text, length);
			t->name_seen = name;
		}
	} else if (!t->named) {
		const char *plain = t->number == 0 && !root.fork_parent ? "MainThread" : "";
		message_thread(t, plain, strlen(plain));
	}
	t->named = true;
	PyErr_Clear();
	Py_XDECREF(keep);
	Py_XDECREF(name);
	Py_XDECREF(ident);
}
