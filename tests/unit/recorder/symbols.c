/* A function that is replaced for C code, in this process itself. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <unistd.h>
#include "recorder/symbols.h"

/* Called through the slots of this program, and found by name anew. */
typedef pid_t (*get_id)(void);

static pid_t called(void)
{
	return getppid();
}

static pid_t found(void)
{
	get_id f = NULL;

	*(void **)&f = dlsym(RTLD_DEFAULT, "getppid");
	return f();
}

static pid_t ours(void)
{
	return -77;
}

static void for_all_who_call_it(void **state)
{
	const pid_t before = called();
	void *original = NULL;
	get_id function = ours;

	(void)state;
	assert_true(symbol_replace("getppid", *(void **)&function, &original));
	assert_non_null(original);
	assert_int_equal(called(), -77);
	assert_int_equal(found(), -77);
	*(void **)&function = original;
	assert_int_equal(function(), before); /* the original itself is unchanged */
}

/* What is found by that name now is of no symbol, and stays. */
static void no_second_time(void **state)
{
	void *original = NULL;

	(void)state;
	assert_false(symbol_replace("getppid", state, &original));
	assert_int_equal(called(), -77);
	assert_int_equal(found(), -77);
}

static void a_name_that_nobody_has(void **state)
{
	void *original = NULL;

	(void)state;
	assert_false(symbol_replace("pathline_no_such_function", state, &original));
	assert_null(original);
}

static void as_it_was(void **state)
{
	(void)state;
	assert_int_equal(called(), -77);
	symbols_give_back();
	assert_int_not_equal(called(), -77);
	assert_int_equal(found(), called());
}

/* This program's own calls, not what others find by name. */
static void for_one_object(void **state)
{
	void *original = NULL;
	get_id function = ours;

	(void)state;
	assert_true(symbol_replace_in(
		(void *)(uintptr_t)called, "getppid", *(void **)&function, &original));
	assert_int_equal(called(), -77);
	assert_int_not_equal(found(), -77);
	symbols_give_back();
	assert_int_not_equal(called(), -77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_all_who_call_it),
		cmocka_unit_test(no_second_time),
		cmocka_unit_test(a_name_that_nobody_has),
		cmocka_unit_test(as_it_was),
		cmocka_unit_test(for_one_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
