#include "recorder/values/requests.h"

#include <string.h>

#include "recorder/compat/code_object.h"
#include "recorder/values/text.h"

/* The arguments that an application is called with, in this order; the first has the request. */
static const char *const applications[][3] = {
	{"environ", "start_response", NULL}, /* WSGI */
	{"scope", "receive", "send"},	     /* ASGI */
};

/* Of the first, or of the second. */
static const char *const request_keys[REQUEST_KEYS] = {
	"REQUEST_METHOD", "PATH_INFO", "type", "method", "path"};

static bool is_named(PyObject *name, const char *text)
{
	return !PyUnicode_CompareWithASCIIString(name, text);
}

static uint32_t variable_of_first(const PyCodeObject *code, const char *const names[3])
{
	const uint32_t count = code_argument_count(code);
	uint32_t first = REQUEST_NO_VARIABLE;
	size_t next = 0;

	for (uint32_t i = 0; i < count && next < 3 && names[next]; i++) {
		const uint32_t variable = code_argument_variable(code, i);
		if (!is_named(PyTuple_GET_ITEM(code->co_localsplusnames, variable), names[next]))
			continue;
		if (!next++)
			first = variable;
	}
	return next == 3 || !names[next] ? first : REQUEST_NO_VARIABLE;
}

uint32_t request_variable_of(const PyCodeObject *code)
{
	uint32_t found = REQUEST_NO_VARIABLE;

	for (size_t i = 0; i < 2 && found == REQUEST_NO_VARIABLE; i++)
		found = variable_of_first(code, applications[i]);
	return found;
}

/* REQUEST_KEYS: it is none of them. */
static size_t request_key(PyObject *key)
{
	size_t length, i = 0;
	const char *text = key && PyUnicode_CheckExact(key) && text_is_ready(key)
				   ? text_ascii(key, &length)
				   : NULL;

	if (!text)
		return REQUEST_KEYS;
	while (i < REQUEST_KEYS &&
		(strlen(request_keys[i]) != length || memcmp(request_keys[i], text, length) != 0))
		i++;
	return i;
}

bool request_is_key(PyObject *key)
{
	return request_key(key) < REQUEST_KEYS;
}

/* In the order of the keys here. No look-up by a key: it could call __eq__ of another one. */
size_t request_members(PyObject *dict, struct member members[REQUEST_KEYS])
{
	struct member found[REQUEST_KEYS + 1] = {0}, m = {0};
	Py_ssize_t place = 0;
	size_t count = 0;

	while (PyDict_Next(dict, &place, &m.key, &m.value))
		found[request_key(m.key)] = m;
	for (size_t i = 0; i < REQUEST_KEYS; i++)
		if (found[i].key)
			members[count++] = found[i];
	return count;
}
