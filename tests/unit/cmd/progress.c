/* The bar of what takes long, on a terminal at stderr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pty.h>
#include <string.h>
#include <unistd.h>
#include "cmd/progress.h"

struct ends {
	int stderr_before, reads, is_stderr;
};

static struct ends begin(bool terminal)
{
	struct ends e = {.stderr_before = dup(2)};
	int both[2];

	if (terminal)
		assert_int_equal(openpty(&both[0], &both[1], NULL, NULL, NULL), 0);
	else
		assert_int_equal(pipe(both), 0);
	e.reads = both[0];
	e.is_stderr = both[1];
	fcntl(e.reads, F_SETFL, O_NONBLOCK);
	dup2(e.is_stderr, 2);
	return e;
}

/* It begins with this; nothing: it is nothing. */
static void expect(const struct ends *e, const char *text)
{
	char read_back[200] = "";
	ssize_t n = read(e->reads, read_back, sizeof read_back - 1);

	read_back[*text ? strlen(text) : n < 0 ? 0 : (size_t)n] = '\0';
	assert_string_equal(read_back, text);
}

static void end(struct ends e)
{
	dup2(e.stderr_before, 2);
	close(e.stderr_before);
	close(e.is_stderr);
	close(e.reads);
}

static void test_first_second(void **state)
{
	struct ends e = begin(true);
	struct progress p = progress_begin();

	(void)state;
	p.begin.tv_sec += 30; /* however slow the machine is */
	progress_show(&p, 0.5);
	progress_end(&p);
	expect(&e, "");
	end(e);
}

static void test_bar(void **state)
{
	struct ends e = begin(true);
	struct progress p = progress_begin();

	(void)state;
	p.begin.tv_sec -= 30;
	progress_show(&p, 0.75);
	expect(&e, "\r[######################........]  75%, 1");
	p.shown += 60; /* not a tenth of a second later */
	progress_show(&p, 0.80);
	expect(&e, "");
	p.shown = 1;
	progress_show(&p, 1);
	expect(&e, "\r[##############################] 100%, 0 s left ");
	progress_end(&p);
	expect(&e, "\r                                                            \r");
	end(e);
}

static void test_no_terminal(void **state)
{
	struct ends e = begin(false);
	struct progress p = progress_begin();

	(void)state;
	p.begin.tv_sec -= 30;
	progress_show(&p, 0.5);
	progress_end(&p);
	expect(&e, "");
	end(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_second),
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
