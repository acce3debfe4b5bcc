/* What the filters leave out. */
#include "recorder/left_out.h"

#include <stdlib.h>
#include <string.h>
#include "base/expect.h"
#include "base/view.h"
#include "bytecode/bytecode.h"
#include "filter/filter.h"
#include "recorder/code.h"
#include "recorder/code_body.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/frame.h"
#include "recorder/emit_fast.h"
#include "recorder/globals.h"
#include "recorder/names.h"
#include "recorder/root.h"

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

/* The same code object can be run under several modules (exec): the first one decides. */
bool filters_record(PyCodeObject *code)
{
	PyObject *keep[5];
	uint64_t matched;
	size_t length;
	py_frame *frame = frame_of(code);
	const char *file = text_of(code->co_filename, &length, &keep[0]);
	struct filter_code c = {
		.file = view_of(file, length),
		.module = global_text(frame, "__name__", &keep[1]),
		.module_file = global_text(frame, "__file__", &keep[2]),
		.own_name = own_name(frame, &keep[3], &keep[4]),
	};
	if (is_unplaced(c.file) && !c.module_file.left && !view_is_text(c.module, "__main__"))
		c.module_file = runners_file(frame, &keep[2]);
	bool records = filter_records(&root.filter, &c, &matched);

	atomic_fetch_or_explicit(&root.arena.head->filter_matched, matched, memory_order_relaxed);
	for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
		Py_XDECREF(keep[i]);
	return records;
}

/* It has a record, too, because its events are to be disabled one by one, where they first come. */
struct code_record *code_leave_out(PyCodeObject *code)
{
	struct code_record *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->left_out = true;
	r->coroutine = (code->co_flags & COROUTINE_FLAGS) != 0;
	if (code_attach(code, r) < 0) {
		free(r);
		return NULL;
	}
	atomic_fetch_add_explicit(&root.slot->codes_left_out, 1, memory_order_relaxed);
	return r;
}

/* Only the lines of its graph: for the place from which it calls. */
static uint32_t tell_outside(PyCodeObject *code)
{
	PyObject *plain = PyCode_GetCode(code);
	struct flow_graph graph = {0};
	uint32_t number = 0;
	const char *why;

	if (!plain)
		return 0;
	struct bytecode parts = code_parts(code, plain);
	if (bytecode_graph(&parts, &graph, &why) != PL_ERR_MEMORY) {
		struct flow_graph lines = graph;
		lines.analysed = false;
		lines.start_count = lines.block_count = lines.edge_count = 0;
		number = code_next_number();
		if (!code_send_body(
			    code, &lines, (struct code_told){.number = number, .left_out = true}))
			number = 0;
	}
	Py_DECREF(plain);
	flow_graph_release(&graph);
	return number;
}

uint32_t code_outside_number(PyCodeObject *code, struct code_record *r)
{
	if (likely(r->number != 0))
		return r->number;
	root.describing++;
	r->number = tell_outside(code);
	root.describing--;
	PyErr_Clear();
	return r->number;
}
