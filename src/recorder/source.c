/* Texts that no file has: what linecache was told, and the text of -c. Files are read by the
 * collector. */
#include "recorder/state.h"

#include <string.h>
#include "format/message.h"

#define TEXT_MAX ((size_t)4 << 20) /* as sources.h has it for files: longer ones are not told */

static void send_text(const char *file, size_t file_length, const char *text, size_t length)
{
	struct pl_buf fields = {0};

	buf_string(&fields, file, file_length);
	buf_string(&fields, text, length);
	message_put(MESSAGE_SOURCE, &fields);
	buf_release(&fields);
}

/* The lines that linecache has for a file name: borrowed, NULL if none. An entry of a text is
 * (size, mtime, lines, fullname); a lazy one has a function in their place, and is not asked. */
static PyObject *cached_lines(PyObject *file)
{
	PyObject *cache = module_attribute("linecache", "cache");
	PyObject *entry =
		cache && PyDict_CheckExact(cache) ? PyDict_GetItemWithError(cache, file) : NULL;

	if (!entry || !PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 4)
		return NULL;
	PyObject *lines = PyTuple_GET_ITEM(entry, 2);
	return PyList_CheckExact(lines) ? lines : NULL;
}

static void tell_lines(const char *file, size_t length, PyObject *lines)
{
	PyObject *nothing = PyUnicode_FromString(""), *text = NULL, *keep = NULL;
	size_t n;

	if (nothing)
		text = PyUnicode_Join(nothing, lines);
	if (text) {
		const char *bytes = text_of(text, &n, &keep);
		if (n <= TEXT_MAX)
			send_text(file, length, bytes, n);
	}
	PyErr_Clear();
	Py_XDECREF(keep);
	Py_XDECREF(text);
	Py_XDECREF(nothing);
}

void source_tell(PyCodeObject *code, const char *file, size_t length)
{
	static struct pl_map told; /* hash of the file's name -> address of the lines last told */

	/* 3.13 tells linecache the text of -c under "<string>", which is not that of other code
	 * from a "<string>". */
	if (!length || file[0] != '<' || (length == 8 && memcmp(file, "<string>", 8) == 0))
		return;
	PyObject *lines = cached_lines(code->co_filename);
	uint64_t *last = map_put(&told, hash_bytes(file, length));
	if (!last || *last == (uint64_t)(uintptr_t)lines)
		return;
	*last = (uint64_t)(uintptr_t)lines;
	if (lines)
		tell_lines(file, length, lines);
	else
		send_text(file, length, "", 0);
	PyErr_Clear();
}

/* Every code object made from the same text, described while that text is the one for "<string>".
 */
static void describe_nested(PyCodeObject *code)
{
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
		PyObject *constant = PyTuple_GET_ITEM(code->co_consts, i);
		if (PyCode_Check(constant) && code_record((PyCodeObject *)constant))
			describe_nested((PyCodeObject *)constant);
	}
}

bool source_open_command(PyCodeObject *code)
{
	static const char name[] = "<string>";

	if (!root.command_text.used || !PyUnicode_EqualToUTF8(code->co_filename, name) ||
		!PyUnicode_EqualToUTF8(code->co_qualname, "<module>"))
		return false;
	send_text(name, strlen(name), (const char *)root.command_text.at, root.command_text.used);
	return true;
}

void source_close_command(PyCodeObject *code)
{
	static const char name[] = "<string>";

	buf_release(&root.command_text);
	describe_nested(code);
	send_text(name, strlen(name), "", 0);
}
