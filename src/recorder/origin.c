#include "recorder/origin.h"

#include <string.h>
#include "base/view.h"
#include "recorder/compat/frame.h"
#include "recorder/globals.h"
#include "recorder/names.h"

/* The name that the module's __spec__ has: what -m starts is not only __main__. *keep is to be
 * released by the caller, after the text was used, and *bytes is as text_of has it. */
static struct pl_view own_name(const py_frame *frame, PyObject **keep, PyObject **bytes)
{
	PyObject *names = frame ? frame->f_globals : NULL;
	PyObject *spec =
		names && PyDict_Check(names) ? PyDict_GetItemString(names, "__spec__") : NULL;
	size_t length;

	*keep = spec ? plain_attribute(spec, "name") : NULL;
	*bytes = NULL;
	if (!*keep || !PyUnicode_Check(*keep))
		return view_of("", 0);
	const char *at = text_of(*keep, &length, bytes);
	return view_of(at, length);
}

static bool view_is_text(struct pl_view v, const char *text)
{
	return v.left == strlen(text) && !memcmp(v.at, text, v.left);
}

/* Code without a file: "<string>", but not "<frozen os>", which names a place. */
static bool is_unplaced(struct pl_view file)
{
	return !file.left || (*file.at == '<' && (file.left < 8 || memcmp(file.at, "<frozen ", 8)));
}

/* The file of the first frame that has one; *keep is as text_of has it. */
static struct pl_view runners_file(py_frame *frame, PyObject **keep)
{
	struct pl_view file = {0};
	size_t length;

	for (; frame && is_unplaced(file); frame = frame_caller(frame)) {
		Py_CLEAR(*keep);
		const char *at = text_of(frame_code(frame)->co_filename, &length, keep);
		file = view_of(at, length);
	}
	return file;
}

/* What the code is judged by if its file is not enough; keep: as the texts have it. */
static void add_module(struct filter_code *c, py_frame *frame, PyObject *keep[4])
{
	c->module = global_text(frame, "__name__", &keep[0]);
	c->module_file = global_text(frame, "__file__", &keep[1]);
	c->own_name = own_name(frame, &keep[2], &keep[3]);
	if (is_unplaced(c->file) && !c->module_file.left && !view_is_text(c->module, "__main__"))
		c->module_file = runners_file(frame, &keep[1]);
}

static bool asks_modules(const struct filter *rules)
{
	for (uint32_t i = 0; i < rules->rule_count; i++)
		if (rules->rules[i].kind == FILTER_MODULE)
			return true;
	return false;
}

bool origin_fits(PyCodeObject *code, const struct filter *rules, _Atomic uint64_t *matched)
{
	PyObject *keep[5] = {0};
	uint64_t these;
	size_t length;
	const char *file = text_of(code->co_filename, &length, &keep[0]);
	struct filter_code c = {.file = view_of(file, length)};

	/* This is asked of all code: mostly the file alone says that nothing is kept. */
	if (asks_modules(rules) || is_unplaced(c.file))
		add_module(&c, frame_of(code), &keep[1]);
	bool fits = filter_records(rules, &c, &these);

	atomic_fetch_or_explicit(matched, these, memory_order_relaxed);
	for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
		Py_XDECREF(keep[i]);
	return fits;
}
