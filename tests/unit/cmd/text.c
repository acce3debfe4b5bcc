/* Text on its way out: numbers, escapes, what a terminal may get, and what a broken output
 * gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/text.h"

/* What text.c says of a failed write. */
void cmd_say(const char *format, ...)
{
	(void)format;
}

/* The output is read back out of the buffer itself. */
static const char *written(struct out *o)
{
	out_char(o, '\0');
	o->used = 0;
	return o->bytes;
}

#define BYTES(s) ((struct text){.at = (s), .length = sizeof(s) - 1})

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct out));
	return *state ? out_init(*state, -1, false) : -1;
}

static int tear_down(void **state)
{
	struct out *o = *state;

	o->used = 0;
	out_release(o);
	free(o);
	return 0;
}

static void test_numbers(void **state)
{
	static const uint64_t values[] = {0, 9, 10, 99, 100, 101, 12345, 99999, 100000, UINT64_MAX};
	struct out *o = *state;
	char expected[32];

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		snprintf(expected, sizeof expected, "%llu", (unsigned long long)values[i]);
		out_u64(o, values[i]);
		assert_string_equal(written(o), expected);
	}
	out_i64(o, INT64_MIN);
	assert_string_equal(written(o), "-9223372036854775808");
	out_digits(o, 42, 9);
	assert_string_equal(written(o), "000000042");
	out_count(o, 1234567);
	assert_string_equal(written(o), "1,234,567");
	out_count(o, 1000000);
	assert_string_equal(written(o), "1,000,000");
	out_fixed(o, 2496.0126, 3);
	assert_string_equal(written(o), "2496.013");
}

static void test_times(void **state)
{
	struct out *o = *state;

	out_seconds(o, 1795258321000000042);
	assert_string_equal(written(o), "1795258321.000000042");
	out_seconds(o, -1500000000);
	assert_string_equal(written(o), "-1.500000000");
	out_span(o, 1234000000);
	assert_string_equal(written(o), "1.2 s");
	out_bytes(o, 999);
	assert_string_equal(written(o), "999 B");
	out_bytes(o, 1234567);
	assert_string_equal(written(o), "1.2 MiB");
}

static void test_local_times(void **state)
{
	struct out *o = *state;

	setenv("TZ", "<+0545>-5:45", 1);
	tzset();
	out_moment(o, 1795258321000000042);
	assert_string_equal(written(o), "2026-11-21 16:37:01");
	out_clock(o, 1795258321987654321, 0);
	assert_string_equal(written(o), "16:37:01");
	out_clock(o, 1795258321987654321, 3);
	assert_string_equal(written(o), "16:37:01.987");
	out_clock(o, 1795258321000000042, 9);
	assert_string_equal(written(o), "16:37:01.000000042");
	out_clock(o, -1, 6);
	assert_string_equal(written(o), "05:44:59.999999");
	out_moment(o, INT64_MIN);
	assert_string_equal(written(o), "1677-09-21 05:57:43");
}

static void test_field(void **state)
{
	struct out *o = *state;

	out_field(o, BYTES("a\tb\nc\rd\\e"));
	assert_string_equal(written(o), "a\\tb\\nc\\rd\\\\e");
	out_field(o, BYTES("x\xc0\x80y\xc0"));
	assert_string_equal(written(o), "x\\0y\xc0");
	out_field(o, BYTES("gr\xc3\xbc\xc3\x9f"));
	assert_string_equal(written(o), "gr\xc3\xbc\xc3\x9f");
}

static void test_clean(void **state)
{
	struct out *o = *state;

	out_clean(o, BYTES("a\033[2Jb\x7f\xff\xc2\x9b"));
	assert_string_equal(written(o), "a^[[2Jb\\x7f\\xff\\xc2\\x9b");
	out_column(o, "gr\xc3\xbc\xc3\x9f", 6);
	assert_string_equal(written(o), "gr\xc3\xbc\xc3\x9f  ");
	out_column(o, "a long name", 6);
	assert_string_equal(written(o), "a lon\xe2\x80\xa6");
}

static void test_json(void **state)
{
	struct out *o = *state;
	struct json j = {.out = o};

	out_json(o, BYTES("\"\\\n\xc3\xbc\xff\xed\xa0\x80\xc0\x80"));
	assert_string_equal(
		written(o), "\\\"\\\\\\u000a\xc3\xbc\\udcff\\udced\\udca0\\udc80\\u0000");
	json_line(&j, "x");
	json_u64(&j, "a", 1);
	json_open(&j, "b", '[');
	json_text(&j, NULL, "c");
	json_null(&j, NULL);
	json_close(&j, ']');
	json_bool(&j, "d", true);
	json_line_end(&j);
	assert_string_equal(written(o), "{\"type\":\"x\",\"version\":1,\"data\":{\"a\":1,\"b\":["
					"\"c\",null],\"d\":true}}\n");
}

/* More than the buffer holds, in pieces and in one. */
static void test_long(void **state)
{
	char name[] = "/tmp/pathline-text-XXXXXX";
	size_t n = OUT_BYTES + 3, total = 0;
	char *big = malloc(n), room[4096];
	int fd = mkstemp(name);
	struct out o;
	ssize_t got;

	(void)state;
	assert_non_null(big);
	assert_true(fd >= 0);
	unlink(name);
	assert_int_equal(out_init(&o, fd, false), 0);
	memset(big, 'x', n);
	out_text(&o, "head");
	out_put(&o, big, n);
	for (int i = 0; i < 100000; i++)
		out_text(&o, "tail ");
	assert_int_equal(out_release(&o), 0);
	lseek(fd, 0, SEEK_SET);
	while ((got = read(fd, room, sizeof room)) > 0)
		total += (size_t)got;
	assert_int_equal(total, 4 + n + 500000);
	close(fd);
	free(big);
}

static void test_reader_gone(void **state)
{
	int ends[2];
	struct out o;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(out_init(&o, ends[1], false), 0);
	out_text(&o, "nobody reads this");
	assert_int_equal(out_release(&o), 128 + SIGPIPE);
	close(ends[1]);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(out_init(&o, full, false), 0);
	out_text(&o, "nor has this room");
	assert_int_equal(out_release(&o), 1);
	close(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_local_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_field, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_clean, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_json, set_up, tear_down),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_reader_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
