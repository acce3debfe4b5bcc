/* What is known of frames that live, and of objects that are followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "cmd/sighted_state.h"

static struct pl_event event_of(enum pl_event_kind kind, uint32_t depth, uint64_t generator)
{
	return (struct pl_event){.kind = kind, .depth = depth, .generator = generator};
}

/* A frame is that of a depth until another call begins there; a generator keeps its own. */
static void frames(void **state)
{
	struct sighted_state s = {.frame_count = 0};
	const struct pl_event call = event_of(PL_EVENT_CALL, 1, 0),
			      line = event_of(PL_EVENT_LINE, 1, 0),
			      generator = event_of(PL_EVENT_LINE, 1, 7),
			      moved = event_of(PL_EVENT_LINE, 5, 7);

	(void)state;
	sighted_frame_of(&s, &call)->line = 12;
	assert_int_equal(sighted_frame_of(&s, &line)->line, 12);
	sighted_frame_of(&s, &generator)->line = 20;
	assert_int_equal(sighted_frame_of(&s, &moved)->line, 20);
	assert_int_equal(sighted_frame_of(&s, &line)->line, 12);
	assert_int_equal(sighted_frame_of(&s, &call)->line, 0); /* a new one in its place */
	assert_int_equal(s.frame_count, 2);
	/* the first one ends; the last takes its place in memory, and stays the same */
	sighted_frame_end(&s, sighted_frame_of(&s, &line));
	assert_int_equal(s.frame_count, 1);
	sighted_frame_of(&s, &line)->line = 13;
	assert_int_equal(sighted_frame_of(&s, &generator)->line, 20);
	sighted_state_release(&s);
	sighted_state_release(&s);
}

static void values(void **state)
{
	struct sighted_state s = {.frame_count = 0};
	const struct pl_event line = event_of(PL_EVENT_LINE, 1, 0);
	char bytes[] = "abc";
	const struct sighted_kept kept = {
		.values = {.at = (const void *)bytes, .bytes = 3}, .index = 2, .line = 12};

	(void)state;
	struct sighted_frame *f = sighted_frame_of(&s, &line);
	assert_true(sighted_keep(f, &kept));
	bytes[0] = 'x'; /* it is a copy */
	assert_memory_equal(f->kept.values.at, "abc", 3);
	assert_int_equal(f->kept.index, 2);
	assert_true(sighted_keep(f, &kept));
	assert_memory_equal(f->kept.values.at, "xbc", 3);
	sighted_state_release(&s);
}

/* If there are too many, all are forgotten, and are new when they come again. */
static void objects(void **state)
{
	struct sighted_state s = {.frame_count = 0};

	(void)state;
	assert_null(sighted_object_find(&s, 5));
	sighted_object_add(&s, 5)->parts = 3;
	assert_int_equal(sighted_object_find(&s, 5)->parts, 3);
	assert_int_equal(sighted_object_add(&s, 5)->parts, 3);
	assert_int_equal(s.object_count, 1);
	for (uint64_t id = 100; s.object_count < SIGHTED_OBJECTS_MAX; id++)
		assert_non_null(sighted_object_add(&s, id));
	assert_non_null(sighted_object_add(&s, 7));
	assert_int_equal(s.object_count, 1);
	assert_null(sighted_object_find(&s, 5));
	sighted_state_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(values),
		cmocka_unit_test(objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
