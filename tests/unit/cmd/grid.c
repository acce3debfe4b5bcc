/* A grid: columns as wide as the first rows, numbers at the right, texts at the left; rows after
 * those as they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "cmd/grid.h"
#include "cmd/page.h"

static int started;

void page_start(struct cmd *c, struct out *o)
{
	(void)c, (void)o;
	started++;
}

void cmd_say(const char *format, ...)
{
	(void)format;
}

static const char *const names[] = {"name", "n", "text"};

static void begin(struct grid *g, struct out *out, unsigned columns)
{
	assert_int_equal(out_init(out, -1, false), 0);
	out->columns = columns;
	started = 0;
	assert_true(grid_open(g, NULL, out, names, 3));
}

static void row(struct grid *g, const char *name, const char *number, const char *text)
{
	assert_true(grid_cell(g, name, false));
	assert_true(grid_cell(g, number, true));
	assert_true(grid_cell(g, text, false));
}

static void end(struct grid *g, struct out *out)
{
	grid_release(g);
	grid_release(g);
	out->used = 0;
	out_release(out);
}

static void expect(struct grid *g, struct out *out, const char *text)
{
	out_char(out, 0);
	assert_string_equal(out->bytes, text);
	end(g, out);
}

static void aligned(void **state)
{
	struct grid g;
	struct out out;

	(void)state;
	begin(&g, &out, 0);
	row(&g, "anvil", "7", "a");
	row(&g, "rope", "1200", NULL);
	row(&g, NULL, NULL, "long text");
	assert_int_equal(started, 0); /* nothing is written before it is measured */
	grid_end(&g);
	assert_int_equal(started, 1);
	expect(&g, &out,
		"name      n  text\n"
		"anvil     7  a\n"
		"rope   1200  -\n"
		"-         -  long text\n");
}

static void without_rows(void **state)
{
	struct grid g;
	struct out out;

	(void)state;
	begin(&g, &out, 0);
	grid_end(&g);
	expect(&g, &out, "name  n  text\n");
}

/* On a terminal a text that is not in the last column is cut. */
static void on_a_terminal(void **state)
{
	char wide[101];
	struct grid g;
	struct out out;

	(void)state;
	memset(wide, 'x', 100);
	wide[100] = 0;
	begin(&g, &out, 80);
	row(&g, wide, "7", "a");
	grid_end(&g);
	out_char(&out, 0);
	assert_non_null(strstr(out.bytes, "x\xe2\x80\xa6  7  a\n"));
	assert_null(strstr(out.bytes, wide));
	end(&g, &out);
}

/* After the first thousand each row is written when it is complete, as wide as those were. */
static void many_rows(void **state)
{
	struct grid g;
	struct out out;

	(void)state;
	begin(&g, &out, 0);
	for (int i = 0; i < 999; i++)
		row(&g, "a", "1", "b");
	assert_int_equal(started, 0);
	row(&g, "a", "1", "b");
	assert_int_equal(started, 1);
	const size_t used = out.used;
	row(&g, "longer", "12", "c");
	out_char(&out, 0);
	assert_string_equal(out.bytes + used, "longer  12  c\n");
	end(&g, &out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aligned),
		cmocka_unit_test(without_rows),
		cmocka_unit_test(on_a_terminal),
		cmocka_unit_test(many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
