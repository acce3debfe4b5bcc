/* The life of a thread's state: its number, its stream, its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include "tests/lib/inside_recording.h"

static struct thread *begun;
static const void *chunk_of_it;
static bool same_twice;

static PyObject *begin_here(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	begun = thread_begin();
	link_here();
	same_twice = begun && self == begun;
	chunk_of_it = begun ? begun->ring.chunk : NULL;
	Py_RETURN_NONE;
}

/* A thread that begins and ends; returns its state, when that has ended. */
static struct thread *run_thread(void)
{
	Py_DECREF(inside_run("import threading\n"
			     "thread = threading.Thread(target=call, name='worker')\n"
			     "thread.start()\nthread.join()\n",
		"/shop/cart.py", "cart", begin_here));
	while (begun && !atomic_load(&begun->ended))
		sched_yield();
	return begun;
}

static void numbers(void **state)
{
	struct pl_view last = {NULL, 0};
	struct thread *own = thread_begin();

	(void)state;
	assert_non_null(own);
	assert_ptr_equal(self, own);
	assert_int_equal(own->number, 0);
	assert_int_equal(own->native_id, PyThread_get_thread_native_id());
	assert_true(own->fresh && !own->ended);
	const struct thread *other = run_thread();
	assert_true(other && same_twice && other != own);
	assert_int_equal(other->number, 1);
	assert_true(other->native_id != own->native_id);
	assert_ptr_equal(self, own);
	assert_true(messages_of(MESSAGE_THREAD, &last) >= 1);
	assert_true(view_has(last, "worker"));
}

static void its_end(void **state)
{
	(void)state;
	const struct thread *other = run_thread();
	const struct chunk *c = chunk_of_it;

	assert_non_null(c);
	assert_int_equal(atomic_load(&c->state), CHUNK_LAST);
	assert_int_equal(c->thread, other->number);
	assert_null(other->ring.chunk);
}

/* The state of an ended thread serves the next, unless its place must still be written. */
static void a_state_used_again(void **state)
{
	(void)state;
	struct thread *one = run_thread();
	assert_ptr_equal(root.last, one);
	struct thread *two = run_thread();
	assert_true(two != one);
	assert_ptr_equal(run_thread(), one);
	assert_int_equal(one->number, 2);
}

static void not_recorded(void **state)
{
	(void)state;
	atomic_store(&root.stopped, 1);
	assert_null(thread_begin());
	assert_null(self);
}

/* Made by another thread; its own finds it. */
static void one_that_waits(void **state)
{
	struct thread *t = thread_begin_for(current_thread_state());

	(void)state;
	assert_true(t && t->waits);
	assert_null(self);
	assert_ptr_equal(thread_begin(), t);
	assert_false(t->waits);
}

static void streams_that_end(void **state)
{
	(void)state;
	Py_DECREF(inside_run("call()\n", "/shop/cart.py", "cart", begin_here));
	const struct chunk *c = self->ring.chunk;
	threads_leave();
	assert_int_equal(atomic_load(&c->state), CHUNK_LAST);
	assert_false(self->ended);
	threads_begin_again();
	assert_true(self->fresh && self->number == 0 && self->shadow.depth == 0);
	assert_null(root.last);
}

INSIDE_TESTS(thread)
{
	const struct CMUnitTest tests[] = {
		RECORDED_TEST(numbers),
		RECORDED_TEST(its_end),
		RECORDED_TEST(a_state_used_again),
		RECORDED_TEST(not_recorded),
		RECORDED_TEST(one_that_waits),
		RECORDED_TEST(streams_that_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
