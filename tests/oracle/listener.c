/* The listener of the oracle: one text row per event, one file per thread.
 *
 * 3.12+: the callbacks of a sys.monitoring tool (oracle.py registers them). 3.11: a PyEval_SetTrace
 * function. It is in C so that it takes no Python frame (a program at its recursion limit stays
 * there), opens no lasting file descriptor, imports nothing and wakes no at-fork hook. Rows go into
 * a shared file mapping: whatever ends the process (os._exit, exec, SIGKILL), every row written is
 * in the file.
 *
 * A file ends at its first NUL byte (it is sparse after that). The last row of an orderly main
 * thread is "end".
 */
#define PY_SSIZE_T_CLEAN
#define _GNU_SOURCE
#include <Python.h>
#include <frameobject.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK                                                                                      \
	((size_t)64                                                                                \
		<< 20) /* sparse; large, as a program may lose the right to open or grow a file */

enum { OFF, ARMED, ON }; /* ARMED: waiting for the first frame of __main__ */

typedef struct {
	char *map;	     /* the mapped chunk, NULL before the first row */
	size_t base, used;   /* where the chunk lies in the file; bytes used in it */
	unsigned generation; /* of the process: a fork makes every inherited file foreign */
	int failed;
	char path[4200];
} File;

static int state = OFF;
static unsigned generation = 1;
static char out_dir[4096];
static char own_dir[4096]; /* rows of code from here are left out */
static pthread_key_t at_thread_end;
static __thread File *file;

/* ---- the file of a thread ---- */

static int map_chunk(File *f, int flags)
{
	int saved = errno, ok = 0;
	int fd = open(f->path, O_RDWR | O_CLOEXEC | flags, 0666);
	if (fd >= 0) {
		void *m = MAP_FAILED;
		if (ftruncate(fd, (off_t)(f->base + CHUNK)) == 0)
			m = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				(off_t)f->base);
		if (m != MAP_FAILED) {
			f->map = m;
			f->used = 0;
			ok = 1;
		}
		close(fd);
	}
	int exists = fd < 0 && errno == EEXIST;
	errno = saved;
	return exists ? -1 : ok;
}

static void end_of_thread(void *p)
{
	File *f = p;
	if (f->map && f->generation == generation)
		munmap(f->map, CHUNK);
	free(f);
	file = NULL;
}

static File *open_file(void)
{
	File *f = calloc(1,
		/* one inherited over a fork is forgotten on purpose: its mapping is shared */
		sizeof *f);
	if (!f)
		return NULL;
	f->generation = generation;
	long tid = syscall(SYS_gettid);
	int r = -1;
	for (int part = 0; r < 0 && part < 10000;
		part++) { /* the same thread again: exec, or the kernel reuses ids */
		if (part)
			snprintf(f->path, sizeof f->path, "%s/%ld-%ld.%d.tsv", out_dir,
				(long)getpid(), tid, part);
		else
			snprintf(f->path, sizeof f->path, "%s/%ld-%ld.tsv", out_dir, (long)getpid(),
				tid);
		r = map_chunk(f, O_CREAT | O_EXCL);
	}
	f->failed = r != 1;
	file = f;
	pthread_setspecific(at_thread_end, f);
	return f;
}

static void emit(File *f, const char *s, size_t n)
{
	while (n && !f->failed) {
		size_t room = CHUNK - f->used, k = n < room ? n : room;
		memcpy(f->map + f->used, s, k);
		f->used += k;
		s += k;
		n -= k;
		if (f->used == CHUNK) {
			munmap(f->map, CHUNK);
			f->map = NULL;
			f->base += CHUNK;
			f->failed = map_chunk(f, 0) != 1;
		}
	}
}

static void emit_text(File *f, const char *s, size_t n) /* a field: no TAB, newline or NUL inside */
{
	size_t from = 0;
	for (size_t i = 0; i < n; i++) {
		const char *e = s[i] == '\t'   ? "\\t"
				: s[i] == '\n' ? "\\n"
				: s[i] == '\r' ? "\\r"
				: s[i] == 0    ? "\\0"
					       : NULL;
		if (!e)
			continue;
		emit(f, s + from, i - from);
		emit(f, e, 2);
		from = i + 1;
	}
	emit(f, s + from, n - from);
}

/* ---- rows ---- */

static const char *text(PyObject *s, Py_ssize_t *n, PyObject **keep)
{
	const char *p = PyUnicode_AsUTF8AndSize(s, n);
	if (p)
		return p;
	PyErr_Clear(); /* a lone surrogate: bytes that were no UTF-8 */
	*keep = PyUnicode_AsEncodedString(s, "utf-8", "surrogateescape");
	if (!*keep) {
		PyErr_Clear();
		*keep = PyUnicode_AsEncodedString(s, "utf-8", "surrogatepass");
	}
	if (!*keep) {
		PyErr_Clear();
		*n = 1;
		return "?";
	}
	*n = PyBytes_GET_SIZE(*keep);
	return PyBytes_AS_STRING(*keep);
}

static void put(const char *event, PyCodeObject *code, int line)
{
	PyObject *keep1 = NULL, *keep2 = NULL;
	Py_ssize_t n, m;
	const char *name = text(code->co_filename, &n, &keep1);
	size_t own = strlen(own_dir);
	if (!((size_t)n > own && memcmp(name, own_dir, own) == 0)) {
		File *f = file && file->generation == generation ? file : open_file();
		if (f && !f->failed) {
			char num[48];
			emit(f, event, strlen(event));
			emit(f, "\t", 1);
			emit_text(f, name, (size_t)n);
			emit(f, num,
				(size_t)snprintf(num, sizeof num, "\t%d\t", code->co_firstlineno));
			const char *qual = text(code->co_qualname, &m, &keep2);
			emit_text(f, qual, (size_t)m);
			emit(f, num, (size_t)snprintf(num, sizeof num, "\t%d\n", line));
		}
	}
	Py_XDECREF(keep1);
	Py_XDECREF(keep2);
}

/* In a Python that was started by the program: is this the first frame of its __main__ (site has
 * run by then)? */
static int main_begins(PyFrameObject *frame, PyCodeObject *code)
{
	PyFrameObject *back = PyFrame_GetBack(frame);
	if (back) {
		Py_DECREF(back);
		return 0;
	}
	const char *name = PyUnicode_AsUTF8(code->co_filename);
	if (!name)
		PyErr_Clear();
	if (name && strncmp(name, "<frozen ", 8) == 0 && strcmp(name, "<frozen runpy>") != 0)
		return 0;
	state = ON;
	return 1;
}

#if PY_VERSION_HEX >= 0x030C0000

#define CALLBACK(fn, event)                                                                        \
	static PyObject *fn(PyObject *self, PyObject *const *a, Py_ssize_t n)                      \
	{                                                                                          \
		if (state == ON)                                                                   \
			put(event, (PyCodeObject *)a[0], 0);                                       \
		Py_RETURN_NONE;                                                                    \
	}
CALLBACK(on_resume, "resume")
CALLBACK(on_return, "return")
CALLBACK(on_yield, "yield")
CALLBACK(on_throw, "throw")
CALLBACK(on_unwind, "unwind")

static PyObject *on_call(PyObject *self, PyObject *const *a, Py_ssize_t n)
{
	if (state == ARMED)
		main_begins(PyEval_GetFrame(), (PyCodeObject *)a[0]);
	if (state == ON)
		put("call", (PyCodeObject *)a[0], 0);
	Py_RETURN_NONE;
}

static PyObject *on_line(PyObject *self, PyObject *const *a, Py_ssize_t n)
{
	if (state == ON)
		put("line", (PyCodeObject *)a[0], (int)PyLong_AsLong(a[1]));
	Py_RETURN_NONE;
}

#define FAST(name)                                                                                 \
	{                                                                                          \
#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL                      \
	}
#define HOOKS                                                                                      \
	FAST(on_call), FAST(on_line), FAST(on_resume), FAST(on_return), FAST(on_yield),            \
		FAST(on_throw), FAST(on_unwind)

#else

#include <opcode.h>

/* 3.11 tells a start, a resume and a throw all as "call", and a return, a yield and an unwind all
 * as "return". */
static int on_trace(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	if (state == OFF || what > PyTrace_RETURN || what == PyTrace_EXCEPTION)
		return 0;
	PyCodeObject *code = PyFrame_GetCode(frame);
	if (what == PyTrace_CALL && state == ARMED)
		main_begins(frame, code);
	if (state == ON && what == PyTrace_LINE) {
		put("line", code, PyFrame_GetLineNumber(frame));
	} else if (state == ON) {
		int at = PyFrame_GetLasti(frame);
		PyObject *bytes = PyCode_GetCode(code);
		const unsigned char *b = (const unsigned char *)PyBytes_AS_STRING(bytes);
		int op = at >= 0 ? b[at] : RESUME, oparg = at >= 0 ? b[at + 1] : 0;
		Py_DECREF(bytes);
		if (what == PyTrace_CALL)
			put(op != RESUME ? "throw" : oparg == 0 ? "call" : "resume", code, 0);
		else
			put(!arg ? "unwind" : op == YIELD_VALUE ? "yield" : "return", code, 0);
	}
	Py_DECREF(code);
	return 0;
}

static PyObject *trace_here(PyObject *self, PyObject *unused)
{
	PyEval_SetTrace(on_trace, NULL);
	Py_RETURN_NONE;
}

static PyObject *start_new_thread; /* the one of _thread */

static PyObject *in_thread(PyObject *self, PyObject *args)
{
	PyObject *func, *a, *kw = NULL;
	if (!PyArg_ParseTuple(args, "OO|O", &func, &a, &kw))
		return NULL;
	PyEval_SetTrace(on_trace, NULL);
	return PyObject_Call(func, a, kw);
}

static PyMethodDef in_thread_def = {"start_new_thread", in_thread, METH_VARARGS, NULL};

/* Stands in for _thread.start_new_thread, as only a thread itself can switch its tracing on in
 * 3.11. */
static PyObject *start_traced_thread(PyObject *self, PyObject *args)
{
	if (PyTuple_GET_SIZE(args) < 2)
		return PyObject_Call(start_new_thread, args, NULL);
	PyObject *boot = PyCFunction_New(&in_thread_def, NULL);
	PyObject *r = boot ? PyObject_CallFunction(start_new_thread, "OO", boot, args) : NULL;
	Py_XDECREF(boot);
	return r;
}

static PyObject *keep_start(PyObject *self, PyObject *func)
{
	Py_INCREF(func);
	start_new_thread = func;
	Py_RETURN_NONE;
}

#define HOOKS                                                                                      \
	{"trace_here", trace_here, METH_NOARGS, NULL}, {"keep_start", keep_start, METH_O, NULL},   \
	{                                                                                          \
		"start_new_thread", start_traced_thread, METH_VARARGS, NULL                        \
	}

#endif

/* ---- the module ---- */

static void in_child(void)
{
	generation++;
}

static PyObject *setup(PyObject *self, PyObject *args)
{
	const char *out, *own;
	if (!PyArg_ParseTuple(args, "ss", &out, &own))
		return NULL;
	snprintf(out_dir, sizeof out_dir, "%s", out);
	snprintf(own_dir, sizeof own_dir, "%s/", own);
	pthread_key_create(&at_thread_end, end_of_thread);
	pthread_atfork(NULL, NULL, in_child);
	Py_RETURN_NONE;
}

static PyObject *set_state(PyObject *self, PyObject *arg)
{
	state = (int)PyLong_AsLong(arg);
	if (state == OFF && file && file->generation == generation && !file->failed)
		emit(file, "end\t-\t0\t-\t0\n", 12);
	Py_RETURN_NONE;
}

/* The excepthook while an exception leaves the program: the program's own hook gets a traceback
 * without our frames. */
static PyObject *programs_hook;

static PyObject *without_own_frames(PyObject *tb) /* steals and gives a reference */
{
	while (tb && tb != Py_None) {
		PyCodeObject *code = PyFrame_GetCode(((PyTracebackObject *)tb)->tb_frame);
		const char *name = PyUnicode_AsUTF8(code->co_filename);
		int own = name && strncmp(name, own_dir, strlen(own_dir)) == 0;
		Py_DECREF(code);
		if (!own)
			break;
		PyObject *next = PyObject_GetAttrString(tb, "tb_next");
		Py_DECREF(tb);
		tb = next;
	}
	PyErr_Clear();
	return tb;
}

static PyObject *excepthook(PyObject *self, PyObject *args)
{
	PyObject *kind, *value, *tb;
	if (!PyArg_ParseTuple(args, "OOO", &kind, &value, &tb))
		return NULL;
	Py_INCREF(tb);
	tb = without_own_frames(tb);
	PyException_SetTraceback(value, tb);
	PySys_SetObject("excepthook", programs_hook);
	PyObject *r = PyObject_CallFunctionObjArgs(programs_hook, kind, value, tb, NULL);
	Py_XDECREF(tb);
	return r;
}

static PyObject *keep_hook(PyObject *self, PyObject *hook)
{
	Py_INCREF(hook);
	programs_hook = hook;
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"excepthook", excepthook, METH_VARARGS, NULL},
	{"keep_hook", keep_hook, METH_O, NULL}, {"setup", setup, METH_VARARGS, NULL},
	{"set_state", set_state, METH_O, NULL}, HOOKS, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, "_oracle_listener", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__oracle_listener(void)
{
	return PyModule_Create(&module);
}
