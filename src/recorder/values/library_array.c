/* Arrays and scalars of numpy: the first items of an array of numbers whose memory is its own. The
 * memory of another object, as of a mapped file, can be gone: then, and of other types, only the
 * shape and the type are written. */
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/compat/library.h"
#include "recorder/values/library_texts.h"

/* ---- numbers ---- */

/* With as few digits as tell it from others, and with a point, whatever the program's locale. */
static void put_float(struct repr *r, double value, bool is_single)
{
	static locale_t plain; /* owned, for good; with the GIL */
	char text[40] = "nan";

	if (!plain)
		plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	locale_t before = plain ? uselocale(plain) : (locale_t)0;
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		double again = strtod(text, NULL);
		if (is_single ? (float)again == (float)value : again == value)
			break;
	}
	if (before)
		uselocale(before);
	repr_format(r, "%s%s", text, strpbrk(text, ".ein") ? "" : ".0");
}

static void put_signed(struct repr *r, const char *at, size_t bytes)
{
	int64_t value = (signed char)at[bytes - 1] < 0 ? -1 : 0; /* little-endian */

	memcpy(&value, at, bytes);
	repr_format(r, "%" PRId64, value);
}

static void put_unsigned(struct repr *r, const char *at, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	repr_format(r, "%" PRIu64, value);
}

static void put_floating(struct repr *r, const char *at, size_t bytes)
{
	double value;
	float single;

	if (bytes == sizeof single) {
		memcpy(&single, at, sizeof single);
		put_float(r, (double)single, true);
	} else {
		memcpy(&value, at, sizeof value);
		put_float(r, value, false);
	}
}

static void put_bool(struct repr *r, const char *at, size_t bytes)
{
	(void)bytes;
	repr_format(r, "%s", *at ? "True" : "False");
}

struct number_type {
	const char *name; /* of the scalar's type, without "numpy." */
	size_t bytes;
	void (*put)(struct repr *r, const char *at, size_t bytes);
};

static const struct number_type NUMBERS[] = {
	{"bool", 1, put_bool},
	{"bool_", 1, put_bool}, /* before numpy 2 */
	{"int8", 1, put_signed},
	{"int16", 2, put_signed},
	{"int32", 4, put_signed},
	{"int64", 8, put_signed},
	{"longlong", 8, put_signed},
	{"uint8", 1, put_unsigned},
	{"uint16", 2, put_unsigned},
	{"uint32", 4, put_unsigned},
	{"uint64", 8, put_unsigned},
	{"ulonglong", 8, put_unsigned},
	{"float32", 4, put_floating},
	{"float64", 8, put_floating},
};

static const char *short_name(const PyTypeObject *type)
{
	const char *point = strrchr(type->tp_name, '.');

	return point ? point + 1 : type->tp_name;
}

static const struct number_type *number_type_of(const PyTypeObject *scalar)
{
	if (strncmp(scalar->tp_name, "numpy.", 6) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
		if (!strcmp(short_name(scalar), NUMBERS[i].name))
			return &NUMBERS[i];
	return NULL;
}

/* The number is behind the object's head. */
bool text_of_scalar(struct repr *r, PyObject *o)
{
	const struct number_type *number = number_type_of(Py_TYPE(o));

	if (!number)
		return false;
	repr_format(r, "np.%s(", number->name);
	number->put(r, (const char *)o + sizeof(PyObject), number->bytes);
	repr_text(r, ")", 1);
	return true;
}

/* ---- arrays ---- */

#define ITEMS_MAX      10 /* of a dimension */
#define DIMENSIONS_MAX 64 /* numpy's own limit */
#define BASES_MAX      4

static bool is_array(PyObject *o)
{
	return !strcmp(Py_TYPE(o)->tp_name, "numpy.ndarray");
}

/* Of exact arrays alone: a subclass can be over anything. */
static bool owns_memory(const struct ndarray_layout *a)
{
	enum { OWNS_DATA = 4 };

	for (int i = 0; i < BASES_MAX && is_array((PyObject *)a); i++) {
		if (!a->base)
			return a->flags & OWNS_DATA;
		a = (const struct ndarray_layout *)a->base;
	}
	return false;
}

static void put_items(struct repr *r, const struct ndarray_layout *a,
	const struct number_type *number, int dimension, const char *at)
{
	if (dimension == a->dimension_count) {
		number->put(r, at, number->bytes);
		return;
	}
	const Py_ssize_t count = a->dimensions[dimension];
	repr_text(r, "[", 1);
	for (Py_ssize_t i = 0; i < count && i < ITEMS_MAX && !r->cut; i++) {
		repr_text(r, ", ", i ? 2 : 0);
		put_items(r, a, number, dimension + 1, at + i * a->strides[dimension]);
	}
	if (count > ITEMS_MAX)
		repr_format(r, ", \u2026+%zd item%s", count - ITEMS_MAX,
			count - ITEMS_MAX == 1 ? "" : "s");
	repr_text(r, "]", 1);
}

static void put_shape(struct repr *r, const struct ndarray_layout *a)
{
	repr_text(r, "(", 1);
	for (int i = 0; i < a->dimension_count; i++)
		repr_format(r, "%s%zd", i ? ", " : "", a->dimensions[i]);
	repr_text(r, ",)", a->dimension_count == 1 ? 2 : 0);
	repr_text(r, ")", a->dimension_count == 1 ? 0 : 1);
}

bool text_of_array(struct repr *r, PyObject *o)
{
	const struct ndarray_layout *a = (const struct ndarray_layout *)o;
	const struct dtype_layout *dtype = a->dtype;

	if (!dtype || !dtype->scalar_type || a->dimension_count < 0 ||
		a->dimension_count > DIMENSIONS_MAX ||
		(a->dimension_count && (!a->dimensions || !a->strides)))
		return false;
	const struct number_type *number = number_type_of(dtype->scalar_type);
	bool is_plain = number && a->data && (dtype->byte_order == '=' || dtype->byte_order == '|');
	if (is_plain && owns_memory(a)) {
		repr_format(r, "array(");
		put_items(r, a, number, 0, a->data);
		repr_format(r, ", dtype=%s)", short_name(dtype->scalar_type));
		return true;
	}
	repr_format(r, "<%s shape=", short_name(Py_TYPE(o)));
	put_shape(r, a);
	repr_format(r, " dtype=%s>", short_name(dtype->scalar_type));
	return true;
}
