/* How recording is stopped: once, for the first reason, and seen by the collector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "pathline/event.h"
#include "recorder/engine.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/window.h"

struct recorder_root root;

static struct process_slot slot;
static int module, names; /* compared only */
static bool has_module;
static int times_off;

void hooks_off(void)
{
	assert_true(atomic_load(&root.stopped) != 0); /* other threads see it before */
	times_off++;
}

const char *text_of(PyObject *str, size_t *length, PyObject **keep)
{
	(void)str;
	*keep = NULL;
	*length = 0;
	return "";
}

PyObject *PyImport_AddModule(const char *name)
{
	assert_string_equal(name, "__main__");
	return has_module ? (PyObject *)(void *)&module : NULL;
}

PyObject *PyModule_GetDict(PyObject *of)
{
	assert_ptr_equal(of, &module);
	return (PyObject *)(void *)&names;
}

void _Py_Dealloc(PyObject *o)
{
	(void)o;
}

static int setup(void **state)
{
	(void)state;
	root = (struct recorder_root){.slot = &slot};
	atomic_store(&slot.stopped, 0);
	times_off = 0;
	return 0;
}

static void the_first_reason_counts(void **state)
{
	(void)state;
	recorder_stop(PL_GAP_COLLECTOR);
	recorder_stop(PL_GAP_TOOLS);
	assert_int_equal(atomic_load(&root.stopped), PL_GAP_COLLECTOR + 1);
	assert_int_equal(atomic_load(&slot.stopped), PL_GAP_COLLECTOR + 1);
	assert_int_equal(times_off, 1);
}

/* The smallest reason is not 0, which is: it runs. */
static void each_reason_is_seen(void **state)
{
	(void)state;
	for (int reason = 0; reason < PL_GAP_REASON_COUNT; reason++) {
		setup(state);
		recorder_stop((enum pl_gap_reason)reason);
		assert_int_equal(atomic_load(&root.stopped), reason + 1);
		assert_int_equal(atomic_load(&slot.stopped), reason + 1);
	}
}

/* A forked child has none yet. */
static void without_a_slot(void **state)
{
	(void)state;
	root.slot = NULL;
	recorder_stop(PL_GAP_UNKNOWN);
	assert_int_equal(atomic_load(&root.stopped), PL_GAP_UNKNOWN + 1);
	assert_int_equal(atomic_load(&slot.stopped), 0);
	assert_int_equal(times_off, 1);
}

static void the_main_module_is_awaited(void **state)
{
	(void)state;
	has_module = true;
	assert_true(main_awaited());
	assert_ptr_equal(root.main_names, &names);
	has_module = false;
	assert_false(main_awaited());
	assert_null(root.main_names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_reason_counts, setup),
		cmocka_unit_test_setup(each_reason_is_seen, setup),
		cmocka_unit_test_setup(without_a_slot, setup),
		cmocka_unit_test_setup(the_main_module_is_awaited, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
