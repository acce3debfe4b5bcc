/* Code objects: described once to the recording, at their first event.
 *
 *	1. its bytecode as compiled       what runs is specialised and instrumented
 *	2. -> flow graph, marks           src/bytecode
 *	3. a number of the recording      next_code of the arena: all processes count together
 *	4. its text, if no file has it    source.c
 *	5. CODE to the collector          before the first event that names the number
 *	6. its record, attached           from here on it is known
 *
 * The number is used up also when 5 or 6 fails: no event has named it. Nothing here may leave an
 * error set: it runs in the middle of an instruction of the program.
 */
#include "recorder/state.h"

#include <stdlib.h>
#include <string.h>
#include "bytecode/bytecode.h"
#include "bytecode/handling.h"
#include "bytecode/passes.h"
#include "flow/witness.h"
#include "format/body.h"
#include "format/message.h"

/* The interpreter calls it when the code object dies: its address may serve another one. */
static void code_freed(void *record)
{
	struct code_record *r = record;
	struct pl_buf fields = {0};

	if (!r)
		return;
	if (!root.forked && r->number > root.shared_codes &&
		!atomic_load_explicit(&root.stopped, memory_order_relaxed)) {
		buf_varint(&fields, r->number);
		message_put(MESSAGE_CODE_FREE, &fields);
	}
	buf_release(&fields);
	free(r);
}

#if CODE_HAS_WATCHER
/* Called for every code object that is made or dies, also for those without a record. */
static int on_code(PyCodeEvent event, PyCodeObject *code)
{
	uint64_t key = (uint64_t)(uintptr_t)code;
	uint64_t *place = event == PY_CODE_EVENT_DESTROY ? map_find(&root.code_records, key) : NULL;

	if (event == PY_CODE_EVENT_CREATE)
		code_make_safe(code);
	if (place) {
		void *record = (void *)(uintptr_t)*place;
		map_remove(&root.code_records, key);
		code_freed(record);
	}
	return 0;
}

int code_init(void)
{
	return PyCode_AddWatcher(on_code) < 0 ? -1 : 0;
}

static int attach(PyCodeObject *code, struct code_record *r)
{
	uint64_t *place = map_put(&root.code_records, (uint64_t)(uintptr_t)code);

	if (!place)
		return -1;
	*place = (uint64_t)(uintptr_t)r;
	return 0;
}
#else
int code_init(void)
{
	root.code_index = PyUnstable_Eval_RequestCodeExtraIndex(code_freed);
	return root.code_index < 0 ? -1 : 0;
}

/* As PyUnstable_Code_SetExtra, but with room for ourselves alone. That makes room for all who have
 * asked for an index, and the free functions of the program would be called for codes that the
 * program never touched. */
static int attach(PyCodeObject *code, struct code_record *r)
{
	struct code_extras *x = (struct code_extras *)code->co_extra;
	size_t count = (size_t)root.code_index + 1;

	if (!x) {
		x = PyMem_Malloc(sizeof *x + count * sizeof x->values[0]);
		if (!x)
			return -1;
		x->size = (Py_ssize_t)count;
		memset(x->values, 0, count * sizeof x->values[0]);
		code->co_extra = (void *)x;
	} else if (x->size <= root.code_index) {
		return PyUnstable_Code_SetExtra((PyObject *)code, root.code_index, r);
	}
	x->values[root.code_index] = r;
	return 0;
}
#endif

static struct pl_view bytes_view(PyObject *bytes)
{
	return view_of(PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
}

#define START_MAX ((1u << 28) - 1) /* what code_unit holds; others are told by LINE_AT */

static void put_units(struct code_record *r, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->start_count && i < START_MAX; i++)
		if (g->starts[i].unit < r->unit_count)
			r->units[g->starts[i].unit] = (struct code_unit){
				.start = (i + 1) & START_MAX, .line = g->starts[i].line};
}

/* Without memory for it, no pass of the code's loops is told. */
static void put_passes(
	struct code_record *r, const struct bytecode *parts, const struct flow_graph *g)
{
	uint8_t *marks = g->unit_count <= r->unit_count ? calloc(r->unit_count, 1) : NULL;

	if (!marks)
		return;
	bytecode_passes(parts, g, marks, &r->checks);
	for (uint32_t i = 0; i < r->unit_count; i++)
		r->units[i].pass = marks[i] & 15u;
	free(marks);
}

/* calloc, not the interpreter's allocators: tracemalloc and sys.getallocatedblocks would count it.
 */
static struct code_record *record_of(
	PyCodeObject *code, const struct bytecode *parts, const struct flow_graph *g)
{
	uint32_t units = (uint32_t)Py_SIZE(code);
	struct code_record *r = calloc(
		1, sizeof *r + units * (sizeof r->units[0] + (ENGINE_TRACES ? sizeof(bool) : 0)));

	if (!r)
		return NULL;
#if ENGINE_TRACES
	r->handling = (bool *)&r->units[units];
	bytecode_handling(parts, r->handling);
#endif
	r->unit_count = units;
	r->generator_like = (code->co_flags & CODE_IS_GENERATOR) != 0;
	r->coroutine = (code->co_flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE)) != 0;
	put_units(r, g);
	if (!ENGINE_TRACES && root.arena.head->passes == PASSES_ALL)
		put_passes(r, parts, g);
	return r;
}

static bool send_body(PyCodeObject *code, struct flow_graph *graph, uint32_t number)
{
	PyObject *keep_file = NULL, *keep_name = NULL;
	struct pl_buf bytes = {0}, fields = {0};
	size_t file_length, name_length;
	const char *file = text_of(code->co_filename, &file_length, &keep_file);
	const char *name = text_of(code->co_qualname, &name_length, &keep_name);
	struct body body = {
		.file = view_of(file, file_length),
		.name = view_of(name, name_length),
		.first_line = code->co_firstlineno,
		.flags = (uint32_t)code->co_flags,
		.version = PYTHON_VERSION,
		.graph = *graph,
	};

	source_tell(code, file, file_length);
	body_write(&bytes, &body);
	buf_varint(&fields, number);
	buf_string(&fields, bytes.at, bytes.used);
	bool sent = !bytes.failed && message_put(MESSAGE_CODE, &fields);
	buf_release(&bytes);
	buf_release(&fields);
	Py_XDECREF(keep_file);
	Py_XDECREF(keep_name);
	return sent;
}

struct code_record *code_describe(PyCodeObject *code)
{
	struct flow_graph graph = {0};
	struct code_record *r = NULL;
	PyObject *plain = NULL;
	const char *why;

	if (atomic_load_explicit(&root.stopped, memory_order_relaxed) ||
		(root.forked && !process_begin_in_child()))
		return NULL;
	plain = PyCode_GetCode(code);
	if (!plain)
		goto done;
	struct bytecode parts = {
		.version = PYTHON_VERSION,
		.code = bytes_view(plain),
		.line_table = bytes_view(code->co_linetable),
		.except_table = bytes_view(code->co_exceptiontable),
		.first_line = code->co_firstlineno,
		.flags = (uint32_t)code->co_flags,
	};
	if (bytecode_graph(&parts, &graph, &why) == PL_ERR_MEMORY)
		goto done;
	flow_all_witnesses(&graph);
	r = record_of(code, &parts, &graph);
	if (!r)
		goto done;
	bool command = source_open_command(code);
	r->number =
		atomic_fetch_add_explicit(&root.arena.head->next_code, 1, memory_order_relaxed) + 1;
	if (!send_body(code, &graph, r->number) || attach(code, r) < 0) {
		free(r);
		r = NULL;
	}
	if (command)
		source_close_command(code);
done:
	PyErr_Clear();
	Py_XDECREF(plain);
	flow_graph_release(&graph);
	return r;
}
