/* The variables of frames at positions of recordings that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/varint.h"
#include "format/value_table.h"
#include "session/variables.h"
#include "tests/lib/recording.h"

#define ARGUMENT_N "\1n"

/* A pair: a name of one letter, and a number; INT64_MIN: it is not bound. The list ends with 0. */
struct named_number {
	char name;
	int64_t number;
};
#define UNBOUND INT64_MIN

static uint8_t *write_number(uint8_t *p, int64_t number)
{
	if (number == UNBOUND) {
		*p++ = VALUE_UNSET;
		return p;
	}
	*p++ = VALUE_INT;
	return varint_write(p, zigzag(number));
}

static void put_variables(struct maker_thread *t, uint8_t flags, const struct named_number *all)
{
	uint8_t bytes[128] = {flags}, *p = bytes + 1;

	for (; all->name; all++) {
		*p++ = 1;
		*p++ = (uint8_t)all->name;
		p = write_number(p, all->number);
	}
	maker_done(
		t, event_write_further(maker_room(t), EVENT_VARIABLES, bytes, (size_t)(p - bytes)));
}
#define PUT_VARIABLES(t, flags, ...)                                                               \
	put_variables(t, flags, (const struct named_number[]){__VA_ARGS__, {0, 0}})

static void put_argument(struct maker_thread *t, int64_t number)
{
	uint8_t bytes[16] = {0};
	const uint8_t *p = write_number(bytes + 1, number);

	maker_done(t, event_write_further(maker_room(t), EVENT_VALUES, bytes, (size_t)(p - bytes)));
}

/* main (lines 2 to 4) calls f(n) (lines 11 to 13). */
struct made {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
	struct variables v;
};

static void made_begin(struct made *x)
{
	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	x->m.arguments = (struct arguments){1, view_of(ARGUMENT_N, 2)};
	maker_body(&x->m, 2, "f", 10, 3);
	x->t = maker_thread(&x->m, 0);
	maker_enter(x->t, EVENT_NO_SITE, 10); /* seq 0 */
	maker_line(x->t, 0);		      /* seq 1 */
}

static void made_open(struct made *x)
{
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
	x->v.r = x->r;
}

static void made_release(struct made *x)
{
	variables_release(&x->v);
	variables_release(&x->v);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

/* Ask at the event with this seq. */
static void ask(struct made *x, uint64_t seq, uint32_t depth)
{
	struct path path = {.r = x->r, .process = 1};
	const struct pl_event *e;

	assert_int_equal(path_from(&path, seq, &e, NULL), 0);
	assert_int_equal(e->seq, seq);
	assert_int_equal(variables_at(&x->v, e, depth, NULL), 0);
	path_release(&path);
}

struct expected {
	char name;
	int64_t number;
	uint64_t seq;
	int32_t line;
	bool changed;
};

static void expect(const struct made *x, const struct expected *all)
{
	size_t count = 0;

	for (; all[count].name; count++) {
		const struct variable *v = &x->v.all[count];
		assert_in_range(count, 0, x->v.count - 1);
		assert_int_equal(v->name.length, 1);
		assert_int_equal(*v->name.at, all[count].name);
		assert_int_equal(v->value.kind,
			all[count].number == UNBOUND ? PL_VALUE_UNSET : PL_VALUE_INT);
		if (all[count].number != UNBOUND)
			assert_int_equal(v->value.integer, all[count].number);
		assert_int_equal(v->seq, all[count].seq);
		assert_int_equal(v->line, all[count].line);
		assert_int_equal(v->changed, all[count].changed);
	}
	assert_int_equal(x->v.count, count);
}
#define EXPECT(x, ...) expect(x, (const struct expected[]){__VA_ARGS__, {0, 0, 0, 0, false}})

/* seq 2 call, 3 to 6 lines 11 12 13 11, 7 return; each line has what the one before it did */
static void put_call(struct maker_thread *t)
{
	put_argument(t, 5);
	maker_enter(t, MAKER_UNIT(0), 20);
	maker_line(t, 0);
	PUT_VARIABLES(t, 0, {'z', 1});
	maker_line(t, 1);
	PUT_VARIABLES(t, 0, {'a', 2}, {'n', 6});
	maker_line(t, 2);
	PUT_VARIABLES(t, 0, {'z', UNBOUND});
	maker_line(t, 0);
	PUT_VARIABLES(t, 0, {'z', 3});
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0));
}

static void lines(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	put_call(x.t);
	maker_line(x.t, 1);
	made_open(&x);
	ask(&x, 2, 1);
	EXPECT(&x, {'n', 5, 2, 0, false});
	ask(&x, 3, 1);
	EXPECT(&x, {'n', 5, 2, 0, false});
	ask(&x, 4, 1);
	assert_int_equal(x.v.state, VARIABLES_KNOWN);
	assert_false(x.v.all[0].of_call);
	EXPECT(&x, {'n', 5, 2, 0, false}, {'z', 1, 4, 11, true});
	ask(&x, 5, 1);
	EXPECT(&x, {'n', 6, 5, 12, true}, {'z', 1, 4, 11, false}, {'a', 2, 5, 12, true});
	ask(&x, 6, 1);
	EXPECT(&x, {'n', 6, 5, 12, false}, {'z', UNBOUND, 6, 13, true}, {'a', 2, 5, 12, false});
	ask(&x, 7, 1);
	EXPECT(&x, {'n', 6, 5, 12, false}, {'z', 3, 7, 11, true}, {'a', 2, 5, 12, false});
	assert_ptr_equal(variables_find(&x.v, "a", 1), &x.v.all[2]);
	assert_null(variables_find(&x.v, "b", 1));
	ask(&x, 5, 0);
	assert_int_equal(x.v.state, VARIABLES_NOT_KEPT);
	assert_int_equal(x.v.count, 0);
	made_release(&x);
}

static void arguments_alone(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	put_argument(x.t, 5);
	maker_enter(x.t, MAKER_UNIT(0), 20);
	for (int i = 0; i < 30000; i++)
		maker_line(x.t, (uint32_t)i % 3);
	put_argument(x.t, 7);
	maker_enter(x.t, MAKER_UNIT(2), 20);
	maker_line(x.t, 0);
	made_open(&x);
	for (uint64_t seq = 2; seq < 30002; seq += 1010) {
		ask(&x, seq, 1);
		EXPECT(&x, {'n', 5, 2, 0, false});
		assert_true(x.v.all[0].of_call);
		assert_int_equal(x.v.state, VARIABLES_KNOWN);
	}
	ask(&x, 30004, 1);
	EXPECT(&x, {'n', 5, 2, 0, false});
	ask(&x, 30004, 2);
	EXPECT(&x, {'n', 7, 30003, 0, false});
	made_release(&x);
}

#define ROUNDS 5000

/* Now and then a line has all variables, and the line that wrote them is far back. */
static void all_of_them(void **state)
{
	const uint64_t last = 2 + ROUNDS;
	struct made x;

	(void)state;
	made_begin(&x);
	put_argument(x.t, 5);
	maker_enter(x.t, MAKER_UNIT(0), 20);
	for (int i = 0; i < ROUNDS; i++) {
		if (i == 1)
			PUT_VARIABLES(x.t, 0, {'a', 1});
		else if (i == 2)
			PUT_VARIABLES(x.t, 0, {'b', 1}, {'c', 1});
		else if (i && i % 1000 == 0)
			PUT_VARIABLES(x.t, VARIABLES_ALL, {'n', 5}, {'b', 1}, {'a', i / 2000});
		maker_line(x.t, (uint32_t)i % 3);
	}
	made_open(&x);
	ask(&x, last, 1);
	assert_int_equal(x.v.state, VARIABLES_KNOWN);
	EXPECT(&x, {'n', 5, 2, 0, false}, {'a', 2, 3 + 4000, 11, false}, {'b', 1, 5, 12, false});
	x.v.patience = 1000;
	ask(&x, last, 1);
	EXPECT(&x, {'n', 5, 3 + 3000, VARIABLE_LINE_UNKNOWN, false},
		{'b', 1, 3 + 3000, VARIABLE_LINE_UNKNOWN, false}, {'a', 2, 3 + 4000, 11, false});
	ask(&x, 3 + 4000, 1);
	assert_true(variables_find(&x.v, "a", 1)->changed);
	assert_false(variables_find(&x.v, "b", 1)->changed);
	made_release(&x);
}

/* While what it called runs; that has the same names. */
static void outer_frame(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	put_argument(x.t, 5);
	maker_enter(x.t, MAKER_UNIT(0), 20);
	maker_line(x.t, 0);
	PUT_VARIABLES(x.t, 0, {'a', 1});
	maker_line(x.t, 1); /* seq 4 */
	for (int i = 0; i < 1000; i++) {
		put_argument(x.t, i);
		maker_enter(x.t, MAKER_UNIT(1), 20);
		maker_line(x.t, 0);
		PUT_VARIABLES(x.t, 0, {'a', 9});
		maker_line(x.t, 1);
		if (i < 999)
			maker_event1(x.t, EVENT_LEAVE, MAKER_UNIT(1));
	}
	made_open(&x);
	const uint64_t last = 4 + 1000 * 4 - 1;
	ask(&x, last, 1);
	EXPECT(&x, {'n', 5, 2, 0, false}, {'a', 1, 4, 11, true});
	ask(&x, last, 2);
	EXPECT(&x, {'n', 999, last - 2, 0, false}, {'a', 9, last, 11, true});
	ask(&x, last - 3, 1);
	EXPECT(&x, {'n', 5, 2, 0, false}, {'a', 1, 4, 11, true});
	made_release(&x);
}

static void generators(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	put_argument(x.t, 5);
	maker_done(x.t, event_write_enter(maker_room(x.t), MAKER_UNIT(0), 20, 77));
	maker_line(x.t, 0);
	PUT_VARIABLES(x.t, 0, {'a', 1});
	maker_line(x.t, 1); /* seq 4 */
	PUT_VARIABLES(x.t, 0, {'b', 2});
	maker_event1(x.t, EVENT_SUSPEND, MAKER_UNIT(1)); /* 5 */
	maker_line(x.t, 1);
	put_argument(x.t, 8);
	maker_enter(x.t, MAKER_UNIT(1), 20); /* 7: another frame in its place */
	maker_line(x.t, 0);
	maker_event1(x.t, EVENT_LEAVE, MAKER_UNIT(0)); /* 9 */
	maker_done(x.t, event_write_resume(maker_room(x.t), EVENT_RESUME,
				&(struct event_resume){.site = MAKER_UNIT(1),
					.unit = MAKER_UNIT(1),
					.code = 20,
					.gen = 77})); /* 10 */
	PUT_VARIABLES(x.t, 0, {'a', 3});
	maker_line(x.t, 2); /* 11 */
	made_open(&x);
	ask(&x, 11, 1);
	assert_int_equal(x.v.state, VARIABLES_KNOWN);
	EXPECT(&x, {'n', 5, 2, 0, false}, {'a', 3, 11, 12, true}, {'b', 2, 5, 12, true});
	ask(&x, 10, 1);
	EXPECT(&x, {'n', 5, 2, 0, false}, {'a', 1, 4, 11, false}, {'b', 2, 5, 12, true});
	ask(&x, 8, 1);
	EXPECT(&x, {'n', 8, 7, 0, false});
	made_release(&x);
}

static void losses(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	put_argument(x.t, 5);
	maker_enter(x.t, MAKER_UNIT(0), 20);
	maker_line(x.t, 0);
	PUT_VARIABLES(x.t, 0, {'a', 1});
	maker_line(x.t, 1); /* 4 */
	maker_event2(x.t, EVENT_GAP, PL_GAP_FULL, 3);
	PUT_VARIABLES(x.t, 0, {'b', 1});
	maker_line(x.t, 2); /* 6 */
	maker_line(x.t, 0);
	PUT_VARIABLES(x.t, VARIABLES_ALL, {'n', 5}, {'b', 1});
	maker_line(x.t, 1); /* 8 */
	made_open(&x);
	ask(&x, 4, 1);
	assert_int_equal(x.v.state, VARIABLES_KNOWN);
	ask(&x, 7, 1);
	assert_int_equal(x.v.state, VARIABLES_LOST);
	EXPECT(&x, {'b', 1, 6, VARIABLE_LINE_UNKNOWN, false});
	ask(&x, 8, 1);
	assert_int_equal(x.v.state, VARIABLES_KNOWN);
	EXPECT(&x, {'n', 5, 8, VARIABLE_LINE_UNKNOWN, false},
		{'b', 1, 6, VARIABLE_LINE_UNKNOWN, false});
	made_release(&x);
}

static void stopped(void **state)
{
	const volatile sig_atomic_t stop = 1;
	const struct pl_event at = {.position = {.process = 1}, .seq = 3, .depth = 1};
	struct made x;

	(void)state;
	made_begin(&x);
	put_call(x.t);
	made_open(&x);
	x.v.stop = &stop;
	assert_int_equal(variables_at(&x.v, &at, 1, NULL), PL_END);
	made_release(&x);
}

/* ---- forward ---- */

/* The seqs of the frame's events after that of `seq`. */
static void expect_forward(struct made *x, uint64_t seq, const uint64_t *seqs, size_t count)
{
	struct path path = {.r = x->r, .process = 1};
	struct frame_path f = {.r = x->r};
	const struct pl_event *at, *e;

	assert_int_equal(path_from(&path, seq, &at, NULL), 0);
	frame_path_begin(&f, at, 1);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(frame_path_forward(&f, &e, NULL), 0);
		assert_int_equal(e->seq, seqs[i]);
	}
	assert_int_equal(frame_path_forward(&f, &e, NULL), PL_END);
	frame_path_release(&f);
	path_release(&path);
}

static void forward(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	maker_done(x.t, event_write_enter(maker_room(x.t), MAKER_UNIT(0), 20, 77)); /* 2 */
	maker_line(x.t, 0);
	maker_event1(x.t, EVENT_SUSPEND, MAKER_UNIT(0)); /* 4 */
	put_call(x.t);					 /* 5 to 10 */
	maker_done(x.t, event_write_resume(maker_room(x.t), EVENT_RESUME,
				&(struct event_resume){.site = MAKER_UNIT(0),
					.unit = MAKER_UNIT(0),
					.code = 20,
					.gen = 77})); /* 11 */
	maker_line(x.t, 1);
	maker_event1(x.t, EVENT_LEAVE, MAKER_UNIT(1)); /* 13 */
	put_call(x.t);
	made_open(&x);
	expect_forward(&x, 2, (const uint64_t[]){3, 4, 11, 12, 13}, 5);
	expect_forward(&x, 4, (const uint64_t[]){11, 12, 13}, 3);
	expect_forward(&x, 13, NULL, 0);
	expect_forward(&x, 6, (const uint64_t[]){7, 8, 9, 10}, 4);
	made_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(arguments_alone),
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(outer_frame),
		cmocka_unit_test(generators),
		cmocka_unit_test(losses),
		cmocka_unit_test(stopped),
		cmocka_unit_test(forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
