/* Words that name processes, threads, tasks and functions, and the nearest of the names that there
 * are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <string.h>
#include "expr/named.h"
#include "tests/lib/recording.h"

static struct pl_text text_of(const char *text)
{
	return (struct pl_text){.at = text, .length = strlen(text)};
}

static void expect_said(const struct known_names *names, const char *given, const char *expected)
{
	char said[KNOWN_NAMES_BYTES];

	known_names_say(names, text_of(given), said);
	assert_string_equal(said, expected);
}

static void test_nearest(void **state)
{
	struct known_names names = {0};
	(void)state;

	expect_said(&names, "orders", "");
	known_names_add(&names, text_of("orders"), 1200);
	known_names_add(&names, text_of("stock"), 1);
	known_names_add(&names, text_of("orders"), 4);
	assert_int_equal(names.count, 2);
	assert_true(known_names_has(&names, text_of("stock")));
	assert_false(known_names_has(&names, text_of("stoc")));
	expect_said(&names, "ordes%", "; nearest: orders, 1,204 calls");
	expect_said(&names, "stok", "; nearest: stock, 1 call");
	assert_string_equal(known_names_nearest(&names, text_of("stok")), "stock");
	assert_null(known_names_nearest(&names, text_of("x")));
	known_names_release(&names);
}

/* None is near: those that were called most; of equals, in the order in which they came. */
static void test_most(void **state)
{
	struct known_names names = {0};
	(void)state;

	known_names_add(&names, text_of("one"), 0);
	known_names_add(&names, text_of("two"), 0);
	expect_said(&names, "elsewhere", "; there is: one; two");
	known_names_add(&names, text_of("six"), 6);
	known_names_add(&names, text_of("ten"), 10);
	expect_said(&names, "elsewhere", "; there is: ten, 10 calls; six, 6 calls; one; …");
	known_names_release(&names);
}

static void test_many(void **state)
{
	struct known_names names = {0};
	char name[32];
	(void)state;

	for (int i = 0; i < KNOWN_NAMES_MAX + 10; i++) {
		snprintf(name, sizeof name, "name-%d", i);
		known_names_add(&names, text_of(name), 0);
	}
	assert_int_equal(names.count, KNOWN_NAMES_MAX);
	known_names_release(&names);
}

static void test_tasks(void **state)
{
	const struct pl_event named = {.task = "job", .task_id = 3}, none = {.task_id = 0};
	(void)state;

	assert_true(named_task(&named, text_of("job")));
	assert_true(named_task(&named, text_of("3")));
	assert_false(named_task(&named, text_of("jo")));
	assert_false(named_task(&named, text_of("33")));
	assert_false(named_task(&none, text_of("0")));
	assert_false(named_task(&none, text_of("job")));
	/* a part of a list: the word ends before the text does */
	assert_true(named_task(&named, (struct pl_text){"job,other", 3}));
}

static void test_recording(void **state)
{
	struct known_names names = {0};
	struct pl_recording *r;
	struct maker m;
	(void)state;

	maker_init(&m);
	maker_body(&m, 1, "Cart.total", 1, 3);
	maker_thread(&m, 0);
	maker_end(&m);
	assert_int_equal(recording_open_files(&r, maker_files(&m), NULL), 0);
	const struct pl_process *p = pl_recording_process(r, 0);
	const struct pl_thread *t = pl_recording_thread(r, p->number, 0);
	char pid[32];
	snprintf(pid, sizeof pid, "%d", (int)p->pid);
	assert_true(named_process(r, p, text_of("1")));
	assert_true(named_process(r, p, text_of(pid)));
	assert_false(named_process(r, p, text_of("nosuch")));
	assert_true(named_thread(r, t, text_of("0")));
	assert_true(named_thread(r, t, text_of("MainThread")));
	assert_false(named_thread(r, t, text_of("Main")));
	named_add_thread(&names, t);
	named_add_process(&names, p);
	expect_said(&names, "MainThred", "; nearest: MainThread");
	known_names_release(&names);
	pl_recording_close(r);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
