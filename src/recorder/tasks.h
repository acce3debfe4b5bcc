/* Tasks and greenlets: which one runs, and its name (tasks.c). */
#ifndef PL_RECORDER_TASKS_H
#define PL_RECORDER_TASKS_H

#include "recorder/compat/code_object.h"
#include "recorder/compat/frame.h"
#include "format/event.h"

/* A task as it was at one time. */
struct task_told {
	PyObject *task; /* borrowed, while it runs; NULL: only its number is known */
	uint64_t number;
	uint32_t length;
	char name[EVENT_TEXT_MAX];
};

/* A plain generator, such as trio's loop, runs coroutines and awaits none. */
static inline bool frame_may_await(py_frame *frame)
{
	return frame_in_generator(frame) && frame_code(frame)->co_flags & COROUTINE_FLAGS;
}

/* The task whose root is the coroutine's frame; false: none. begins: it is being entered by
 * something other than a coroutine, so the task is the thread's current one, whatever that runs. If
 * not, it may be known from before, without its name. */
bool task_find(PyThreadState *ts, py_frame *frame, bool begins, struct task_told *out);
/* Write the TASK before the frame, if that is a root. As task_find. */
uint8_t *task_write(uint8_t *p, PyThreadState *ts, py_frame *frame, bool begins);
/* The frame, thread.task_frame, ends or is suspended: write a TASK if its task has another name
 * since it was entered. */
uint8_t *task_write_renamed(uint8_t *p, py_frame *frame);
/* The name that the program gave to the greenlet, as gevent allows; else "Greenlet-" and its
 * number. At most EVENT_TEXT_MAX bytes into `name`; returns its length. */
size_t greenlet_name(PyObject *greenlet, uint64_t number, char *name);

void tasks_forget(void); /* as greenlets_forget */

#endif
