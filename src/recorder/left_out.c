/* What the filters leave out. */
#include "recorder/left_out.h"

#include <stdlib.h>
#include "base/expect.h"
#include "bytecode/bytecode.h"
#include "recorder/code.h"
#include "recorder/code_body.h"
#include "recorder/compat/code_object.h"
#include "recorder/emit_fast.h"
#include "recorder/origin.h"
#include "recorder/root.h"

bool filters_record(PyCodeObject *code)
{
	return origin_fits(code, &root.filter, &root.arena.head->filter_matched);
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

void code_leave_out_named(PyCodeObject *code)
{
	if (!root.slot || code_known(code))
		return;
	root.filters = true;
	code_leave_out(code);
	PyErr_Clear();
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
