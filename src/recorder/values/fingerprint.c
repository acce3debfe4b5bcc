/* An object's address is in its fingerprint: a variable that was bound anew is told, also if what
 * it is bound to now looks the same. But the address alone is not enough, not even of what cannot
 * change: the memory of a float that has died is that of the next one.
 *
 * It is for None, True, False, and for what has nothing but its name: functions, classes and
 * modules. They are named anew so rarely that it is not worth looking each time.
 */
#include "recorder/values/fingerprint.h"

#include <string.h>

#include "base/map.h"
#include "recorder/compat/objects.h"
#include "recorder/root.h"
#include "recorder/values/known.h"
#include "recorder/values/secrets.h"
#include "recorder/values/text.h"
#include "recorder/values/types.h"

static uint64_t mixed(const PyObject *o, uint64_t contents)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	uint64_t number = ((uint64_t)(uintptr_t)o ^ contents * odd) * odd;

	number ^= number >> 32;
	return number ? number : 1;
}

static bool has_name_alone(PyObject *o)
{
	const enum value_kind kind = value_type_of(Py_TYPE(o))->kind;

	return kind == VALUE_FUNCTION || kind == VALUE_CLASS || kind == VALUE_MODULE;
}

/* The digits that an int can be shown with, and how many there are. */
#define DIGITS_HASHED 16
static uint64_t int_contents(PyObject *o)
{
	const struct long_parts l = long_parts((const PyLongObject *)o);

	if (l.count <= 1)
		return (l.count ? l.digits[0] : 0) << 1 | l.negative;
	const size_t n = l.count < DIGITS_HASHED ? l.count : DIGITS_HASHED;
	return (hash_bytes(l.digits, n * sizeof *l.digits) + l.count) << 1 | l.negative;
}

static uint64_t str_contents(PyObject *o)
{
	const size_t length = (size_t)PyUnicode_GET_LENGTH(o);
	const size_t most = root.arena.head->value_limits.chars + SECRET_AHEAD_BYTES;
	const size_t n = (length < most ? length : most) * (size_t)PyUnicode_KIND(o);

	return hash_bytes(PyUnicode_DATA(o), n) + length;
}

/* Any other object: by the bytes of its value. */
static struct fingerprint of_value(PyObject *o)
{
	const struct known_value v = known_value_of(o);

	if (!v.length)
		return (struct fingerprint){.number = mixed(o, 0)};
	return (struct fingerprint){
		.number = mixed(o, v.hash), .value = v.bytes, .value_bytes = v.length};
}

struct fingerprint fingerprint_of(PyObject *o, bool hidden)
{
	uint64_t contents = 0;

	if (!o)
		return (struct fingerprint){0};
	if (hidden && !root.arena.head->shows_secrets) {
		contents = 0;
	} else if (PyLong_CheckExact(o)) {
		contents = int_contents(o);
	} else if (PyUnicode_CheckExact(o) && text_is_ready(o)) {
		contents = str_contents(o);
	} else if (PyFloat_CheckExact(o)) {
		const double number = PyFloat_AS_DOUBLE(o);
		memcpy(&contents, &number, sizeof contents);
	} else if (o != Py_None && !PyBool_Check(o) && !has_name_alone(o)) {
		return of_value(o);
	}
	return (struct fingerprint){.number = mixed(o, contents)};
}
