/* Values of an event as text, in a bounded room; what does not fit or cannot be read is marked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/cmd.h"
#include "cmd/values.h"
#include "lib/values.h"

/* ---- what it asks of the library ---- */

void pl_recording_info(const struct pl_recording *r, struct pl_recording_info *info)
{
	(void)r;
	*info = (struct pl_recording_info){0};
}

void cmd_say(const char *format, ...)
{
	(void)format;
}

/* Each code has item and *rest. */
size_t pl_code_arguments(const struct pl_code *code, struct pl_argument *arguments, size_t max)
{
	(void)code;
	assert_true(max >= 2);
	arguments[0] = (struct pl_argument){.name = {"item", 4}, .stars = ""};
	arguments[1] = (struct pl_argument){.name = {"rest", 4}, .stars = "*"};
	return 2;
}

/* ---- tests ---- */

static struct pl_event call_with(const struct pl_buf *b)
{
	return (struct pl_event){.kind = PL_EVENT_CALL,
		.code = (const void *)"f",
		.values = {.at = b->at, .bytes = (uint32_t)b->used}};
}

static struct pl_event line_with(const struct pl_buf *b, unsigned flags)
{
	return (struct pl_event){.kind = PL_EVENT_LINE,
		.variables = {.at = b->at,
			.bytes = (uint32_t)b->used,
			.flags = (uint16_t)flags,
			.of = VALUE_OBJECT}};
}

static void names_and_damage(void **state)
{
	struct pl_buf b = {0};
	char text[256];

	(void)state;
	struct pl_event e = call_with(&b);
	assert_int_equal(values_text(&e, text, sizeof text), 0);
	assert_string_equal(text, "");
	value_str(&b, "anvil", 5);
	value_container(&b, VALUE_TUPLE, 0, 1);
	value_number(&b, 7);
	value_tag(&b, VALUE_END);
	e = call_with(&b);
	values_text(&e, text, sizeof text);
	assert_string_equal(text, "item='anvil', *rest=(7,)");
	e.values.bytes--; /* the END is missing */
	values_text(&e, text, sizeof text);
	assert_string_equal(text, "item='anvil', <damaged>");
	buf_release(&b);
}

/* In any room the text has a NUL, and does not look whole if it is not. */
static void any_room(void **state)
{
	char text[512], whole[512];
	struct pl_buf b = {0};

	(void)state;
	for (int i = 0; i < 12; i++)
		value_str(&b, "0123456789", 10);
	const struct pl_event e = call_with(&b);
	const size_t length = values_text(&e, whole, sizeof whole);
	for (size_t max = 24; max <= length; max++) {
		const size_t used = values_text(&e, text, max);
		assert_true(used < max);
		assert_int_equal(strlen(text), used);
		assert_string_equal(text + used - 3, "\xe2\x80\xa6");
	}
	buf_release(&b);
}

static void put_variables(struct pl_buf *b, int count)
{
	for (int i = 0; i < count; i++) {
		value_string(b, "number");
		value_number(b, i);
	}
}

static void variables(void **state)
{
	char text[512];
	struct pl_buf b = {0};

	(void)state;
	put_variables(&b, 2);
	value_string(&b, "gone");
	value_tag(&b, VALUE_UNSET);
	struct pl_event e = line_with(&b, 0);
	variables_text(&e, text, sizeof text);
	assert_string_equal(text, "number = 0, number = 1, gone = <unset>");
	e = line_with(&b, PL_VALUES_ALL | 1u << 2); /* only the first one has changed */
	assert_int_equal(PL_VALUES_CHANGED(e.variables.flags), 1);
	variables_text(&e, text, sizeof text);
	assert_string_equal(text, "number = 0");
	e = line_with(&b, 0);
	e.variables.bytes--;
	variables_text(&e, text, sizeof text);
	assert_string_equal(text, "number = 0, number = 1, <damaged>");
	put_variables(&b, 12);
	e = line_with(&b, 0);
	const size_t used = variables_text(&e, text, 100);
	assert_string_equal(text + used - 3, "\xe2\x80\xa6");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_damage),
		cmocka_unit_test(any_room),
		cmocka_unit_test(variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
