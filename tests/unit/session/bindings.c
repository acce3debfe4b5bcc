/* What frames bind to names, kept up along a path: of each frame its own, also of one that was there
 * before the first event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/bindings.h"
#include "tests/lib/sessions.h"

#define NAME(text)                                                                                 \
	(struct pl_text)                                                                           \
	{                                                                                          \
		.at = (text), .length = sizeof(text) - 1                                           \
	}

struct walked {
	struct scene x;
	struct bindings b;
	struct pl_cursor *c;
	struct pl_event e;
};

static void walk_begin(struct walked *w)
{
	*w = (struct walked){.c = NULL};
	scene_open_values(&w->x);
	w->b.r = w->x.r;
	bindings_begin(&w->b);
	assert_int_equal(bindings_name(&w->b, NAME("sum")), 0);
	assert_int_equal(bindings_name(&w->b, NAME("n")), 0);
	assert_int_equal(bindings_name(&w->b, NAME("sum")), 0);
	assert_int_equal(w->b.name_count, 2);
	assert_int_equal(pl_cursor_new(&w->c, w->x.r, 1, 0, NULL), 0);
	pl_cursor_want_values(w->c, true);
}

static void walk_end(struct walked *w)
{
	pl_cursor_free(w->c);
	bindings_release(&w->b);
	bindings_release(&w->b);
	scene_close(&w->x);
}

/* Put in the events up to this one. */
static void walk_to(struct walked *w, uint64_t seq)
{
	do {
		assert_int_equal(pl_cursor_next(w->c, &w->e, NULL), 0);
		assert_int_equal(bindings_put(&w->b, &w->e), 0);
	} while (w->e.seq < seq);
}

/* At the last event; INT64_MIN: it is not bound. */
static void expect(struct walked *w, bool lasting, int64_t sum, int64_t n)
{
	const struct bound_frame *frame = NULL;

	assert_int_equal(bindings_ask(&w->b, &w->e, lasting, &frame, NULL), 0);
	const struct pl_value *value = bindings_find(&w->b, frame, NAME("sum"));
	assert_int_equal(value ? value->integer : INT64_MIN, sum);
	value = bindings_find(&w->b, frame, NAME("n"));
	assert_int_equal(value ? value->integer : INT64_MIN, n);
	assert_null(bindings_find(&w->b, frame, NAME("other")));
}

static void along_the_path(void **state)
{
	struct walked w;

	(void)state;
	walk_begin(&w);
	walk_to(&w, 3);
	expect(&w, true, INT64_MIN, 5);
	walk_to(&w, 4);
	expect(&w, true, 1, 5);
	walk_to(&w, 6);
	expect(&w, true, 7, 6);
	walk_to(&w, 9);
	expect(&w, true, INT64_MIN, 9); /* of another call */
	walk_end(&w);
}

/* The first event that is put in is in the middle of the frame: it is gone back in. */
static void from_the_middle(void **state)
{
	const struct bound_frame *frame = NULL;
	struct walked w;

	(void)state;
	walk_begin(&w);
	assert_int_equal(pl_cursor_seek_seq(w.c, 5, NULL), 0);
	walk_to(&w, 5);
	expect(&w, true, 1, 6);
	assert_int_equal(bindings_ask(&w.b, &w.e, true, &frame, NULL), 0);
	struct pl_values args = *bindings_arguments(frame);
	struct pl_value value;
	assert_int_equal(pl_values_next(&args, &value), 0);
	assert_int_equal(value.integer, 5); /* as it was passed */
	walk_to(&w, 6);
	expect(&w, true, 7, 6);
	walk_end(&w);
}

/* An event that is before the last one begins another place: what was bound later is forgotten. */
static void back_again(void **state)
{
	struct walked w;

	(void)state;
	walk_begin(&w);
	walk_to(&w, 6);
	assert_int_equal(pl_cursor_seek_seq(w.c, 4, NULL), 0);
	walk_to(&w, 4);
	expect(&w, true, 1, 5);
	walk_end(&w);
}

/* Asked about an event that was not put in. */
static void for_once(void **state)
{
	struct walked w;

	(void)state;
	walk_begin(&w);
	assert_int_equal(pl_cursor_seek_seq(w.c, 4, NULL), 0);
	assert_int_equal(pl_cursor_next(w.c, &w.e, NULL), 0);
	expect(&w, false, 1, 5);
	assert_int_equal(pl_cursor_next(w.c, &w.e, NULL), 0);
	expect(&w, false, 1, 6);
	walk_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(along_the_path),
		cmocka_unit_test(from_the_middle),
		cmocka_unit_test(back_again),
		cmocka_unit_test(for_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
