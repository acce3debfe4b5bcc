/* Where each event is stamped: in sections of threads, of greenlets and of what is forked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "recorder/code.h"
#include "recorder/compat/interpreter.h"
#include "recorder/engine.h"
#include "recorder/root.h"
#include "recorder/sections.h"
#include "recorder/thread.h"

struct recorder_root root;
__thread struct thread *self;

static struct thread thread, other;
static struct shadow_entry entries[4], other_entries[4];

/* Nothing of Python is on the stack of this thread. */
#if PY_VERSION_HEX >= 0x030d0000
PyThreadState *PyThreadState_GetUnchecked(void)
#else
PyThreadState *_PyThreadState_UncheckedGet(void)
#endif
{
	static PyThreadState none;
#if PY_VERSION_HEX < 0x030d0000
	static _PyCFrame no_frame;
	none.cframe = &no_frame;
#endif
	return &none;
}

struct code_record *code_describe(PyCodeObject *code)
{
	(void)code;
	return NULL;
}

void code_judge(struct code_record *r, struct policy_facts facts)
{
	r->facts = facts;
}

void hooks_hear_again(void)
{
}

static int setup(void **state)
{
	(void)state;
	root = (struct recorder_root){0};
	thread = (struct thread){.tick = 5, .shadow = {.entries = entries, .room = 3}};
	other = (struct thread){.tick = 5, .shadow = {.entries = other_entries, .room = 3}};
	self = &thread;
	return 0;
}

static void of_a_thread(void **state)
{
	(void)state;
	assert_false(sections_on(&thread));
	const uint64_t id = section_begin();
	assert_true(id != 0);
	assert_true(sections_on(&thread));
	assert_false(sections_on(&other));
	assert_true(thread.tick == NO_TICK); /* each step looks */
	section_end(id);
	assert_false(sections_on(&thread));
	section_end(id); /* it is over: nothing happens */
	assert_true(section_begin() > id);
}

static void one_in_another(void **state)
{
	const uint64_t outer = section_begin(), inner = section_begin();

	(void)state;
	section_end(outer); /* in any order */
	assert_true(sections_on(&thread));
	section_end(inner);
	assert_false(sections_on(&thread));
}

static void of_a_greenlet(void **state)
{
	(void)state;
	thread.greenlet = 3;
	section_begin();
	assert_true(sections_on(&thread));
	thread.greenlet = 4;
	assert_false(sections_on(&thread));
	thread.greenlet = 3;
	assert_true(sections_on(&thread));
}

/* Wherever its frame is on the stack, on whatever thread. */
static void of_a_generator(void **state)
{
	py_frame *frame = (py_frame *)64;

	(void)state;
	section_begin();
	root.sections[0].frame = frame;
	assert_false(sections_on(&thread));
	shadow_put_frame(&other.shadow, frame);
	shadow_put_frame(&other.shadow, (py_frame *)128);
	assert_true(sections_on(&other));
	assert_false(sections_on(&thread));
	shadow_cut(&other.shadow, 0);
	assert_false(sections_on(&other));
}

static void no_more_than_that(void **state)
{
	(void)state;
	for (int i = 0; i < SECTIONS_MAX; i++)
		assert_true(section_begin() != 0);
	assert_true(section_begin() == 0);
	section_end(root.sections[7].id);
	assert_true(section_begin() != 0);
}

static void not_where_nothing_is_recorded(void **state)
{
	(void)state;
	self = NULL;
	assert_true(section_begin() == 0);
	self = &thread;
	atomic_store(&root.stopped, 1);
	assert_true(section_begin() == 0);
}

/* All of the code is heard from then on, and that is asked for once. */
static void code_that_runs_in_one(void **state)
{
	struct code_record *r = test_calloc(1, sizeof *r);

	(void)state;
	assert_false(section_hears(&thread, r));
	assert_false(r->facts.section);
	section_begin();
	assert_false(section_hears(&other, r));
	assert_true(section_hears(&thread, r));
	assert_true(r->facts.section && r->section_lines);
	assert_false(section_hears(&thread, r));
	section_is_over(r);
	assert_false(r->facts.section);
	assert_true(section_hears(&thread, r));
	test_free(r);
}

/* In the child only the thread that forked goes on, with another state. */
static void a_forked_child(void **state)
{
	(void)state;
	const uint64_t own = section_begin();
	self = &other;
	section_begin();
	self = &thread;
	sections_forked();
	assert_int_equal(root.section_count, 1);
	assert_true(root.sections[0].id == own);
	sections_of_new_thread(&other);
	assert_true(sections_on(&other));
	assert_true(other.tick == NO_TICK);
}

/* A thread was killed in a section, and its state is that of a new one. */
static void a_state_that_is_used_again(void **state)
{
	(void)state;
	section_begin();
	section_begin();
	self = &other;
	section_begin();
	sections_of_new_thread(&thread);
	assert_false(sections_on(&thread));
	assert_true(sections_on(&other));
	assert_int_equal(root.section_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(of_a_thread, setup),
		cmocka_unit_test_setup(one_in_another, setup),
		cmocka_unit_test_setup(of_a_greenlet, setup),
		cmocka_unit_test_setup(of_a_generator, setup),
		cmocka_unit_test_setup(no_more_than_that, setup),
		cmocka_unit_test_setup(not_where_nothing_is_recorded, setup),
		cmocka_unit_test_setup(code_that_runs_in_one, setup),
		cmocka_unit_test_setup(a_forked_child, setup),
		cmocka_unit_test_setup(a_state_that_is_used_again, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
