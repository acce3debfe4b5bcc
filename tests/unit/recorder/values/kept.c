/* What is kept of the variables of frames, without an interpreter: by address, up to a size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "recorder/root.h"
#include "recorder/values/capture.h"
#include "recorder/values/kept.h"
#include "recorder/values/text.h"
#include "recorder/values/variables.h"

struct recorder_root root;
static struct process_slot slot;
static PyCodeObject small = {.co_nlocalsplus = 3}, large = {.co_nlocalsplus = 5000}, other;

/* A key of a dict; its text is its hash. */
static PyASCIIObject keys[KEPT_NAMES_MAX + 8];
static bool tells, is_secret;

bool capture_name_is_secret(PyObject *name)
{
	(void)name;
	return is_secret;
}

bool variable_is_told(PyObject *name)
{
	(void)name;
	return tells;
}

size_t text_encode(uint8_t *to, size_t room, PyObject *str, size_t chars)
{
	(void)chars;
	return (size_t)snprintf((char *)to, room, "v%d", (int)((PyASCIIObject *)str)->hash);
}

static PyObject *key(size_t i)
{
	keys[i].hash = (Py_hash_t)i;
	return (PyObject *)&keys[i];
}

static py_frame *frame(uintptr_t n)
{
	return (py_frame *)(0x7f0000001000u + n * 8);
}

static int setup(void **state)
{
	(void)state;
	root.slot = &slot;
	tells = true;
	is_secret = false;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kept_forget_all();
	return 0;
}

/* ---- frames ---- */

static void it_is_known_until_it_is_gone(void **state)
{
	struct kept_frame *k = kept_begin(frame(1), &small);

	(void)state;
	assert_non_null(k);
	assert_false(k->fresh); /* its arguments are told at its entry */
	assert_int_equal(k->count, 3);
	k->variables[2].number = 7;
	assert_ptr_equal(kept_find(frame(1), &small), k);
	assert_int_equal(k->variables[2].number, 7);
	kept_forget(frame(1));
	k = kept_find(frame(1), &small);
	assert_true(k->fresh);
	assert_int_equal(k->variables[2].number, 0);
	kept_forget(frame(2)); /* of which nothing is known */
}

/* The frame before ended without an event. */
static void another_at_its_address(void **state)
{
	struct kept_frame *k = kept_begin(frame(1), &small);

	(void)state;
	k->variables[0].number = 7;
	k = kept_begin(frame(1), &small);
	assert_int_equal(k->variables[0].number, 0);
	k->variables[0].number = 7;
	k = kept_find(frame(1), &other);
	assert_true(k->fresh);
	assert_int_equal(k->count, 0);
}

static void a_loss_makes_all_of_it_unknown(void **state)
{
	(void)state;
	kept_begin(frame(1), &small)->variables[0].number = 7;
	kept_begin(frame(2), &small)->variables[0].number = 8;
	atomic_fetch_add(&slot.lost, 1);
	struct kept_frame *k = kept_find(frame(1), &small);
	assert_true(k->fresh && k->variables[0].number == 0);
	k->fresh = false;
	assert_ptr_equal(kept_find(frame(1), &small), k);
	assert_false(k->fresh);
	assert_true(kept_find(frame(2), &small)->fresh);
}

static void no_more_variables_than_that(void **state)
{
	(void)state;
	assert_int_equal(kept_begin(frame(1), &large)->count, KEPT_VARIABLES_MAX);
}

/* All of them together have their limit: those that ran longest ago go. */
static void those_that_ran_longest_ago_go(void **state)
{
	const size_t each = KEPT_VARIABLES_MAX * sizeof(struct kept_variable);
	const uintptr_t many = KEPT_BYTES_MAX / each + 10;

	(void)state;
	for (uintptr_t i = 0; i < many; i++) {
		kept_begin(frame(i), &large);
		assert_false(kept_find(frame(0), &large)->fresh); /* it runs again and again */
	}
	assert_false(kept_find(frame(many - 1), &large)->fresh);
	assert_true(kept_find(frame(1), &large)->fresh);
}

static void many_that_come_and_go(void **state)
{
	(void)state;
	for (uintptr_t round = 0; round < 50; round++) {
		for (uintptr_t i = 0; i < 100; i++)
			kept_begin(frame(i), &small)->variables[1].number = i + round;
		for (uintptr_t i = 0; i < 100; i++)
			assert_int_equal(
				kept_find(frame(i), &small)->variables[1].number, i + round);
		for (uintptr_t i = round % 3; i < 100; i += 2)
			kept_forget(frame(i));
	}
}

/* ---- names ---- */

static void a_name_has_one_row(void **state)
{
	struct kept_frame *k = kept_begin(frame(1), &other);

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		assert_null(kept_name_find(&k->names, key(i)));
		struct kept_name *n = kept_name_of(k, key(i));
		assert_int_equal(n->hash, i);
		n->is.number = i + 100;
	}
	for (size_t i = 40; i-- > 0;) {
		struct kept_name *n = kept_name_of(k, key(i));
		char text[8];
		assert_int_equal(n->bytes, snprintf(text, sizeof text, "v%zu", i));
		assert_memory_equal(n->text, text, n->bytes);
		assert_int_equal(n->is.number, i + 100);
		assert_ptr_equal(kept_name_find(&k->names, key(i)), n);
	}
	assert_int_equal(k->names.count, 40);
}

static void a_name_that_is_left_out_or_secret(void **state)
{
	struct kept_frame *k = kept_begin(frame(1), &other);

	(void)state;
	tells = false;
	assert_int_equal(kept_name_of(k, key(1))->bytes, 0);
	tells = is_secret = true;
	assert_true(kept_name_of(k, key(2))->hidden);
	assert_false(kept_name_of(k, key(1))->hidden);
}

/* The row of one that is not bound any more is taken; if all are, one more is not told. */
static void no_more_names_than_that(void **state)
{
	struct kept_frame *k = kept_begin(frame(1), &other);

	(void)state;
	k->names.turn = 2;
	for (size_t i = 0; i < KEPT_NAMES_MAX; i++)
		kept_name_of(k, key(i))->is.number = 1;
	assert_null(kept_name_of(k, key(KEPT_NAMES_MAX)));
	kept_name_of(k, key(5))->is.number = 0;
	struct kept_name *n = kept_name_of(k, key(KEPT_NAMES_MAX));
	assert_non_null(n);
	assert_int_equal(n->hash, KEPT_NAMES_MAX);
	assert_null(kept_name_find(&k->names, key(5)));
	assert_int_equal(k->names.count, KEPT_NAMES_MAX);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(it_is_known_until_it_is_gone),
		TEST(another_at_its_address),
		TEST(a_loss_makes_all_of_it_unknown),
		TEST(no_more_variables_than_that),
		TEST(those_that_ran_longest_ago_go),
		TEST(many_that_come_and_go),
		TEST(a_name_has_one_row),
		TEST(a_name_that_is_left_out_or_secret),
		TEST(no_more_names_than_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
