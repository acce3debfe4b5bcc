/* Names that belong to the program: exception types, tasks, threads. They are read without running
 * Python code: a property, a __getattr__ or a metaclass would have events in the middle of an
 * event, and could change what the program does. A name that needs such code is not known.
 *
 * Modules are looked for among the imported ones and never imported, because the program can see an
 * import.
 */
#include "recorder/names.h"

#include <string.h>
#include <structmember.h>
#include "base/buf.h"
#include "base/map.h"
#include "format/message.h"
#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/objects.h"
#include "recorder/emit_fast.h"
#include "recorder/message.h"
#include "recorder/root.h"
#include "recorder/start.h"
#include "recorder/tasks.h"
#include "recorder/thread.h"

const char *text_of(PyObject *str, size_t *length, PyObject **keep)
{
	Py_ssize_t n;
	const char *text = PyUnicode_AsUTF8AndSize(str, &n);

	*keep = NULL;
	if (!text) { /* lone surrogates represent bytes that were not UTF-8 */
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

/* The texts that are looked up are few literals, and are needed at each resume of a task. They are
 * made objects once, and then have their hashes. Borrowed; NULL: no memory. */
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

PyObject *plain_attribute(PyObject *object, const char *name)
{
	PyObject *key = key_of(name), *found = NULL;
	PyObject *of_type = key ? _PyType_Lookup(Py_TYPE(object), key) : NULL;

	if (of_type && Py_TYPE(of_type) == &PyMemberDescr_Type)
		found = PyMember_GetOne(
			(const char *)object, ((PyMemberDescrObject *)of_type)->d_member);
	else if (key && !of_type)
		found = PyObject_GenericGetAttr(object, key);
	PyErr_Clear();
	return found;
}

/* This thread's attribute of a threading.local; as plain_attribute. The first look in a thread runs
 * the class's __init__, so there must be none. */
PyObject *local_attribute(PyObject *local, const char *name)
{
	PyTypeObject *base = (PyTypeObject *)module_attribute("_thread", "_local");
	PyObject *key = key_of(name), *found = NULL;

	if (!key || !base || !PyType_Check(base) || !PyObject_TypeCheck(local, base) ||
		Py_TYPE(local)->tp_getattro != base->tp_getattro ||
		Py_TYPE(local)->tp_init != PyBaseObject_Type.tp_init)
		return NULL;
	PyObject *of_type = _PyType_Lookup(Py_TYPE(local), key);
	if (!of_type || !Py_TYPE(of_type)->tp_descr_get)
		found = Py_TYPE(local)->tp_getattro(local, key);
	PyErr_Clear();
	return found;
}

/* ---- strings of the recording ---- */

static struct pl_map strings; /* hash of the text -> number */

/* The number of a text in the recording, written at its first use; 0: it could not be written. Two
 * texts with one 64-bit hash would be one: names of types are few. */
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

size_t type_name(PyTypeObject *type, char *name, size_t room)
{
	if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
		const char *plain = strncmp(type->tp_name, "builtins.", 9) == 0 ? type->tp_name + 9
										: type->tp_name;
		return (size_t)snprintf(name, room, "%s", plain);
	}
	PyObject *keep_module = NULL, *keep_name;
	size_t module_length = 0, length;
	PyObject *module = type->tp_dict ? dict_find(type->tp_dict, "__module__") : NULL;
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

/* A type's version tag is never used twice, so address and tag identify a type; tag 0 is none. */
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

/* ---- threads ---- */

/* The Thread object of a thread that is just beginning: `self` of Thread._bootstrap, its bottom
 * frame. */
static PyObject *bootstrap_self(const PyThreadState *ts)
{
	py_frame *bottom = NULL;

	for (py_frame *f = current_frame(ts); f; f = frame_caller(f))
		bottom = f;
	if (!bottom || frame_is_shim(bottom) || frame_code(bottom)->co_nlocals < 1 ||
		!PyUnicode_EqualToUTF8(frame_code(bottom)->co_qualname, "Thread._bootstrap"))
		return NULL;
	return frame_local(bottom, 0);
}

/* threading._active has the thread once it has started; before that it is `self` of its first
 * frame. A name is written again when it is another object, which is when the program set it. */
void thread_check_name(struct thread *t, const PyThreadState *ts)
{
	PyObject *active = module_attribute("threading", "_active"), *object = NULL, *name = NULL,
		 *keep = NULL;
	PyObject *ident = PyLong_FromUnsignedLong(ts->thread_id);
	size_t length;

	if (active && ident && PyDict_CheckExact(active))
		object = PyDict_GetItemWithError(active, ident);
	if (!object)
		object = bootstrap_self(ts);
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

void names_forget(void)
{
	memset(known, 0, sizeof known);
	tasks_forget();
}

void strings_forget(void)
{
	map_release(&strings);
}
