/* What p is asked, and what it finds in variables that were kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/value_question.h"
#include "lib/values.h"

/* The value of a variable as the recorder wrote it, at the front of the buffer. */
static struct pl_value first_value(const struct pl_buf *b)
{
	struct pl_values values = {.at = b->at, .bytes = (uint32_t)b->used};
	struct pl_value v;

	assert_int_equal(pl_values_next(&values, &v), 0);
	return v;
}

struct asked {
	struct pl_buf list; /* owned */
	struct variable all[3];
	struct variables v;
	struct value_question q;
};

/* rows = ['anvil', 7], count = 2, gone is not bound. */
static void asked_begin(struct asked *a)
{
	*a = (struct asked){.v = {.all = a->all, .count = 3}};
	value_container(&a->list, VALUE_LIST, 1, 3);
	value_str(&a->list, "anvil", 5);
	value_number(&a->list, 7);
	value_tag(&a->list, VALUE_END); /* the third was cut */
	a->all[0] =
		(struct variable){.name = {"rows", 4}, .stars = "", .value = first_value(&a->list)};
	a->all[1] = (struct variable){
		.name = {"count", 5}, .stars = "", .value = {.kind = PL_VALUE_INT, .integer = 2}};
	a->all[2] = (struct variable){
		.name = {"gone", 4}, .stars = "", .value = {.kind = PL_VALUE_UNSET}};
}

static const struct pl_value *ask(struct asked *a, const char *text, enum value_answer answer)
{
	value_question_ask(&a->q, &a->v, text);
	assert_int_equal(a->q.answer, answer);
	return &a->q.value;
}

static void values(void **state)
{
	struct asked a;

	(void)state;
	asked_begin(&a);
	assert_int_equal(ask(&a, "count", ANSWER_VALUE)->integer, 2);
	assert_ptr_equal(a.q.variable, &a.all[1]);
	assert_string_equal(a.q.name, "count");
	assert_int_equal(ask(&a, "rows[1]", ANSWER_VALUE)->integer, 7);
	assert_int_equal(ask(&a, "rows[0]", ANSWER_VALUE)->kind, PL_VALUE_STR);
	buf_release(&a.list);
}

static void lengths(void **state)
{
	struct asked a;

	(void)state;
	asked_begin(&a);
	assert_int_equal(ask(&a, "len(rows)", ANSWER_VALUE)->integer, 3);
	assert_true(a.q.length);
	assert_int_equal(ask(&a, "len(rows[0])", ANSWER_VALUE)->integer, 5);
	ask(&a, "len(count)", ANSWER_NO_LENGTH);
	ask(&a, "len(rows", ANSWER_NOT_UNDERSTOOD);
	buf_release(&a.list);
}

static void no_values(void **state)
{
	struct asked a;

	(void)state;
	asked_begin(&a);
	ask(&a, "gone", ANSWER_UNSET);
	ask(&a, "rows[7]", ANSWER_ABSENT);
	ask(&a, "rows[2]", ANSWER_NOT_KEPT);
	ask(&a, "rows + 1", ANSWER_NOT_UNDERSTOOD);
	ask(&a, "", ANSWER_NOT_UNDERSTOOD);
	ask(&a, "cuont", ANSWER_NO_VARIABLE);
	assert_string_equal(a.q.near, "count");
	assert_null(a.q.variable);
	ask(&a, "nothing_like_it", ANSWER_NO_VARIABLE);
	assert_string_equal(a.q.near, "");
	buf_release(&a.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(lengths),
		cmocka_unit_test(no_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
