/* Selections: the moments, names and events that a person types. The recording is three threads in
 * two processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cmd/cmd.h"
#include "cmd/select.h"
#include "session/tasks.h"

/* 2026-11-21 23:59:58.5 UTC, for four seconds: over midnight. */
#define START_NS 1795305598500000000

static const struct pl_process processes[] = {
	{.number = 1, .pid = 40, .command = "python orders.py", .thread_count = 2},
	{.number = 2, .pid = 1, .parent = 1, .command = "python -c pass", .thread_count = 1},
};
static const struct pl_thread threads[] = {
	{.process = 1, .number = 0, .native_id = 40, .name = "MainThread"},
	{.process = 1, .number = 1, .native_id = 41, .name = "worker"},
	{.process = 2, .number = 0, .native_id = 1, .name = "MainThread"},
};

void pl_recording_info(const struct pl_recording *r, struct pl_recording_info *out)
{
	(void)r;
	*out = (struct pl_recording_info){.start_ns = START_NS, .end_ns = START_NS + 4000000000};
}

uint32_t pl_recording_process_count(const struct pl_recording *r)
{
	(void)r;
	return 2;
}

const struct pl_process *pl_recording_process(const struct pl_recording *r, uint32_t index)
{
	(void)r;
	return index < 2 ? &processes[index] : NULL;
}

const struct pl_process *pl_recording_find_process(const struct pl_recording *r, uint32_t number)
{
	return pl_recording_process(r, number - 1);
}

/* A code is its name. */
const char *pl_code_name(const struct pl_code *code)
{
	return (const char *)code;
}

const struct pl_thread *pl_recording_thread(
	const struct pl_recording *r, uint32_t process, uint32_t thread)
{
	(void)r;
	for (size_t i = 0; i < 3; i++)
		if (threads[i].process == process && threads[i].number == thread)
			return &threads[i];
	return NULL;
}

/* Which tasks had a name is asked of recordings in tests/cli. */
int tasks_names(const struct tasks *t, int (*note)(void *context, const struct pl_event *e),
	void *context, struct pl_err *err)
{
	(void)t, (void)note, (void)context, (void)err;
	return 0;
}

const char *pl_err_text(const struct pl_err *err)
{
	(void)err;
	return "";
}

const char *pl_error_name(int code)
{
	(void)code;
	return "error";
}

const char *pl_event_kind_name(enum pl_event_kind kind)
{
	static const char *const words[] = {
#define X(constant, word, meaning) word,
		PL_EVENT_KINDS(X)
#undef X
	};

	return words[kind];
}

const char *cmd_recording(void)
{
	return "";
}

static char said[256];

void cmd_say(const char *format, ...)
{
	strncpy(said, format, sizeof said - 1);
}

int cmd_unknown(const char *command, const char *what, const char *word, const char *const *known)
{
	(void)command;
	(void)known;
	strncpy(said, what, sizeof said - 1);
	assert_non_null(word);
	return CMD_USAGE;
}

static int64_t moment_of(const char *text)
{
	struct selection s = {.from_text = text};

	assert_int_equal(select_read(&s, NULL), CMD_GO);
	assert_int_equal(s.from.kind, WHEN_TIME);
	return s.from.time_ns;
}

static void test_moments(void **state)
{
	struct selection s = {.to_text = "#4711"};

	(void)state;
	assert_int_equal(moment_of("+1.25"), START_NS + 1250000000);
	assert_int_equal(moment_of("+1.25s"), START_NS + 1250000000);
	assert_int_equal(moment_of("+100ms"), START_NS + 100000000);
	assert_int_equal(moment_of("1795305599.000000001"), START_NS + 500000001);
	assert_int_equal(moment_of("2026-11-21 23:59:59Z"), START_NS + 500000000);
	assert_int_equal(moment_of("2026-11-21 23:59"), START_NS - 58500000000);
	assert_int_equal(moment_of("2026-11-22"), START_NS + 1500000000);
	assert_int_equal(moment_of("23:59:59.5"), START_NS + 1000000000);
	/* after midnight */
	assert_int_equal(moment_of("00:00:01"), START_NS + 2500000000);
	assert_int_equal(select_read(&s, NULL), CMD_GO);
	assert_int_equal(s.to.kind, WHEN_SEQ);
	assert_int_equal(s.to.seq, 4711);
}

static void test_no_moments(void **state)
{
	static const char *const bad[] = {"", "yesterday", "12", "+", "#", "#x", "+1.5x",
		"12:00:00x", "2026-11-21 25:00", "99999999999999999999", "1:2:3:4",
		/* beyond what nanoseconds can count */
		"9999-01-01", "+9223372035", "9223372036.999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct selection s = {.from_text = bad[i]};
		said[0] = 0;
		assert_int_equal(select_read(&s, NULL), CMD_USAGE);
		assert_true(said[0] != 0);
	}
}

static bool process_selected(const char *list, int index)
{
	struct selection s = {.process = list};

	assert_int_equal(select_read(&s, NULL), CMD_GO);
	return select_process(&s, NULL, &processes[index]);
}

static bool thread_selected(const char *list, int index)
{
	struct selection s = {.thread = list};

	assert_int_equal(select_read(&s, NULL), CMD_GO);
	return select_thread(&s, NULL, &threads[index]);
}

static void test_names(void **state)
{
	struct selection s = {.thread = "work"};

	(void)state;
	/* 1 is the number of one process and the pid of the other: numbers win */
	assert_true(process_selected("1", 0));
	assert_false(process_selected("1", 1));
	assert_true(process_selected("40", 0));
	assert_true(process_selected("orders", 0));
	assert_false(process_selected("orders", 1));
	assert_true(process_selected("2,orders", 1));
	assert_true(thread_selected("worker", 1));
	assert_true(thread_selected("41", 1));
	assert_true(thread_selected("MainThread", 2));
	assert_false(thread_selected("0", 1));
	assert_true(thread_selected("0,1", 1));
	assert_int_equal(select_read(&s, NULL), CMD_USAGE);
	s = (struct selection){.process = "3"};
	assert_int_equal(select_read(&s, NULL), CMD_USAGE);
}

static void test_events(void **state)
{
	struct selection s = {0};

	(void)state;
	assert_int_equal(select_read(&s, NULL), CMD_GO);
	assert_int_equal(s.kinds, UINT32_MAX);
	s.events = "call,line";
	assert_int_equal(select_read(&s, NULL), CMD_GO);
	assert_int_equal(s.kinds, 1u << PL_EVENT_CALL | 1u << PL_EVENT_LINE);
	s.events = "call,lines";
	assert_int_equal(select_read(&s, NULL), CMD_USAGE);
	assert_string_equal(said, "event");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_no_moments),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_events),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
