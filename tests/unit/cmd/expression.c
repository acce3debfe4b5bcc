/* --filter: which events are wanted, and what must be given for that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/cmd.h"
#include "cmd/expression.h"
#include "lib/said.h"
#include "tests/lib/sessions.h"

struct filtered {
	struct scene x;
	struct expression e;
};

static void filter_begin(struct filtered *f, const char *text)
{
	*f = (struct filtered){.e = {.expr = NULL}};
	scene_open_values(&f->x);
	assert_int_equal(expression_read(&f->e, "dump", text, f->x.r), CMD_GO);
	expression_process(&f->e, pl_recording_find_process(f->x.r, 1));
}

static void filter_end(struct filtered *f)
{
	expression_release(&f->e);
	expression_release(&f->e);
	scene_close(&f->x);
}

/* The seqs of the events that are wanted, as bits. */
static unsigned wanted(struct filtered *f)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	unsigned bits = 0;

	assert_int_equal(pl_cursor_new(&c, f->x.r, 1, 0, &f->x.err), 0);
	pl_cursor_want_values(c, true);
	while (pl_cursor_next(c, &e, &f->x.err) == 0) {
		const struct pl_count row = {.kind = e.kind, .code = e.code, .line = e.line};
		if (!expression_may(&f->e, &row))
			continue;
		const int code = expression_event(&f->e, &e);
		assert_true(code == 0 || code == PL_END);
		bits |= code == 0 ? 1u << e.seq : 0;
	}
	pl_cursor_free(c);
	return bits;
}

static void none(void **state)
{
	struct filtered f;

	(void)state;
	filter_begin(&f, NULL);
	assert_int_equal(expression_kinds(&f.e), UINT32_MAX);
	assert_false(expression_wants_values(&f.e));
	assert_int_equal(wanted(&f), 0x3ff);
	filter_end(&f);
}

/* The end of a call has its arguments: the calls must be given, too. */
static void ends_of_calls(void **state)
{
	struct filtered f;

	(void)state;
	filter_begin(&f, "event == 'return' and args.n == 5");
	assert_true(expression_wants_values(&f.e));
	assert_true(expression_kinds(&f.e) >> PL_EVENT_CALL & 1);
	assert_int_equal(expression_kinds_now(&f.e, 0) >> PL_EVENT_CALL & 1, 1);
	assert_int_equal(expression_kinds_now(&f.e, 0) >> PL_EVENT_RETURN & 1, 0);
	assert_int_equal(wanted(&f), 1u << 6);
	filter_end(&f);
}

static void lines(void **state)
{
	struct filtered f;

	(void)state;
	filter_begin(&f, "event == 'line' and line > 31 and func == 'add'");
	assert_int_equal(wanted(&f), 1u << 4 | 1u << 5);
	assert_int_equal(expression_kinds_now(&f.e, 0), 0);
	assert_true(expression_may_thread(&f.e, pl_recording_thread(f.x.r, 1, 0)));
	filter_end(&f);
}

/* Why nothing was selected, with what is nearest. */
static void why_nothing(void **state)
{
	char text[EXPRESSION_WHY_BYTES];
	struct filtered f;

	(void)state;
	filter_begin(&f, "func == 'addd'");
	expression_why(&f.e, f.x.r, text);
	assert_string_equal(text, ": func == 'addd' matches nothing; nearest: add, 2 calls");
	filter_end(&f);
	filter_begin(&f, NULL);
	expression_why(&f.e, f.x.r, text);
	assert_string_equal(text, "");
	filter_end(&f);
}

static void faults(void **state)
{
	struct expression e = {.expr = NULL};
	struct scene x;

	(void)state;
	scene_open(&x);
	said_begin();
	assert_int_equal(expression_read(&e, "dump", "line >", x.r), CMD_USAGE);
	assert_string_equal(said_end(), "pathline: dump: --filter: at column 7: it ends where a "
					"field, a number or a text is missing\n");
	expression_release(&e);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none),
		cmocka_unit_test(ends_of_calls),
		cmocka_unit_test(lines),
		cmocka_unit_test(why_nothing),
		cmocka_unit_test(faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
