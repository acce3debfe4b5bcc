/* Events as rows of chosen fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "lib/said.h"
#include "tests/lib/sessions.h"

/* The rows of these events, as text that is valid until the next call. */
static const char *rows_of(
	struct scene *x, const char *fields, bool json, uint64_t from, uint64_t to)
{
	static char text[4096];
	struct out out;
	struct rows w;
	struct pl_cursor *c = NULL;
	struct pl_event e;

	assert_int_equal(out_init(&out, -1, false), 0);
	assert_int_equal(rows_init(&w, &out, x->r, fields, json), CMD_GO);
	assert_int_equal(pl_cursor_new(&c, x->r, 1, 0, &x->err), 0);
	pl_cursor_want_values(c, w.wants_values);
	while (pl_cursor_next(c, &e, &x->err) == 0 && e.seq <= to)
		if (e.seq >= from)
			rows_write(&w, &e);
	pl_cursor_free(c);
	rows_release(&w);
	assert_true(out.used < sizeof text);
	memcpy(text, out.bytes, out.used);
	text[out.used] = 0;
	out.used = 0;
	out_release(&out);
	return text;
}

static void chosen(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_string_equal(rows_of(&x, "seq,event,code,line", false, 3, 5),
		"3\tcall\tShop.book\t10\n4\tline\tShop.book\t11\n5\tline\tShop.book\t12\n");
	assert_string_equal(rows_of(&x, "line,file", false, 4, 4), "11\ta.py\n");
	scene_close(&x);
}

static void objects(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_string_equal(rows_of(&x, "seq,event,task", true, 4, 4),
		"{\"type\":\"event\",\"version\":1,\"data\":{\"seq\":4,\"event\":\"line\","
		"\"task\":null}}\n");
	scene_close(&x);
}

/* Without --fields those of values are there only if the recording has some. */
static void all_of_them(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_null(strstr(rows_of(&x, NULL, true, 4, 4), "\"args\":"));
	scene_close(&x);
	scene_open_values(&x);
	assert_string_equal(rows_of(&x, "seq,args", false, 2, 2), "2\tn=5\n");
	assert_non_null(strstr(rows_of(&x, NULL, true, 2, 2), "\"args\":["));
	scene_close(&x);
}

static void refused(void **state)
{
	struct out out;
	struct rows w;
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(out_init(&out, -1, false), 0);
	said_begin();
	assert_int_equal(rows_init(&w, &out, x.r, "seq,lime", false), CMD_USAGE);
	assert_string_equal(
		said_end(), "pathline: dump: unknown field 'lime'; did you mean 'line'?\n");
	said_begin();
	assert_int_equal(rows_init(&w, &out, x.r, "", false), CMD_USAGE);
	said_end();
	out_release(&out);
	scene_close(&x);
}

static void help(void **state)
{
	char text[ROW_HELP_BYTES];

	(void)state;
	rows_help(text);
	assert_non_null(strstr(text, "seq"));
	rows_words(text);
	assert_non_null(strstr(text, "seq"));
	assert_null(strchr(text, '\n'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen),
		cmocka_unit_test(objects),
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(refused),
		cmocka_unit_test(help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
