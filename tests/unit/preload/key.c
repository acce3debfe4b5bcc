/* Which calls of an interpreter that begins are seen, and that they do what libc's do. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include "preload/hook.h"
#include "preload/preload.h"

struct preload preload;

/* What else is in the process makes these calls as well, so only those of this thread count while
 * `counts` is true. Volatile, all of them: the compiler believes that libc's functions, whose names
 * ours have, do not come back to here. */
static _Thread_local volatile bool counts;
static volatile bool is_new, whole_when_met;
static volatile int met_times, keyed_times, result;
static const void *volatile met_by, *volatile keyed_value;
static volatile pthread_key_t keyed;

bool hook_meet(const void *caller, bool whole)
{
	if (!counts)
		return false;
	met_times++;
	met_by = caller;
	whole_when_met = whole;
	return is_new;
}

static void on_key(pthread_key_t key, const void *value)
{
	if (!counts)
		return;
	keyed_times++;
	keyed = key;
	keyed_value = value;
}

static int sets(pthread_key_t key, const void *value)
{
	int (*libc)(pthread_key_t, const void *) = NULL;
	*(void **)&libc = dlsym(RTLD_NEXT, "pthread_setspecific");

	return counts && result ? result : libc(key, value);
}

static int gets(pthread_t thread, pthread_attr_t *attributes)
{
	int (*libc)(pthread_t, pthread_attr_t *) = NULL;
	*(void **)&libc = dlsym(RTLD_NEXT, "pthread_getattr_np");

	return counts && result ? result : libc(thread, attributes);
}

const struct originals *originals(void)
{
	static const struct originals fake = {.setspecific = sets, .getattr_np = gets};

	return &fake;
}

static int setup(void **state)
{
	(void)state;
	atomic_store(&preload.on_key, on_key);
	met_times = keyed_times = result = 0;
	is_new = false;
	met_by = NULL;
	return 0;
}

/* The result of the call, while it counts. */
static int set_specific(pthread_key_t key, const void *value)
{
	counts = true;
	int err = pthread_setspecific(key, value);
	counts = false;
	return err;
}

static void a_thread_of_a_known_interpreter(void **state)
{
	pthread_key_t key;
	int word;

	(void)state;
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	assert_int_equal(set_specific(key, &word), 0);
	assert_ptr_equal(pthread_getspecific(key), &word);
	assert_int_equal(keyed_times, 1);
	assert_true(keyed == key);
	assert_ptr_equal(keyed_value, &word);
	assert_int_equal(met_times, 1);
	assert_non_null(met_by);
	assert_false(whole_when_met); /* 3.11 calls it while its library is being loaded */
	assert_int_equal(set_specific(key, NULL), 0);
	assert_int_equal(keyed_times, 1); /* a thread that ends */
	pthread_key_delete(key);
}

static void an_interpreter_that_is_new(void **state)
{
	pthread_key_t key;
	int word;

	(void)state;
	is_new = true;
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	assert_int_equal(set_specific(key, &word), 0);
	assert_int_equal(met_times, 1);
	assert_int_equal(keyed_times, 0);
	pthread_key_delete(key);
}

static void a_call_that_fails(void **state)
{
	result = 22;
	assert_int_equal(set_specific(0, state), 22);
	assert_int_equal(met_times, 0);
	assert_int_equal(keyed_times, 0);
}

static void without_a_recorder(void **state)
{
	pthread_key_t key;
	int word;

	(void)state;
	atomic_store(&preload.on_key, NULL);
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	assert_int_equal(set_specific(key, &word), 0);
	assert_int_equal(met_times, 1);
	pthread_key_delete(key);
}

static void attributes_of_a_thread(void **state)
{
	pthread_attr_t attributes;
	size_t bytes = 0;

	(void)state;
	counts = true;
	int err = pthread_getattr_np(pthread_self(), &attributes);
	counts = false;
	assert_int_equal(err, 0);
	assert_int_equal(pthread_attr_getstacksize(&attributes, &bytes), 0);
	assert_true(bytes > 0);
	pthread_attr_destroy(&attributes);
	assert_int_equal(met_times, 1);
	assert_true(whole_when_met);
	result = 12;
	counts = true;
	err = pthread_getattr_np(pthread_self(), &attributes);
	counts = false;
	assert_int_equal(err, 12);
	assert_int_equal(keyed_times, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_thread_of_a_known_interpreter, setup),
		cmocka_unit_test_setup(an_interpreter_that_is_new, setup),
		cmocka_unit_test_setup(a_call_that_fails, setup),
		cmocka_unit_test_setup(without_a_recorder, setup),
		cmocka_unit_test_setup(attributes_of_a_thread, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
