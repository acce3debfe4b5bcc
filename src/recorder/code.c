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
#include "recorder/code.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/map.h"
#include "base/varint.h"
#include "bytecode/bytecode.h"
#include "bytecode/straight.h"
#include "format/message.h"
#include "recorder/code_body.h"
#include "recorder/code_units.h"
#include "recorder/compat/python.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/monitoring.h"
#include "recorder/engine.h"
#include "recorder/left_out.h"
#include "recorder/message.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/source.h"
#include "recorder/spared.h"
#include "recorder/start.h"
#include "recorder/tiers/tiers.h"
#include "ring/ring.h"

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
static void code_list(struct code_record *r, PyCodeObject *code)
{
	atomic_store_explicit(&r->code, code, memory_order_relaxed);
	r->next = root.codes;
	r->at = &root.codes;
	if (r->next)
		r->next->at = &r->next;
	root.codes = r;
}

static void code_unlist(struct code_record *r)
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

static void code_record_free(struct code_record *r)
{
	free(r->own_lines);
	free(r->values);
	free(r);
}

/* The interpreter calls it when the code object dies: its address may serve another one. */
static void code_freed(void *mark)
{
	struct code_record *r = code_marked((intptr_t)mark);

	if (!r)
		return;
	atomic_store_explicit(&r->code, NULL, memory_order_relaxed);
	if (root.first_move.record == r)
		root.first_move.record = NULL;
	code_unlist(r);
	tell_free(r->number);
	tell_free(r->number_before);
	if (CODE_MAY_BE_HOT)
		tier_release(r);
	code_record_free(r);
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

static int watcher = -1;

static int get_place(void)
{
	watcher = PyCode_AddWatcher(on_code);
	return watcher < 0 ? -1 : 0;
}

static void leave_place(void)
{
	if (watcher >= 0)
		PyCode_ClearWatcher(watcher);
	watcher = -1;
	map_release(&root.code_records);
}

static void detach_mark(PyCodeObject *code)
{
	(void)code; /* all at once, in leave_place */
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
static const PyInterpreterState *place_of; /* the interpreter that gave the index; compared only */

/* An interpreter has few, and takes none back. */
static int get_place(void)
{
	if (place_of == PyInterpreterState_Main() && root.left)
		return 0;
	place_of = PyInterpreterState_Main();
	root.code_index = PyUnstable_Eval_RequestCodeExtraIndex(code_freed);
	return root.code_index < 0 ? -1 : 0;
}

static void leave_place(void)
{
}

static void detach_mark(PyCodeObject *code)
{
	struct code_extras *x = (struct code_extras *)code->co_extra;

	if (x && root.code_index < x->size)
		x->values[root.code_index] = NULL;
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
		code_unlist(root.codes);
	return get_place();
}

void codes_forget(void)
{
	while (root.codes) {
		struct code_record *r = root.codes;
		PyCodeObject *code =
			(PyCodeObject *)atomic_load_explicit(&r->code, memory_order_relaxed);
		if (code)
			detach_mark(code);
		atomic_store_explicit(&r->code, NULL, memory_order_relaxed);
		code_unlist(r);
		if (CODE_MAY_BE_HOT)
			tier_release(r);
		code_record_free(r);
	}
	leave_place();
	root.first_move = (struct first_move){0};
}

int code_attach(PyCodeObject *code, struct code_record *r)
{
	if (attach_mark(code, r) < 0)
		return -1;
	code_list(r, code);
	return 0;
}

uint32_t code_next_number(void)
{
	return atomic_fetch_add_explicit(&root.arena.head->next_code, 1, memory_order_relaxed) + 1;
}

void code_set_number(struct code_record *r, uint32_t number)
{
	r->number = number;
	r->number_length = (uint32_t)(varint_write((uint8_t *)&r->number_bytes, number) -
				      (uint8_t *)&r->number_bytes);
}

/* ---- a code's first event ---- */

static bool file_ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && !memcmp(text + length - n, end, n);
}

/* Is this code of the package greenlet, recorded or not? Then greenlets are in use. */
static bool is_greenlets(PyCodeObject *code)
{
	PyObject *keep;
	size_t length;
	const char *file = text_of(code->co_filename, &length, &keep);
	bool is = file_ends_with(file, length, "/greenlet/__init__.py");

	Py_XDECREF(keep);
	return is;
}

static void set_identity(PyCodeObject *code, struct code_record *r)
{
	code_set_number(r, code_next_number());
	r->text_unit = source_unit(code, r->number);
}

static struct code_told told_of(const struct code_record *r)
{
	return (struct code_told){
		.number = r->number, .unit = r->text_unit, .values = r->values != NULL};
}

/* Code that needs its graph, as most functions do. */
static struct code_record *describe_graph(PyCodeObject *code, const struct bytecode *parts)
{
	struct flow_graph graph = {0};
	struct code_record *r = NULL;

	if (code_graph_of(parts, &graph) == PL_ERR_MEMORY)
		goto done;
	if (!graph.analysed)
		atomic_fetch_add_explicit(&root.slot->codes_unanalysed, 1, memory_order_relaxed);
	r = code_record_of(code, parts, &graph);
	if (!r)
		goto done;
	set_identity(code, r);
	if (code_send_body(code, &graph, told_of(r)) && code_attach(code, r) == 0) {
		spare_lines(code, r, &graph, parts->code);
	} else {
		code_record_free(r);
		r = NULL;
	}
done:
	flow_graph_release(&graph);
	return r;
}

void code_judge(struct code_record *r, struct policy_facts facts)
{
	r->facts = facts;
	r->policy = policy_of_code(&facts);
}

void code_is_bottom(struct code_record *r)
{
	struct policy_facts facts = r->facts;

	facts.bottom = true;
	code_judge(r, facts);
}

static struct code_record *describe_straight(
	PyCodeObject *code, const struct bytecode *parts, bool silent)
{
	struct code_record *r = code_straight_record(code, silent);

	if (!r)
		return NULL;
	set_identity(code, r);
	if (!code_send_straight(code, parts, told_of(r)) || code_attach(code, r) < 0) {
		code_record_free(r);
		return NULL;
	}
	spare_all_lines(code, parts->code, 0);
	return r;
}

static struct code_record *describe_whole(PyCodeObject *code)
{
	PyObject *plain = PyCode_GetCode(code);
	bool silent;

	if (!plain)
		return NULL;
	struct bytecode parts = code_parts(code, plain);
	struct code_record *r = code_omits(code).lines && bytecode_is_straight(&parts, &silent)
					? describe_straight(code, &parts, silent)
					: describe_graph(code, &parts);
	source_described(code);
	Py_DECREF(plain);
	return r;
}

/* In a forked child the first event makes the child a process of its own first. */
static struct code_record *describe_code(PyCodeObject *code)
{
	if (atomic_load_explicit(&root.stopped, memory_order_relaxed) ||
		(root.forked && !process_begin_in_child()))
		return NULL;
	if (is_greenlets(code))
		hooks_tell_lines();
	struct code_record *r =
		root.filters && !filters_record(code) ? code_leave_out(code) : describe_whole(code);
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
	struct code_record *r = describe_code(code);
	root.describing--;
	return r;
}
