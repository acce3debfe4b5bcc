#include "recorder/values/text.h"

#include <string.h>

#define CHARACTER_BYTES_MAX 4

static uint8_t *put_character(uint8_t *p, Py_UCS4 c)
{
	if (c < 0x80) {
		*p++ = (uint8_t)c;
	} else if (c < 0x800) {
		*p++ = (uint8_t)(0xc0 | c >> 6);
		*p++ = (uint8_t)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*p++ = (uint8_t)(0xe0 | c >> 12);
		*p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		*p++ = (uint8_t)(0x80 | (c & 0x3f));
	} else {
		*p++ = (uint8_t)(0xf0 | c >> 18);
		*p++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
		*p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		*p++ = (uint8_t)(0x80 | (c & 0x3f));
	}
	return p;
}

const char *text_ascii(PyObject *str, size_t *length)
{
	if (!PyUnicode_IS_COMPACT_ASCII(str))
		return NULL;
	*length = (size_t)PyUnicode_GET_LENGTH(str);
	return (const char *)PyUnicode_DATA(str);
}

bool text_is_ready(PyObject *str)
{
#if PY_VERSION_HEX < 0x030c0000
	return PyUnicode_IS_READY(str);
#else
	(void)str;
	return true;
#endif
}

size_t text_encode_part(uint8_t *to, size_t room, PyObject *str, size_t from, size_t end)
{
	uint8_t *p = to;

	if (!text_is_ready(str))
		return 0;
	if (end > (size_t)PyUnicode_GET_LENGTH(str))
		end = (size_t)PyUnicode_GET_LENGTH(str);
	if (from >= end)
		return 0;
	if (PyUnicode_IS_COMPACT_ASCII(str)) {
		size_t length = end - from < room ? end - from : room;
		memcpy(to, (const uint8_t *)PyUnicode_DATA(str) + from, length);
		return length;
	}
	const void *data = PyUnicode_DATA(str);
	const int kind = (int)PyUnicode_KIND(str);
	for (size_t i = from; i < end && room - (size_t)(p - to) >= CHARACTER_BYTES_MAX; i++)
		p = put_character(p, PyUnicode_READ(kind, data, (Py_ssize_t)i));
	return (size_t)(p - to);
}

size_t text_encode(uint8_t *to, size_t room, PyObject *str, size_t chars)
{
	return text_encode_part(to, room, str, 0, chars);
}

size_t text_cut(const uint8_t *text, size_t length, size_t chars)
{
	size_t i = 0;

	if (length <= chars)
		return length;
	while (i < length && chars) {
		i++;
		while (i < length && (text[i] & 0xc0) == 0x80)
			i++;
		chars--;
	}
	return i;
}

size_t text_whole(const char *text, size_t length, size_t most)
{
	if (length <= most)
		return length;
	while (most && ((uint8_t)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}
