/* Greenlets: which one runs, and its number.
 *
 * A thread with greenlets has a stack for each of them. A switch has no event of sys.monitoring,
 * and the one way to be told of it (greenlet.settrace) belongs to the program. But after it the
 * thread has another chain of frames, which the next event shows: its frame, or its caller, is not
 * on the shadow stack. There, and at each frame without a caller in a thread that has greenlets,
 * the greenlet module is asked through its C API which one runs. The module is looked for among the
 * imported ones and never imported.
 *
 *   1. the one that was left is put aside: address -> its number, how many frames it had
 *   2. the one that runs gets its number, a new one the next number; its first `kept` frames are
 *      those with which it was left
 *
 * An address is used again when its greenlet is gone. A greenlet that is left without frames is
 * over (or is in C, between two calls into Python), so it is forgotten, and what comes from there
 * is a new one. So is one whose bottom frame begins although it was left with frames: those ended
 * with a thread. A loss may hide changes of frames: numbers stay valid over it, but no frame is
 * assumed to be the same (`losses`).
 */
#include "recorder/greenlets.h"

#include <string.h>
#include "base/buf.h"
#include "base/map.h"
#include "recorder/compat/python.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/thread.h"

/* From greenlet's header, where these numbers never change. */
#define CAPSULE_NAME "greenlet._C_API"
enum { API_TYPE = 0, API_GET_CURRENT = 4, API_IS_MAIN = 8, API_IS_ACTIVE = 10 };

/* How a left greenlet is kept. */
struct left {
	uint32_t number;
	uint16_t losses;
	uint16_t frames;
};
#define FRAMES_MAX UINT16_MAX /* frames above are treated as never seen */
_Static_assert(sizeof(struct left) == sizeof(uint64_t), "it is a map's value");

/* Under the GIL. */
static struct pl_map all; /* address -> struct left */
static void *const *api;  /* the module's; NULL: it is not imported, or not one that we know */
static uint16_t losses;

static struct left left_from_value(uint64_t value)
{
	struct left l;

	memcpy(&l, &value, sizeof l);
	return l;
}

static uint64_t value_from_left(struct left l)
{
	uint64_t value;

	memcpy(&value, &l, sizeof value);
	return value;
}

static void find_api(void)
{
	PyObject *capsule = module_attribute("greenlet", "_C_API");

	if (capsule && PyCapsule_IsValid(capsule, CAPSULE_NAME))
		api = PyCapsule_GetPointer(capsule, CAPSULE_NAME);
}

PyObject *greenlet_running(void)
{
	if (!api)
		find_api();
	if (!api)
		return NULL;
	PyObject *now = ((PyObject * (*)(void)) api[API_GET_CURRENT])();
	if (!now) {
		PyErr_Clear();
		return NULL;
	}
	Py_DECREF(now); /* the thread holds the one that runs */
	return ((int (*)(PyObject *))api[API_IS_MAIN])(now) ? NULL : now;
}

#if !ENGINE_TRACES
/* ---- those that wait when the recorder comes ---- */

/* Nothing may be made for the garbage collector meanwhile. */
static int keep_greenlet(PyObject *object, void *found)
{
	if (PyObject_TypeCheck(object, (PyTypeObject *)api[API_TYPE]))
		buf_put(found, &object, sizeof object);
	return 1;
}

/* By address: codes that are equal are not the same. */
static bool keep_code(PyObject *codes, PyFrameObject *frame)
{
	PyCodeObject *code = PyFrame_GetCode(frame);
	PyObject *key = PyLong_FromVoidPtr(code);
	bool done = key && PyDict_SetItem(codes, key, (PyObject *)code) == 0;

	Py_XDECREF(key);
	Py_DECREF(code);
	return done;
}

/* From the top. The reference to it is taken. */
static bool keep_codes(PyObject *codes, PyFrameObject *frame)
{
	bool done = true;

	while (frame) {
		PyFrameObject *back = PyFrame_GetBack(frame);
		done = done && keep_code(codes, frame);
		Py_DECREF(frame);
		frame = back;
	}
	return done;
}

/* By the attribute of greenlet's own type: that of another type could run code of the program. It
 * is None unless the greenlet waits. */
static bool keep_waiting(PyObject *codes, PyObject *attribute, PyObject *greenlet)
{
	descrgetfunc get = Py_TYPE(attribute)->tp_descr_get;
	PyObject *frame = get ? get(attribute, greenlet, (PyObject *)Py_TYPE(greenlet)) : NULL;

	if (frame && PyFrame_Check(frame))
		return keep_codes(codes, (PyFrameObject *)frame);
	const bool none = frame == Py_None;
	Py_XDECREF(frame);
	return none;
}

static bool keep_all_waiting(PyObject *codes, struct pl_buf *found)
{
	PyObject *attribute = PyObject_GetAttrString(api[API_TYPE], "gr_frame");
	bool done = attribute != NULL;

	PyUnstable_GC_VisitObjects(keep_greenlet, found);
	done = done && !found->failed;
	for (size_t at = 0; done && at < found->used; at += sizeof(PyObject *)) {
		PyObject *greenlet;
		memcpy(&greenlet, found->at + at, sizeof greenlet);
		done = keep_waiting(codes, attribute, greenlet);
	}
	Py_XDECREF(attribute);
	return done;
}

PyObject *greenlets_waiting_codes(void)
{
	struct pl_buf found = {0};
	PyObject *codes = PyDict_New();
	bool done = codes != NULL;

	if (!api)
		find_api();
	if (api)
		done = done && keep_all_waiting(codes, &found);
	else
		done = done && !module_attribute("greenlet", "getcurrent");
	buf_release(&found);
	PyErr_Clear();
	if (!done)
		Py_CLEAR(codes);
	return codes;
}
#else
/* Active: it has begun, and is not over. A thread's own stack waits only while another one runs,
 * and then that one is found. */
static bool is_other_active(PyObject *object)
{
	return PyObject_TypeCheck(object, (PyTypeObject *)api[API_TYPE]) &&
	       ((int (*)(PyObject *))api[API_IS_ACTIVE])(object) &&
	       !((int (*)(PyObject *))api[API_IS_MAIN])(object);
}

static bool has_other_active(PyGC_Head *list)
{
	for (PyGC_Head *at = _PyGCHead_NEXT(list); at != list; at = _PyGCHead_NEXT(at))
		if (is_other_active((PyObject *)(at + 1)))
			return true;
	return false;
}

/* All that are there are in the lists of the garbage collector, unless it is at work. */
bool greenlets_may_wait(void)
{
	struct _gc_runtime_state *gc = &PyInterpreterState_Main()->gc;

	if (!api)
		find_api();
	if (!api)
		return module_attribute("greenlet", "getcurrent") != NULL;
	bool found = gc->collecting || has_other_active(&gc->permanent_generation.head);
	for (size_t i = 0; i < NUM_GENERATIONS && !found; i++)
		found = has_other_active(&gc->generations[i].head);
	return found;
}
#endif

/* The one that ran until now waits, or is over. */
static void greenlet_put_aside(struct thread *t)
{
	struct left l = {.number = (uint32_t)t->greenlet,
		.losses = losses,
		.frames = (uint16_t)(t->shadow.depth < FRAMES_MAX ? t->shadow.depth : FRAMES_MAX)};

	if (!t->greenlet_at) {
		t->own_frames = t->shadow.depth;
		t->own_losses = losses;
		return;
	}
	uint64_t key = (uint64_t)(uintptr_t)t->greenlet_at;
	uint64_t *place = t->shadow.depth || t->unsure ? map_put(&all, key) : NULL;
	if (place)
		*place = value_from_left(l);
	else
		map_remove(&all, key);
}

static void greenlet_take(struct thread *t, const void *at, bool begins)
{
	const uint64_t *place = at ? map_find(&all, (uint64_t)(uintptr_t)at) : NULL;
	struct left l = place ? left_from_value(*place) : (struct left){0};

	t->greenlet_at = at;
	t->unsure = false;
	if (!at) {
		t->greenlet = 0;
		t->kept = t->own_losses == losses ? t->own_frames : 0;
		return;
	}
	bool same = l.number && !(begins && l.frames);
	t->greenlet = same ? l.number : ++root.tasks;
	t->kept = same && l.losses == losses ? l.frames : 0;
}

bool greenlet_changed(struct thread *t, bool begins)
{
	const void *now;

	if (begins && !t->shadow.depth && !t->greenlets)
		return false;
	now = greenlet_running();
	if (now == t->greenlet_at)
		return false;
	t->greenlets = true;
	greenlet_put_aside(t);
	greenlet_take(t, now, begins);
	return true;
}

void greenlets_forget(void)
{
	map_release(&all);
	api = NULL;
}

void greenlets_lost(struct thread *t)
{
	t->unsure = true;
	t->kept = 0;
	losses++;
}
