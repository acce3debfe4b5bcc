/* How the recorder begins in a process: at its start, and in a forked child.
 *
 *   start        layout_check, texts, a slot, PROCESS, hooks      in an audit event, with the GIL
 *   fork         before: codes up to here are shared; child: no slot, no rings, nothing written
 *   first event  of the child: a slot of its own, PROCESS (how: fork)
 *   start again  (of an embedding program): what was known of objects is forgotten, threads stay
 *
 * A child that only calls exec, as that of subprocess does, never takes a slot.
 */
#define _GNU_SOURCE
#include "recorder/start.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/map.h"
#include "base/view.h"
#include "format/message.h"
#include "os/clock.h"
#include "os/readable.h"
#include "pathline/event.h"
#include "recorder/code.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/offsets.h"
#include "recorder/engine.h"
#include "recorder/flight.h"
#include "recorder/fork.h"
#include "recorder/greenlets.h"
#include "recorder/layout.h"
#include "recorder/message.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/signals.h"
#include "recorder/source.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "recorder/values/values.h"
#include "recorder/waits.h"
#include "recorder/window.h"
#include "ring/ring.h"

struct recorder_root root;

/* ---- texts for the PROCESS message ---- */

static void keep_text(struct pl_buf *b, PyObject *str)
{
	PyObject *keep = NULL;
	size_t length;

	if (!str || !PyUnicode_Check(str))
		return;
	const char *text = text_of(str, &length, &keep);
	buf_put(b, text, length);
	Py_XDECREF(keep);
}

/* As it would be typed in a shell: quoted unless it is plain. A ' ends the quotes, is written after
 * a backslash, and begins them again. */
static void quote_argument(struct pl_buf *b, const char *text)
{
	static const char safe[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";

	if (*text && strspn(text, safe) == strlen(text)) {
		buf_put(b, text, strlen(text));
		return;
	}
	buf_u8(b, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_put(b, "'\\''", 4);
		else
			buf_u8(b, (uint8_t)*text);
	}
	buf_u8(b, '\'');
}

static void keep_quoted(struct pl_buf *b, PyObject *str)
{
	struct pl_buf plain = {0};

	keep_text(&plain, str);
	buf_u8(&plain, 0);
	if (!plain.failed)
		quote_argument(b, (const char *)plain.at);
	buf_release(&plain);
}

/* Of a program that embeds Python. */
static void keep_own_command_line(void)
{
	char text[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	for (const char *word = text; word < text + n; word += strlen(word) + 1) {
		if (word > text)
			buf_u8(&root.command, ' ');
		quote_argument(&root.command, word);
	}
}

static void keep_texts(void)
{
	PyObject *argv = PySys_GetObject("orig_argv");

	if (!argv || !PyList_Check(argv) || PyList_GET_SIZE(argv) == 0)
		keep_own_command_line();

	for (Py_ssize_t i = 0; argv && PyList_Check(argv) && i < PyList_GET_SIZE(argv); i++) {
		if (i)
			buf_u8(&root.command, ' ');
		keep_quoted(&root.command, PyList_GET_ITEM(argv, i));
	}
	keep_text(&root.executable, PySys_GetObject("executable"));
	buf_printf(&root.interpreter, "CPython %s", Py_GetVersion());
	keep_text(&root.stdlib_dir, PySys_GetObject("_stdlib_dir"));
}

/* The text after -c, also if it follows directly or after other letters: -c TEXT, -cTEXT, -Ic
 * TEXT. */
static void keep_command_text(void)
{
	PyObject *argv = PySys_GetObject("orig_argv");
	struct pl_buf word = {0};

	for (Py_ssize_t i = 1; argv && PyList_Check(argv) && i < PyList_GET_SIZE(argv); i++) {
		buf_reset(&word);
		keep_text(&word, PyList_GET_ITEM(argv, i));
		buf_u8(&word, 0);
		if (word.failed || word.at[0] != '-' || !word.at[1] || word.at[1] == '-')
			break;
		const char *letters = (const char *)word.at + 1;
		size_t n = strcspn(letters, "cmWX");
		if (letters[n] == 'm')
			break;
		if (letters[n] == 'c') {
			if (letters[n + 1])
				buf_put(&root.command_text, letters + n + 1,
					strlen(letters + n + 1));
			else if (i + 1 < PyList_GET_SIZE(argv))
				keep_text(&root.command_text, PyList_GET_ITEM(argv, i + 1));
			break;
		}
		if (letters[n] && !letters[n + 1])
			i++; /* -W or -X with a separate argument */
	}
	buf_release(&word);
}

/* Rules that cannot be read are ignored: then more is recorded than was wanted, not less. */
static void keep_filter(void)
{
	const struct arena_head *h = root.arena.head;

	root.filter.stdlib = buf_view(&root.stdlib_dir);
	if (h->filter_bytes <= sizeof h->filter)
		filter_read(&root.filter, view_of(h->filter, h->filter_bytes));
	root.filters = root.filter.rule_count != 0;
}

/* ---- where threads are, for the collector to read ---- */

static void tell_view(struct sample_view *v)
{
	*v = (struct sample_view){
		.state_id = offsetof(PyThreadState, native_thread_id),
		.state_frame = STATE_FRAME,
		.through_frame = STATE_THROUGH,
		.frame_code = FRAME_CODE,
		.frame_unit = FRAME_UNIT,
		.frame_previous = offsetof(py_frame, previous),
		.frame_bytes = offsetof(py_frame, localsplus),
		.code_extra = offsetof(PyCodeObject, co_extra),
		.code_units = offsetof(PyCodeObject, co_code_adaptive),
	};
#if CODE_HAS_WATCHER
	v->code_map = (uintptr_t)&root.code_records;
#else
	v->extra_record = (uint16_t)offsetof(struct code_extras, values[root.code_index]);
#endif
}

/* With Yama a process names the one that may read its memory, only for itself: a forked child does
 * so again. If the program later names another one, sampling ends, and the program loses
 * nothing. */
static void name_tracer(void)
{
	const struct arena_head *h = root.arena.head;

	if (h->name_tracer && arena_pid_space() == h->pid_space)
		prctl(PR_SET_PTRACER, (unsigned long)h->collector_pid, 0, 0, 0);
}

/* ---- slots ---- */

/* LIVE with release is the last store: the collector reads the rest of the slot after it. */
static bool take_slot(uint32_t parent)
{
	struct process_slot *slot = arena_take_slot(&root.arena);

	if (!slot) {
		recorder_stop(PL_GAP_FULL);
		return false;
	}
	slot->pid = (uint32_t)getpid();
	slot->pid_space = arena_pid_space();
	slot->parent = parent;
	slot->start_ticks = now_ticks();
	tell_view(&slot->sample);
	name_tracer();
	root.slot = slot;
	atomic_store_explicit(root.slot_out, slot, memory_order_release);
	ring_init(&root.messages, &root.arena, slot, STREAM_MESSAGES);
	atomic_store_explicit(&slot->state, SLOT_LIVE, memory_order_release);
	return true;
}

/* Code objects that are there now will be in both processes with one number. Neither process
 * reports when they are freed, because the other may still run them. */
static void before_fork(void)
{
	if (!root.arena.head)
		return;
	root.shared_codes = atomic_load_explicit(&root.arena.head->next_code, memory_order_relaxed);
}

/* In the child nothing may be written before it has its own slot: the rings belong to the
 * parent. */
static void forked_child(void)
{
	if (atomic_load(&root.stopped))
		return;
	if (!root.forked && root.slot)
		root.fork_parent = root.slot->number;
	thread_stands_at_fork();
	root.forked = true;
	root.slot = NULL;
	root.interpreters = interpreters_begun();
	atomic_store_explicit(root.slot_out, NULL, memory_order_release);
	thread_forget_all();
}

/* switches count from 0 again: their numbers belong to the process */
bool process_begin_in_child(void)
{
	if (atomic_load(&root.stopped))
		return false;
	if (root.arena.head->no_children) {
		recorder_stop(PL_GAP_UNKNOWN);
		if (root.leave_soon)
			root.leave_soon();
		return false;
	}
	if (!take_slot(root.fork_parent))
		return false;
	root.forked = false;
	root.switches = 0;
	message_process(HOW_FORK);
	return true;
}

/* ---- other interpreters ---- */

void interpreters_look(void)
{
	int64_t begun = interpreters_begun();

	if (begun <= root.interpreters || !root.slot)
		return;
	if (root.interpreters <= 1)
		message_note(PL_GAP_UNKNOWN,
			"sub-interpreters were begun: what ran in them is not recorded");
	root.interpreters = begun;
}

/* ---- which thread runs ---- */

static void find_gil_holder(void)
{
	/* the address of no thread's state */
	static PyThreadState *const nobody = (PyThreadState *)&root;
	PyThreadState *const *cell = gil_holder(PyInterpreterState_Main());

	bool known = readable_object(cell, sizeof *cell) && *cell == current_thread_state();

	root.gil_holder = known ? cell : &nobody;
}

/* ---- the entry ---- */

/* A program that embeds Python can end it and start it again. In the recording that is one process,
 * and its threads continue. What was known of objects is no longer true. */
static int start_again(const struct recorder_start *start, const char **why)
{
	if (atomic_load(&root.stopped)) {
		*why = "the recorder has stopped itself";
		return -1;
	}
	for (struct thread *t = root.threads; t; t = t->next)
		t->fresh = true;
	/* 3. Events come already; the rest is for forks, signals and the end. */
	root.interpreters = 1;
	Py_AtExit(interpreters_look);
	names_forget();
	greenlets_forget();
	source_begin();
#if CODE_HAS_WATCHER
	map_release(&root.code_records);
#endif
	if (code_init() < 0) {
		*why = "out of code-extra indexes";
		return -1;
	}
	if (root.slot)
		tell_view(&root.slot->sample);
	find_gil_holder();
	return hooks_install(start->at_main, why);
}

/* Neither can be taken back, and there is room for few. */
static void hear_of_ends(void)
{
	static bool heard;

	if (heard)
		return;
	heard = true;
	Py_AtExit(interpreters_look);
	pthread_atfork(before_fork, NULL, forked_child);
}

/* What the preload gives, and where it wants to be answered. */
static void take_start(const struct recorder_start *start)
{
	root.arena = start->arena;
	root.slot_out = start->slot;
	root.on_key = start->on_key;
	root.on_leave = start->on_leave;
	root.confined = start->confined;
	root.clock = start->arena.head->clock == CLOCK_IS_TSC ? CLOCK_TSC : CLOCK_MONO;
}

__attribute__((visibility("default"))) int pathline_recorder_start(
	const struct recorder_start *start, const char **why)
{
	if (root.slot || root.forked)
		return start_again(start, why);
	if (layout_check(why) < 0)
		return -1;
	take_start(start);
	/* 1. What can fail without a trace in the recording. */
	keep_texts();
	keep_command_text();
	keep_filter();
	values_start();
	flight_start();
	source_begin();
	if (thread_init() != 0 || code_init() < 0) {
		*why = "out of thread keys or code-extra indexes";
		return -1;
	}
	/* 2. From here on the collector knows of this process, and hears its description before its
	 * first event. */
	if (!take_slot(start->parent)) {
		*why = "more processes at a time than the arena has slots for";
		return -1;
	}
	message_process(start->how);
	if (root.left)
		threads_begin_again();
	find_gil_holder();
	if (hooks_install(start->at_main, why) < 0) {
		recorder_stop(PL_GAP_UNKNOWN);
		atomic_store_explicit(&root.slot->state, SLOT_DONE, memory_order_release);
		return -1;
	}
	/* 3. Events come already; the rest is for forks, signals and the end. */
	root.interpreters = 1;
	root.left = false;
	hear_of_ends();
	atomic_store_explicit(start->on_wait, &recorder_waits, memory_order_release);
	signals_install();
	return 0;
}
