/* What Python writes behind the type of an exception, from its args. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/utf8.h"
#include "lib/values.h"
#include "session/valued.h"

#define MESSAGE_BYTES 4096

/* The exception of an event, whose args are in b. */
static struct pl_value exception_of(struct pl_buf *b)
{
	struct pl_event e = {.values = {.at = b->at, .bytes = (uint32_t)b->used}};

	return valued_exception(&e);
}

static void expect(struct pl_buf *b, const char *type, const char *message)
{
	char text[MESSAGE_BYTES];
	const struct pl_value exception = exception_of(b);

	assert_int_equal(exception.kind, PL_VALUE_EXCEPTION);
	assert_int_equal(valued_message(&exception, type, text, sizeof text), strlen(message));
	assert_string_equal(text, message);
	buf_release(b);
}

static void begin(struct pl_buf *b, const char *type, uint64_t args)
{
	*b = (struct pl_buf){0};
	value_exception(b, type);
	value_container(b, VALUE_TUPLE, 0, args);
}

static void messages(void **state)
{
	struct pl_buf b;

	(void)state;
	begin(&b, "SoldOut", 1);
	value_str(&b, "an'vil", 6);
	value_tag(&b, VALUE_END);
	expect(&b, "SoldOut", "an'vil");
	begin(&b, "KeyError", 1);
	value_str(&b, "anvil", 5);
	value_tag(&b, VALUE_END);
	expect(&b, "KeyError", "'anvil'");
	begin(&b, "SoldOut", 2);
	value_str(&b, "anvil", 5);
	value_number(&b, 2);
	value_tag(&b, VALUE_END);
	expect(&b, "SoldOut", "('anvil', 2)");
	begin(&b, "OSError", 2);
	value_number(&b, 2);
	value_str(&b, "No such file", 12);
	value_tag(&b, VALUE_END);
	expect(&b, "FileNotFoundError", "[Errno 2] No such file");
	begin(&b, "ExceptionGroup", 2);
	value_str(&b, "two", 3);
	value_container(&b, VALUE_LIST, 9, 0);
	value_tag(&b, VALUE_END);
	value_tag(&b, VALUE_END);
	expect(&b, "ExceptionGroup", "two");
	begin(&b, "SoldOut", 1);
	value_str(&b, "a\n\x1b\x7f", 4);
	value_tag(&b, VALUE_END);
	expect(&b, "SoldOut", "a\\n\\x1b\\x7f");
	begin(&b, "SoldOut", 1);
	value_str(&b, "anv", 5); /* the recorder has cut it */
	value_tag(&b, VALUE_END);
	expect(&b, "SoldOut", "anv\xe2\x80\xa6");
}

static void no_messages(void **state)
{
	struct pl_buf b = {0};
	struct pl_event e = {0};
	char text[8] = "x";

	(void)state;
	assert_int_equal(valued_exception(&e).kind, 0);
	begin(&b, "SoldOut", 0);
	value_tag(&b, VALUE_END);
	expect(&b, "SoldOut", "");
	value_number(&b, 5);
	assert_int_equal(exception_of(&b).kind, 0);
	const struct pl_value number = {.kind = PL_VALUE_INT};
	assert_int_equal(valued_message(&number, "int", text, sizeof text), 0);
	assert_string_equal(text, "");
	buf_release(&b);
	value_exception(&b, "E"); /* its args are not there */
	assert_int_equal(exception_of(&b).kind, 0);
	buf_release(&b);
}

static size_t characters(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t count = 0;

	for (size_t left = strlen(text); left; count++) {
		const size_t n = *at < 0x80 ? 1 : utf8_bytes(at, left);
		assert_int_not_equal(n, 0);
		at += n;
		left -= n;
	}
	return count;
}

/* Wherever it is cut, whole characters are left. */
static void is_cut_between_characters(void **state)
{
	struct pl_buf b;
	char text[64];

	(void)state;
	begin(&b, "SoldOut", 1);
	value_str(&b, "a\xe2\x82\xac\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac\xe2\x82\xac", 6);
	value_tag(&b, VALUE_END);
	const struct pl_value exception = exception_of(&b);
	for (size_t max = 8; max <= 32; max++) {
		const size_t length = valued_message(&exception, "SoldOut", text, max);
		assert_int_equal(length, strlen(text));
		assert_true(length < max);
		characters(text);
	}
	assert_int_equal(characters(text), 6);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		cmocka_unit_test(no_messages),
		cmocka_unit_test(is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
