/* A sheet in its three forms: order, limit, columns that do not fit, and what is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/sheet.h"
#include "lib/said.h"

static const struct column columns[] = {
	{"own_ns", "own"},
	{"hits", "count", .drop = 1},
	{"share", "share", .drop = 2},
	{"file", NULL},
	{NULL, "place"},
	{0},
};

struct line {
	int64_t own_ns;
	uint64_t hits;
	double share;
	const char *file;
};

static const struct line lines[] = {
	{1500000, 3, 0.25, "/src/a.py"},
	{2500000, 1200, 0.5, "/src/b,c.py"},
	{1500000, 7, 0.25, "/src/d.py"},
};

static struct cell cell(const void *context, size_t row, unsigned column)
{
	const struct line *l = (const struct line *)context + row;

	switch (column) {
	case 0:
		return cell_ns(CELL_NS, l->own_ns);
	case 1:
		return cell_count(l->hits);
	case 2:
		return (struct cell){.kind = CELL_SHARE, .share = l->share};
	case 3:
		return cell_text(l->file);
	default:
		return (struct cell){.kind = CELL_PLACE, .text = l->file, .number = 7};
	}
}

static const struct sheet usual = {.type = "line",
	.columns = columns,
	.cell = cell,
	.context = lines,
	.rows = 3,
	.process = 1,
	.thread = PL_ALL_THREADS};

static void expect(const struct sheet *s, enum sheet_form form, unsigned width, const char *text)
{
	struct out out = {.fd = -1};

	assert_int_equal(out_init(&out, -1, false), 0);
	out.columns = width;
	assert_int_equal(sheet_write(s, &out, form), CMD_GO);
	out_char(&out, 0);
	assert_string_equal(out.bytes, text);
	out.used = 0;
	out_release(&out);
}

static void as_text(void **state)
{
	struct sheet s = usual;

	(void)state;
	expect(&s, SHEET_TEXT, 0,
		"    own count share place\n"
		" 1.5 ms     3 25.0% /src/a.py:7\n"
		" 2.5 ms 1,200 50.0% /src/b,c.py:7\n"
		" 1.5 ms     7 25.0% /src/d.py:7\n");
	s.rows = 0;
	expect(&s, SHEET_TEXT, 0, " own count share place\n");
}

/* Equal rows keep their order; by the name of the data without its unit, or by the title. */
static void sorted(void **state)
{
	const char *const by_time = "    own count share place\n"
				    " 2.5 ms 1,200 50.0% /src/b,c.py:7\n"
				    " 1.5 ms     3 25.0% /src/a.py:7\n";
	static const char *const words[] = {"own", "own_ns"};
	struct sheet s = usual;

	(void)state;
	s.most = 2;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		s.sort = words[i];
		expect(&s, SHEET_TEXT, 0, by_time);
	}
	assert_int_equal(sheet_hidden(&s), 1);
	s.sort = "file"; /* texts ascending */
	s.most = 1;
	expect(&s, SHEET_TEXT, 0,
		"    own count share place\n"
		" 1.5 ms     3 25.0% /src/a.py:7\n");
}

static void unknown_column(void **state)
{
	(void)state;
	said_begin();
	const int code = sheet_check_sort("report", columns, "hist");
	assert_string_equal(said_end(),
		"pathline: report: unknown column for --sort 'hist'; did you mean 'hits'?\n");
	assert_int_equal(code, CMD_USAGE);
	assert_int_equal(sheet_check_sort("report", columns, "count"), CMD_GO);
}

/* The highest number is left out first. */
static void narrow(void **state)
{
	struct sheet s = usual;

	(void)state;
	s.rows = 1;
	expect(&s, SHEET_TEXT, 46, "    own count place\n 1.5 ms     3 /src/a.py:7\n");
	expect(&s, SHEET_TEXT, 40, "    own place\n 1.5 ms /src/a.py:7\n");
}

static void as_data(void **state)
{
	struct sheet s = usual;

	(void)state;
	s.rows = 2;
	s.most = 1; /* not of JSON */
	expect(&s, SHEET_JSON, 40,
		"{\"type\":\"line\",\"version\":1,\"data\":{\"process\":1,\"thread\":null,\"own_"
		"ns\":1500000,\"hits\":3,"
		"\"share\":0.250000,\"file\":\"/src/a.py\"}}\n"
		"{\"type\":\"line\",\"version\":1,\"data\":{\"process\":1,\"thread\":null,\"own_"
		"ns\":2500000,\"hits\":1200,"
		"\"share\":0.500000,\"file\":\"/src/b,c.py\"}}\n");
	s.most = 0;
	s.thread = 2;
	expect(&s, SHEET_CSV, 40,
		"process,thread,own_ns,hits,share,file\r\n"
		"1,2,1500000,3,0.250000,/src/a.py\r\n"
		"1,2,2500000,1200,0.500000,\"/src/b,c.py\"\r\n");
	s.headless = true;
	s.rows = 1;
	expect(&s, SHEET_CSV, 40, "1,2,1500000,3,0.250000,/src/a.py\r\n");
}

static struct cell unknown_count(const void *context, size_t row, unsigned column)
{
	struct cell c = cell(context, row, column);

	if (column == 1)
		c.text = "?";
	if (column == 3)
		c = cell_text(NULL);
	return c;
}

/* Nobody may take it for 0. */
static void not_known(void **state)
{
	struct sheet s = usual;

	(void)state;
	s.cell = unknown_count;
	s.rows = 1;
	expect(&s, SHEET_TEXT, 0, "    own count share place\n 1.5 ms     ? 25.0% /src/a.py:7\n");
	expect(&s, SHEET_JSON, 0,
		"{\"type\":\"line\",\"version\":1,\"data\":{\"process\":1,\"thread\":null,\"own_"
		"ns\":1500000,\"hits\":null,"
		"\"share\":0.250000,\"file\":null}}\n");
	expect(&s, SHEET_CSV, 0,
		"process,thread,own_ns,hits,share,file\r\n"
		"1,,1500000,,0.250000,\r\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_text),
		cmocka_unit_test(sorted),
		cmocka_unit_test(unknown_column),
		cmocka_unit_test(narrow),
		cmocka_unit_test(as_data),
		cmocka_unit_test(not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
