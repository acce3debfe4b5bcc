/* What a line that is being typed can end with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/complete.h"
#include "session/words.h"
#include "tests/lib/sessions.h"

static const struct complete_word own[] = {
	{"open", NAMES_FILES}, {"filter", NAMES_EVENTS}, {"view", NAMES_VIEWS}, {NULL, NAMES_NONE}};

/* All of its words, with a blank between them. */
static void expect(struct scene *x, const char *line, const char *words)
{
	struct completion c = {.count = 0};
	char all[4096] = "";

	assert_int_equal(complete_line(x->s, line, own, &c, &x->err), 0);
	for (size_t i = 0; i < c.count; i++) {
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "",
			c.words[i]);
		assert_memory_equal(c.words[i], c.words[0], c.common);
	}
	assert_string_equal(all, words);
	assert_true(c.from <= strlen(line));
	completion_release(&c);
	completion_release(&c);
}

static void commands(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	expect(&x, "unt", "unt until");
	expect(&x, "op", "open");
	expect(&x, "help unti", "until");
	expect(&x, "zz", "");
	scene_close(&x);
}

static void names_of_what_ran(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	expect(&x, "b bo", "book");
	expect(&x, "b Sh", "Shop.book");
	expect(&x, "b ", "a.py book main work");
	expect(&x, "b a", "a.py");
	expect(&x, "w wo", "work");
	expect(&x, "x S", "SoldOut");
	expect(&x, "x shop.", "shop.SoldOut");
	expect(&x, "open .py", "a.py"); /* any part of a file's name */
	scene_close(&x);
}

static void others(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	stops_add(&x.s->replay.stops, STOP_CALL, "work", 0);
	expect(&x, "t ", "MainThread worker");
	expect(&x, "P ", "1");
	expect(&x, "clear ", "1");
	expect(&x, "view ti", "timeline");
	expect(&x, "filter call,ret", "return");
	expect(&x, "j ", "");
	scene_close(&x);
	scene_open_tasks(&x);
	expect(&x, "T ", "anvil rope");
	scene_close(&x);
}

static void common_part(void **state)
{
	struct completion c = {.count = 0};
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(complete_line(x.s, "reverse-", own, &c, &x.err), 0);
	assert_true(c.count > 3);
	assert_int_equal(c.from, 0);
	assert_int_equal(c.common, strlen("reverse-"));
	assert_int_equal(complete_line(x.s, "b bo", own, &c, &x.err), 0);
	assert_int_equal(c.from, 2);
	assert_int_equal(c.common, strlen("book"));
	completion_release(&c);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(names_of_what_ran),
		cmocka_unit_test(others),
		cmocka_unit_test(common_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
