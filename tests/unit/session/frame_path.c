/* The events of one frame, both ways: deeper frames are passed over, and a gap that loses events is
 * told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "session/frame_path.h"
#include "tests/lib/recording.h"

static volatile sig_atomic_t stop;

struct made {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
	struct frame_path f;
};

/* seq 0 main, 1 line, 2 f, 3 line, 4 g, 5 line, 6 g ends, 7 line of f, 8 f ends, 9 line of main,
 * 10 f, 11 line */
static void made_open(struct made *x)
{
	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	maker_body(&x->m, 2, "f", 10, 3);
	maker_body(&x->m, 3, "g", 20, 3);
	struct maker_thread *t = x->t = maker_thread(&x->m, 0);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_enter(t, MAKER_UNIT(0), 20);
	maker_line(t, 0);
	maker_enter(t, MAKER_UNIT(0), 30);
	maker_line(t, 0);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0));
	maker_line(t, 1);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_line(t, 1);
	maker_enter(t, MAKER_UNIT(1), 20);
	maker_line(t, 0);
	maker_cut(&x->m, t);
	maker_thread_end(&x->m, t);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
	x->f = (struct frame_path){.r = x->r, .stop = &stop};
}

static void made_release(struct made *x)
{
	frame_path_release(&x->f);
	frame_path_release(&x->f);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

static void begin_at(struct made *x, uint64_t seq, uint32_t depth)
{
	struct path path = {.r = x->r, .process = 1};
	const struct pl_event *e;

	assert_int_equal(path_from(&path, seq, &e, NULL), 0);
	assert_int_equal(e->seq, seq);
	frame_path_begin(&x->f, e, depth);
	path_release(&path);
}

/* Their seqs, "7 3 2". */
static void expect(struct made *x, bool back, const char *seqs)
{
	const struct pl_event *e;
	char text[64] = "";
	int code;

	while ((code = back ? frame_path_back(&x->f, &e, NULL)
			    : frame_path_forward(&x->f, &e, NULL)) == 0)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", *text ? " " : "",
			(int)e->seq);
	assert_int_equal(code, PL_END);
	assert_string_equal(text, seqs);
}

static void back(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	begin_at(&x, 7, 1);
	expect(&x, true, "7 3 2");
	begin_at(&x, 5, 1); /* while g runs */
	expect(&x, true, "3 2");
	begin_at(&x, 5, 2);
	expect(&x, true, "5 4");
	begin_at(&x, 11, 1); /* not what another call of f ran */
	expect(&x, true, "11 10");
	begin_at(&x, 11, 0);
	expect(&x, true, "9 1 0");
	made_release(&x);
}

/* If only its begin is wanted, the other events may be passed over. */
static void to_its_begin(void **state)
{
	const struct pl_event *e;
	struct made x;
	uint64_t seq = UINT64_MAX;

	(void)state;
	made_open(&x);
	begin_at(&x, 9, 0);
	x.f.to_begin = true;
	while (frame_path_back(&x.f, &e, NULL) == 0)
		seq = e->seq;
	assert_int_equal(seq, 0);
	made_release(&x);
}

static void forward(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	begin_at(&x, 2, 1);
	expect(&x, false, "3 7 8");
	begin_at(&x, 0, 0);
	expect(&x, false, "1 9");
	begin_at(&x, 8, 1); /* it has ended */
	expect(&x, false, "");
	made_release(&x);
}

static void is_stopped(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	begin_at(&x, 7, 1);
	stop = 1;
	expect(&x, true, "");
	stop = 0;
	begin_at(&x, 7, 1);
	expect(&x, true, "7 3 2");
	made_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(back),
		cmocka_unit_test(to_its_begin),
		cmocka_unit_test(forward),
		cmocka_unit_test(is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
