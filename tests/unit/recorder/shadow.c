/* The shadow stack, without an interpreter: an address is all that it knows of a frame. What it
 * should hold is kept beside it, simply, in steps by chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <cmocka.h>
#include "recorder/shadow.h"

/* As real ones: aligned, and some at the top of the address space. */
static py_frame *frame(unsigned n)
{
	return (py_frame *)(0x7fffffff0000u + (uintptr_t)n * 8);
}

static struct shadow new_shadow(void)
{
	struct shadow s = {0};

	assert_true(shadow_reserve(&s, 1));
	return s;
}

static void free_shadow(struct shadow *s)
{
	munmap(s->entries, (s->room + 1) * sizeof *s->entries);
}

/* ---- entries ---- */

static void an_entry_is_of_one_kind(void **state)
{
	const int code = 0;
	struct shadow_entry of_frame = entry_of_frame(frame(1), MARK_NONE),
			    of_code = entry_of_code(&code), left_out = entry_left_out(7, 9);

	(void)state;
	assert_true(frame_is_real(of_frame.frame) && !frame_is_foreign(of_frame.frame));
	assert_true(!frame_is_real(of_code.frame) && frame_is_foreign(of_code.frame));
	assert_true(!frame_is_real(left_out.frame) && !frame_is_foreign(left_out.frame));
	assert_true(frame_is_real(NULL));

	assert_true(entry_is_of_code(&of_code, &code));
	assert_false(entry_is_of_code(&of_code, &code + 1));
	assert_false(entry_is_of_code(&of_frame, &code));
	assert_false(entry_is_of_code(&left_out, &code));

	assert_true(entry_is_left_out(&left_out, 7, 9));
	assert_false(entry_is_left_out(&left_out, 7, 8));
	assert_false(entry_is_left_out(&left_out, 6, 9));
	assert_false(entry_is_left_out(&of_frame, 0, 0));
	assert_false(entry_is_left_out(&of_code, 0, 0));
	assert_true(entry_is_called_from(&left_out, 9));
	assert_false(entry_is_called_from(&left_out, 8));
	assert_false(entry_is_called_from(&of_frame, 0));
}

/* ---- the stack ---- */

static void an_empty_one_has_no_top(void **state)
{
	struct shadow s = new_shadow();

	(void)state;
	assert_null(s.top);
	assert_null(shadow_at(&s, 0)->frame);
	assert_false(shadow_has(&s, 0, ~0u));
	assert_int_equal(shadow_find(&s, frame(1)), 0);
	shadow_put_frame(&s, frame(1));
	assert_ptr_equal(s.top, frame(1));
	shadow_pop(&s);
	assert_null(s.top);
	assert_int_equal(s.depth, 0);
	assert_false(shadow_is_full(&s));
	free_shadow(&s);
}

/* The last that was pushed is found; the one below it has the same address. */
static void the_topmost_is_found(void **state)
{
	struct shadow s = new_shadow();
	const int code = 0;

	(void)state;
	shadow_put_frame(&s, frame(1));
	shadow_put(&s, entry_of_code(&code));
	shadow_put_frame(&s, frame(2));
	shadow_put(&s, entry_of_code(&code));
	shadow_put_frame(&s, frame(1));
	assert_int_equal(shadow_find(&s, frame(1)), 5);
	assert_int_equal(shadow_find(&s, frame(2)), 3);
	assert_int_equal(shadow_find(&s, frame(3)), 0);
	assert_int_equal(shadow_find_code(&s, &code), 4);
	assert_int_equal(shadow_find_code(&s, &s), 0);
	free_shadow(&s);
}

static void a_mark_takes_the_place_of_the_last(void **state)
{
	struct shadow s = new_shadow();

	(void)state;
	shadow_put_frame(&s, frame(1));
	shadow_put(&s, entry_of_frame(frame(2), MARK_TOLD));
	assert_false(shadow_has(&s, 1, ~0u));
	assert_true(shadow_has(&s, 2, MARK_TOLD | MARK_STANDS));
	assert_false(shadow_has(&s, 2, MARK_STANDS));
	shadow_mark(&s, 2, MARK_STANDS);
	assert_true(shadow_has(&s, 2, MARK_STANDS));
	assert_false(shadow_has(&s, 2, MARK_TOLD));
	assert_ptr_equal(s.top, frame(2)); /* the address alone */
	assert_int_equal(shadow_find(&s, frame(2)), 2);
	shadow_mark(&s, 2, MARK_NONE);
	assert_false(shadow_has(&s, 2, ~0u));
	shadow_pop(&s);
	shadow_put_frame(&s, frame(3)); /* nothing is left of the one that was there */
	assert_false(shadow_has(&s, 2, ~0u));
	free_shadow(&s);
}

static void those_that_are_no_frames_are_counted(void **state)
{
	struct shadow s = new_shadow();
	const int code = 0;

	(void)state;
	shadow_put_frame(&s, frame(1));
	shadow_put(&s, entry_left_out(1, 2));
	shadow_put(&s, entry_left_out(3, 4));
	shadow_put(&s, entry_of_code(&code));
	shadow_put(&s, entry_of_code(&code));
	assert_int_equal(shadow_left_out_above(&s, 1), 2);
	assert_int_equal(shadow_left_out_above(&s, 2), 1);
	assert_int_equal(shadow_left_out_above(&s, 3), 0);
	assert_int_equal(shadow_left_out_above(&s, 5), 0);
	assert_int_equal(shadow_under_foreign(&s, 5), 3);
	assert_int_equal(shadow_under_foreign(&s, 3), 3);
	shadow_cut(&s, 3); /* what was above is not looked at */
	assert_int_equal(shadow_left_out_above(&s, 1), 2);
	shadow_cut(&s, 0);
	shadow_put(&s, entry_of_code(&code));
	assert_int_equal(shadow_under_foreign(&s, 1), 0);
	free_shadow(&s);
}

/* They wait in their places, and those pushed before them do not touch them. */
static void frames_are_kept_above_the_depth(void **state)
{
	struct shadow s = new_shadow();

	(void)state;
	shadow_put_frame(&s, frame(1));
	assert_true(shadow_reserve(&s, 3));
	for (unsigned i = 4; i > 1; i--)
		shadow_keep(&s, i, frame(i));
	assert_int_equal(s.depth, 1);
	assert_ptr_equal(s.top, frame(1));
	assert_int_equal(shadow_find(&s, frame(2)), 0);
	for (unsigned i = 2; i <= 4; i++) {
		assert_ptr_equal(shadow_at(&s, i)->frame, frame(i));
		shadow_put(&s, entry_of_frame(shadow_at(&s, i)->frame, MARK_TOLD));
	}
	assert_int_equal(shadow_find(&s, frame(3)), 3);
	free_shadow(&s);
}

static void it_grows(void **state)
{
	struct shadow s = new_shadow();
	const unsigned count = 100000;

	(void)state;
	for (unsigned i = 1; i <= count; i++) {
		if (shadow_is_full(&s))
			assert_true(shadow_reserve(&s, 1));
		shadow_put(&s, entry_of_frame(frame(i), i % 2 ? MARK_TOLD : MARK_NONE));
	}
	assert_true(s.depth == count && s.room >= count);
	assert_null(shadow_at(&s, 0)->frame);
	for (unsigned i = 1; i <= count; i++) {
		assert_ptr_equal(shadow_at(&s, i)->frame, frame(i));
		assert_int_equal(shadow_has(&s, i, MARK_TOLD), i % 2);
	}
	const uint32_t room = s.room;
	shadow_cut(&s, 0);
	assert_true(shadow_reserve(&s, room));
	assert_int_equal(s.room, room);
	assert_true(shadow_reserve(&s, room + 1));
	assert_true(s.room > room);
	free_shadow(&s);
}

/* ---- all together, by chance ---- */

#define DEEPEST 3000

struct expected {
	struct shadow_entry entries[DEEPEST];
	uint32_t depth;
};

static void hold(const struct shadow *s, const struct expected *e)
{
	assert_int_equal(s->depth, e->depth);
	assert_ptr_equal(s->top, e->depth ? e->entries[e->depth - 1].frame : NULL);
	for (uint32_t i = 0; i < e->depth; i++) {
		const struct shadow_entry *is = shadow_at(s, i + 1), *should = &e->entries[i];
		assert_ptr_equal(is->frame, should->frame);
		if (frame_is_real(is->frame))
			assert_int_equal(is->mark, should->mark);
		else if (frame_is_foreign(is->frame))
			assert_true(entry_is_of_code(is, should->code));
		else
			assert_true(entry_is_left_out(
				is, should->left_out.number, should->left_out.site));
	}
}

static struct shadow_entry by_chance(uint32_t n)
{
	if (n % 16 == 0)
		return entry_of_code(frame(n % 5));
	if (n % 16 == 1)
		return entry_left_out(n, n >> 8);
	return entry_of_frame(frame(n % 999), n % 3 ? MARK_NONE : MARK_TOLD);
}

static void step_by_chance(struct shadow *s, struct expected *e, uint32_t n)
{
	const uint32_t place = e->depth ? 1 + n % e->depth : 0;

	if (n % 64 == 0) {
		shadow_cut(s, place);
		e->depth = place;
	} else if (n % 4 == 0 && place) {
		shadow_pop(s);
		e->depth--;
	} else if (n % 4 == 1 && place && frame_is_real(e->entries[place - 1].frame)) {
		shadow_mark(s, place, MARK_STANDS);
		e->entries[place - 1].mark = MARK_STANDS;
	} else if (e->depth < DEEPEST) {
		if (shadow_is_full(s))
			assert_true(shadow_reserve(s, 1));
		e->entries[e->depth++] = by_chance(n >> 2);
		shadow_put(s, e->entries[e->depth - 1]);
	}
}

static void it_holds_what_was_pushed(void **state)
{
	static struct expected e;
	struct shadow s = new_shadow();
	uint32_t n = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		n = n * 1664525 + 1013904223; /* its low bits repeat soon */
		step_by_chance(&s, &e, n >> 10);
		if (i % 16 == 0)
			hold(&s, &e);
	}
	free_shadow(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_is_of_one_kind),
		cmocka_unit_test(an_empty_one_has_no_top),
		cmocka_unit_test(the_topmost_is_found),
		cmocka_unit_test(a_mark_takes_the_place_of_the_last),
		cmocka_unit_test(those_that_are_no_frames_are_counted),
		cmocka_unit_test(frames_are_kept_above_the_depth),
		cmocka_unit_test(it_grows),
		cmocka_unit_test(it_holds_what_was_pushed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
