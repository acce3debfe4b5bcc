/* The lines that a frame ran last: of this call of it alone, each once, with its passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/path.h"
#include "session/ran.h"
#include "tests/lib/recording.h"

struct made {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
};

/* main: 0, line 2: 1; then calls of f, whose lines are 11 to 17. */
static void made_begin(struct made *x)
{
	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	maker_body(&x->m, 2, "f", 10, 7);
	x->t = maker_thread(&x->m, 0);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	maker_line(x->t, 0);
}

static void made_open(struct made *x)
{
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
}

static void made_release(struct made *x)
{
	pl_recording_close(x->r);
	maker_release(&x->m);
}

static void ask(struct made *x, uint64_t seq, struct ran *ran)
{
	struct path path = {.r = x->r, .process = 1};
	const struct pl_event *e;

	assert_int_equal(path_from(&path, seq, &e, NULL), 0);
	assert_int_equal(e->seq, seq);
	assert_int_equal(ran_before(x->r, e, NULL, ran, NULL), 0);
	path_release(&path);
}

static void expect(const struct ran *ran, size_t i, int32_t line, uint64_t seq, uint64_t passes)
{
	assert_int_equal(ran->lines[i].line, line);
	assert_int_equal(ran->lines[i].seq, seq);
	assert_int_equal(ran->lines[i].passes, passes);
}

static void of_one_call(void **state)
{
	struct made x;
	struct ran ran;

	(void)state;
	made_begin(&x);
	maker_enter(x.t, MAKER_UNIT(0), 20); /* seq 2 */
	maker_line(x.t, 0);
	maker_line(x.t, 1);
	maker_event1(x.t, EVENT_LEAVE, 0);   /* seq 5 */
	maker_line(x.t, 1);		     /* of main */
	maker_enter(x.t, MAKER_UNIT(1), 20); /* seq 7 */
	maker_line(x.t, 0);
	maker_line(x.t, 1);
	maker_line(x.t, 0);
	maker_line(x.t, 2); /* seq 11 */
	made_open(&x);
	ask(&x, 11, &ran);
	assert_int_equal(ran.count, 3);
	expect(&ran, 0, 12, 9, 1);
	expect(&ran, 1, 11, 10, 2);
	expect(&ran, 2, 13, 11, 1);
	assert_false(ran.less);
	ask(&x, 6, &ran);
	assert_int_equal(ran.count, 2);
	expect(&ran, 0, 2, 1, 1);
	expect(&ran, 1, 3, 6, 1);
	ask(&x, 2, &ran); /* the call itself: no line of it ran */
	assert_int_equal(ran.count, 0);
	made_release(&x);
}

static void the_last_ones(void **state)
{
	struct made x;
	struct ran ran;

	(void)state;
	made_begin(&x);
	maker_enter(x.t, MAKER_UNIT(0), 20); /* seq 2 */
	for (uint32_t i = 0; i < 7; i++)
		maker_line(x.t, i);
	made_open(&x);
	ask(&x, 9, &ran);
	assert_int_equal(ran.count, RAN_LINES);
	expect(&ran, 0, 13, 5, 1);
	expect(&ran, RAN_LINES - 1, 17, 9, 1);
	made_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_call),
		cmocka_unit_test(the_last_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
