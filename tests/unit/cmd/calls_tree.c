/* The calls of a thread as a tree: levels, ends, what is folded, what a filter leaves, and calls that
 * are written before they are over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "cmd/calls_tree.h"
#include "cmd/cmd.h"
#include "lib/values.h"
#include "tests/lib/recording.h"

#define SOLD_OUT 5 /* the string of the type */

struct made {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
	char text[4096];
};

const char *cmd_recording(void)
{
	return "";
}

void cmd_say(const char *format, ...)
{
	(void)format;
}

/* ---- the selection: everything ---- */

bool select_task(const struct selection *s, const struct pl_event *e)
{
	(void)s, (void)e;
	return true;
}

/* ---- the recording ---- */

static void begin(struct made *x)
{
	*x = (struct made){.r = NULL};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	x->m.arguments = (struct arguments){1, view_of("\1n", 2)};
	maker_body(&x->m, 2, "book", 10, 2);
	maker_body(&x->m, 3, "check", 20, 2);
	maker_string(&x->m, SOLD_OUT, "SoldOut");
	x->t = maker_thread(&x->m, 0);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	maker_line(x->t, 0);
}

static void put_call(struct maker_thread *t, uint32_t code, int64_t number)
{
	struct pl_buf b = {0};

	buf_u8(&b, 0);
	value_number(&b, number);
	maker_done(t, event_write_further(maker_room(t), EVENT_VALUES, b.at, b.used));
	buf_release(&b);
	maker_enter(t, MAKER_UNIT(0), code);
	maker_line(t, 0);
}

static void put_return(struct maker_thread *t)
{
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0));
}

static void open_made(struct made *x)
{
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
}

static void release(struct made *x)
{
	pl_recording_close(x->r);
	maker_release(&x->m);
}

/* "book return ×3": a line for each node, a tab for each level. */
static bool write_line(void *context, const struct call_node *n)
{
	struct made *x = context;
	size_t used = strlen(x->text);

	for (uint32_t i = 0; i < n->level; i++)
		x->text[used++] = '\t';
	used += (size_t)snprintf(x->text + used, sizeof x->text - used, "%s %s%s%s",
		n->code ? pl_code_name(n->code) : call_begin_word(n->begin), call_end_word(n->end),
		n->type ? " " : "", n->type ? n->type : "");
	if (n->count > 1)
		used += (size_t)snprintf(
			x->text + used, sizeof x->text - used, " x%d", (int)n->count);
	if (n->below)
		used += (size_t)snprintf(
			x->text + used, sizeof x->text - used, " +%d", (int)n->below);
	snprintf(x->text + used, sizeof x->text - used, "\n");
	return true;
}

static void expect(struct made *x, struct calls_tree t, const char *text)
{
	static const struct selection everything = {.command = "calls"};

	t.r = x->r;
	t.selection = &everything;
	t.write = write_line;
	t.context = x;
	x->text[0] = 0;
	assert_int_equal(calls_tree_walk(&t, 1, 0, NULL), 0);
	assert_string_equal(x->text, text);
	assert_null(t.frames);
	assert_null(t.nodes.unused);
}

/* ---- the tests ---- */

static void open_usual(struct made *x)
{
	begin(x);
	for (int64_t n = 0; n < 3; n++) {
		put_call(x->t, 20, n);
		put_call(x->t, 30, n);
		put_return(x->t);
		put_return(x->t);
	}
	put_call(x->t, 30, 7);
	maker_event2(x->t, EVENT_RAISE, MAKER_UNIT(0), SOLD_OUT);
	maker_done(x->t, event_write0(maker_room(x->t), EVENT_UNWIND));
	maker_line(x->t, 1);
	maker_event1(x->t, EVENT_LEAVE, MAKER_UNIT(1));
	open_made(x);
}

static void levels(void **state)
{
	struct made x;

	(void)state;
	open_usual(&x);
	expect(&x, (struct calls_tree){.depth = 0},
		"main return\n"
		"\tbook return x3\n"
		"\t\tcheck return\n"
		"\tcheck unwind SoldOut\n");
	expect(&x, (struct calls_tree){.all = true},
		"main return\n"
		"\tbook return\n"
		"\t\tcheck return\n"
		"\tbook return\n"
		"\t\tcheck return\n"
		"\tbook return\n"
		"\t\tcheck return\n"
		"\tcheck unwind SoldOut\n");
	expect(&x, (struct calls_tree){.depth = 1}, "main return +7\n");
	expect(&x, (struct calls_tree){.function = "book"},
		"book return x3\n"
		"\tcheck return\n");
	release(&x);
}

/* A call that has not ended where the recording does. */
static void open_at_the_end(void **state)
{
	struct made x;

	(void)state;
	begin(&x);
	put_call(x.t, 20, 1);
	put_call(x.t, 30, 1);
	put_return(x.t);
	open_made(&x);
	expect(&x, (struct calls_tree){.depth = 0},
		"main open\n"
		"\tbook open\n"
		"\t\tcheck return\n");
	release(&x);
}

static void filter(struct made *x, const char *text, const char *expected)
{
	struct expression e = {.expr = NULL};

	assert_int_equal(expression_read(&e, "calls", text, x->r), CMD_GO);
	expression_process(&e, pl_recording_find_process(x->r, 1));
	expect(x, (struct calls_tree){.expression = &e, .values = true}, expected);
	expression_release(&e);
	expression_release(&e);
}

/* What is below a call that is left out is shown in its place. */
static void filtered(void **state)
{
	struct made x;

	(void)state;
	open_usual(&x);
	filter(&x, "func == 'check'", "check return x3\ncheck unwind SoldOut\n");
	filter(&x, "args.n == 2", "book return\n\tcheck return\n");
	filter(&x, "exception == 'SoldOut'", "check unwind SoldOut\n"); /* known at its end */
	filter(&x, "func == 'nothing'", "");
	release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		cmocka_unit_test(open_at_the_end),
		cmocka_unit_test(filtered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
