/* A recording without events: an arena of its own, a slot and the messages of the process, so that
 * threads and codes can be told of. No callback is put into the interpreter.
 *
 *	cmocka_unit_test_setup_teardown(test, recording_begin, recording_end)
 */
#ifndef TEST_INSIDE_RECORDING_H
#define TEST_INSIDE_RECORDING_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/varint.h"
#include "format/event.h"
#include "format/message.h"
#include "recorder/code.h"
#include "recorder/compat/interpreter.h"
#include "recorder/greenlets.h"
#include "recorder/link.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/source.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "tests/lib/inside.h"

#define RECORDING_CHUNKS 64

static inline int recording_begin(void **state)
{
	static PyThreadState *const nobody;
	static const _Atomic bool confined;
	char path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof path, "/tmp/pathline-inside-%d.arena", (int)getpid());
	if (arena_create(&root.arena, path, RECORDING_CHUNKS, &fd) < 0)
		return -1;
	unlink(path);
	close(fd);
	root.slot = arena_take_slot(&root.arena);
	root.clock = CLOCK_MONO;
	root.gil_holder = &nobody;
	root.confined = &confined;
	root.thread_count = 0;
	root.switches = 0;
	root_wish_of_head(ENGINE_TRACES);
	ring_init(&root.messages, &root.arena, root.slot, STREAM_MESSAGES);
	source_begin();
	return thread_init() < 0 || code_init() < 0;
}

static inline int recording_end(void **state)
{
	(void)state;
	codes_forget();
	root.left = true; /* what the interpreter has given is kept */
	thread_forget_all();
	ring_forget(&root.messages);
	arena_unmap(&root.arena);
	root.arena = (struct arena){0};
	root.slot = NULL;
	root.filters = false;
	atomic_store(&root.stopped, 0);
	return 0;
}

/* How many messages of the kind were sent; last: the fields of the last one. */
static inline unsigned messages_of(unsigned kind, struct pl_view *last)
{
	const struct chunk *c = root.messages.chunk;
	const size_t used = c ? (size_t)atomic_load(&c->used) : 0;
	unsigned count = 0;
	uint32_t bytes;

	for (size_t at = 0; at + 4 < used; at += 4 + bytes) {
		memcpy(&bytes, c->bytes + at, sizeof bytes);
		if (c->bytes[at + 4] != kind)
			continue;
		*last = view_of(c->bytes + at + 5, bytes - 1);
		count++;
	}
	return count;
}

static inline bool view_has(struct pl_view v, const char *text)
{
	const size_t length = strlen(text);

	for (; v.left >= length; v.at++, v.left--)
		if (!memcmp(v.at, text, length))
			return true;
	return false;
}

/* The events of the thread from this byte of its chunk on; how many there are. */
static inline unsigned events_from(
	const struct thread *t, size_t from, struct event *out, unsigned most)
{
	const struct chunk *c = t->ring.chunk;
	const size_t used = c ? (size_t)(atomic_load(&c->used) & UINT32_MAX) : 0;
	struct event_calls calls = {.print = 0};
	struct pl_view v = view_of(c ? c->bytes + from : NULL, used - from);
	unsigned count = 0;

	while (v.left && count < most && event_read(&v, &calls, &out[count]) == 0)
		count++;
	assert_int_equal(v.left, 0);
	return count;
}

/* The last of the kind, or NULL. */
static inline const struct event *event_among(
	const struct event *events, unsigned count, enum event_kind kind)
{
	while (count--)
		if (events[count].kind == kind)
			return &events[count];
	return NULL;
}

static inline unsigned count_of(const struct event *events, unsigned count, enum event_kind kind)
{
	unsigned n = 0;

	while (count--)
		n += events[count].kind == kind;
	return n;
}

/* In a callback: the thread's stream has the frames that are there now. */
static inline void link_here(void)
{
	struct thread *t = self ? self : thread_begin();
	uint8_t *p = t ? step(t) : NULL;

	p = p ? step_to_caller(t, p, top_frame(current_thread_state())) : NULL;
	if (p)
		ring_commit(&t->ring, p);
}

/* As the interpreter counts them. */
static inline uint32_t frames_here(void)
{
	PyFrameObject *frame = PyEval_GetFrame();
	uint32_t count = 0;

	Py_XINCREF(frame);
	while (frame) {
		PyFrameObject *back = PyFrame_GetBack(frame);
		Py_DECREF(frame);
		frame = back;
		count++;
	}
	return count;
}

#define RECORDED_TEST(test) cmocka_unit_test_setup_teardown(test, recording_begin, recording_end)

#endif
