/* Texts of instances of the standard library's types: compared with a text, or with what the
 * interpreter's repr makes of them.
 *
 *	expect_repr("import datetime", "datetime.date(2026, 3, 1)");
 */
#ifndef TEST_INSIDE_TEXTS_H
#define TEST_INSIDE_TEXTS_H

#include <stdio.h>
#include <string.h>
#include "recorder/values/library.h"
#include "recorder/values/types.h"
#include "tests/lib/inside.h"

static char text_made[REPR_BYTES_MAX + 1];

/* The value of the expression after these statements, in names that the caller owns. */
static inline PyObject *expression_names(const char *before, const char *expression)
{
	char all[1024];

	snprintf(all, sizeof all, "%s\nof = %s\n", before, expression);
	return inside_bind(all);
}

/* NULL: it has none. */
static inline const char *text_of_object(PyObject *o)
{
	struct repr r = {.text = text_made, .room = REPR_BYTES_MAX};
	const struct value_type *t = value_type_of(Py_TYPE(o));

	if (!t->library || !t->library->text(&r, o))
		return NULL;
	assert_false(r.cut);
	assert_null(PyErr_Occurred());
	text_made[r.length] = 0;
	return text_made;
}

/* expected: NULL: it has none. */
static inline void expect_text(const char *before, const char *expression, const char *expected)
{
	PyObject *names = expression_names(before, expression);
	const char *text = text_of_object(inside_name(names, "of"));

	if (!expected)
		assert_null(text);
	else
		assert_non_null(text);
	if (expected)
		assert_string_equal(text, expected);
	Py_DECREF(names);
}

static inline void expect_repr(const char *before, const char *expression)
{
	PyObject *names = expression_names(before, expression), *o = inside_name(names, "of"),
		 *repr = PyObject_Repr(o);
	const char *text = text_of_object(o);

	assert_non_null(repr);
	assert_non_null(text);
	assert_string_equal(text, PyUnicode_AsUTF8(repr));
	Py_DECREF(repr);
	Py_DECREF(names);
}

#endif
