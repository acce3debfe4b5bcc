/* Values that are kept as long as what they were made from is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/map.h"
#include "recorder/root.h"
#include "recorder/values/capture.h"
#include "recorder/values/known.h"
#include "recorder/values/reads.h"

struct recorder_root root;
static struct arena_head head;

/* What stands for an object: the value is made from these words. */
static struct {
	_Alignas(16) uint64_t words[2];
} objects[8];
static int captured_times;
static size_t value_bytes;
static bool has_room, notes_fail;

static PyObject *made_of(size_t i)
{
	return (PyObject *)&objects[i];
}

bool capture_value(struct capture *c, PyObject *o)
{
	const uint64_t *words = (const uint64_t *)(const void *)o;

	captured_times++;
	assert_true(c->limit == c->at + head.value_limits.bytes);
	reads_note_words(c->reads, words, 2);
	if (notes_fail)
		reads_fail(c->reads);
	if (!has_room)
		return false;
	memset(c->at, (int)(words[0] + words[1]), value_bytes);
	c->at += value_bytes;
	return true;
}

static int setup(void **state)
{
	static unsigned turn;

	(void)state;
	head.value_limits.bytes = 400;
	root.arena.head = &head;
	captured_times = 0;
	value_bytes = 20;
	has_room = true;
	notes_fail = false;
	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
		objects[i].words[0] = objects[i].words[1] = ++turn;
	return 0;
}

static void expect(size_t i, int captured)
{
	const struct known_value v = known_value_of(made_of(i));
	const uint8_t byte = (uint8_t)(objects[i].words[0] + objects[i].words[1]);

	assert_int_equal(v.length, value_bytes);
	for (size_t k = 0; k < v.length; k++)
		assert_int_equal(v.bytes[k], byte);
	assert_true(v.hash == hash_bytes(v.bytes, v.length));
	assert_int_equal(captured_times, captured);
}

/* What comes once mostly never comes again, so it is noted the second time. */
static void made_twice_and_then_kept(void **state)
{
	(void)state;
	expect(0, 1);
	expect(0, 2);
	for (int i = 0; i < 5; i++)
		expect(0, 2);
}

static void made_again_when_it_has_changed(void **state)
{
	(void)state;
	expect(1, 1);
	expect(1, 2);
	objects[1].words[1]++;
	expect(1, 3);
	expect(1, 3);
	objects[1].words[1]--;
	expect(1, 4);
}

static void each_has_its_own(void **state)
{
	(void)state;
	for (size_t i = 2; i < 5; i++)
		expect(i, (int)(i - 1));
	for (size_t i = 2; i < 5; i++)
		expect(i, (int)(i + 2));
	for (size_t i = 2; i < 5; i++)
		expect(i, 6);
}

/* It was made from something that could change unseen. */
static void one_that_cannot_be_noted_is_made_each_time(void **state)
{
	(void)state;
	notes_fail = true;
	for (int i = 1; i < 5; i++)
		expect(5, i);
}

static void so_is_a_long_one(void **state)
{
	(void)state;
	value_bytes = 321;
	for (int i = 1; i < 5; i++)
		expect(6, i);
	value_bytes = 320;
	expect(6, 5);
	expect(6, 5);
}

static void one_without_room_is_not_known(void **state)
{
	(void)state;
	has_room = false;
	for (int i = 0; i < 3; i++)
		assert_int_equal(known_value_of(made_of(7)).length, 0);
	has_room = true;
	expect(7, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(made_twice_and_then_kept, setup),
		cmocka_unit_test_setup(made_again_when_it_has_changed, setup),
		cmocka_unit_test_setup(each_has_its_own, setup),
		cmocka_unit_test_setup(one_that_cannot_be_noted_is_made_each_time, setup),
		cmocka_unit_test_setup(so_is_a_long_one, setup),
		cmocka_unit_test_setup(one_without_room_is_not_known, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
