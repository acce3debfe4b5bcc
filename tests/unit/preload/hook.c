/* The hook in an interpreter that the test plays: when the recorder starts, and why it does not. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "preload/hook.h"
#include "preload/preload.h"
#include "preload/slot.h"

#define VISIBLE __attribute__((visibility("default")))

typedef int audit_function(const char *event, void *arguments, void *data);

/* ---- what it looks up in an interpreter ---- */

struct entry {
	struct entry *next;
	audit_function *function;
	void *data;
};

VISIBLE struct {
	void *before[3];
	struct entry *hooks;
	void *after[2];
} _PyRuntime;

static const char *version = "3.99.0 (main)";
static bool initialized;
static void *frame;
static int watched;

VISIBLE const char *Py_GetVersion(void);
const char *Py_GetVersion(void)
{
	return version;
}

VISIBLE int Py_IsInitialized(void);
int Py_IsInitialized(void)
{
	return initialized;
}

VISIBLE void *PyEval_GetFrame(void);
void *PyEval_GetFrame(void)
{
	return frame;
}

VISIBLE void *PyTuple_GetItem(void *tuple, ssize_t index);
void *PyTuple_GetItem(void *tuple, ssize_t index)
{
	return index == 0 ? tuple : NULL;
}

VISIBLE const char *PyUnicode_AsUTF8(void *text);
const char *PyUnicode_AsUTF8(void *text)
{
	return text;
}

/* At the end of the list, as CPython does. */
VISIBLE int PySys_AddAuditHook(audit_function *function, void *data);
int PySys_AddAuditHook(audit_function *function, void *data)
{
	struct entry **end = &_PyRuntime.hooks, *new = malloc(sizeof *new);

	while (*end)
		end = &(*end)->next;
	*new = (struct entry){.function = function, .data = data};
	*end = new;
	return 0;
}

/* ---- what it asks of the other parts ---- */

struct preload preload;

bool preload_join(void)
{
	return true;
}

void slot_watch(void)
{
	watched++;
}

/* ---- tests ---- */

static struct arena_head *head;
static struct entry *ours; /* that the hook has made; it may have left the list */

static int foreign(const char *event, void *arguments, void *data)
{
	(void)event, (void)arguments, (void)data;
	return 0;
}

/* Another library's hook is in the list before ours. */
static int setup(void **state)
{
	(void)state;
	head = calloc(1, sizeof *head);
	assert_non_null(head);
	preload.arena.head = head;
	strcpy(preload.own_path, "/nowhere/libpreload.so");
	version = "3.99.0 (main)";
	initialized = false;
	frame = NULL;
	PySys_AddAuditHook(foreign, NULL);
	assert_true(hook_wanted());
	hook_add();
	ours = _PyRuntime.hooks->next;
	assert_non_null(ours);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (_PyRuntime.hooks->next)
		assert_int_equal(ours->function("cpython._PySys_ClearAuditHooks", NULL, NULL), 0);
	assert_null(_PyRuntime.hooks->next);
	free(_PyRuntime.hooks);
	free(ours);
	free(head);
	_PyRuntime.hooks = NULL;
	return 0;
}

/* Its entry is in the list, or was taken out, and the one before it stays. */
static bool listens(void)
{
	assert_ptr_equal(_PyRuntime.hooks->function, foreign);
	return _PyRuntime.hooks->next != NULL;
}

static void tell(const char *event, const char *name)
{
	errno = ENOENT;
	assert_int_equal(ours->function(event, (void *)name, NULL), 0);
	assert_int_equal(errno, ENOENT); /* a guest changes none */
}

static void starts(void **state)
{
	(void)state;
	tell("open", "a.py");
	tell("cpython.run_", NULL);
	tell("cpython.run_startup", NULL);
	assert_true(listens());
	assert_int_equal(head->refused, 0);
	tell("cpython.run_file", NULL);
	assert_false(listens());
	assert_int_equal(head->refused, 1);
	assert_non_null(strstr(head->refused_why, "CPython 3.99.0 ("));
	assert_non_null(strstr(head->refused_why, "): no recorder was built for 3.99"));
}

/* The interpreter ends without a program. */
static void clears(void **state)
{
	(void)state;
	tell("cpython._PySys_ClearAuditHooks", NULL);
	assert_false(listens());
	assert_int_equal(head->refused, 0);
}

/* A program that embeds Python: the first code from C, once all is initialised. */
static void embedded(void **state)
{
	(void)state;
	tell("import", "shop");
	assert_true(listens()); /* not initialised */
	initialized = true;
	tell("import", "site");
	tell("import", NULL);
	assert_true(listens()); /* its own imports */
	frame = &frame;
	tell("exec", NULL);
	assert_true(listens()); /* from Python */
	frame = NULL;
	tell("import", "shop");
	assert_false(listens());
	assert_int_equal(head->refused, 1);
}

static void builds(void **state)
{
	static const char *const refused[][2] = {
		{"3.15.0rc2 (main)", "): pre-releases are not recorded"},
		{"3.13.0 experimental free-threading build (main)",
			"): free-threaded builds are not recorded"}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		head->refused = 0;
		version = refused[i][0];
		tell("cpython.run_command", NULL);
		assert_non_null(strstr(head->refused_why, refused[i][1]));
	}
	tell("cpython.run_command", NULL);
	assert_int_equal(head->refused, 2); /* the others are counted */
}

/* What sets values and is no interpreter is none, whoever asks. */
static void foreign_callers(void **state)
{
	char *block = calloc(1, 1);

	(void)state;
	strcpy(preload.arena_path, "/an-arena");
	assert_false(hook_meet(block, true));
	assert_false(hook_meet(block, true));
	assert_int_equal(watched, 0);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(starts, setup, teardown),
		cmocka_unit_test_setup_teardown(clears, setup, teardown),
		cmocka_unit_test_setup_teardown(embedded, setup, teardown),
		cmocka_unit_test_setup_teardown(builds, setup, teardown),
		cmocka_unit_test_setup_teardown(foreign_callers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
