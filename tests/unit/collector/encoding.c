/* Bytes as the text that Python makes of them: what it decodes, what it refuses, and the hash of a
 * .pyc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "collector/encoding.h"

#define BYTES(text) view_of(text, sizeof(text) - 1)

static void decodes(void **state)
{
	static const struct {
		struct pl_view bytes, text;
	} cases[] = {
		{{(const uint8_t *)"", 0}, {(const uint8_t *)"", 0}},
#define CASE(bytes, text)                                                                          \
	{                                                                                          \
		{(const uint8_t *)(bytes), sizeof(bytes) - 1},                                     \
		{                                                                                  \
			(const uint8_t *)(text), sizeof(text) - 1                                  \
		}                                                                                  \
	}
		CASE("x = '\xc3\xa4'\n", "x = '\xc3\xa4'\n"),
		CASE("\xef\xbb\xbfx\n", "x\n"),
		CASE("\xef\xbb\xbf# coding: utf-8\n", "# coding: utf-8\n"),
		CASE("# coding: latin-1\n\xe4", "# coding: latin-1\n\xc3\xa4"),
		CASE("#!x\r\n# vim: fileencoding=ISO_8859_1\r\n\xe4",
			"#!x\r\n# vim: fileencoding=ISO_8859_1\r\n\xc3\xa4"),
		CASE("\f# coding=l1\n\xff", "\f# coding=l1\n\xc3\xbf"),
		CASE("# coding: utf-8-unix\n\xc3\xa4", "# coding: utf-8-unix\n\xc3\xa4"),
		CASE("# coding: koi8-r\n\xc1", "# coding: koi8-r\n\xd0\xb0"),
		CASE("# coding:\n\xc3\xa4", "# coding:\n\xc3\xa4"),
		CASE("# encoding : latin-1\n\xc3\xa4", "# encoding : latin-1\n\xc3\xa4"),
		CASE("x = 1 # coding: latin-1\n\xc3\xa4", "x = 1 # coding: latin-1\n\xc3\xa4"),
		CASE("x\n# coding: latin-1\n\xc3\xa4", "x\n# coding: latin-1\n\xc3\xa4"),
		CASE("\n\n# coding: latin-1\n\xc3\xa4", "\n\n# coding: latin-1\n\xc3\xa4"),
		CASE("# coding: us-ascii\nx", "# coding: us-ascii\nx"),
#undef CASE
	};
	struct pl_buf text = {0};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(text_decode(cases[i].bytes, &text));
		assert_int_equal(text.used, cases[i].text.left);
		if (text.used)
			assert_memory_equal(text.at, cases[i].text.at, text.used);
	}
	buf_release(&text);
}

static void refuses(void **state)
{
	const struct pl_view cases[] = {
		BYTES("\xff\xfex\0"),			  /* UTF-16 */
		BYTES("x = '\xe4'\n"),			  /* not UTF-8 */
		BYTES("x = '\xc3"),			  /* cut */
		BYTES("\xed\xa0\x80"),			  /* a surrogate */
		BYTES("\xc0\x80"),			  /* overlong */
		BYTES("x\0"),				  /* a NUL */
		BYTES("\xef\xbb\xbf# coding: latin-1\n"), /* which of the two? */
		BYTES("# coding: ascii\n\xc3\xa4"),
		BYTES("# coding: no-such-coding\n"),
		BYTES("# coding: shift_jis\n\x81"),
	};
	struct pl_buf text = {0};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_non_null(text_decode(cases[i], &text));
	buf_release(&text);
}

/* The names of codecs are of any length. */
static void long_name(void **state)
{
	struct pl_buf bytes = {0}, text = {0};

	(void)state;
	buf_put(&bytes, "# coding: ", 10);
	for (int i = 0; i < 5000; i++)
		buf_u8(&bytes, 'x');
	assert_non_null(text_decode(buf_view(&bytes), &text));
	buf_release(&bytes);
	buf_release(&text);
}

/* As _imp.source_hash of CPython 3.11 and later says. */
static void hashes(void **state)
{
	(void)state;
	assert_true(text_hash(3571, BYTES("")) == 0xbe060eb56e1a5d8b);
	assert_true(text_hash(3571, BYTES("x = 1\n")) == 0x6909b1bafab59c1b);
	assert_true(text_hash(3495, BYTES("abcdefgh")) == 0x3cbe2bee7b6d0ddd);
	assert_true(
		text_hash(1,
			BYTES("abcdefghiabcdefghiabcdefghiabcdefghiabcdefghiabcdefghiabcdefghi")) ==
		0x2121609217d517ae);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),
		cmocka_unit_test(refuses),
		cmocka_unit_test(long_name),
		cmocka_unit_test(hashes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
