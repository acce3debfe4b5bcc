/* Expressions: what is read, what is refused and where, and the answers, of which maybe is one as
 * long as something is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "expr/expr.h"

#define MS INT64_C(1000000)

static const struct pl_recording_info info = {
	.start_ns = INT64_C(1795258321) * 1000 * MS, .end_ns = INT64_C(1795258331) * 1000 * MS};
static const struct when_scale scale = {
	.info = &info, .from_ns = INT64_C(1795258321) * 1000 * MS, .start_ns = 1, .end_ns = 0};

static struct expr *read_expr(const char *text, bool variables)
{
	const struct expr_words words = {.scale = &scale, .variables = variables};
	struct expr_fault fault;
	struct expr *e;
	const int code = expr_read(&e, text, &words, &fault);

	if (code)
		print_message("%s: column %zu: %s\n", text, fault.column, fault.what);
	assert_int_equal(code, 0);
	return e;
}

static void refuses(const char *text, size_t column, const char *part)
{
	const struct expr_words words = {.scale = &scale};
	struct expr_fault fault;
	struct expr *e;

	assert_int_equal(expr_read(&e, text, &words, &fault), PL_ERR_ARGUMENT);
	assert_null(e);
	if (fault.column != column || !strstr(fault.what, part))
		print_message("%s: column %zu: %s\n", text, fault.column, fault.what);
	assert_int_equal(fault.column, column);
	assert_non_null(strstr(fault.what, part));
}

static void faults(void **state)
{
	(void)state;
	refuses("", 1, "empty");
	refuses("line == 1234567890123456789012345678901234567890123456789012345678901234", 9,
		"too long");
	refuses("line == 12345678901234567890123456789012345678901234567890123456789012e5", 9,
		"too long");
	expr_free(read_expr(
		"line < 12345678901234567890123456789012345678901234567890123456789e5", false));
	refuses("modul == 'x'", 1, "did you mean module?");
	refuses("qty > 10", 1, "an argument is args.qty");
	refuses("line = 3", 6, "==");
	refuses("line == 3 && depth > 1", 11, "and");
	refuses("line == 'x'", 9, "number");
	refuses("line ==", 8, "ends where");
	refuses("(line == 3", 11, "missing");
	refuses("line == 3)", 10, "missing before");
	refuses("line == 3 depth == 2", 11, "and or or");
	refuses("event == 'cal'", 10, "did you mean 'call'?");
	refuses("duration > 5", 12, "5ms");
	refuses("duration > 5 ms", 12, "5ms");
	refuses("duration > 5xs", 12, "unit");
	refuses("time > 'never'", 8, "not a time");
	refuses("func ~ '('", 8, "");
	refuses("func == 'x", 9, "quote");
	refuses("args > 3", 1, "args.qty");
	refuses("file.name == 'x'", 1, "no parts");
	refuses("\xc3\xa4 == 3", 1, "not a field");
	refuses("3 == 3", 1, "no field");
	refuses("line", 1, "line == ");
	refuses("not", 4, "missing");
	refuses("args.x not 3", 12, "like or in");
	refuses("func < 'a'", 8, "text");
	refuses("len(line) > 3", 1, "len()");
}

static void nesting_is_bounded(void **state)
{
	char text[4000];

	(void)state;
	memset(text, '(', 200);
	strcpy(text + 200, "line == 3");
	refuses(text, 65, "brackets");
	for (int i = 0; i < 100; i++)
		memcpy(text + 4 * i, "not ", 4);
	strcpy(text + 400, "line == 3");
	refuses(text, 257, "brackets");
	for (int i = 0; i < 300; i++)
		memcpy(text + 13 * i, "line == 3 or ", 13);
	strcpy(text + 3900, "line == 3");
	const struct expr_words words = {0};
	struct expr_fault fault;
	struct expr *e;
	assert_int_equal(expr_read(&e, text, &words, &fault), PL_ERR_ARGUMENT);
	assert_non_null(strstr(fault.what, "too long"));
}

/* ---- answers ---- */

static enum expr_answer ask(const char *text, const struct expr_subject *s)
{
	struct expr *e = read_expr(text, s->scope == EXPR_OF_FRAME);
	const enum expr_answer answer = expr_ask(e, s);

	expr_free(e);
	return answer;
}

static const struct pl_process process = {.number = 1, .pid = 4711, .command = "python3 shop.py"};
static const struct pl_thread thread = {.number = 2, .native_id = 4713, .name = "worker"};

static struct expr_subject a_call(void)
{
	return (struct expr_subject){.scope = EXPR_OF_CALL,
		.known = EXPR_ALL,
		.kind = PL_EVENT_CALL,
		.end_kind = PL_EVENT_UNWIND,
		.line = 7,
		.depth = 3,
		.process = &process,
		.thread = &thread,
		.time_ns = (INT64_C(1795258321) * 1000 + 1500) * MS,
		.seq = 12,
		.type = "shop.SoldOut",
		.duration_ns = 6 * MS};
}

static void fields(void **state)
{
	static const char *const yes[] = {"line == 7", "line != 8", "line in (6, 7)", "7 <= line",
		"6 < line < 8", "depth >= 3", "event == 'call'", "event == 'unwind'",
		"event != 'return'", "event == 'un%'", "thread == 2", "thread == 'worker'",
		"thread like 'WORK%'", "thread ~ '^w.*r$'", "tid == 4713", "process == 1",
		"pid == 4711", "process == '%shop.py'", "duration > 5ms", "duration < 0.1s",
		"duration == '6ms'", "time > '+1.4'", "time < '+1.6'", "time == '+1.5'",
		"time >= 1795258322 and time < 1795258323", "exception", "exception == 'SoldOut'",
		"exception == 'shop.SoldOut'", "exception ~ 'Sold'", "exception is not None",
		"type == 'SoldOut'", "arg == 'exception' and type == 'Sold%'", "task == None",
		"task is None", "not task", "seq == 12", "not (line == 8 or depth == 4)",
		"line == 8 or depth == 3 and line == 7", "line == 1_0 or line == 7"};
	static const char *const no[] = {"line == 8", "not line == 7", "line not in (7, 8)",
		"event == 'return'", "thread == 3", "thread == 'work'", "duration < 5ms",
		"exception == 'KeyError'", "not exception", "result", "result == 3",
		"not result == 3", "args.qty > 3", "not args.qty > 3", "func == 'f'",
		"not func == 'f'", "arg == 'qty'", "line == 7 and depth == 2", "time > '+1.6'"};
	const struct expr_subject s = a_call();

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		if (ask(yes[i], &s) != EXPR_YES)
			print_message("%s\n", yes[i]);
		assert_int_equal(ask(yes[i], &s), EXPR_YES);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		if (ask(no[i], &s) != EXPR_NO)
			print_message("%s\n", no[i]);
		assert_int_equal(ask(no[i], &s), EXPR_NO);
	}
}

static void maybe(void **state)
{
	struct expr_subject s = a_call();

	(void)state;
	s.known = EXPR_KIND | EXPR_LINE;
	assert_int_equal(ask("duration > 5ms", &s), EXPR_MAYBE);
	assert_int_equal(ask("line == 7 and duration > 5ms", &s), EXPR_MAYBE);
	assert_int_equal(ask("line == 8 and duration > 5ms", &s), EXPR_NO);
	assert_int_equal(ask("line == 7 or duration > 5ms", &s), EXPR_YES);
	assert_int_equal(ask("not duration > 5ms", &s), EXPR_MAYBE);
	assert_int_equal(ask("args.qty == 3", &s), EXPR_MAYBE);
	assert_int_equal(ask("type == 'int'", &s), EXPR_MAYBE);
}

static uint32_t kinds(const char *text)
{
	struct expr *e = read_expr(text, false);
	const uint32_t all = expr_kinds(e, EXPR_OF_EVENT);

	expr_free(e);
	return all;
}

#define OF(kind) (1u << PL_EVENT_##kind)

static void kinds_that_match(void **state)
{
	const uint32_t ends = OF(RETURN) | OF(YIELD) | OF(UNWIND);

	(void)state;
	assert_int_equal(kinds("event == 'call'"), OF(CALL));
	assert_int_equal(kinds("event in ('call', 'raise')"), OF(CALL) | OF(RAISE));
	assert_int_equal(kinds("duration > 5ms"), ends);
	assert_int_equal(kinds("not duration > 5ms"), ends);
	assert_int_equal(kinds("result == None"), OF(RETURN) | OF(YIELD));
	assert_int_equal(kinds("result == None and event == 'line'"), 0);
	assert_int_equal(kinds("args.qty > 3"), ends | OF(CALL) | OF(RESUME) | OF(THROW));
	assert_int_equal(kinds("args.qty > 3 and event == 'call'"), OF(CALL));
	assert_true(kinds("exception") & OF(RAISE));
	assert_false(kinds("exception") & OF(LINE));
	assert_int_equal(kinds("line == 3"), (1u << PL_EVENT_KIND_COUNT) - 1);
}

static void threads_and_times(void **state)
{
	struct expr *e = read_expr("thread == 'worker' and time > '+1' and time <= '+3' and "
				   "args.x == 1",
		false);
	struct expr *other = read_expr("thread == 'other' and line == 3", false);
	int64_t from, to;

	(void)state;
	assert_true(expr_may_thread(e, &process, &thread));
	assert_false(expr_may_thread(other, &process, &thread));
	expr_times(e, &from, &to);
	assert_true(from == info.start_ns + 1000 * MS);
	assert_true(to == info.start_ns + 3000 * MS);
	expr_times(other, &from, &to);
	assert_true(from == INT64_MIN && to == INT64_MAX);
	expr_free(e);
	expr_free(other);
}

/* ---- values ---- */

static struct pl_text text(const char *t)
{
	return (struct pl_text){.at = t, .length = strlen(t)};
}

static bool variable(void *context, struct pl_text name, bool passed, struct pl_value *out)
{
	(void)context, (void)passed;
	*out = (struct pl_value){.kind = PL_VALUE_STR};
	if (name.length != 1)
		return false;
	switch (*name.at) {
	case 'i':
		*out = (struct pl_value){.kind = PL_VALUE_INT, .integer = 12};
		return true;
	case 'f':
		*out = (struct pl_value){.kind = PL_VALUE_FLOAT, .real = 0.5};
		return true;
	case 'b':
		*out = (struct pl_value){.kind = PL_VALUE_TRUE};
		return true;
	case 'n':
		*out = (struct pl_value){.kind = PL_VALUE_NONE};
		return true;
	case 's':
		out->text = text("anvil");
		out->length = 5;
		return true;
	case 'c': /* cut: "anvil" and 100 more characters */
		out->text = text("anvil");
		out->length = 105;
		out->missing = 100;
		return true;
	case 'd':
		*out = (struct pl_value){.kind = PL_VALUE_TEXT, .text = text("Decimal('3.50')")};
		return true;
	case 'p':
		*out = (struct pl_value){.kind = PL_VALUE_TEXT, .text = text("PosixPath('/tmp')")};
		return true;
	case 'r':
		*out = (struct pl_value){.kind = PL_VALUE_REDACTED};
		return true;
	default:
		return false;
	}
}

static void values(void **state)
{
	static const char *const yes[] = {"i > 10", "i == 12", "i == 12.0", "i <= 1e3", "f < 1",
		"b == 1", "b", "b == True", "n == None", "n is None", "not n", "s == 'anvil'",
		"s == 'an%'", "s != 'x'", "s > 'a'", "s ~ 'vi'", "s !~ '^v'", "s in ('x', 'anvil')",
		"'nv' in s", "len(s) == 5", "type(s) == 'str'", "type(i) == 'int'",
		"type(n) == 'NoneType'", "d > 3", "d == 3.5", "p == '/tmp'", "type(d) == 'Decimal'",
		"c == 'an%'", "c != 'other'", "c != 'anvil'", "len(c) == 105",
		"i > 10 and s == 'anvil'", "line == 7", "i == i", "s like 'ANV__'", "-1 < i",
		"i > -5"};
	static const char *const no[] = {"i > 12", "i == '12'", "n == 0", "n > 0", "not n > 0",
		"s == 'anvi'", "s > 3", "c == 'anvil'", "c ~ 'x'", "not c ~ 'x'", "r == 'x'",
		"not r == 'x'", "r", "x == 1", "not x == 1", "s.name == 3", "i[0] == 1",
		"len(i) > 0"};
	struct expr_subject s = a_call();

	(void)state;
	s.scope = EXPR_OF_FRAME;
	s.variable = variable;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		if (ask(yes[i], &s) != EXPR_YES)
			print_message("%s\n", yes[i]);
		assert_int_equal(ask(yes[i], &s), EXPR_YES);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		if (ask(no[i], &s) != EXPR_NO)
			print_message("%s\n", no[i]);
		assert_int_equal(ask(no[i], &s), EXPR_NO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(fields),
		cmocka_unit_test(maybe),
		cmocka_unit_test(kinds_that_match),
		cmocka_unit_test(threads_and_times),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
