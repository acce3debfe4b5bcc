/* Events that an expression selects, in the order in which threads ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/selected.h"
#include "tests/lib/sessions.h"

struct walked {
	struct scene x;
	struct expression e;
	char text[256];	   /* "0:3 1:0 " */
	uint64_t most;	   /* no event of a thread after this seq */
	uint32_t left_out; /* this thread is not wanted */
};

static int begin_thread(void *context, uint32_t thread, uint64_t *seq, struct pl_err *err)
{
	const struct walked *w = context;

	(void)err;
	*seq = thread == w->left_out ? UINT64_MAX : 0;
	return 0;
}

static bool is_past(void *context, const struct pl_event *e)
{
	return e->seq > ((const struct walked *)context)->most;
}

static int show(void *context, const struct pl_event *e, bool is_selected)
{
	struct walked *w = context;
	const size_t used = strlen(w->text);

	assert_true(is_selected);
	snprintf(w->text + used, sizeof w->text - used, "%d:%d ", (int)e->position.thread,
		(int)e->seq);
	return 0;
}

static void walk_begin(struct walked *w, const char *text)
{
	*w = (struct walked){.most = UINT64_MAX, .left_out = UINT32_MAX};
	scene_open(&w->x);
	assert_int_equal(expression_read(&w->e, "dump", text, w->x.r), CMD_GO);
	expression_process(&w->e, pl_recording_find_process(w->x.r, 1));
}

static void expect(struct walked *w, const char *text)
{
	const struct selected s = {.r = w->x.r,
		.x = &w->e,
		.context = w,
		.begin = begin_thread,
		.is_past = is_past,
		.show = show,
		.stop = &scene_stop};

	w->text[0] = 0;
	assert_int_equal(selected_walk(&s, &w->x.err), 0);
	assert_string_equal(w->text, text);
}

static void walk_end(struct walked *w)
{
	expression_release(&w->e);
	scene_close(&w->x);
}

/* Threads take turns as they ran. */
static void in_their_order(void **state)
{
	struct walked w;

	(void)state;
	walk_begin(&w, "event == 'call' or event == 'return'");
	expect(&w, "0:0 0:3 1:0 0:13 0:17 1:3 ");
	w.left_out = 0;
	expect(&w, "1:0 1:3 ");
	walk_end(&w);
}

static void to_a_bound(void **state)
{
	struct walked w;

	(void)state;
	walk_begin(&w, "event == 'call' or event == 'return'");
	w.most = 3;
	expect(&w, "0:0 0:3 1:0 1:3 ");
	walk_end(&w);
	walk_begin(&w, "line == 12");
	expect(&w, "0:5 0:6 0:7 0:15 ");
	walk_end(&w);
}

static void interrupted(void **state)
{
	struct walked w;

	(void)state;
	walk_begin(&w, "event == 'call'");
	scene_stop = 1;
	expect(&w, "");
	scene_stop = 0;
	walk_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_their_order),
		cmocka_unit_test(to_a_bound),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
