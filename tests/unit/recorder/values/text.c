/* Texts as UTF-8: parts of them are whole characters, and nothing is written beyond the room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "recorder/values/text.h"

/* A str as the interpreter has it, without one. */
static union {
	PyASCIIObject ascii;
	PyCompactUnicodeObject compact;
	uint8_t room[256];
} made;

static PyObject *make_str(unsigned kind, const void *characters, size_t length)
{
	memset(&made, 0, sizeof made);
	made.ascii.length = (Py_ssize_t)length;
	made.ascii.state.kind = kind & 7u;
	made.ascii.state.compact = 1;
#if PY_VERSION_HEX < 0x030c0000
	made.ascii.state.ready = 1;
#endif
	memcpy(made.room + sizeof made.compact, characters, length * kind);
	return (PyObject *)&made;
}

static PyObject *make_ascii(const char *text)
{
	make_str(1, "", 0);
	made.ascii.length = (Py_ssize_t)strlen(text);
	made.ascii.state.ascii = 1;
	memcpy(made.room + sizeof made.ascii, text, strlen(text));
	return (PyObject *)&made;
}

static void expect(PyObject *str, size_t from, size_t end, const char *text)
{
	uint8_t bytes[64];
	const size_t n = text_encode_part(bytes, sizeof bytes, str, from, end);

	assert_int_equal(n, strlen(text));
	assert_memory_equal(bytes, text, n);
}

static void each_width_of_character(void **state)
{
	static const uint8_t latin[] = {'a', 0xe9, 0xff};
	static const uint16_t two[] = {'a', 0x7ff, 0x800, 0x20ac, 0xd800};
	static const uint32_t four[] = {0xffff, 0x10000, 0x1f600, 0x10ffff};

	(void)state;
	expect(make_ascii("abc"), 0, SIZE_MAX, "abc");
	expect(make_str(1, latin, 3), 0, SIZE_MAX, "a\xc3\xa9\xc3\xbf");
	/* a lone surrogate, too, as surrogatepass has it */
	expect(make_str(2, two, 5), 0, SIZE_MAX, "a\xdf\xbf\xe0\xa0\x80\xe2\x82\xac\xed\xa0\x80");
	expect(make_str(4, four, 4), 0, SIZE_MAX,
		"\xef\xbf\xbf\xf0\x90\x80\x80\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

static void a_part_of_it(void **state)
{
	static const uint8_t latin[] = {'a', 0xe9, 'b', 0xe8};

	(void)state;
	expect(make_str(1, latin, 4), 1, 3,
		"\xc3\xa9"
		"b");
	expect(make_str(1, latin, 4), 3, 100, "\xc3\xa8");
	expect(make_str(1, latin, 4), 4, 100, "");
	expect(make_str(1, latin, 4), 3, 2, "");
	expect(make_ascii("abcdef"), 2, 4, "cd");
}

static void no_more_than_the_room(void **state)
{
	static const uint32_t four[] = {0x1f600, 0x1f600, 0x1f600};
	uint8_t bytes[16];

	(void)state;
	for (size_t room = 0; room <= 12; room++) {
		memset(bytes, 0x5a, sizeof bytes);
		size_t n = text_encode(bytes, room, make_str(4, four, 3), SIZE_MAX);
		assert_int_equal(n, room / 4 * 4); /* whole characters */
		assert_int_equal(bytes[n], 0x5a);
	}
	memset(bytes, 0x5a, sizeof bytes);
	assert_int_equal(text_encode(bytes, 3, make_ascii("abcdef"), SIZE_MAX), 3);
	assert_int_equal(bytes[3], 0x5a);
	assert_int_equal(text_encode(bytes, 16, make_ascii("abcdef"), 2), 2);
}

static void ascii_is_read_in_place(void **state)
{
	static const uint8_t latin[] = {0xe9};
	size_t length = 0;
	const char *text = text_ascii(make_ascii("abc"), &length);

	(void)state;
	assert_int_equal(length, 3);
	assert_memory_equal(text, "abc", 3);
	assert_null(text_ascii(make_str(1, latin, 1), &length));
}

static void cut_by_characters(void **state)
{
	static const uint8_t text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";

	(void)state;
	assert_int_equal(text_cut(text, 11, 0), 0);
	assert_int_equal(text_cut(text, 11, 1), 1);
	assert_int_equal(text_cut(text, 11, 2), 3);
	assert_int_equal(text_cut(text, 11, 3), 6);
	assert_int_equal(text_cut(text, 11, 4), 10);
	assert_int_equal(text_cut(text, 11, 5), 11);
	assert_int_equal(text_cut(text, 11, 100), 11);
}

static void cut_by_bytes(void **state)
{
	static const char text[] = "a\xc3\xa9\xe2\x82\xac";
	static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6};

	(void)state;
	for (size_t most = 0; most < sizeof whole / sizeof *whole; most++)
		assert_int_equal(text_whole(text, 6, most), whole[most]);
	assert_int_equal(text_whole("\x80\x80\x80", 3, 2), 0); /* no text at all */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_width_of_character),
		cmocka_unit_test(a_part_of_it),
		cmocka_unit_test(no_more_than_the_room),
		cmocka_unit_test(ascii_is_read_in_place),
		cmocka_unit_test(cut_by_characters),
		cmocka_unit_test(cut_by_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
