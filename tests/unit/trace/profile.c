/* Profiles of paths made by hand: contexts, cumulated times, the longest, exceptions. That counts
 * are those of a visit and times add up: tests/lib/profiles.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/profiles.h"
#include "tests/lib/recording.h"

#define MS 1000000

struct fixture {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
	struct pl_profile *profile;
	const struct pl_profile_tables *tables;
};

static void begin(struct fixture *f)
{
	maker_init(&f->m);
	maker_body(&f->m, 1, "main", 1, 3);
	maker_body(&f->m, 2, "f", 10, 3);
	maker_body(&f->m, 3, "g", 20, 3);
	maker_string(&f->m, 5, "ValueError");
	f->t = maker_thread(&f->m, 0);
}

static void end(struct fixture *f, const struct pl_profile_wanted *wanted)
{
	struct profiles_test t;

	maker_cut(&f->m, f->t);
	maker_thread_end(&f->m, f->t);
	maker_end(&f->m);
	assert_int_equal(recording_open_files(&f->r, maker_files(&f->m), NULL), 0);
	const char *what = profiles_compare(&t, f->r);
	if (what)
		fail_msg("%s", what);
	assert_int_equal(pl_profile_new(&f->profile, f->r, wanted, NULL), 0);
	f->tables = pl_profile_tables(f->profile);
}

static void release(struct fixture *f)
{
	pl_profile_free(f->profile);
	pl_recording_close(f->r);
	maker_release(&f->m);
}

/* Line `line` of the frame begins so many ms after what was before. */
static void line_after(struct fixture *f, uint64_t ms, uint32_t line)
{
	maker_event1(f->t, EVENT_TIME, ms * MS);
	maker_line(f->t, line);
}

static void enter_after(struct fixture *f, uint64_t ms, uint32_t code)
{
	maker_event1(f->t, EVENT_TIME, ms * MS);
	maker_enter(f->t, MAKER_UNIT(1) + 1, code);
}

/* From its line `line`. */
static void leave_after(struct fixture *f, uint64_t ms, uint32_t line)
{
	maker_event1(f->t, EVENT_TIME, ms * MS);
	maker_event1(f->t, EVENT_LEAVE, MAKER_UNIT(line) + 3);
}

static void unwind(struct fixture *f)
{
	uint8_t *p = maker_room(f->t);

	*p++ = EVENT_UNWIND;
	maker_done(f->t, p);
}

/* A node a line, children after their parents. */
static void expect_nodes(const struct fixture *f, const char *expected)
{
	struct pl_buf out = {0};

	for (size_t i = 1; i < f->tables->node_count; i++) {
		const struct pl_profile_node *n = &f->tables->nodes[i];
		const struct pl_profile_node *parent = &f->tables->nodes[n->parent];
		buf_printf(&out, "%s:%d>%s%s %" PRIu64 " own %d all %d\n",
			parent->code ? pl_code_name(parent->code) : "-", n->line,
			pl_code_name(n->code), n->recursive ? " again" : "", n->calls,
			(int)((n->own_ns + MS / 2) / MS), (int)((n->cumulated_ns + MS / 2) / MS));
	}
	buf_u8(&out, 0);
	assert_string_equal((char *)out.at, expected);
	buf_release(&out);
}

static const struct pl_profile_line *line_of(const struct fixture *f, int32_t line)
{
	for (size_t i = 0; i < f->tables->line_count; i++)
		if (f->tables->lines[i].time.line == line)
			return &f->tables->lines[i];
	fail_msg("no line %d", line);
	return NULL;
}

static void assert_ms(int64_t ns, int ms)
{
	assert_in_range(
		(uint64_t)(ns + MS), (uint64_t)ms * MS + MS - 2000, (uint64_t)ms * MS + MS + 2000);
}

static void contexts_and_their_times(void **state)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}};
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_line(f.t, 0);
	line_after(&f, 10, 1);
	enter_after(&f, 20, 20);
	line_after(&f, 1, 0);
	leave_after(&f, 40, 0);
	line_after(&f, 5, 2);
	maker_line(f.t, 0);
	maker_line(f.t, 1);
	enter_after(&f, 7, 30);
	maker_line(f.t, 0);
	leave_after(&f, 100, 0);
	line_after(&f, 1, 2);
	end(&f, &wanted);
	assert_ms(f.tables->sum_ns, 184);
	expect_nodes(&f, "-:0>main 1 own 43 all 184\n"
			 "main:3>f 1 own 41 all 41\n"
			 "main:3>g 1 own 100 all 100\n");
	release(&f);
}

/* f calls itself at its line 12: a moment counts once, and the tree does not grow with the
 * depth. */
static void recursion(void **state)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}};
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_line(f.t, 0);
	maker_line(f.t, 1);
	for (int i = 0; i < 40; i++) {
		enter_after(&f, 1, 20);
		maker_line(f.t, 0);
		maker_line(f.t, 1);
	}
	for (int i = 0; i < 40; i++)
		leave_after(&f, 1, 1);
	line_after(&f, 1, 2);
	end(&f, &wanted);
	assert_int_equal(f.tables->node_count, 4);
	assert_ms(f.tables->sum_ns, 81);
	assert_in_range((uint64_t)line_of(&f, 12)->cumulated_ns, 70 * MS, 80 * MS);
	assert_in_range((uint64_t)line_of(&f, 3)->cumulated_ns, 80 * MS, 81 * MS);
	assert_string_equal(pl_code_name(f.tables->functions[0].code), "f");
	assert_int_equal(f.tables->functions[0].calls, 40);
	assert_ms(f.tables->functions[0].cumulated_ns, 79);
	release(&f);
}

static void the_longest(void **state)
{
	const struct pl_profile_wanted wanted = {
		.range = {.process = 1}, .blocking_ns = (int64_t)50 * MS};
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_line(f.t, 0);
	for (int i = 1; i <= 5; i++) {
		line_after(&f, 1, 1);
		line_after(&f, i == 3 ? 90 : 10, 2);
		line_after(&f, 1, 0);
	}
	end(&f, &wanted);
	assert_ms(line_of(&f, 3)->longest.ns, 90);
	assert_ms(line_of(&f, 3)->time.computing_ns, 130);
	assert_int_equal(f.tables->block_count, 1);
	assert_ms(f.tables->blocks[0].time.ns, 90);
	assert_int_equal(f.tables->blocks[0].line, 3);
	assert_true(f.tables->blocks[0].time.at_ns == line_of(&f, 3)->longest.at_ns);
	release(&f);
}

static void exceptions(void **state)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}, .exceptions = true};
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	for (int i = 0; i < 3; i++) {
		maker_line(f.t, 0);
		maker_line(f.t, 1);
		maker_enter(f.t, MAKER_UNIT(1) + 1, 20);
		maker_line(f.t, 0);
		maker_event2(f.t, EVENT_RAISE, MAKER_UNIT(0), 5);
		unwind(&f);
		maker_event2(f.t, EVENT_RAISE, MAKER_UNIT(1), 5);
		maker_event2(f.t, EVENT_HANDLED, MAKER_UNIT(2), 5);
		maker_line(f.t, 2);
	}
	end(&f, &wanted);
	assert_int_equal(f.tables->exception_count, 1);
	const struct pl_profile_exception *e = &f.tables->exceptions[0];
	assert_string_equal(e->type, "ValueError");
	assert_int_equal(e->count, 3);
	assert_int_equal(e->raised_line, 11);
	assert_int_equal(e->end, PL_EXCEPTION_HANDLED);
	assert_int_equal(e->handled_line, 4);
	assert_int_equal(e->last_thread, 0);
	assert_int_equal(e->last_seq, 1 + 2 * 9 + 4);
	release(&f);
}

static bool stop(void *context, double done)
{
	*(double *)context = done;
	return false;
}

static void progress_stops_it(void **state)
{
	double done = -1;
	const struct pl_profile_wanted wanted = {
		.range = {.process = 1}, .progress = stop, .context = &done};
	struct fixture f;
	struct pl_profile *p = NULL;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_line(f.t, 1);
	end(&f, &(struct pl_profile_wanted){.range = {.process = 1}});
	assert_int_equal(pl_profile_new(&p, f.r, &wanted, NULL), PL_END);
	assert_true(done >= 0 && done <= 1);
	assert_null(p);
	assert_int_equal(
		pl_profile_new(&p, f.r, &(struct pl_profile_wanted){.range = {.process = 9}}, NULL),
		PL_ERR_NOT_FOUND);
	release(&f);
}

/* ---- samples ---- */

/* A look at line 11 + `start` of f, in ms. */
struct looked {
	uint64_t ms;
	uint32_t start, weight;
};

/* f is entered and left at stamps, and has no event in between. */
static void begin_unheard(struct fixture *f)
{
	maker_init(&f->m);
	maker_body(&f->m, 1, "main", 1, 3);
	f->m.unheard = true;
	maker_body(&f->m, 2, "f", 10, 3);
	f->t = maker_thread(&f->m, 0);
	maker_enter(f->t, EVENT_NO_SITE, 10);
	maker_line(f->t, 0);
	line_after(f, 1, 1);
}

static void put_looks(struct fixture *f, const struct looked *looks, uint32_t count)
{
	struct sample samples[64] = {0};

	for (uint32_t i = 0; i < count; i++)
		samples[i] = (struct sample){.weight = looks[i].weight,
			.ticks = looks[i].ms * MS,
			.body = 3,
			.unit = MAKER_UNIT(looks[i].start),
			.waiting = true};
	maker_samples(&f->m, samples, count);
}
#define PUT_LOOKS(f, looks) put_looks(f, looks, sizeof looks / sizeof *looks)

/* f runs without an event from one stamp to another, `ms` later; then the looks are as given. */
static void report_call(struct fixture *f, uint64_t ms, const struct looked *looks, uint32_t count)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}};

	begin_unheard(f);
	enter_after(f, 4, 20);
	leave_after(f, ms, 2);
	line_after(f, 1, 2);
	put_looks(f, looks, count);
	end(f, &wanted);
}
#define REPORT_CALL(f, ms, looks) report_call(f, ms, looks, sizeof looks / sizeof *looks)

static void assert_about_ms(int64_t ns, int ms, int error_ms)
{
	if (ns < (ms - error_ms) * (int64_t)MS || ns > (ms + error_ms) * (int64_t)MS)
		fail_msg("%lld ns, not %d ms", (long long)ns, ms);
}

/* A thread that waits is looked at less often the longer it waits, and all looks are further apart
 * while there is no news: how many there are does not say how long a line took. */
static void looks_far_apart(void **state)
{
	static const struct looked looks[] = {{6, 0, 1}, {10, 0, 1}, {14, 0, 1}, {22, 0, 2},
		{34, 0, 3}, {54, 0, 5}, {96, 0, 10}, {116, 1, 1}, {120, 1, 1}, {124, 1, 1}};
	struct fixture f;
	(void)state;

	REPORT_CALL(&f, 121, looks);
	assert_about_ms(line_of(&f, 11)->time.waiting_ns, 101, 1);
	assert_about_ms(line_of(&f, 12)->time.waiting_ns, 20, 1);
	release(&f);
}

/* The first look after a long wait comes late. Of short lines that run then it finds few; the one
 * that it finds stands for all. */
static void a_look_after_a_wait(void **state)
{
	static const struct looked looks[] = {{6, 0, 1}, {10, 0, 1}, {22, 0, 3}, {54, 0, 8},
		{94, 1, 1}, {98, 2, 1}, {102, 2, 1}, {106, 2, 1}, {118, 2, 3}};
	struct fixture f;
	(void)state;

	REPORT_CALL(&f, 121, looks);
	/* 69, 40 and 30 ms, of 121 */
	assert_about_ms(line_of(&f, 11)->time.waiting_ns, 60, 2);
	assert_about_ms(line_of(&f, 12)->time.waiting_ns, 35, 2);
	release(&f);
}

/* A line without a look ran at most as long as looks are apart, and that is its error; but not
 * where lines before and after it were seen in turn, nor longer than its spans. */
static void what_no_look_saw(void **state)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}};
	static const struct looked looks[] = {
		{4, 1, 1}, {9, 1, 1}, {14, 1, 1}, {24, 1, 2}, {28, 1, 1}, {33, 1, 1}, {63, 1, 6}};
	struct fixture f;
	(void)state;

	begin_unheard(&f);
	enter_after(&f, 1, 20); /* at 2 ms */
	leave_after(&f, 48, 2);
	enter_after(&f, 2, 20); /* at 52 ms */
	leave_after(&f, 12, 2);
	line_after(&f, 1, 2);
	maker_event1(f.t, EVENT_TIME, 10000);
	maker_line(f.t, 0);
	PUT_LOOKS(&f, looks);
	end(&f, &wanted);
	assert_in_range((uint64_t)line_of(&f, 11)->time.error_ns, 5 * MS, 14 * MS);
	assert_in_range((uint64_t)line_of(&f, 13)->time.error_ns, 5 * MS, 30 * MS);
	assert_in_range((uint64_t)line_of(&f, 3)->time.error_ns, 0, 10000);
	release(&f);
}

/* Both ends of each call are at stamps: the time of the function is known, however little is known
 * of its lines. */
static void a_call_between_stamps(void **state)
{
	static const struct looked looks[] = {{12, 1, 1}, {22, 1, 1}, {33, 1, 1}};
	struct fixture f;
	(void)state;

	REPORT_CALL(&f, 30, looks);
	for (size_t i = 0; i < f.tables->function_count; i++) {
		const struct pl_profile_function *function = &f.tables->functions[i];
		if (strcmp(pl_code_name(function->code), "f") != 0)
			continue;
		assert_int_equal(function->error_ns, 0);
		assert_ms(function->cumulated_ns, 30);
	}
	assert_in_range((uint64_t)line_of(&f, 11)->time.error_ns, 7 * MS, 12 * MS);
	release(&f);
}

/* A span ends at the row after its last line, so that line is in its tail, and ran once. Without
 * looks two lines that ran once have the same time. */
static void the_last_line_ran_once(void **state)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}};
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_event1(f.t, EVENT_TIME, 100000);
	maker_line(f.t, 0);
	maker_line(f.t, 1);
	maker_event1(f.t, EVENT_TIME, 300000);
	maker_line(f.t, 2);
	maker_clock(&f.m, 900000, 5 * MS);
	end(&f, &wanted);
	assert_in_range((uint64_t)line_of(&f, 2)->time.computing_ns, 149000, 151000);
	assert_in_range((uint64_t)line_of(&f, 3)->time.computing_ns, 149000, 151000);
	release(&f);
}

/* Of a thread that ends within a tick of its last stamp the file says no later time. */
static void the_last_lines(void **state)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}};
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_event1(f.t, EVENT_TIME, MS / 2);
	maker_line(f.t, 0);
	maker_line(f.t, 1);
	maker_line(f.t, 2);
	unwind(&f);
	maker_clock(&f.m, 900000, 5 * MS);
	end(&f, &wanted);
	for (int line = 2; line <= 4; line++)
		assert_ms(line_of(&f, line)->time.error_ns, 5);
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_and_their_times),
		cmocka_unit_test(recursion),
		cmocka_unit_test(the_longest),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(progress_stops_it),
		cmocka_unit_test(looks_far_apart),
		cmocka_unit_test(a_look_after_a_wait),
		cmocka_unit_test(what_no_look_saw),
		cmocka_unit_test(a_call_between_stamps),
		cmocka_unit_test(the_last_lines),
		cmocka_unit_test(the_last_line_ran_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
