/* Texts of numpy's arrays and scalars. There may be no numpy here, so these are made as its headers
 * lay them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include "recorder/compat/library.h"
#include "recorder/values/library_texts.h"
#include "tests/lib/inside_texts.h"

#define OWNED	 4
#define HEAD(of) .head = {.ob_type = (PyTypeObject *)(uintptr_t)(of)}

static const PyTypeObject array_type = {.tp_name = "numpy.ndarray"};
static const PyTypeObject matrix_type = {.tp_name = "numpy.matrix"};
static PyTypeObject number_type;
static struct dtype_layout dtype = {.scalar_type = &number_type, .byte_order = '='};

struct scalar {
	PyObject head;
	char bytes[8];
};

static const char *text_of(library_text *function, PyObject *o)
{
	struct repr r = {.text = text_made, .room = REPR_BYTES_MAX};

	if (!function(&r, o))
		return NULL;
	text_made[r.length] = 0;
	return text_made;
}

static void expect_scalar(const char *type, const void *bytes, size_t count, const char *expected)
{
	struct scalar s = {HEAD(&number_type)};

	number_type.tp_name = type;
	memcpy(s.bytes, bytes, count);
	assert_string_equal(text_of(text_of_scalar, &s.head), expected);
}

#define EXPECT_SCALAR(type, c_type, value, expected)                                               \
	expect_scalar("numpy." type, &(c_type){value}, sizeof(c_type), "np." expected)

static void scalars(void **state)
{
	(void)state;
	EXPECT_SCALAR("bool", char, 1, "bool(True)");
	EXPECT_SCALAR("bool_", char, 0, "bool_(False)");
	EXPECT_SCALAR("int8", int8_t, -5, "int8(-5)");
	EXPECT_SCALAR("int64", int64_t, INT64_MIN, "int64(-9223372036854775808)");
	EXPECT_SCALAR("uint8", uint8_t, 255, "uint8(255)");
	EXPECT_SCALAR("uint64", uint64_t, UINT64_MAX, "uint64(18446744073709551615)");
	EXPECT_SCALAR("float32", float, 0.1f, "float32(0.1)");
	EXPECT_SCALAR("float64", double, 0.1, "float64(0.1)");
	EXPECT_SCALAR("float64", double, 3, "float64(3.0)");
	EXPECT_SCALAR("float64", double, 1e300, "float64(1e+300)");
}

static void other_scalars(void **state)
{
	struct scalar s = {HEAD(&number_type)};

	(void)state;
	number_type.tp_name = "numpy.complex128";
	assert_null(text_of(text_of_scalar, &s.head));
	number_type.tp_name = "shop.int8";
	assert_null(text_of(text_of_scalar, &s.head));
}

/* A program's locale does not change what a number is. */
static void in_another_locale(void **state)
{
	static const char *const all[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (setlocale(LC_NUMERIC, all[i]))
			break;
	EXPECT_SCALAR("float64", double, 2.5, "float64(2.5)");
	setlocale(LC_NUMERIC, "C");
}

static Py_ssize_t rows_and_columns[2] = {2, 3}, strides[2] = {6, 2};
static int16_t items[24] = {1, 2, 3, -4, 5, 6};

static struct ndarray_layout array_of_items(void)
{
	number_type.tp_name = "numpy.int16";
	dtype.byte_order = '=';
	return (struct ndarray_layout){HEAD(&array_type), .data = (char *)items,
		.dimension_count = 2, .dimensions = rows_and_columns, .strides = strides,
		.dtype = &dtype, .flags = OWNED};
}

static void expect_array(struct ndarray_layout *a, const char *expected)
{
	assert_string_equal(text_of(text_of_array, &a->head), expected);
}

static void arrays(void **state)
{
	struct ndarray_layout a = array_of_items();
	Py_ssize_t many[] = {12}, step[] = {2};

	(void)state;
	expect_array(&a, "array([[1, 2, 3], [-4, 5, 6]], dtype=int16)");
	struct ndarray_layout view = a; /* of memory that the first one owns */
	view.flags = 0;
	view.base = &a.head;
	expect_array(&view, "array([[1, 2, 3], [-4, 5, 6]], dtype=int16)");
	a.dimension_count = 0;
	expect_array(&a, "array(1, dtype=int16)");
	a.dimension_count = 1;
	a.dimensions = many;
	a.strides = step;
	expect_array(&a, "array([1, 2, 3, -4, 5, 6, 0, 0, 0, 0, \u2026+2 items], dtype=int16)");
	many[0] = 0;
	expect_array(&a, "array([], dtype=int16)");
}

/* Of memory that may be gone, and of what is no number, only the shape. */
static void shapes(void **state)
{
	struct ndarray_layout a = array_of_items(), base = a;

	(void)state;
	a.flags = 0;
	expect_array(&a, "<ndarray shape=(2, 3) dtype=int16>");
	base.head.ob_type = (PyTypeObject *)(uintptr_t)&matrix_type; /* can be over anything */
	a.base = &base.head;
	expect_array(&a, "<ndarray shape=(2, 3) dtype=int16>");
	a = array_of_items();
	dtype.byte_order = '>';
	expect_array(&a, "<ndarray shape=(2, 3) dtype=int16>");
	number_type.tp_name = "numpy.object_";
	a.dimension_count = 1;
	expect_array(&a, "<ndarray shape=(2,) dtype=object_>");
	a.dimension_count = 0;
	expect_array(&a, "<ndarray shape=() dtype=object_>");
}

static void what_is_not_as_expected(void **state)
{
	struct ndarray_layout a = array_of_items();

	(void)state;
	a.dimension_count = 65;
	assert_null(text_of(text_of_array, &a.head));
	a = array_of_items();
	a.strides = NULL;
	assert_null(text_of(text_of_array, &a.head));
	a = array_of_items();
	a.dtype = NULL;
	assert_null(text_of(text_of_array, &a.head));
}

INSIDE_TESTS(values_library_array)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars),
		cmocka_unit_test(other_scalars),
		cmocka_unit_test(in_another_locale),
		cmocka_unit_test(arrays),
		cmocka_unit_test(shapes),
		cmocka_unit_test(what_is_not_as_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
