/* Implied calls: if a function calls itself, not each call needs an event.
 *
 *   def fib(n):
 *       if n < 2:
 *           return n                       begins
 *       return fib(n - 1) + fib(n - 2)     implied: it calls fib, until one call begins
 *
 * In hot code, a call whose way from here on calls the function again needs no begin
 * (flow/begin.h). After some calls one comes to a begin, or raises, while this one's frame is on
 * the interpreter's stack. There the recorder finds it *pending*, and writes its call first, as for
 * any call that is written early. So half of fib's events are not reported.
 *
 *   the interpreter     fib(3) -> fib(2) -> fib(1), at its begin
 *   the stream          ENTER fib   ENTER fib   ENTER fib   LINE
 *
 * Four conditions make it correct.
 *
 * 1. What is called is the function itself. Its name is looked up in the globals each time, so
 * these are watched. So are functions: this one gets no other code, and no function with other
 * globals has this code. What would change that first ends the implied calls (implied_end): pending
 * calls are written, and everything is enabled as before.
 *
 * 2. It is known which frame is at an address. Frames return without an event, and the next one is
 * at the same address, pending as the one before. But the implied code is straight, so a frame
 * passes its units in ascending order, and each call of itself runs once. On the way out one of
 * these calls has had an event. So it is enough to know how far a frame was seen to have come
 * (`entry_seen`):
 *
 *   an event of a callee that was entered at `unit`, and was not seen before
 *       seen before `unit`, or there but not in that call       the same frame
 *       seen in that call, or after it                          another frame, called since
 *
 * Other calls may run several times at a unit (__add__ and __radd__; a C function that calls back).
 * But then it is always the same frame: another one would have been seen in between.
 *
 * 3. No frame has yet to begin by the old plan. The code has another number from here on, whose
 * body lacks the witnesses that are now disabled, and a frame keeps the number with which it was
 * entered. So all frames of the code must have begun.
 *
 * 4. There is one thread. A call that is written late is placed where it is written, although
 * another thread may have run before. With a second thread implied calls end.
 *
 * Only for 3.12 and 3.13, where code may be hot.
 */
#include "recorder/state.h"

#include <stdlib.h>
#include <string.h>
#include "bytecode/opcode.h"
#include "flow/witness.h"

#if CODE_MAY_BE_HOT

#define TRIES_MOST  8
#define FRAMES_MOST 100000 /* of the stack, looked at in one attempt */

static struct implied {
	struct code_record *record;
	PyObject *globals;	 /* borrowed: compared, and watched */
	PyObject *function;	 /* borrowed: compared */
	PyObject *name;		 /* borrowed from the code's names */
	struct code_unit *units; /* owned; those from implied_from on, as they were */
} implied[IMPLIED_MAX];

static int dict_watcher = -1, function_watcher = -1;
static PyInterpreterState *watching; /* the interpreter to which these numbers belong */

/* ---- which frame ---- */

static bool frames_are_pushed(void)
{
	return _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Main()) ==
	       _PyEval_EvalFrameDefault;
}

/* Is it the call of the code itself at that unit, which runs once? Not what C code calls there,
 * unless all calls go through C. */
static bool runs_once(py_frame *frame, py_frame *callee)
{
	return frame_code(frame) == frame_code(callee) &&
	       (callee->previous == frame || !frames_are_pushed());
}

bool implied_is_same(const struct thread *t, uint32_t place, py_frame *frame, py_frame *callee)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);
	uint32_t seen = r ? implied_seen(t->frames[place - 1], r) : SEEN_NOT;
	uint32_t unit = frame_unit(frame, code);

	if (callee && runs_once(frame, callee))
		return seen < 2 * unit + 1;
	return seen / 2 <= unit;
}

bool implied_raises_anew(const struct thread *t, uint32_t place, py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);
	const py_frame *entry = t->frames[place - 1];
	uint32_t seen = r && entry_seen(entry) ? implied_seen(entry, r) : 0;

	return seen & 1 && place != t->depth && frame_unit(frame, code) == seen / 2;
}

static void clear_seen(struct thread *t, uint32_t place)
{
	uintptr_t entry = (uintptr_t)t->frames[place - 1];

	t->frames[place - 1] = (py_frame *)(entry & ~MARK_SEEN);
	t->top = t->frames[t->depth - 1];
}

static void set_seen(struct thread *t, uint32_t place, const struct code_record *r, uint32_t seen)
{
	seen += r->seen_base;
	if (seen <= entry_seen(t->frames[place - 1]))
		return;
	clear_seen(t, place);
	t->frames[place - 1] = frame_seen(t->frames[place - 1], seen);
	t->top = t->frames[t->depth - 1];
}

void implied_note(struct thread *t, uint32_t place, py_frame *callee)
{
	const py_frame *entry = root.implied_count && place ? t->frames[place - 1] : NULL;

	if (!entry || !frame_is_real(entry) || !((uintptr_t)entry & MARK_EARLY))
		return;
	py_frame *caller = frame_unmarked(entry);
	PyCodeObject *code = frame_code(caller);
	const struct code_record *r = code_known(code);
	if (!r || !r->implied)
		return;
	bool once = runs_once(caller, callee) && !frame_not_begun(callee);
	set_seen(t, place, r, 2 * frame_unit(caller, code) + once);
}

/* ---- code that calls itself ---- */

/* A run of instructions without a jump, as compiled. */
struct reader {
	const struct opcode *opcodes;
	const uint8_t *at;
	uint32_t unit, units;
	unsigned opcode, arg; /* of the instruction at `unit` */
	uint32_t length;      /* with its caches, and its EXTENDED_ARGs before */
};

static bool read_next(struct reader *r)
{
	unsigned arg = 0;

	for (uint32_t unit = r->unit + r->length;; unit++) {
		if (unit >= r->units)
			return false;
		r->opcode = r->at[2 * (size_t)unit];
		arg = arg << 8 | r->at[2 * (size_t)unit + 1];
		if (r->opcodes[r->opcode].class == OPCODE_EXTENDED_ARG)
			continue;
		r->unit = unit;
		r->arg = arg;
		r->length = 1u + r->opcodes[r->opcode].caches;
		return true;
	}
}

#define NULL_AND_FUNCTION                                                                          \
	2 /* what LOAD_GLOBAL pushes for a call, and CALL takes besides its arguments */

/* The reader is at LOAD_GLOBAL: the unit of the CALL that calls what this pushes; 0: not known. */
static uint32_t call_of(struct reader r)
{
	int height = NULL_AND_FUNCTION;

	while (read_next(&r)) {
		unsigned class = r.opcodes[r.opcode].class;
		if (class != OPCODE_PLAIN)
			return 0;
		if (r.opcode == CALL && height == NULL_AND_FUNCTION + (int)r.arg)
			return r.unit;
		int effect = PyCompile_OpcodeStackEffect((int)r.opcode, (int)r.arg);
		height += effect;
		if (effect == PY_INVALID_STACK_EFFECT || height < NULL_AND_FUNCTION)
			return 0;
	}
	return 0;
}

struct calls {
	/* by block: how often the code calls itself there, up to CALLS_LEAST; owned, with `others`
	 * in the memory after it */
	uint8_t *own;
	uint8_t *others; /* it calls something else */
};
#define CALLS_LEAST 2 /* see find_end */

/* Find the blocks in which the code calls itself by that name, and those in which it calls
 * something else. */
static bool find_calls(
	PyCodeObject *code, PyObject *name, const struct flow_graph *g, const struct calls *calls)
{
	PyObject *plain = PyCode_GetCode(code);
	bool any = false;

	if (!plain)
		return false;
	struct reader r = {
		.opcodes = opcode_version_find(PYTHON_VERSION)->opcodes,
		.at = (const uint8_t *)PyBytes_AS_STRING(plain),
		.units = (uint32_t)(PyBytes_GET_SIZE(plain) / 2),
	};
	bool *is_own = calloc(r.units + 1, sizeof *is_own);
	while (is_own && read_next(&r)) {
		bool named = r.opcode == LOAD_GLOBAL && r.arg & 1 &&
			     PyTuple_GET_ITEM(code->co_names, r.arg >> 1) == name;
		uint32_t unit = named ? call_of(r) : 0;
		uint32_t block = flow_block_at(g, unit ? unit : r.unit);
		if (block == FLOW_NONE)
			continue;
		if (unit) {
			any = is_own[unit] = true;
			if (calls->own[block] < CALLS_LEAST)
				calls->own[block]++;
		} else if (r.opcodes[r.opcode].marks & OPCODE_CALLS && !is_own[r.unit]) {
			calls->others[block] = true;
		}
	}
	free(is_own);
	Py_DECREF(plain);
	return any;
}

/* ---- which calls may be implied ---- */

/* Blocks of a graph, each of which leads only to the next. */
struct arm {
	uint32_t first, last;
};

static bool tells_at(const struct code_record *r, const struct flow_block *b)
{
	return b->start != FLOW_NONE && b->unit < r->unit_count && r->units[b->unit].witness;
}

static bool begins_at(const struct code_record *r, const struct flow_block *b)
{
	return tells_at(r, b) && r->units[b->unit].begins;
}

/* Does only one way, without events, lead from the block to an end, and does the code call itself
 * on it? Another function could take long, and when the code called itself would not be known. If
 * there were a second way, a later unit could be that of another frame. If the code calls itself
 * only once, there may be no event for long: of a runaway recursion that is killed, nothing would
 * be known. */
static bool find_end(const struct flow_graph *g, const struct code_record *r,
	const struct calls *calls, struct arm *arm)
{
	unsigned own = 0;

	for (uint32_t i = arm->first; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (calls->others[i] || (i != arm->first && tells_at(r, b)))
			return false;
		own += calls->own[i];
		arm->last = i;
		if (!b->edge_count)
			return own >= CALLS_LEAST;
		if (b->edge_count != 1 || g->edges[b->first_edge].to != i + 1)
			return false;
	}
	return false;
}

static bool is_within(const struct arm *arm, uint32_t block)
{
	return block >= arm->first && block <= arm->last;
}

static bool only_its_begin_leads_in(const struct flow_graph *g, const struct arm *arm)
{
	for (uint32_t i = 0; i < g->block_count; i++)
		for (uint32_t k = 0; k < g->blocks[i].edge_count; k++) {
			uint32_t to = g->edges[g->blocks[i].first_edge + k].to;
			if (is_within(arm, to) && to != arm->first && !is_within(arm, i))
				return false;
		}
	return true;
}

static bool find_arm(const struct flow_graph *g, const struct code_record *r,
	const struct calls *calls, struct arm *arm)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		*arm = (struct arm){i, i};
		if (begins_at(r, &g->blocks[i]) && find_end(g, r, calls, arm) &&
			only_its_begin_leads_in(g, arm))
			return true;
	}
	return false;
}

/* There are no loops and no handlers, so a frame passes units in ascending order. */
static bool goes_upwards(const struct flow_graph *g)
{
	const uint32_t others = FLOW_BLOCK_HANDLER | FLOW_BLOCK_RESUME;

	for (uint32_t i = 0; i < g->block_count; i++)
		if (g->blocks[i].flags & others)
			return false;
	return !flow_goes_back(g);
}

/* Are the remaining witnesses enough? They are set in the graph. */
static bool place_rest(const struct arm *arm, const struct code_record *r, struct flow_graph *g)
{
	uint32_t before = 0, after = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (b->start == FLOW_NONE)
			continue;
		bool tells = tells_at(r, b) && !is_within(arm, i);
		g->starts[b->start].witness = tells;
		before += tells;
	}
	if (flow_place_again(g))
		return false;
	for (uint32_t i = 0; i < g->start_count; i++)
		after += g->starts[i].witness;
	return before == after;
}

/* Of a code: those with from <= unit < to. */
struct units {
	uint32_t from, to;
};

/* Find the arm whose calls may be implied, and its units. */
static bool find_implied(PyCodeObject *code, const struct code_record *r, PyObject *name,
	struct flow_graph *g, struct units *units)
{
	struct arm arm;

	if (!g->analysed || g->unit_count != r->unit_count || !goes_upwards(g))
		return false;
	struct calls calls = {.own = calloc(g->block_count, 2)};
	if (!calls.own)
		return false;
	calls.others = calls.own + g->block_count;
	bool found = find_calls(code, name, g, &calls) && find_arm(g, r, &calls, &arm) &&
		     place_rest(&arm, r, g);
	free(calls.own);
	if (found)
		*units = (struct units){
			.from = g->blocks[arm.first].unit, .to = flow_block_end(g, arm.last)};
	return found;
}

/* ---- is it the function itself that is called? ---- */

static PyObject *function_code(PyObject *function)
{
	return PyFunction_GET_CODE(function);
}

static PyObject *function_globals(PyObject *function)
{
	return PyFunction_GET_GLOBALS(function);
}

/* The name by which the code finds the function that runs it. */
static PyObject *own_name(PyCodeObject *code, PyObject *globals, PyObject **function)
{
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); i++) {
		PyObject *name = PyTuple_GET_ITEM(code->co_names, i);
		PyObject *value = PyDict_GetItemWithError(globals, name);
		if (!value)
			PyErr_Clear();
		else if (PyFunction_Check(value) && function_code(value) == (PyObject *)code &&
			 function_globals(value) == globals) {
			*function = value;
			return name;
		}
	}
	return NULL;
}

#define OBJECTS_MOST 1000000 /* looked at for that */
struct others {
	const PyCodeObject *code;
	const PyObject *globals;
	uint32_t looked;
	bool some;
};

static int see_function(PyObject *object, void *context)
{
	struct others *o = context;

	if (PyFunction_Check(object) && function_code(object) == (const PyObject *)o->code &&
		function_globals(object) != o->globals)
		o->some = true;
	o->some |= ++o->looked > OBJECTS_MOST;
	return !o->some;
}

/* Do other functions have this code, with other globals? true as well if there are too many objects
 * to look at. */
static bool others_have(const PyCodeObject *code, const PyObject *globals)
{
	struct others o = {.code = code, .globals = globals};

	PyUnstable_GC_VisitObjects(see_function, &o);
	return o.some;
}

/* At the interpreter's end names are removed; a frame that looks for one then raises, which is an
 * event. */
static bool is_over(void)
{
	return interpreter_finalizing() ||
	       atomic_load_explicit(&root.stopped, memory_order_relaxed);
}

static int on_dict(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value)
{
	if (is_over())
		return 0;
	for (uint32_t i = 0; i < root.implied_count; i++) {
		const struct implied *s = &implied[i];
		bool whole = event == PyDict_EVENT_CLEARED || event == PyDict_EVENT_CLONED ||
			     event == PyDict_EVENT_DEALLOCATED;
		if (dict != s->globals || (!whole && value == s->function))
			continue;
		bool other = !whole && PyUnicode_CheckExact(key) && key != s->name &&
			     (PyUnicode_CHECK_INTERNED(key) || PyUnicode_Compare(key, s->name));
		if (other)
			continue;
		implied_end(false);
		break;
	}
	return 0;
}

static int on_function(PyFunction_WatchEvent event, PyFunctionObject *function, PyObject *value)
{
	const bool changes = event == PyFunction_EVENT_MODIFY_CODE;

	if ((event != PyFunction_EVENT_CREATE && !changes) || is_over())
		return 0;
	const PyObject *code = changes ? value : function->func_code;
	for (uint32_t i = 0; i < root.implied_count; i++) {
		const struct implied *s = &implied[i];
		bool strange = code == (const PyObject *)s->record->code &&
			       function->func_globals != s->globals;
		if (strange || (changes && (PyObject *)function == s->function)) {
			implied_end(false);
			break;
		}
	}
	return 0;
}

static bool watch(PyObject *globals)
{
	if (watching != PyInterpreterState_Get()) {
		dict_watcher = PyDict_AddWatcher(on_dict);
		function_watcher = PyFunction_AddWatcher(on_function);
		watching = PyInterpreterState_Get();
	}
	bool watched = dict_watcher >= 0 && function_watcher >= 0 &&
		       PyDict_Watch(dict_watcher, globals) == 0;
	PyErr_Clear();
	return watched;
}

/* ---- begin ---- */

static bool may_begin(PyCodeObject *code, struct code_record *r)
{
	bool wanted = r->late && !r->implied && !r->number_implied && !r->plan &&
		      !r->generator_like && !r->checks && !r->precise && !r->bottom &&
		      !r->coroutine;
	bool quiet = !root.tells_calls && !root.tells_returns && !root.tells_lines &&
		     !root.hears_lines && !root.filters && !root.section_count && !root.traced &&
		     !root.forked && !root.describing && root.first_move.record != r;

	/* exec makes functions without arguments */
	return wanted && quiet && root.implied_count < IMPLIED_MAX &&
	       2 * r->unit_count < SEEN_MAX - root.seen_places &&
	       code->co_argcount + code->co_kwonlyargcount > 0 &&
	       PyInterpreterState_Get() == PyInterpreterState_Main() && frames_are_pushed();
}

/* A thread that runs implied calls writes nothing meanwhile, so a switch between threads there
 * would not be known. */
static bool runs_alone(const struct thread *own)
{
	const PyThreadState *first = PyInterpreterState_ThreadHead(PyInterpreterState_Main());
	bool alone = own == root.last && !PyThreadState_Next((PyThreadState *)first);

	for (const struct thread *t = root.threads; t; t = t->next)
		alone = alone &&
			(t == own || atomic_load_explicit(&t->ended, memory_order_acquire));
	return alone;
}

/* Has each frame of the code on this stack begun, with these globals, is it on the shadow stack,
 * and does it call the same code where calls are to be implied? `mark`: note how far they have
 * come. */
static bool all_have_begun(
	struct thread *t, py_frame *frame, struct units arm, PyObject *globals, bool mark)
{
	PyCodeObject *const code = frame_code(frame);
	const struct code_record *r = code_known(code);
	py_frame *callee = NULL;
	uint32_t place = t->depth + 1, looked = 0;

	for (py_frame *f = frame; f; callee = f, f = frame_caller(f)) {
		if (++looked > FRAMES_MOST)
			return false;
		if (frame_code(f) != code)
			continue;
		while (place && (place > t->depth || !entry_is(t->frames[place - 1], f)))
			place--;
		uint32_t unit = frame_unit(f, code);
		bool inside = unit >= arm.from && unit < arm.to;
		bool known = place && f->f_globals == globals && unit < r->unit_count &&
			     !r->units[unit].pending;
		if (!known || (inside && callee && !runs_once(f, callee)))
			return false;
		if (!mark || !inside)
			continue;
		stack_mark(t, place, MARK_EARLY);
		if (callee)
			set_seen(t, place, r, 2 * unit + 1);
	}
	return true;
}

static void hear_no_more(struct code_record *r, struct units arm)
{
	for (uint32_t unit = arm.from; unit < arm.to; unit++) {
		struct code_unit *u = &r->units[unit];
		if (u->later)
			u[LOOK_UP_UNITS].heard = HEARD_BY_LINE;
		if (u->witness)
			u->heard = HEARD_BY_LINE;
		u->witness = u->begins = u->later = 0;
		u->pending = 1;
	}
}

static void swap_numbers(struct code_record *r)
{
	uint32_t before = r->number;

	code_set_number(r, r->number_implied);
	r->number_implied = before;
}

static void begin(struct thread *t, py_frame *frame, struct code_record *r, struct flow_graph *g)
{
	PyCodeObject *code = frame_code(frame);
	PyObject *globals = frame->f_globals, *function = NULL;
	struct units arm;

	PyObject *name = PyDict_CheckExact(globals) ? own_name(code, globals, &function) : NULL;
	if (!name || !find_implied(code, r, name, g, &arm) ||
		!all_have_begun(t, frame, arm, globals, false) || !watch(globals))
		return;
	if (others_have(code, globals)) {
		r->implied_tries = TRIES_MOST;
		return;
	}
	struct code_unit *before = malloc((arm.to - arm.from) * sizeof *before);
	r->number_implied = before ? code_tell_again(code, g) : 0;
	if (!r->number_implied) {
		free(before);
		return;
	}
	memcpy(before, &r->units[arm.from], (arm.to - arm.from) * sizeof *before);
	r->seen_base = (uint16_t)(root.seen_places + 1);
	root.seen_places += 2 * r->unit_count;
	all_have_begun(t, frame, arm, globals, true);
	hear_no_more(r, arm);
	swap_numbers(r);
	r->implied_from = (uint16_t)arm.from;
	r->implied_to = (uint16_t)arm.to;
	r->implied = true;
	implied[root.implied_count++] = (struct implied){r, globals, function, name, before};
}

void implied_begin(struct thread *t, py_frame *frame, struct code_record *r)
{
	struct flow_graph graph;
	PyCodeObject *code = frame_code(frame);

	if (r->implied_tries >= TRIES_MOST || !entry_is(t->top, frame) || !may_begin(code, r) ||
		!runs_alone(t))
		return;
	r->implied_tries++;
	root.describing++;
	PyObject *raised = PyErr_GetRaisedException();
	if (code_graph(code, &graph)) {
		begin(t, frame, r, &graph);
		flow_graph_release(&graph);
	}
	PyErr_SetRaisedException(raised);
	root.describing--;
}

/* ---- end ---- */

/* The begins are enabled by LINE from here on. */
static void restore_units(struct code_record *r, const struct code_unit *before)
{
	for (uint32_t unit = r->implied_from; unit < r->implied_to; unit++) {
		const struct code_unit *was = &before[unit - r->implied_from];
		struct code_unit *u = &r->units[unit];
		u->witness = was->witness;
		u->begins = was->begins;
		u->pending = was->pending && !(was->begins && was->later);
	}
}

static void drop(uint32_t i)
{
	free(implied[i].units);
	implied[i] = implied[--root.implied_count];
}

/* Frames that have come to where their calls were implied are now after their begins. */
static void end_marks(struct thread *t)
{
	const bool ended = atomic_load_explicit(&t->ended, memory_order_acquire);
	PyThreadState *ts = ended ? NULL : thread_state_of(t->native_id);

	for (py_frame *f = ts ? top_frame(ts) : NULL; f; f = frame_caller(f)) {
		PyCodeObject *code = frame_code(f);
		const struct code_record *r = code_known(code);
		uint32_t place = r && implied_at(r, frame_unit(f, code)) ? stack_find(t, f) : 0;
		if (place)
			stack_mark(t, place, 0);
	}
}

/* Other parts of the recorder do not know what was seen any more. */
static void forget_seen(void)
{
	for (struct thread *t = root.threads; t; t = t->next)
		for (uint32_t place = 1; place <= t->depth; place++)
			if (frame_is_real(t->frames[place - 1]))
				clear_seen(t, place);
}

void implied_end(bool calls_are_told)
{
	if (!root.implied_count || atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return;
	if (root.last && !root.describing) {
		thread_tell_untold(root.last);
		end_marks(root.last);
	} else if (root.last && thread_has_untold(root.last)) {
		event_lose(root.last); /* the place in the ring is in use */
	}
	while (root.implied_count) {
		const struct implied *s = &implied[root.implied_count - 1];
		restore_units(s->record, s->units);
		swap_numbers(s->record);
		s->record->implied = false;
		PyDict_Unwatch(dict_watcher, s->globals);
		drop(root.implied_count - 1);
	}
	if (calls_are_told)
		forget_seen();
	else
		hooks_hear_again();
}

void implied_forget(const struct code_record *r)
{
	for (uint32_t i = root.implied_count; i--;)
		if (implied[i].record == r)
			drop(i);
}

void implied_forget_all(void)
{
	while (root.implied_count)
		drop(root.implied_count - 1);
	watching = NULL;
}

#else

bool implied_is_same(const struct thread *t, uint32_t place, py_frame *frame, py_frame *callee)
{
	(void)t, (void)place, (void)frame, (void)callee;
	return true;
}

bool implied_raises_anew(const struct thread *t, uint32_t place, py_frame *frame)
{
	(void)t, (void)place, (void)frame;
	return false;
}

void implied_note(struct thread *t, uint32_t place, py_frame *callee)
{
	(void)t, (void)place, (void)callee;
}

void implied_begin(struct thread *t, py_frame *frame, struct code_record *r)
{
	(void)t, (void)frame, (void)r;
}

void implied_end(bool calls_are_told)
{
	(void)calls_are_told;
}

void implied_forget(const struct code_record *r)
{
	(void)r;
}

void implied_forget_all(void)
{
}

#endif
