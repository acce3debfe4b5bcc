/* Paths of pathlib, for POSIX. Those for Windows stay objects. What a path was made of is joined
 * and normalized as str() would do it, and remember: nothing is remembered here. */
#include <string.h>

#include "recorder/compat/library.h"
#include "recorder/values/library_texts.h"
#include "recorder/values/members.h"
#include "recorder/values/text.h"

static PyObject *str_of(PyObject *o)
{
	return o && PyUnicode_Check(o) ? o : NULL;
}

#if PY_VERSION_HEX < 0x030c0000
/* The drive, which is empty, the root, and the parts: the first of these has the root too. */
static bool put_made_of(struct repr *path, PyObject *o)
{
	PyObject *anchor = str_of(object_slot(o, "_root"));
	PyObject *parts = object_slot(o, "_parts");

	if (!anchor || !parts || !PyList_CheckExact(parts))
		return false;
	const Py_ssize_t first = PyUnicode_GET_LENGTH(anchor) ? 1 : 0;
	repr_plain(path, anchor);
	for (Py_ssize_t i = first; i < PyList_GET_SIZE(parts); i++) {
		PyObject *part = str_of(PyList_GET_ITEM(parts, i));
		if (!part)
			return false;
		if (i > first)
			repr_text(path, "/", 1);
		repr_plain(path, part);
	}
	return true;
}
#else
static bool is_absolute(PyObject *path)
{
	return PyUnicode_GET_LENGTH(path) && PyUnicode_READ_CHAR(path, 0) == '/';
}

/* Two slashes at the beginning mean something else than one or three. */
static void put_root(struct repr *path, PyObject *first)
{
	Py_ssize_t slashes = 0;

	while (slashes < PyUnicode_GET_LENGTH(first) && PyUnicode_READ_CHAR(first, slashes) == '/')
		slashes++;
	repr_text(path, "//", slashes == 0 ? 0 : slashes == 2 ? 2 : 1);
}

/* The names in a path, without empty ones and ".". */
static void put_names(struct repr *path, const char *text, size_t length)
{
	for (size_t i = 0, n; i < length; i += n + 1) {
		const char *slash = memchr(text + i, '/', length - i);
		n = slash ? (size_t)(slash - text) - i : length - i;
		if (!n || (n == 1 && text[i] == '.'))
			continue;
		if (path->length && path->text[path->length - 1] != '/')
			repr_text(path, "/", 1);
		repr_text(path, text + i, n);
	}
}

/* The strs that it was made of: an absolute one makes those before it vain. */
static bool put_made_of(struct repr *path, PyObject *o)
{
	static char text[REPR_BYTES_MAX]; /* with the GIL */
	PyObject *paths = object_slot(o, "_raw_paths");
	Py_ssize_t first = 0;

	if (!paths || !PyList_CheckExact(paths))
		return false;
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(paths); i++) {
		if (!str_of(PyList_GET_ITEM(paths, i)))
			return false;
		if (is_absolute(PyList_GET_ITEM(paths, i)))
			first = i;
	}
	for (Py_ssize_t i = first; i < PyList_GET_SIZE(paths); i++) {
		PyObject *part = PyList_GET_ITEM(paths, i);
		if (i == first)
			put_root(path, part);
		size_t length = text_encode((uint8_t *)text, sizeof text, part, sizeof text);
		put_names(path, text, length);
		if (length > sizeof text - 4)
			path->cut = true;
	}
	return true;
}
#endif

bool text_of_path(struct repr *r, PyObject *o)
{
	static char text[REPR_BYTES_MAX]; /* with the GIL */
	struct repr path = {.text = text, .room = sizeof text};
	PyObject *whole = str_of(object_slot(o, "_str"));

	if (whole)
		repr_plain(&path, whole);
	else if (!put_made_of(&path, o))
		return false;
	if (!path.length)
		repr_text(&path, ".", 1);
	repr_name_of_type(r, o);
	repr_text(r, "(", 1);
	repr_quoted(r, text, path.length);
	if (path.cut)
		r->cut = true;
	repr_text(r, ")", 1);
	return true;
}
