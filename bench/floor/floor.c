/* The floor: callbacks that hear of a program's events and do nothing, or write one bare record.
 *
 * What a program takes with these is what the interpreter needs to tell a tool of its events. No
 * exact recorder that hears as much takes less. They are called as cheaply as CPython calls
 * anything: by vectorcall, with an object that is made once. Records go round in a ring of 2^n
 * bytes; nobody reads them.
 *
 *	ring8    code << 20 ^ place ^ kind << 60                     8 bytes
 *	ring16   the clock's ticks, then the same                   16 bytes
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fcntl.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static uint8_t *ring;
static uint64_t ring_mask, ring_position;

struct callback {
	PyObject_HEAD;
	vectorcallfunc call;
	uint64_t kind; /* a number for the event, which the record has */
};

static uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t value;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#endif
}

static uint64_t *next_record(unsigned bytes)
{
	uint64_t *record = (uint64_t *)(ring + (ring_position & ring_mask));
	ring_position += bytes;
	return record;
}

static uint64_t what_happened(PyObject *self, PyObject *const *arguments)
{
	uint64_t place = (uint64_t)PyLong_AsLong(arguments[1]);
	return (uint64_t)(uintptr_t)arguments[0] << 20 ^ place ^
	       ((struct callback *)self)->kind << 60;
}

static PyObject *call_noop(
	PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
{
	(void)self, (void)arguments, (void)count, (void)names;
	Py_RETURN_NONE;
}

static PyObject *call_ring8(
	PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
{
	(void)count, (void)names;
	next_record(8)[0] = what_happened(self, arguments);
	Py_RETURN_NONE;
}

static PyObject *call_ring16(
	PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
{
	uint64_t *record = next_record(16);
	(void)count, (void)names;
	record[0] = ticks();
	record[1] = what_happened(self, arguments);
	Py_RETURN_NONE;
}

static PyTypeObject callback_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.callback",
	.tp_basicsize = sizeof(struct callback),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
	.tp_call = PyVectorcall_Call,
	.tp_vectorcall_offset = offsetof(struct callback, call),
};

static const struct {
	const char *name;
	vectorcallfunc call;
} calls[] = {{"noop", call_noop}, {"ring8", call_ring8}, {"ring16", call_ring16}};

/* callback(name, kind): an object that sys.monitoring can call */
static PyObject *floor_callback(PyObject *self, PyObject *arguments)
{
	const char *name;
	int kind;
	(void)self;
	if (!PyArg_ParseTuple(arguments, "si", &name, &kind))
		return NULL;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].name, name))
			continue;
		struct callback *made = PyObject_New(struct callback, &callback_type);
		if (made) {
			made->call = calls[i].call;
			made->kind = (uint64_t)kind;
		}
		return (PyObject *)made;
	}
	return PyErr_Format(PyExc_ValueError, "no callback %s", name);
}

/* open_ring(path, bytes): bytes is a power of two; an empty path stands for memory without a
 * file */
static PyObject *floor_open_ring(PyObject *self, PyObject *arguments)
{
	const char *path;
	unsigned long long bytes;
	int fd = -1;
	void *map;
	(void)self;
	if (!PyArg_ParseTuple(arguments, "sK", &path, &bytes))
		return NULL;
	if (*path) {
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
			return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
	}
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_POPULATE | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return PyErr_SetFromErrno(PyExc_OSError);
	ring = map;
	ring_mask = bytes - 1;
	Py_RETURN_NONE;
}

static int trace_noop(PyObject *object, PyFrameObject *frame, int what, PyObject *argument)
{
	(void)object, (void)frame, (void)what, (void)argument;
	return 0;
}

static PyObject *floor_settrace(PyObject *self, PyObject *on)
{
	(void)self;
	PyEval_SetTrace(PyObject_IsTrue(on) ? trace_noop : NULL, NULL);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"callback", floor_callback, METH_VARARGS, NULL},
	{"open_ring", floor_open_ring, METH_VARARGS, NULL},
	{"settrace", floor_settrace, METH_O, NULL},
	{NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, .m_name = "floor", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_floor(void)
{
	return PyType_Ready(&callback_type) < 0 ? NULL : PyModule_Create(&module);
}
