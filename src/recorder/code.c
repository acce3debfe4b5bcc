/* Code objects: described once to the recording, at their first event.
 *
 *   1. its bytecode as compiled       what runs is specialised and instrumented
 *   2. -> flow graph, marks           src/bytecode; the collector makes that of straight code
 *   3. a number of the recording      next_code of the arena: all processes count together
 *   4. the unit that has its text     source.c
 *   5. CODE to the collector          before the first event that names the number
 *   6. its record, attached           from here on it is known
 *
 * The number is used up also when 5 or 6 fails: no event has named it. Nothing here may leave an
 * error set: it runs in the middle of an instruction of the program.
 */
#include "recorder/state.h"

#include <stdlib.h>
#include <string.h>
#include "base/varint.h"
#include "bytecode/bytecode.h"
#include "bytecode/handling.h"
#include "bytecode/opcode.h"
#include "bytecode/passes.h"
#include "bytecode/straight.h"
#include "flow/begin.h"
#include "flow/witness.h"
#include "format/body.h"
#include "format/message.h"
#include "format/raw_code.h"

/* What is attached to a code object: the address of its record, negative if the code is left out,
 * so that the hot path needs one comparison (mark <= 0) and no look into the record. */
static intptr_t mark_of(const struct code_record *r)
{
	return r->left_out ? -(intptr_t)r : (intptr_t)r;
}

/* The collector can drop the number's body from its table. Numbers up to shared_codes were given
 * before a fork: the parent still uses them. */
static void tell_free(uint32_t number)
{
	struct pl_buf fields = {0};

	if (!root.forked && number > root.shared_codes &&
		!atomic_load_explicit(&root.stopped, memory_order_relaxed)) {
		buf_varint(&fields, number);
		message_put(MESSAGE_CODE_FREE, &fields);
	}
	buf_release(&fields);
}

/* ---- all records ---- */

/* All records, so that a fork or the end of recording finds them. Guarded by the GIL. */
static void list(struct code_record *r, PyCodeObject *code)
{
	atomic_store_explicit(&r->code, code, memory_order_relaxed);
	r->next = root.codes;
	r->at = &root.codes;
	if (r->next)
		r->next->at = &r->next;
	root.codes = r;
}

static void unlist(struct code_record *r)
{
	if (!r->at)
		return;
	*r->at = r->next;
	if (r->next)
		r->next->at = r->at;
	r->next = NULL;
	r->at = NULL;
}

void codes_each(
	void (*each)(PyCodeObject *code, struct code_record *r, void *context), void *context)
{
	for (struct code_record *r = root.codes; r; r = r->next)
		each((PyCodeObject *)atomic_load_explicit(&r->code, memory_order_relaxed), r,
			context);
}

/* ---- the record of a code ---- */

/* The interpreter calls it when the code object dies: its address may serve another one. */
static void code_freed(void *mark)
{
	struct code_record *r = code_marked((intptr_t)mark);

	if (!r)
		return;
	atomic_store_explicit(&r->code, NULL, memory_order_relaxed);
	if (root.first_move.record == r)
		root.first_move.record = NULL;
	unlist(r);
	tell_free(r->number);
	tell_free(r->number_before);
	plan_drop(r);
	free(r->own_lines);
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

static int get_place(void)
{
	return PyCode_AddWatcher(on_code) < 0 ? -1 : 0;
}

static int attach_mark(PyCodeObject *code, struct code_record *r)
{
	uint64_t *place = map_put(&root.code_records, (uint64_t)(uintptr_t)code);

	if (!place)
		return -1;
	*place = (uint64_t)mark_of(r);
	return 0;
}
#else
static int get_place(void)
{
	root.code_index = PyUnstable_Eval_RequestCodeExtraIndex(code_freed);
	return root.code_index < 0 ? -1 : 0;
}

/* As PyUnstable_Code_SetExtra, but with room for ourselves alone. That makes room for all who have
 * asked for an index, and the free functions of the program would be called for codes that the
 * program never touched. */
static int attach_mark(PyCodeObject *code, struct code_record *r)
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
		return PyUnstable_Code_SetExtra(
			(PyObject *)code, root.code_index, (void *)mark_of(r));
	}
	x->values[root.code_index] = (void *)mark_of(r);
	return 0;
}
#endif

/* In an interpreter that was before codes may have died unheard. */
int code_init(void)
{
	while (root.codes)
		unlist(root.codes);
	return get_place();
}

static int attach(PyCodeObject *code, struct code_record *r)
{
	if (attach_mark(code, r) < 0)
		return -1;
	list(r, code);
	return 0;
}

static struct pl_view bytes_view(PyObject *bytes)
{
	return view_of(PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
}

/* The graph's starts by their unit: what the hooks look up. A start beyond START_MAX has no number
 * here, and is recorded by LINE_AT. */
static void put_units(struct code_record *r, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->start_count && i < START_MAX; i++) {
		const struct flow_start *s = &g->starts[i];
		if (s->unit >= r->unit_count)
			continue;
		r->units[s->unit].start = (i + 1) & START_MAX;
		r->units[s->unit].witness = s->witness;
		r->units[s->unit].begins = s->begins;
		bool moves = CODE_MAY_BE_HOT && s->witness && s->sure;
		r->units[s->unit].heard = moves ? HEARD_MAY_MOVE : HEARD_BY_LINE;
		r->units[s->unit].later = moves && s->cheaper_after;
		r->lines[i] = s->line;
	}
}

/* SEND, with its cache, is the last instruction of its block. */
#define SEND_UNITS 2
static void put_sends(struct code_record *r, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		uint32_t end = flow_block_end(g, i);
		uint32_t kind = g->blocks[i].flags & (FLOW_BLOCK_SWALLOWS | FLOW_BLOCK_ITERATES);
		bool sends =
			kind == FLOW_BLOCK_SWALLOWS && end >= SEND_UNITS && end <= r->unit_count;
		for (uint32_t at = end - SEND_UNITS; sends && at < end; at++)
			r->units[at].sends = 1;
	}
}

/* A return, or a yield, is the last unit of its block; after a yield comes its RESUME. */
static void put_silent(struct code_record *r, const struct flow_graph *g)
{
	r->suspends = flow_suspends(g);
	for (uint32_t i = 0; i < g->block_count; i++) {
		uint32_t end = flow_block_end(g, i);
		if (!(g->blocks[i].flags & FLOW_BLOCK_SILENT) || !end || end > r->unit_count)
			continue;
		r->units[end - 1].silent = 1;
		if (RESUME_LOOKS_FIRST && r->suspends && end < r->unit_count)
			r->units[end].pending = 1;
	}
}

/* Instructions have caches of different lengths, so the block is gone through from its front. */
static uint32_t last_instruction(
	const struct bytecode *parts, const struct flow_block *b, uint32_t end)
{
	const struct opcode *opcodes = opcode_version_find(parts->version)->opcodes;
	uint32_t last = b->unit;

	for (uint32_t at = last; at < end;
		at += 1u + opcodes[parts->code.at[2 * (size_t)at]].caches)
		last = at;
	return last;
}

/* Will INSTRUCTION be enabled there? */
static bool will_be_heard(const struct code_record *r, uint32_t unit)
{
	return r->units[unit].heard == HEARD_MAY_MOVE ||
	       (unit >= LOOK_UP_UNITS && r->units[unit - LOOK_UP_UNITS].later);
}

/* Passes that INSTRUCTION can record, because it records no line there. */
static void put_moving_passes(struct code_record *r)
{
	for (uint32_t i = 0; root.hot_lines && i < r->unit_count; i++) {
		struct code_unit *u = &r->units[i];
		if (u->pass == PASS_ALWAYS && !u->start)
			u->heard = HEARD_MAY_MOVE;
	}
}

/* In 3.12 a LINE on the same line fires after a callee only if that was inlined, which needs a
 * specialised instruction. Code that becomes hot would run differently for a while, and where
 * INSTRUCTION is enabled for ever. */
static void put_waverers(
	struct code_record *r, const struct bytecode *parts, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		uint32_t end = flow_block_end(g, i);
		bool wavers = false;
		for (uint32_t k = 0; k < b->edge_count; k++)
			wavers |= g->edges[b->first_edge + k].fires == FLOW_MAYBE;
		if (!wavers || end > r->unit_count)
			continue;
		uint32_t unit = last_instruction(parts, b, end);
		r->units[unit].wavers = 1;
		r->wavers |= !(b->flags & FLOW_BLOCK_ITERATES) && will_be_heard(r, unit);
	}
}

/* LINEs that record passes of loops must be enabled. */
static bool is_kept(const struct code_record *r, const struct flow_graph *g, uint32_t start)
{
	uint32_t unit = g->starts[start].unit;

	return start >= START_MAX || (unit < r->unit_count && r->units[unit].pass & PASS_TELLS);
}

/* Units at which a frame can be while its call is not written yet (it begins late). */
static void put_pending(struct code_record *r, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		uint32_t end = flow_block_end(g, i);
		for (uint32_t at = g->blocks[i].unit; g->blocks[i].pending && at < end; at++)
			if (at < r->unit_count)
				r->units[at].pending = 1;
	}
}

/* Can the call be written together with a witness that comes on every way through the code? Then
 * the code is late: PY_START is disabled, and each call costs one event less. */
static void choose_begins(struct code_record *r, struct flow_graph *g)
{
	bool *kept = g->start_count ? malloc(g->start_count) : NULL;

	for (uint32_t i = 0; kept && i < g->start_count; i++)
		kept[i] = is_kept(r, g, i);
	r->late = kept && flow_place_begins(g, kept);
	if (r->late)
		put_pending(r, g);
	free(kept);
}

/* With the time of each call and return: a begin would stamp the call late, and returns have events
 * anyway, which show the path without some witnesses. */
static bool calls_are_timed(void)
{
	return root.arena.head->stamps == STAMPS_CALL;
}

/* Without a graph (not analysed) each line is recorded. */
static int graph_of(const struct bytecode *parts, struct flow_graph *out)
{
	const char *why;
	int err = bytecode_graph(parts, out, &why);

	for (uint32_t i = 0; calls_are_timed() && i < out->block_count; i++)
		out->blocks[i].flags &= ~(uint32_t)FLOW_BLOCK_SILENT;
	return err;
}

/* The main interpreter loses LINEs of frozen code if 3.12 makes another interpreter, because they
 * share it. */
static bool may_be_late(const struct code_record *r, PyCodeObject *code)
{
	bool frozen = PYTHON_VERSION < 0x030d && PyUnicode_GET_LENGTH(code->co_filename) &&
		      PyUnicode_READ_CHAR(code->co_filename, 0) == '<';

	return r->plain && !root.tells_calls && !calls_are_timed() && !frozen &&
	       !code_runs_once(code);
}

/* As few starts as decide the path (flow/witness.h), or all of them where each line is wanted.
 * Those with passes of loops must be among them. */
static void choose_witnesses(struct code_record *r, struct flow_graph *g, bool late)
{
	if (ENGINE_TRACES || root.hears_lines) {
		flow_all_witnesses(g);
		return;
	}
	if (root.hot_lines)
		flow_find_sure(g);
	for (uint32_t i = 0; i < g->start_count; i++) {
		bool kept = is_kept(r, g, i);
		g->starts[i].witness = kept;
		g->starts[i].sure &= !kept;
	}
	if (flow_place_witnesses(g) == 0 && late)
		choose_begins(r, g);
}

/* Without memory, no pass of the code's loops is recorded. */
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
	PyCodeObject *code, const struct bytecode *parts, struct flow_graph *g)
{
	uint32_t units = (uint32_t)Py_SIZE(code);
	uint32_t starts = g->start_count < START_MAX ? g->start_count : START_MAX;
	struct code_record *r =
		calloc(1, sizeof *r + units * sizeof r->units[0] + starts * sizeof r->lines[0] +
				  (ENGINE_TRACES ? units * sizeof(bool) : 0));

	if (!r)
		return NULL;
	r->lines = (int32_t *)&r->units[units];
#if ENGINE_TRACES
	r->handling = (bool *)&r->lines[starts];
	bytecode_handling(parts, r->handling);
	r->begins_handling = units && r->handling[0];
#endif
	atomic_init(&r->code, code);
	r->unit_count = units;
	r->generator_like = (code->co_flags & CODE_IS_GENERATOR) != 0;
	r->coroutine = (code->co_flags & COROUTINE_FLAGS) != 0;
	if (!ENGINE_TRACES && root.arena.head->passes == PASSES_ALL && flow_goes_back(g))
		put_passes(r, parts, g);
	r->plain = !r->generator_like && !r->checks;
	choose_witnesses(r, g, may_be_late(r, code));
	r->plain = r->plain && !r->late;
	for (uint32_t i = 0; i < units && i < code_begins(code); i++)
		r->units[i].pending = 1;
	put_units(r, g);
	put_moving_passes(r);
	put_silent(r, g);
	if (PYTHON_VERSION < 0x030d && g->analysed)
		put_waverers(r, parts, g);
	if (r->generator_like)
		put_sends(r, g);
	return r;
}

/* ---- straight code ---- */

/* Are all LINEs wanted, from the code's first run on? One that was disabled would come only in the
 * next run. */
static bool hears_all(void)
{
	return root.tells_lines || root.section_count || thread_is_traced(current_thread_state());
}

/* Do its lines follow from its call? Not if each has an event, or if its return has one. */
static bool may_be_straight(PyCodeObject *code)
{
	return !ENGINE_TRACES && code_runs_once(code) && !(code->co_flags & CODE_IS_GENERATOR) &&
	       !root.hears_lines && root.arena.head->stamps == STAMPS_TICK && !hears_all();
}

/* Without lines and starts: the collector makes the graph from the bytecode, outside the
 * program. */
static struct code_record *straight_record(PyCodeObject *code, bool silent)
{
	uint32_t units = (uint32_t)Py_SIZE(code);
	struct code_record *r = calloc(1, sizeof *r + units * sizeof r->units[0]);

	if (!r)
		return NULL;
	atomic_init(&r->code, code);
	r->unit_count = units;
	r->plain = r->straight = true;
	for (uint32_t i = 0; i < units && i < code_begins(code); i++)
		r->units[i].pending = 1;
	r->units[units - 1].silent = silent;
	return r;
}

/* A section began, or a debugger was set: the lines of straight code are wanted after all. */
void code_find_lines(PyCodeObject *code, struct code_record *r)
{
	struct flow_graph graph;

	root.describing++; /* memory is asked for on the way */
	if (code_graph(code, &graph)) {
		r->own_lines = calloc(graph.start_count + 1, sizeof *r->own_lines);
		r->lines = r->own_lines;
		if (r->lines) {
			put_units(r, &graph);
			r->straight = false;
		}
		flow_graph_release(&graph);
	}
	root.describing--;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && !memcmp(text + length - n, end, n);
}

static struct bytecode parts_of(PyCodeObject *code, PyObject *plain)
{
	return (struct bytecode){
		.version = PYTHON_VERSION,
		.code = bytes_view(plain),
		.line_table = bytes_view(code->co_linetable),
		.except_table = bytes_view(code->co_exceptiontable),
		.first_line = code->co_firstlineno,
		.flags = (uint32_t)code->co_flags,
	};
}

/* Is this code of the package greenlet, recorded or not? Then greenlets are in use. */
static bool is_greenlets(PyCodeObject *code)
{
	PyObject *keep;
	size_t length;
	const char *file = text_of(code->co_filename, &length, &keep);
	bool is = ends_with(file, length, "/greenlet/__init__.py");

	Py_XDECREF(keep);
	return is;
}

/* Memory in which a body is written; with the GIL. */
static struct pl_buf kept_bytes, kept_fields;

/* What a CODE message says about a code besides the code itself. */
struct told {
	uint32_t number;
	uint32_t unit; /* its text unit, or 0 */
	bool left_out; /* only its name is needed */
};

/* | number | "body" | left out | text unit |
 *
 * Names that are not UTF-8 inside the interpreter are made so (text_of), which may need a new
 * object: keep_file and keep_name hold it.
 */
static bool send_body(PyCodeObject *code, const struct flow_graph *graph, struct told told)
{
	PyObject *keep_file = NULL, *keep_name = NULL;
	struct pl_buf bytes = buf_borrow(&kept_bytes), fields = buf_borrow(&kept_fields);
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

	body_write(&bytes, &body);
	buf_reserve(&fields, bytes.used + 4 * PL_VARINT_MAX);
	buf_varint(&fields, told.number);
	buf_string(&fields, bytes.at, bytes.used);
	buf_varint(&fields, told.left_out);
	buf_varint(&fields, told.unit);
	bool sent = !bytes.failed && message_put(MESSAGE_CODE, &fields);
	buf_give_back(&kept_bytes, &bytes);
	buf_give_back(&kept_fields, &fields);
	Py_XDECREF(keep_file);
	Py_XDECREF(keep_name);
	return sent;
}

/* As send_body, for code without a graph. */
static bool send_straight(PyCodeObject *code, const struct bytecode *parts, struct told told)
{
	PyObject *keep_file = NULL, *keep_name = NULL;
	struct pl_buf fields = buf_borrow(&kept_fields);
	size_t file_length, name_length;
	const char *file = text_of(code->co_filename, &file_length, &keep_file);
	const char *name = text_of(code->co_qualname, &name_length, &keep_name);

	raw_code_write(&fields, &(struct raw_code){
					.number = told.number,
					.unit = told.unit,
					.file = view_of(file, file_length),
					.name = view_of(name, name_length),
					.first_line = parts->first_line,
					.flags = parts->flags,
					.version = parts->version,
					.code = parts->code,
					.line_table = parts->line_table,
				});
	bool sent = message_put(MESSAGE_CODE_RAW, &fields);
	buf_give_back(&kept_fields, &fields);
	Py_XDECREF(keep_file);
	Py_XDECREF(keep_name);
	return sent;
}

static uint32_t next_number(void)
{
	return atomic_fetch_add_explicit(&root.arena.head->next_code, 1, memory_order_relaxed) + 1;
}

void code_set_number(struct code_record *r, uint32_t number)
{
	r->number = number;
	r->number_length = (uint32_t)(varint_write((uint8_t *)&r->number_bytes, number) -
				      (uint8_t *)&r->number_bytes);
}

bool code_graph(PyCodeObject *code, struct flow_graph *out)
{
	PyObject *plain = PyCode_GetCode(code);

	*out = (struct flow_graph){0};
	if (!plain) {
		PyErr_Clear();
		return false;
	}
	struct bytecode parts = parts_of(code, plain);
	bool made = graph_of(&parts, out) == 0;
	Py_DECREF(plain);
	return made;
}

/* Hot code with new witnesses gets a new number: events before it keep their meaning. */
uint32_t code_tell_again(PyCodeObject *code, const struct flow_graph *graph)
{
	const struct code_record *r = code_known(code);
	struct told told = {.number = next_number(), .unit = r ? r->text_unit : 0};

	return send_body(code, graph, told) ? told.number : 0;
}

/* ---- what the filters leave out ---- */

/* The frame that is about to run the code, for its globals; the top one if there is none. */
py_frame *frame_of(PyCodeObject *code)
{
	py_frame *top = top_frame(current_thread_state()), *f = top;

	while (f && frame_code(f) != code)
		f = frame_caller(f);
	return f ? f : top;
}

struct pl_view global_text(const py_frame *frame, const char *name, PyObject **keep)
{
	PyObject *names = frame ? frame->f_globals : NULL;
	PyObject *text = names && PyDict_Check(names) ? PyDict_GetItemString(names, name) : NULL;
	size_t length;

	*keep = NULL;
	if (!text || !PyUnicode_Check(text))
		return view_of("", 0);
	const char *at = text_of(text, &length, keep);
	return view_of(at, length);
}

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

static bool is_text(struct pl_view v, const char *text)
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
static bool filters_record(PyCodeObject *code)
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
	if (is_unplaced(c.file) && !c.module_file.left && !is_text(c.module, "__main__"))
		c.module_file = runners_file(frame, &keep[2]);
	bool records = filter_records(&root.filter, &c, &matched);

	atomic_fetch_or_explicit(&root.arena.head->filter_matched, matched, memory_order_relaxed);
	for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
		Py_XDECREF(keep[i]);
	return records;
}

/* It has a record, too, because its events are to be disabled one by one, where they first come. */
static struct code_record *leave_out(PyCodeObject *code)
{
	struct code_record *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->left_out = true;
	r->coroutine = (code->co_flags & COROUTINE_FLAGS) != 0;
	if (attach(code, r) < 0) {
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
	struct bytecode parts = parts_of(code, plain);
	if (bytecode_graph(&parts, &graph, &why) != PL_ERR_MEMORY) {
		struct flow_graph lines = graph;
		lines.analysed = false;
		lines.start_count = lines.block_count = lines.edge_count = 0;
		number = next_number();
		if (!send_body(code, &lines, (struct told){.number = number, .left_out = true}))
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

/* ---- a code's first event ---- */

#if LINES_ARE_LOOKED_UP
#define FAR_LINES 127 /* from the code's first one; the interpreter keeps a byte for it */

static bool is_far(const PyCodeObject *code, const struct flow_start *s)
{
	int64_t lines = (int64_t)s->line - code->co_firstlineno;

	return lines >= FAR_LINES || lines <= -FAR_LINES;
}

/* Module code of thousands of lines takes long at its LINEs. LINEs that are not needed would each
 * be reported once, and then be disabled; that is done here at once. Because of the others it
 * becomes hot sooner. */
/* The larger the code, the longer the look-up. */
static uint32_t far_lines(const struct code_record *r)
{
	const uint32_t lines = FAR_HOT_UNITS / r->unit_count;

	return lines < 1 ? 1 : lines > FAR_HOT_LINES ? FAR_HOT_LINES : lines;
}

static void spare_lines(
	PyCodeObject *code, struct code_record *r, const struct flow_graph *g, struct pl_view plain)
{
	const struct opcode *opcodes = opcode_version_find(PYTHON_VERSION)->opcodes;

	if (hears_all() || !lines_are_looked_up(code))
		return;
	for (uint32_t i = 0; i < g->start_count && i < START_MAX; i++) {
		uint32_t unit = g->starts[i].unit;
		struct code_unit here = r->units[unit];
		uint8_t opcode = plain.at[2 * (size_t)unit];
		r->far |= here.witness && is_far(code, &g->starts[i]);
		if (!here.witness)
			switch_line_off(code, unit, opcode, opcodes[opcode].caches != 0, root.tool);
	}
	if (r->far && root.hot_lines > FAR_HOT_LINES)
		r->lines_heard = root.hot_lines - far_lines(r);
}

/* Straight code needs none of its LINEs. */
static void spare_all_lines(PyCodeObject *code, struct pl_view plain)
{
	const struct opcode *opcodes = opcode_version_find(PYTHON_VERSION)->opcodes;
	const uint32_t units = (uint32_t)(plain.left / 2);

	if (!lines_are_looked_up(code))
		return;
	for (uint32_t unit = 0; unit < units;) {
		uint8_t opcode = plain.at[2 * (size_t)unit];
		switch_line_off(code, unit, opcode, opcodes[opcode].caches != 0, root.tool);
		unit += 1u + opcodes[opcode].caches;
	}
}
#else
static void spare_all_lines(PyCodeObject *code, struct pl_view plain)
{
	(void)code, (void)plain;
}

static void spare_lines(
	PyCodeObject *code, struct code_record *r, const struct flow_graph *g, struct pl_view plain)
{
	(void)code, (void)r, (void)g, (void)plain;
}
#endif

static void set_identity(PyCodeObject *code, struct code_record *r)
{
	code_set_number(r, next_number());
	r->text_unit = source_unit(code, r->number);
}

/* Code that needs its graph, as most functions do. */
static struct code_record *describe_graph(PyCodeObject *code, const struct bytecode *parts)
{
	struct flow_graph graph = {0};
	struct code_record *r = NULL;

	if (graph_of(parts, &graph) == PL_ERR_MEMORY)
		goto done;
	if (!graph.analysed)
		atomic_fetch_add_explicit(&root.slot->codes_unanalysed, 1, memory_order_relaxed);
	r = record_of(code, parts, &graph);
	if (!r)
		goto done;
	set_identity(code, r);
	if (send_body(code, &graph, (struct told){r->number, r->text_unit, false}) &&
		attach(code, r) == 0) {
		spare_lines(code, r, &graph, parts->code);
	} else {
		free(r);
		r = NULL;
	}
done:
	flow_graph_release(&graph);
	return r;
}

static struct code_record *describe_straight(
	PyCodeObject *code, const struct bytecode *parts, bool silent)
{
	struct code_record *r = straight_record(code, silent);

	if (!r)
		return NULL;
	set_identity(code, r);
	if (!send_straight(code, parts, (struct told){r->number, r->text_unit, false}) ||
		attach(code, r) < 0) {
		free(r);
		return NULL;
	}
	spare_all_lines(code, parts->code);
	return r;
}

static struct code_record *describe_whole(PyCodeObject *code)
{
	PyObject *plain = PyCode_GetCode(code);
	bool silent;

	if (!plain)
		return NULL;
	struct bytecode parts = parts_of(code, plain);
	struct code_record *r = may_be_straight(code) && bytecode_is_straight(&parts, &silent)
					? describe_straight(code, &parts, silent)
					: describe_graph(code, &parts);
	source_described(code);
	Py_DECREF(plain);
	return r;
}

/* In a forked child the first event makes the child a process of its own first. */
static struct code_record *describe(PyCodeObject *code)
{
	if (atomic_load_explicit(&root.stopped, memory_order_relaxed) ||
		(root.forked && !process_begin_in_child()))
		return NULL;
	if (is_greenlets(code))
		hooks_tell_lines();
	struct code_record *r =
		root.filters && !filters_record(code) ? leave_out(code) : describe_whole(code);
	PyErr_Clear();
	return r;
}

struct code_record *code_without_mark(PyCodeObject *code)
{
	return code_record(code);
}

/* This asks for memory, so finalisers may run, and other threads. While there is no room in the
 * arena, each event of the code comes here, and is lost at once: its graph would be made in
 * vain. */
struct code_record *code_describe(PyCodeObject *code)
{
	if (!ring_may_put(&root.messages))
		return NULL;
	root.describing++;
	struct code_record *r = describe(code);
	root.describing--;
	return r;
}
