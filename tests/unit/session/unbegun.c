/* A program that did not begin: its only events are how the interpreter says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "session/stops.h"
#include "session/unbegun.h"

/* What unbegun.c asks of the library: the first event of the path. */
static struct pl_event first;
static const char *file, *name;
static int made, read_result, open_cursors;
static char code_stand_in, cursor_stand_in;

int pl_cursor_new(struct pl_cursor **c, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err)
{
	(void)r, (void)err;
	assert_int_equal(process, 1);
	assert_int_equal(thread, 0);
	*c = made == 0 ? (struct pl_cursor *)(void *)&cursor_stand_in : NULL;
	open_cursors += made == 0;
	return made;
}

int pl_cursor_next(struct pl_cursor *c, struct pl_event *event, struct pl_err *err)
{
	(void)c, (void)err;
	*event = first;
	return read_result;
}

void pl_cursor_free(struct pl_cursor *c)
{
	open_cursors -= c != NULL;
}

const char *pl_code_file(const struct pl_code *code)
{
	(void)code;
	return file;
}

const char *pl_code_name(const struct pl_code *code)
{
	(void)code;
	return name;
}

bool stop_names(const char *whole, const char *part, char separator)
{
	const size_t length = strlen(whole), tail = strlen(part);

	return length >= tail && !strcmp(whole + length - tail, part) &&
	       (length == tail || whole[length - tail - 1] == separator);
}

static struct pl_process process;

static int setup(void **state)
{
	(void)state;
	process = (struct pl_process){
		.number = 1, .end = PL_PROCESS_EXITED, .end_code = 1, .thread_count = 1};
	first = (struct pl_event){.kind = PL_EVENT_CALL,
		.code = (const struct pl_code *)(const void *)&code_stand_in};
	file = "/usr/lib/python3.13/traceback.py";
	name = "_print_exception_bltin";
	made = read_result = open_cursors = 0;
	return 0;
}

static void expect(bool unbegun)
{
	assert_int_equal(unbegun_is(NULL, &process), unbegun);
	assert_int_equal(open_cursors, 0);
}

static void what_the_interpreter_calls(void **state)
{
	(void)state;
	expect(true);
	file = "/usr/lib/python3.13/threading.py";
	expect(false);
	name = "_shutdown";
	expect(true);
	file = "/home/ann/mythreading.py";
	expect(false);
}

static void another_end(void **state)
{
	(void)state;
	process.end_code = 0;
	expect(false);
	process.end_code = 1;
	process.end = PL_PROCESS_SIGNALED;
	expect(false);
}

static void a_child(void **state)
{
	(void)state;
	process.parent = 7;
	expect(false);
	process.parent = 0;
	process.thread_count = 0;
	expect(false);
}

static void a_path_that_begins_otherwise(void **state)
{
	(void)state;
	first.kind = PL_EVENT_LINE;
	expect(false);
	first.kind = PL_EVENT_CALL;
	first.seq = 3; /* what was before it is lost */
	expect(false);
	first.seq = 0;
	first.code = NULL;
	expect(false);
}

static void a_path_that_cannot_be_read(void **state)
{
	(void)state;
	read_result = PL_ERR_FORMAT;
	expect(false);
	made = PL_ERR_MEMORY;
	expect(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_the_interpreter_calls, setup),
		cmocka_unit_test_setup(another_end, setup),
		cmocka_unit_test_setup(a_child, setup),
		cmocka_unit_test_setup(a_path_that_begins_otherwise, setup),
		cmocka_unit_test_setup(a_path_that_cannot_be_read, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
