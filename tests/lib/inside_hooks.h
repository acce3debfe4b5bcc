/* A recording with the engine's callbacks in the interpreter: what a text runs has its events. The
 * path of a code is compared as a text:
 *
 *	expect_path("def f(x):\n    y = x\n    return y\nf(1)\n", "f( 2 3 )");
 *
 *	f( … )       a call, and its end, whether that has an event or not
 *	yield f+( f!(   a generator leaves, is resumed, is thrown into
 *	raise reraise handled unwind again gap
 *	2            a line
 */
#ifndef TEST_INSIDE_HOOKS_H
#define TEST_INSIDE_HOOKS_H

#include "recorder/compat/python.h"

#include "pathline/event.h"
#include "recorder/engine.h"
#include "recorder/sysfunction.h"
#include "tests/lib/inside_recording.h"
#if ENGINE_TRACES
#include "recorder/tracing.h"
#else
#include "recorder/hooks.h"
#include "recorder/tools.h"
#include "recorder/traced.h"
#endif

#define HOOKED_EVENTS 512

static struct event hooked_events[HOOKED_EVENTS];
static unsigned hooked_count;
static char hooked_path[8192];

/* Settings in the arena's head are for the test; hooked_in puts the callbacks in. */
static inline int hooked_begin(void **state)
{
	static leave_hook *_Atomic on_leave;
	static key_hook *_Atomic on_key;

	if (recording_begin(state) != 0)
		return -1;
	root.gil_holder = gil_holder(PyInterpreterState_Main());
	root.on_leave = &on_leave;
	root.on_key = &on_key;
	root.traced = root.moves_seen = false;
	root.hot_lines = root.hot_in_vain = 0;
	return 0;
}

/* false: hooks_install has refused, as *why says. */
static inline bool hooked_in(const char **why)
{
	return hooks_install(false, why) == 0;
}

static inline void hooked_out(void)
{
#if ENGINE_TRACES
	PyThreadState *ts = current_thread_state();
	hooks_off();
	ts->c_tracefunc = programs;
	ts->cframe->use_tracing = programs ? 255 : 0;
	programs = NULL;
#else
	traced_give_back();
	functions_give_back();
	tools_end();
	hooks_remove();
#endif
}

static inline int hooked_end(void **state)
{
	hooked_out();
	root.section_count = 0;
	return recording_end(state);
}

/* ---- the path as a text ---- */

/* Of the code with this number, "?": it is not there any more. */
static inline struct code_record *hooked_record(uint32_t number)
{
	struct code_record *r = root.codes;

	while (r && r->number != number && (!r->number_before || r->number_before != number))
		r = r->next;
	return r;
}

static inline const char *hooked_name(uint32_t number)
{
	const struct code_record *r = hooked_record(number);

	return r ? PyUnicode_AsUTF8(((const PyCodeObject *)r->code)->co_name) : "?";
}

__attribute__((format(printf, 1, 2))) static inline void hooked_write(const char *format, ...)
{
	const size_t used = strlen(hooked_path);
	va_list args;

	va_start(args, format);
	vsnprintf(hooked_path + used, sizeof hooked_path - used, format, args);
	va_end(args);
}

static inline void hooked_write_entry(const struct event *e)
{
	hooked_write("%s%s( ", hooked_name(e->code),
		e->kind == EVENT_RESUME	 ? "+"
		: e->kind == EVENT_THROW ? "!"
					 : "");
}

static inline void hooked_write_line(const struct event *e, uint32_t code)
{
	const struct code_record *r = hooked_record(code);

	if (e->kind == EVENT_LINE_AT)
		hooked_write("%d ", e->line);
	else
		hooked_write("%d ", r ? r->lines[e->index] : -1);
}

/* What needs no stack. */
static inline void hooked_write_word(const struct event *e)
{
	static const struct {
		enum event_kind kind;
		const char *word;
	} words[] = {{EVENT_LEAVE, ") "}, {EVENT_SUSPEND, "yield "}, {EVENT_UNWIND, "unwind "},
		{EVENT_RAISE, "raise "}, {EVENT_RERAISE, "reraise "}, {EVENT_HANDLED, "handled "},
		{EVENT_AGAIN, "again "}, {EVENT_GAP, "gap "}, {EVENT_OUTSIDE, "outside "}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].kind == e->kind)
			hooked_write("%s", words[i].word);
}

static inline void hooked_write_path(void)
{
	uint32_t stack[256] = {0}, depth = 0;

	for (unsigned i = 0; i < hooked_count; i++) {
		const struct event *e = &hooked_events[i];
		if (e->kind == EVENT_ENTER || e->kind == EVENT_RESUME || e->kind == EVENT_THROW)
			hooked_write_entry(e);
		if (e->kind == EVENT_LINE || e->kind == EVENT_LINE_AT)
			hooked_write_line(e, stack[depth]);
		hooked_write_word(e);
		for (uint64_t n = e->kind == EVENT_POPS ? e->a : 0; n--; depth -= depth != 0)
			hooked_write(") ");
		if (e->kind == EVENT_LEAVE || e->kind == EVENT_SUSPEND || e->kind == EVENT_UNWIND)
			depth -= depth != 0;
		if (e->kind == EVENT_ENTER || e->kind == EVENT_RESUME || e->kind == EVENT_THROW ||
			e->kind == EVENT_LINK || e->kind == EVENT_OUTSIDE)
			stack[++depth & 255] = e->code;
	}
}

/* ---- running ---- */

/* The events of this thread since it began, and the path. */
static inline void hooked_look(void)
{
	hooked_count = self ? events_from(self, 0, hooked_events, HOOKED_EVENTS) : 0;
	hooked_path[0] = 0;
	hooked_write_path();
}

static inline unsigned hooked_count_of(enum event_kind kind)
{
	return count_of(hooked_events, hooked_count, kind);
}

/* Run the text while the callbacks are in. Its names are owned: codes die with them. */
static inline PyObject *hooked_run(const char *text, PyCFunction call)
{
	PyObject *names = inside_run(text, "/shop/cart.py", "cart", call);

	hooked_look();
	return names;
}

static inline bool hooked_has(const char *part)
{
	if (strstr(hooked_path, part))
		return true;
	print_message("not in the path: %s\nthe path: %s\n", part, hooked_path);
	return false;
}

/* With all lines, whatever follows from the path. */
static inline void expect_path(const char *text, const char *part)
{
	const char *why = NULL;
	bool in = hooked_in(&why);

	hooks_tell_lines();
	PyObject *names = in ? hooked_run(text, inside_nothing) : NULL;
	hooked_out();
	assert_true(in);
	assert_true(hooked_has(part));
	Py_DECREF(names);
}

static inline struct code_record *hooked_function(PyObject *names, const char *name)
{
	PyObject *function = inside_name(names, name);
	struct code_record *r = code_known((PyCodeObject *)PyFunction_GET_CODE(function));

	assert_non_null(r);
	return r;
}

#define HOOKED_TEST(test) cmocka_unit_test_setup_teardown(test, hooked_begin, hooked_end)

#endif
