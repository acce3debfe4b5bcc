/* A session over a recording that is made by hand: what tests of src/session ask.
 *
 *	struct scene x;
 *	scene_open(&x);
 *	assert_int_equal(session_step(x.s, STEP_LINE, false, &x.err), 0);
 *	scene_close(&x);
 *
 * The recording that scene_open makes, all in a.py; the numbers are seqs:
 *
 *	MainThread                                       worker
 *	run 1   0 call main       1 line 2   2 line 3
 *	        3 call Shop.book  4 line 11  5 line 12
 *	        6 raise SoldOut   7 unwind
 *	        8 raise in main   9 handled
 *	        10 line 4
 *	run 2                                            0 call work  1 line 21  2 line 22
 *	run 3   11 line 2   12 line 3
 *	        13 call Shop.book  14 line 11  15 line 12  16 line 13
 *	        17 return   18 line 4
 *	run 4                                            3 return
 *
 * A tick passes before each line. For another one: scene_begin, what it is, and scene_start.
 */
#ifndef TEST_SESSIONS_H
#define TEST_SESSIONS_H

#include "lib/values.h"
#include "session/operations.h"
#include "tests/lib/recording.h"

#define SCENE_TYPE 5 /* the string of the exception's type */

struct scene {
	struct maker m;
	struct maker_thread *t, *worker;
	struct pl_recording *r;
	struct session *s;
	struct pl_err err;
};

/* Other than 0: the user has interrupted what runs. */
static volatile sig_atomic_t scene_stop;

/* The bodies: code 10 is main, code 20 is Shop.book, code 30 is work. values: of --values, or
 * NULL. */
static inline void scene_begin_valued(struct scene *x, const char *values)
{
	*x = (struct scene){0};
	maker_init_valued(&x->m, values);
	maker_body(&x->m, 1, "main", 1, 3);
	maker_body(&x->m, 2, "Shop.book", 10, 3);
	maker_body(&x->m, 3, "work", 20, 2);
	maker_string(&x->m, SCENE_TYPE, "shop.SoldOut");
	x->t = maker_thread(&x->m, 0);
}

static inline void scene_begin(struct scene *x)
{
	scene_begin_valued(x, NULL);
}

static inline void scene_line(struct maker_thread *t, uint32_t start)
{
	maker_event1(t, EVENT_TIME, 1);
	maker_line(t, start);
}

static inline void scene_raise(struct maker_thread *t, uint32_t start)
{
	maker_event2(t, EVENT_RAISE, MAKER_UNIT(start), SCENE_TYPE);
}

/* It leaves the frame. */
static inline void scene_unwind(struct maker_thread *t)
{
	maker_done(t, event_write0(maker_room(t), EVENT_UNWIND));
}

/* The session stands at the first line of the main thread. */
static inline void scene_start(struct scene *x)
{
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), &x->err), 0);
	x->s = calloc(1, sizeof *x->s);
	assert_non_null(x->s);
	x->s->replay.r = x->r;
	x->s->replay.stop = &scene_stop;
	assert_int_equal(replay_start(&x->s->replay, &x->err), 0);
}

static inline void scene_first_book(struct maker_thread *t)
{
	maker_enter(t, MAKER_UNIT(1), 20);
	scene_line(t, 0);
	scene_line(t, 1);
	scene_raise(t, 1);
	scene_unwind(t);
	scene_raise(t, 1);
	maker_event2(t, EVENT_HANDLED, MAKER_UNIT(2), SCENE_TYPE);
}

static inline void scene_second_book(struct maker_thread *t)
{
	maker_enter(t, MAKER_UNIT(1), 20);
	for (uint32_t start = 0; start < 3; start++)
		scene_line(t, start);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(2));
}

static inline void scene_main(struct maker_thread *t)
{
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	scene_line(t, 0);
	scene_line(t, 1);
	scene_first_book(t);
	scene_line(t, 2);
	maker_switch(t, 3);
	scene_line(t, 0);
	scene_line(t, 1);
	scene_second_book(t);
	scene_line(t, 2);
}

static inline void scene_worker(struct maker_thread *t)
{
	maker_switch(t, 2);
	maker_enter(t, EVENT_NO_SITE, 30);
	scene_line(t, 0);
	scene_line(t, 1);
	maker_switch(t, 4);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
}

/* ---- tasks ---- */

#define SCENE_COROUTINE 0x80u /* of co_flags */

/* The event loop, which is main, runs a step of this task: book (code 40) begins, or goes on. */
static inline void scene_task(
	struct maker_thread *t, uint64_t number, const char *name, bool begins)
{
	maker_done(t, event_write_task(maker_room(t), number, name, strlen(name)));
	if (begins)
		maker_done(t, event_write_enter(maker_room(t), MAKER_UNIT(0), 40, number));
	else
		maker_done(t, event_write_resume(maker_room(t), EVENT_RESUME,
				      &(struct event_resume){.site = MAKER_UNIT(0),
					      .code = 40,
					      .gen = number,
					      .unit = MAKER_UNIT(0)}));
}

/* The steps of two tasks, in the main thread; line 31 before a task waits, line 32 after that:
 *
 *	0 call main   1 line 2
 *	task 3 anvil  2 call book    3 line 31   4 yield
 *	task 4 rope   5 call book    6 line 31   7 yield
 *	task 3 anvil  8 resume       9 line 32  10 yield
 *	task 3 anvil  11 resume     12 line 32  13 return
 *	task 4 rope   14 resume     15 line 32  16 return
 *	17 line 3
 */
static inline void scene_open_tasks(struct scene *x)
{
	scene_begin(x);
	x->m.flags = SCENE_COROUTINE;
	maker_body(&x->m, 4, "book", 30, 2);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	scene_line(x->t, 0);
	for (uint64_t number = 3; number <= 4; number++) {
		scene_task(x->t, number, number == 3 ? "anvil" : "rope", true);
		scene_line(x->t, 0);
		maker_event1(x->t, EVENT_SUSPEND, MAKER_UNIT(0));
	}
	scene_task(x->t, 3, "anvil", false);
	scene_line(x->t, 1);
	maker_event1(x->t, EVENT_SUSPEND, MAKER_UNIT(1));
	for (uint64_t number = 3; number <= 4; number++) {
		scene_task(x->t, number, number == 3 ? "anvil" : "rope", false);
		scene_line(x->t, 1);
		maker_event1(x->t, EVENT_LEAVE, MAKER_UNIT(1));
	}
	scene_line(x->t, 1);
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	scene_start(x);
}

/* ---- values ---- */

/* The arguments of the call that comes next: one number. */
static inline void scene_argument(struct maker_thread *t, int64_t number)
{
	struct pl_buf b = {0};

	buf_u8(&b, 0);
	value_number(&b, number);
	maker_done(t, event_write_further(maker_room(t), EVENT_VALUES, b.at, b.used));
	buf_release(&b);
}

/* What the frame's last line did: it bound this name. Before the event that comes next. */
static inline void scene_variable(struct maker_thread *t, const char *name, int64_t number)
{
	struct pl_buf b = {0};

	buf_u8(&b, 0);
	buf_string(&b, name, strlen(name));
	value_number(&b, number);
	maker_done(t, event_write_further(maker_room(t), EVENT_VARIABLES, b.at, b.used));
	buf_release(&b);
}

/* add(n), whose lines are 31 to 33, code 40:
 *
 *	0 call main      1 line 2
 *	2 call add(n=5)  3 line 31: sum = 1  4 line 32: n = 6  5 line 33: sum = 7  6 return
 *	7 line 3
 *	8 call add(n=9)  9 line 31
 */
static inline void scene_open_values(struct scene *x)
{
	scene_begin_valued(x, "lines");
	x->m.arguments = (struct arguments){1, view_of("\1n", 2)};
	maker_body(&x->m, 4, "add", 30, 3);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	scene_line(x->t, 0);
	scene_argument(x->t, 5);
	maker_enter(x->t, MAKER_UNIT(0), 40);
	scene_line(x->t, 0);
	scene_variable(x->t, "sum", 1);
	scene_line(x->t, 1);
	scene_variable(x->t, "n", 6);
	scene_line(x->t, 2);
	scene_variable(x->t, "sum", 7);
	maker_event1(x->t, EVENT_LEAVE, MAKER_UNIT(2));
	scene_line(x->t, 1);
	scene_argument(x->t, 9);
	maker_enter(x->t, MAKER_UNIT(1), 40);
	scene_line(x->t, 0);
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	scene_start(x);
}

/* ---- the recording above ---- */

static inline void scene_open(struct scene *x)
{
	scene_begin(x);
	x->worker = maker_thread(&x->m, 1);
	scene_main(x->t);
	scene_worker(x->worker);
	maker_cut(&x->m, x->t);
	maker_cut(&x->m, x->worker);
	maker_thread_end(&x->m, x->t);
	maker_thread_end(&x->m, x->worker);
	scene_start(x);
}

static inline void scene_close(struct scene *x)
{
	session_release(x->s);
	free(x->s);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

/* The move was made, and ends at this event. */
static inline void scene_at(const struct scene *x, int code, uint32_t thread, uint64_t seq)
{
	assert_int_equal(code, 0);
	assert_int_equal(x->s->outcome.refusal, REFUSAL_NONE);
	assert_int_equal(x->s->replay.at.position.thread, thread);
	assert_int_equal(x->s->replay.at.seq, seq);
}

static inline void scene_refused(const struct scene *x, int code, enum refusal refusal)
{
	assert_int_equal(code, PL_END);
	assert_string_equal(refusal_name(x->s->outcome.refusal), refusal_name(refusal));
}

#endif
