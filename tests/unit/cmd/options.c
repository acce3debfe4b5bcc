/* The words of a command line: options and operands, and what is said of a mistyped one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/buf.h"
#include "cmd/cmd.h"
#include "lib/said.h"

#define WORDS_MAX 12

static bool json, quiet;
static const char *fields;
static char taken[64];

static void take(void *to, const char *word, const char *text)
{
	(void)to;
	snprintf(taken + strlen(taken), sizeof taken - strlen(taken), "%s=%s;", word, text);
}

static const struct cmd_option options[] = {
	{"json", 'j', NULL, "one JSON object a line", .flag = &json},
	{"quiet", 'q', NULL, "say less", .flag = &quiet},
	{"fields", 'f', "LIST", "columns", .text = &fields},
	{"exclude", 'x', "PATTERN", "leave out", .take = take},
	{0},
};

static struct cmd cmd;
static char *words[WORDS_MAX];

/* The words of the line are separated by blanks. */
static int parse(const char *line, bool first_word_ends)
{
	static char copy[256];
	const struct cmd_usage usage = {
		"[RECORDING]", "Print it.", options, .first_word_ends = first_word_ends};
	int count = 0;

	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	json = quiet = false;
	fields = NULL;
	taken[0] = 0;
	cmd = (struct cmd){.name = "dump", .words = words, .count = count};
	said_begin();
	const int code = cmd_parse(&cmd, &usage);
	said_end();
	return code;
}

static void kinds(void **state)
{
	(void)state;
	assert_int_equal(parse("--json one --fields a,b two", false), CMD_GO);
	assert_true(json);
	assert_false(quiet);
	assert_string_equal(fields, "a,b");
	assert_int_equal(cmd.count, 2);
	assert_string_equal(cmd.words[0], "one");
	assert_string_equal(cmd.words[1], "two");
	assert_int_equal(parse("-qjfa -x1 --exclude=2 -f=b", false), CMD_GO);
	assert_true(json && quiet);
	assert_string_equal(fields, "=b"); /* the last one */
	assert_string_equal(taken, "exclude=1;exclude=2;");
	assert_int_equal(parse("--fields= -", false), CMD_GO);
	assert_string_equal(fields, "");
	assert_string_equal(cmd.words[0], "-");
}

/* What is after -- is passed on. */
static void passed_on(void **state)
{
	(void)state;
	assert_int_equal(parse("one -- --json -- two", false), CMD_GO);
	assert_false(json);
	assert_int_equal(cmd.count, 4);
	assert_int_equal(cmd.pass, 1);
	assert_string_equal(cmd.words[1], "--json");
	assert_int_equal(parse("--json script.py --quiet", true), CMD_GO);
	assert_true(json);
	assert_false(quiet); /* it is the script's */
	assert_int_equal(cmd.count, 2);
	assert_int_equal(parse("-m module -q", true), CMD_GO);
	assert_string_equal(cmd.words[0], "-m");
	assert_false(quiet);
}

static void expect_refused(const char *line, const char *said)
{
	assert_int_equal(parse(line, false), CMD_USAGE);
	assert_string_equal(said_text, said);
}

static void refused(void **state)
{
	(void)state;
	expect_refused("--jason", "pathline: dump: unknown option '--jason'; did you mean "
				  "'--json'?\n");
	expect_refused("--entirely=7", "pathline: dump: unknown option '--entirely'; see pathline "
				       "dump --help\n");
	expect_refused("-z", "pathline: dump: unknown option '-z'; see pathline dump --help\n");
	expect_refused("--json=1", "pathline: dump: --json takes no argument\n");
	expect_refused("--fields", "pathline: dump: --fields needs an argument, LIST\n");
	expect_refused("--color=blue", "pathline: dump: unknown colour 'blue'; there are: auto, "
				       "always, never\n");
}

static void colours(void **state)
{
	(void)state;
	assert_int_equal(parse("--color=always", false), CMD_GO);
	assert_true(cmd.color_out && cmd.color_err);
	assert_int_equal(parse("--color=never", false), CMD_GO);
	assert_false(cmd.color_out || cmd.color_err);
}

static void sizes(void **state)
{
	uint64_t bytes = 7;

	(void)state;
	assert_true(cmd_size("512", &bytes));
	assert_int_equal(bytes, 512);
	assert_true(cmd_size("64k", &bytes));
	assert_int_equal(bytes, 65536);
	assert_true(cmd_size("2GiB", &bytes));
	assert_int_equal(bytes, UINT64_C(2) << 30);
	assert_true(cmd_size("3mb", &bytes));
	assert_int_equal(bytes, 3 << 20);
	assert_false(cmd_size("", &bytes));
	assert_false(cmd_size("-1", &bytes));
	assert_false(cmd_size("1.5G", &bytes));
	assert_false(cmd_size("5X", &bytes));
	assert_false(cmd_size("99999999999P", &bytes));
	assert_false(cmd_size("99999999999999999999", &bytes));
}

static void expect_quoted(const char *word, const char *quoted)
{
	struct pl_buf b = {0};

	cmd_quote(&b, word);
	buf_u8(&b, 0);
	assert_string_equal((const char *)b.at, quoted);
	buf_release(&b);
}

static void quoted(void **state)
{
	(void)state;
	expect_quoted("plain-1.py", "plain-1.py");
	expect_quoted("", "''");
	expect_quoted("a b", "'a b'");
	expect_quoted("it's", "'it'\\''s'");
	expect_quoted("*", "'*'");
}

/* No byte of a message controls the terminal, or begins a line. */
static void clean_messages(void **state)
{
	(void)state;
	said_begin();
	cmd_say("a\n%s\xc2\x9b z", "\x1b[31m");
	assert_string_equal(said_end(), "pathline: a??[31m?? z\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(passed_on),
		cmocka_unit_test(refused),
		cmocka_unit_test(colours),
		cmocka_unit_test(sizes),
		cmocka_unit_test(quoted),
		cmocka_unit_test(clean_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
