/* Where threads were seen last, from samples that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/seen.h"

/* What seen.c asks of the library. */
static const struct pl_sample *all;
static size_t count, next;
static struct pl_event last, before;
static int made;

int pl_samples_new(
	struct pl_samples **s, struct pl_recording *r, uint32_t process, struct pl_err *err)
{
	(void)r, (void)process, (void)err;
	*s = NULL;
	next = 0;
	return made;
}

int pl_samples_next(struct pl_samples *s, struct pl_sample *sample, struct pl_err *err)
{
	(void)s, (void)err;
	if (next == count)
		return PL_END;
	*sample = all[next++];
	return 0;
}

void pl_samples_free(struct pl_samples *s)
{
	(void)s;
}

const char *pl_code_name(const struct pl_code *code)
{
	return (const char *)code;
}

/* The gap of a kill is last, and the event `before` it. */
int path_last(struct path *p, uint64_t seq, struct pl_event *e, struct pl_err *err)
{
	(void)p, (void)err;
	*e = seq == UINT64_MAX ? last : before;
	return 0;
}

#define CODE(name) ((const struct pl_code *)(name))

static void stays(void **state)
{
	static const char inner[] = "inner", outer[] = "outer";
	const struct pl_sample samples[] = {
		{.thread = 0, .code = CODE(inner), .line = 7, .waiting = true, .time_ns = 50},
		{.thread = 0, .code = CODE(outer), .line = 3, .waiting = false, .time_ns = 100},
		{.thread = 1, .code = CODE(inner), .line = 9, .waiting = false, .time_ns = 110},
		{.thread = 0, .code = CODE(inner), .line = 7, .waiting = true, .time_ns = 200},
		{.thread = 5, .code = CODE(inner), .line = 7, .waiting = true, .time_ns = 210},
		{.thread = 0, .code = CODE(inner), .line = 0, .waiting = false, .time_ns = 250},
		{.thread = 0, .code = CODE(inner), .line = 7, .waiting = true, .time_ns = 300},
	};
	struct seen rows[3] = {{.after_ns = 60, .wanted = true}, {.after_ns = 60},
		{.after_ns = 60, .wanted = true}};

	(void)state;
	all = samples;
	count = sizeof samples / sizeof *samples;
	assert_int_equal(seen_last(NULL, 1, rows, 3, NULL), 0);
	assert_ptr_equal(rows[0].code, inner);
	assert_int_equal(rows[0].line, 7);
	assert_true(rows[0].waiting);
	assert_int_equal(rows[0].from_ns, 200);
	assert_int_equal(rows[0].to_ns, 300);
	assert_null(rows[1].code); /* not wanted */
	assert_null(rows[2].code); /* never seen */
	made = PL_ERR_IO;
	assert_int_equal(seen_last(NULL, 1, rows, 3, NULL), PL_ERR_IO);
	made = 0;
}

static void what_is_wanted(void **state)
{
	struct path path = {0};
	struct seen row = {.from_ns = 5, .wanted = true};

	(void)state;
	last = (struct pl_event){
		.kind = PL_EVENT_LINE, .depth = 1, .time_ns = 100, .time_error_ns = 20};
	seen_ask(&path, &row);
	assert_true(row.wanted);
	assert_int_equal(row.after_ns, 120);
	assert_int_equal(row.from_ns, 0);
	last = (struct pl_event){.kind = PL_EVENT_RETURN, .time_ns = 100};
	seen_ask(&path, &row);
	assert_false(row.wanted); /* no frame is left */
	last = (struct pl_event){.kind = PL_EVENT_GAP, .gap = PL_GAP_KILLED, .time_ns = 100};
	before = (struct pl_event){
		.kind = PL_EVENT_LINE, .depth = 1, .time_ns = 90, .time_error_ns = 1};
	seen_ask(&path, &row);
	assert_true(row.wanted);
	assert_int_equal(row.after_ns, 91);
	last.gap = PL_GAP_DROPPED;
	seen_ask(&path, &row);
	assert_false(row.wanted); /* it may have gone on */
}

static void text(void **state)
{
	char words[SEEN_BYTES];
	struct seen row = {.code = CODE("inner"), .line = 7, .waiting = true};

	(void)state;
	seen_text(&row, words);
	assert_string_equal(words, "line 7 of inner, waiting");
	row.to_ns = 3900000000;
	row.waiting = false;
	seen_text(&row, words);
	assert_string_equal(words, "line 7 of inner, running for 3.9 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stays),
		cmocka_unit_test(what_is_wanted),
		cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
