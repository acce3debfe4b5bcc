#include "session/crash.h"

#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/thrown.h"

/* co_flags: coroutines, those of types.coroutine, asynchronous generators */
#define CO_AWAITED 0x380u
/* The most steps for which an exception is followed through frames and tasks. */
#define STEPS_MAX 4096
/* The number of events before a frame's end that are read to find the exception that ends it. */
#define NEAR   16
#define RECENT (2 * NEAR)
/* The first frame of a task is never higher than this. */
#define FRAMES_MAX 256

/* Frames of threading below a thread's function. */
#define THREAD_DEPTH 3

#define BIT(kind) (1u << PL_EVENT_##kind)

/* A thread that is searched. */
struct look {
	struct pl_recording *r; /* not owned */
	const struct crash_bounds *bounds;
	const struct pl_process *process;
	const struct pl_thread *thread;
	const struct pl_code *bottom; /* of the thread's first frame; NULL: not known */
	uint64_t bound;		      /* seq: events before it are not looked at */
	bool filtered; /* threading's own frames may be left out: then their events are missing */
	struct pl_buf *raises; /* of find_origin: of pl_event, see crash_trace; NULL: not wanted */
	struct pl_err *err;
};

/* Did the user interrupt the search? */
static bool is_stopped(const struct look *l)
{
	return l->bounds->stop && *l->bounds->stop;
}

/* ---- names ---- */

/* "asyncio.exceptions.CancelledError" is a CancelledError. */
static bool type_is(const char *type, const char *name)
{
	const char *dot = strrchr(type, '.');

	return !strcmp(dot ? dot + 1 : type, name);
}

bool crash_is_orderly(const char *type)
{
	static const char *const types[] = {
		"CancelledError", "Cancelled", "GeneratorExit", "GreenletExit"};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (type_is(type, types[i]))
			return true;
	return false;
}

/* Paths differ between installations, their ends do not. */
static bool file_ends(const struct pl_code *c, const char *end)
{
	const char *file = pl_code_file(c);
	size_t n = strlen(file), m = strlen(end);

	return n >= m && !strcmp(file + n - m, end);
}

bool crash_ends(const struct pl_code *c, bool left_out, enum crash_of *of)
{
	const char *name = pl_code_name(c), *dot = strrchr(name, '.');
	const char *bootstrap;

	if (file_ends(c, "/threading.py")) {
		*of = CRASH_THREAD;
		bootstrap = "Thread._bootstrap_inner";
	} else if (file_ends(c, "/multiprocessing/process.py")) {
		*of = CRASH_PROCESS;
		bootstrap = "BaseProcess._bootstrap";
	} else {
		return false;
	}
	return !strcmp(name, bootstrap) || (left_out && dot && !strcmp(dot, ".run"));
}

/* The interpreter runs a module, also that of -m, in a frame of its own; other modules may have run
 * before. */
bool crash_runs_module(const struct pl_code *c)
{
	return !strcmp(pl_code_name(c), "<module>") ||
	       !strcmp(pl_code_name(c), "_run_module_as_main");
}

/* ---- events around an event ---- */

/* Generators keep their identity while their depth changes. */
static bool same_frame(const struct pl_event *a, const struct pl_event *b)
{
	if (a->generator || b->generator)
		return a->generator == b->generator;
	return a->depth == b->depth && a->greenlet == b->greenlet;
}

struct before {
	const struct pl_event *of;
	uint32_t in_frame; /* these kinds in the frame of `of` */
	const char *type;  /* that have this type; NULL: any */
};

/* A pl_wanted's `is`. The CALL of the frame is found whatever the type is: nothing of the frame is
 * before it. */
static int call_is_before(void *context, const struct pl_event *e)
{
	const struct before *b = context;

	if (!(b->in_frame >> e->kind & 1) || !same_frame(e, b->of))
		return PL_END;
	return !b->type || e->kind == PL_EVENT_CALL || (e->type && !strcmp(e->type, b->type))
		       ? 0
		       : PL_END;
}

/* The last event of these kinds in the frame of b->of before it. */
static int find_before(const struct look *l, const struct before *b, struct pl_event *to)
{
	const struct pl_wanted wanted = {.process = b->of->position.process,
		.thread = b->of->position.thread,
		.kinds = b->in_frame,
		.is = call_is_before,
		.context = (void *)b,
		.stop = l->bounds->stop};
	struct pl_search *s = NULL;
	int code = pl_search_new(&s, l->r, &wanted, l->err);

	if (code == 0)
		code = pl_search_previous(s, b->of->seq, l->bound, to, l->err);
	pl_search_free(s);
	return code;
}

/* The events before an event, read again. */
struct near {
	struct pl_event events[NEAR];
	size_t count;
};

/* Events before `of`, without gaps, in their order. */
static int read_near(const struct look *l, const struct pl_event *of, struct near *n)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&c, l->r, of->position.process, of->position.thread, l->err);

	n->count = 0;
	if (code == 0)
		code = pl_cursor_seek_seq(c, of->seq > NEAR ? of->seq - NEAR : 0, l->err);
	while (code == 0) {
		code = pl_cursor_next(c, &e, l->err);
		if (code || e.seq >= of->seq)
			break;
		if (e.kind != PL_EVENT_GAP && n->count < NEAR)
			n->events[n->count++] = e;
	}
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}

/* ---- where it was raised ---- */

/* What leaves a frame; it may be resumed later. */
static bool is_frame_end(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RETURN || e->kind == PL_EVENT_YIELD ||
	       e->kind == PL_EVENT_UNWIND;
}

/* Did what is thrown there leave a coroutine that was awaited? */
static bool left_awaited(const struct near *n, size_t thrown)
{
	const struct pl_event *before = thrown ? &n->events[thrown - 1] : NULL;

	return before && before->kind == PL_EVENT_UNWIND &&
	       thrown_goes_on(before->seq, before->depth, &n->events[thrown]);
}

/* From which callee did the exception arrive? Its unwind is the event before, except for finalisers
 * that ran meanwhile; code between them that is left out has none. PL_END: none, it was raised
 * here. */
static int find_callee(
	const struct look *l, const struct pl_event *raise, struct pl_event *to, bool *thrown)
{
	struct near n;
	int code = read_near(l, raise, &n);

	*thrown = false;
	for (size_t i = n.count; code == 0 && i--;) {
		const struct pl_event *e = &n.events[i];
		const bool past_left_out = l->filtered && i + 1 == n.count;
		if (e->greenlet != raise->greenlet)
			continue;
		if (e->depth > raise->depth + 1 && !(past_left_out && e->kind == PL_EVENT_UNWIND))
			continue;
		if (e->kind == PL_EVENT_UNWIND && e->depth > raise->depth) {
			*to = *e;
			return 0;
		}
		*thrown = e->kind == PL_EVENT_THROW;
		if (*thrown && left_awaited(&n, i)) {
			*to = n.events[i - 1];
			return 0;
		}
		if (e->depth <= raise->depth || !is_frame_end(e))
			break;
		while (i && !(n.events[i].depth == e->depth &&
				    (n.events[i].kind == PL_EVENT_CALL ||
					    n.events[i].kind == PL_EVENT_RESUME)))
			i--;
	}
	return code ? code : PL_END;
}

/* The exception with which a frame ends, or that its handler gets: it was raised in the frame, or
 * arrived there. If a handler passes it on, it is what the handler handled: the last one of its
 * type, because no event says when a handler ends. */
static int find_raise(
	const struct look *l, const struct pl_event *end, const char *type, struct pl_event *to)
{
	const struct before last = {
		.of = end, .in_frame = BIT(RAISE) | BIT(RERAISE) | BIT(CALL), .type = type};
	int code = find_before(l, &last, to);

	for (int i = 0; code == 0 && to->kind == PL_EVENT_RERAISE && i < STEPS_MAX; i++) {
		const struct pl_event from = *to;
		const struct before first = {
			.of = &from, .in_frame = BIT(RAISE) | BIT(CALL), .type = from.type};
		struct pl_event found;
		code = find_before(l, &first, &found);
		if (code == PL_END || (code == 0 && found.kind == PL_EVENT_CALL))
			return 0; /* it was raised outside of this frame, and continues here */
		*to = found;
	}
	return code == 0 && to->kind == PL_EVENT_CALL ? PL_END : code;
}

static int find_task_end(
	const struct look *l, const struct pl_event *before, const char *type, struct crash *out);

/* asyncio gives a task's exception to what waits for the task: into a coroutine, or out of its
 * run. A CancelledError that is thrown into a coroutine mostly comes from a cancel of its own
 * task. */
static bool is_handed_over(const struct pl_event *raise, const char *type, bool thrown)
{
	if (thrown)
		return !crash_is_orderly(type);
	return raise->code && strstr(pl_code_file(raise->code), "/asyncio/");
}

/* From the end back to where the exception was raised. Each turn goes one frame inwards: find where
 * this frame got it, then the callee from which it came. If it came from a task that was awaited,
 * the search goes on in that task, where it ended. */
static int find_origin(const struct look *l, struct crash *c)
{
	struct pl_event at = c->end, raise;
	bool some = false;
	int code = 0;

	for (int i = 0; code == 0 && i < STEPS_MAX; i++) {
		bool thrown = false;
		if (at.kind == PL_EVENT_RAISE)
			raise = at;
		else
			code = find_raise(l, &at, c->type[0] ? c->type : NULL, &raise);
		if (code)
			break;
		c->raise = raise;
		some = true;
		if (l->raises)
			buf_put(l->raises, &raise, sizeof raise);
		code = find_callee(l, &raise, &at, &thrown);
		if (code == PL_END && c->type[0] && is_handed_over(&raise, c->type, thrown)) {
			struct crash task;
			code = find_task_end(l, &raise, c->type, &task);
			at = task.end;
		}
	}
	if (!some)
		c->raise = c->end;
	return code < 0 ? code : 0;
}

/* ---- what it ended ---- */

/* A first selection, from the event alone; judge reads more. With a filter frames may be missing
 * below it, so more depths are accepted. */
static bool may_be_end(const struct look *l, const struct pl_event *e)
{
	enum crash_of of;

	if (!e->code)
		return false;
	if (e->kind == PL_EVENT_HANDLED)
		return crash_ends(e->code, false, &of);
	if (e->greenlet || pl_code_flags(e->code) & CO_AWAITED)
		return true;
	if (e->depth && l->filtered)
		return e->depth <= THREAD_DEPTH || !e->position.thread;
	return e->depth == 0 && (e->code == l->bottom || crash_runs_module(e->code));
}

/* Goes along the path from one end to the next. A seek reads a part of a block, so what lies near
 * is walked to. */
struct reader {
	struct pl_cursor *cursor; /* owned; NULL: it was not needed so far */
	bool placed;		  /* `next` is the seq of the cursor's next row, or less */
	uint64_t next;
	struct pl_event recent[RECENT]; /* rows before the cursor; row i is recent[i % RECENT] */
	uint64_t rows;			/* number of them, older ones counted */
};

/* To walk over so many rows is as fast as a seek. */
#define READER_WALKS 8192

static void reader_release(struct reader *r)
{
	pl_cursor_free(r->cursor);
	r->cursor = NULL;
}

/* To NEAR events before seq, or less: recent rows are remembered. */
static int reader_approach(struct reader *r, const struct look *l, uint64_t seq)
{
	const uint64_t from = seq > NEAR ? seq - NEAR : 0;
	int code = 0;

	if (!r->cursor)
		code = pl_cursor_new(
			&r->cursor, l->r, l->thread->process, l->thread->number, l->err);
	if (code || (r->placed && r->next <= seq && seq - r->next <= READER_WALKS))
		return code;
	code = pl_cursor_seek_seq(r->cursor, from, l->err);
	r->placed = code == 0;
	r->next = from;
	r->rows = 0;
	return code;
}

static int reader_next(struct reader *r, const struct look *l, struct pl_event *e)
{
	int code = pl_cursor_next(r->cursor, e, l->err);

	r->placed = code == 0;
	if (code)
		return code;
	r->next = e->seq + 1;
	r->recent[r->rows++ % RECENT] = *e;
	return 0;
}

/* The type of the exception that the frame has at its end: that of its last such row. */
static const char *reader_type(const struct reader *r, const struct pl_event *end)
{
	for (uint64_t i = r->rows; i && r->rows - i < RECENT; i--) {
		const struct pl_event *e = &r->recent[(i - 1) % RECENT];
		const bool has = e->kind == PL_EVENT_RAISE || e->kind == PL_EVENT_RERAISE ||
				 e->kind == PL_EVENT_HANDLED;
		if (has && e->type && e->seq + NEAR >= end->seq && same_frame(e, end))
			return e->type;
	}
	return "";
}

/* The frame that ended, as it was before. */
struct ended {
	bool is_task;		      /* the first frame of a task */
	const struct pl_code *caller; /* NULL: none, or not known */
};

/* Of the stack before the frame's end. */
static void look_at_frames(
	const struct pl_frame *frames, size_t depth, struct crash *c, struct ended *what)
{
	if (!depth || depth > FRAMES_MAX)
		return;
	if (frames[depth - 1].task) {
		what->is_task = true;
		snprintf(c->task, sizeof c->task, "%s", frames[depth - 1].task);
	}
	if (depth > 1)
		what->caller = frames[depth - 2].code;
}

/* Read it, and the type of the exception, which is that of the raise before. */
static int read_frame_end(const struct look *l, struct reader *r, const struct pl_event *end,
	struct crash *c, struct ended *what)
{
	struct pl_frame frames[FRAMES_MAX];
	struct pl_event e;
	int code = reader_approach(r, l, end->seq);

	*what = (struct ended){0};
	c->type = "";
	c->task[0] = 0;
	while (code == 0) {
		const size_t depth = r->next + NEAR >= end->seq
					     ? pl_cursor_stack(r->cursor, frames, FRAMES_MAX)
					     : 0;
		code = reader_next(r, l, &e);
		if (code || e.seq < end->seq || (e.kind == PL_EVENT_GAP && e.seq == end->seq))
			continue;
		if (e.seq == end->seq)
			look_at_frames(frames, depth, c, what);
		break;
	}
	if (code == 0)
		r->placed = e.seq == end->seq;
	c->type = reader_type(r, end);
	return code < 0 ? code : 0;
}

/* A task that is cancelled and a generator that is closed end in good order. In all other places
 * the same exception is one like others. */
static bool is_in_order(const struct crash *c)
{
	return crash_is_orderly(c->type) && (c->of == CRASH_TASK || c->end.generator);
}

/* 0: it ended something, maybe in good order; PL_END. */
static int judge_end(
	const struct look *l, struct reader *r, const struct pl_event *end, struct crash *c)
{
	struct ended what;
	int code = read_frame_end(l, r, end, c, &what);

	if (code)
		return code;
	c->end = *end;
	c->exits = type_is(c->type, "SystemExit");
	c->caught = false;
	if (end->kind == PL_EVENT_HANDLED) {
		c->caught = crash_ends(end->code, false, &c->of);
		return c->caught ? 0 : PL_END;
	}
	if (what.is_task) {
		c->of = CRASH_TASK;
		return 0;
	}
	if (l->filtered && what.caller && crash_ends(what.caller, true, &c->of)) {
		c->caught = true;
		return 0;
	}
	if (end->depth || end->greenlet)
		return PL_END;
	c->of = end->position.thread ? CRASH_THREAD : CRASH_MAIN_THREAD;
	if (c->of == CRASH_MAIN_THREAD && l->process->parent)
		c->of = CRASH_PROCESS;
	return 0;
}

/* ---- the ends of a thread, the last one first ---- */

/* The number of rows that are searched at once. Within them the search goes forward, and keeps what
 * may be an end. */
#define PIECE (1u << 17)

struct ends {
	const struct look *l;
	uint64_t to;	       /* rows before are still to be searched */
	struct pl_buf rows;    /* of pl_event: what may be an end, in the order of the path */
	struct pl_buf found;   /* of crash: what is one, likewise */
	struct pl_event raise; /* the last one in what can be a task's frame */
	bool in_order;	       /* also those of cancelled tasks */
};

/* What is raised in coroutines says which of their ends are orderly; there can be very many of
 * these. */
static bool may_matter(void *context, const struct pl_count *row)
{
	enum crash_of of;

	(void)context;
	if (row->kind == PL_EVENT_RAISE || row->kind == PL_EVENT_RERAISE)
		return row->code && pl_code_flags(row->code) & CO_AWAITED;
	return row->kind != PL_EVENT_HANDLED || (row->code && crash_ends(row->code, false, &of));
}

/* A pl_wanted's `is`, which keeps what may be an end, and lets the search go on to the end of the
 * piece. The last raise in a coroutine tells which of its unwinds is an orderly end. */
static int collect(void *context, const struct pl_event *e)
{
	struct ends *ends = context;

	if (e->kind == PL_EVENT_RAISE || e->kind == PL_EVENT_RERAISE) {
		ends->raise = *e;
		return PL_END;
	}
	if (!may_be_end(ends->l, e))
		return PL_END;
	const struct pl_event *raise = &ends->raise;
	if (!ends->in_order && e->kind != PL_EVENT_HANDLED && raise->generator &&
		raise->generator == e->generator && raise->type && crash_is_orderly(raise->type))
		return PL_END;
	buf_put(&ends->rows, e, sizeof *e);
	return ends->rows.failed ? PL_ERR_MEMORY : PL_END;
}

/* Search the piece of the path before `to`. Forward, because that is how a path is decoded; from
 * its end, one event after the other, it would be decoded again and again. */
static int collect_piece(struct ends *ends)
{
	const struct look *l = ends->l;
	const struct pl_wanted wanted = {.process = l->thread->process,
		.thread = l->thread->number,
		.kinds = BIT(UNWIND) | BIT(HANDLED) | BIT(RAISE) | BIT(RERAISE),
		.may = may_matter,
		.is = collect,
		.context = ends,
		.stop = l->bounds->stop};
	const uint64_t from = ends->to - l->bound > PIECE ? ends->to - PIECE : l->bound;
	struct pl_search *s = NULL;
	struct pl_event e;
	int code = pl_search_new(&s, l->r, &wanted, l->err);

	ends->raise = (struct pl_event){0};
	if (code == 0)
		code = pl_search_next(s, from, ends->to, &e, l->err);
	pl_search_free(s);
	ends->to = from;
	return code < 0 ? code : 0;
}

/* Which of the rows are ends. In their order, as one cursor goes along the path. */
static int judge_rows(struct ends *ends)
{
	const struct pl_event *rows = (const struct pl_event *)(const void *)ends->rows.at;
	const size_t count = ends->rows.used / sizeof *rows;
	struct reader reader = {0};
	int code = 0;

	for (size_t i = 0; code >= 0 && i < count && !is_stopped(ends->l); i++) {
		struct crash c = {0};
		code = judge_end(ends->l, &reader, &rows[i], &c);
		if (code == 0 && (ends->in_order || !is_in_order(&c)))
			buf_put(&ends->found, &c, sizeof c);
	}
	reader_release(&reader);
	buf_reset(&ends->rows);
	return code < 0 ? code : ends->found.failed ? PL_ERR_MEMORY : 0;
}

/* From seq `to` backward, at most to the bound. */
static void ends_init(struct ends *ends, const struct look *l, uint64_t to)
{
	const uint64_t end = l->thread->first_seq + l->thread->events;

	*ends = (struct ends){.l = l, .to = to < end ? to : end};
	if (ends->to < l->bound)
		ends->to = l->bound;
}

/* PL_END: there are no more. */
static int ends_previous(struct ends *ends, struct crash *c)
{
	int code = 0;

	while (!ends->found.used) {
		if (ends->to <= ends->l->bound || is_stopped(ends->l))
			return PL_END;
		code = collect_piece(ends);
		if (code == 0)
			code = judge_rows(ends);
		if (code)
			return code;
	}
	ends->found.used -= sizeof *c;
	memcpy(c, ends->found.at + ends->found.used, sizeof *c);
	return 0;
}

static void ends_release(struct ends *ends)
{
	buf_release(&ends->rows);
	buf_release(&ends->found);
}

/* The last end of a task by an exception of this type. */
static int find_task_end(
	const struct look *l, const struct pl_event *before, const char *type, struct crash *out)
{
	struct ends ends;
	int code;

	ends_init(&ends, l, before->seq);
	ends.in_order = crash_is_orderly(type);
	do
		code = ends_previous(&ends, out);
	while (code == 0 && !(out->of == CRASH_TASK && !strcmp(out->type, type)));
	ends_release(&ends);
	return code;
}

/* ---- the last one ---- */

/* How many threads, tasks and processes exceptions ended; counting stops at `most`. */
struct tally {
	uint32_t most, ended;
};

/* The last one of the thread; an exit only if there is nothing else. */
static int find_in_thread(const struct look *l, struct tally *tally, struct crash *out)
{
	/* A thread or process ends once. With a filter each unwind into what is left out may be
	 * that end: the last one is. But a process that multiprocessing spawned leaves by an exit
	 * after its function's exception was caught: that exception ended it. */
	const uint32_t once = 1u << CRASH_THREAD | 1u << CRASH_PROCESS;
	uint32_t ended = 0;
	bool found = false, left = false;
	struct ends ends;
	int code;

	ends_init(&ends, l, UINT64_MAX);
	do {
		struct crash c;
		code = ends_previous(&ends, &c);
		if (code)
			break;
		if ((ended & once) >> c.of & 1 && !(left && c.caught))
			continue;
		ended |= 1u << c.of;
		left = c.of == CRASH_PROCESS && c.exits && !c.caught;
		if (!found || (out->exits && !c.exits)) {
			*out = c;
			found = true;
		}
		tally->ended += !c.exits;
	} while (!found || out->exits || tally->ended < tally->most);
	ends_release(&ends);
	return code < 0 ? code : found ? 0 : PL_END;
}

/* In one process the order of its threads decides, in two processes their times. */
static bool is_later(const struct crash *a, const struct crash *b)
{
	if (a->exits != b->exits)
		return b->exits;
	if (a->end.position.process == b->end.position.process)
		return a->end.order > b->end.order;
	return a->end.time_ns > b->end.time_ns;
}

/* What is needed before a thread is searched: how far back, and which frame is at its bottom. */
static int look_at_thread(struct look *l)
{
	const struct pl_thread *t = l->thread;
	const uint64_t most = l->bounds->events;
	struct pl_cursor *c = NULL;
	struct pl_event e;
	struct pl_frame frame;
	int code = pl_cursor_new(&c, l->r, l->thread->process, l->thread->number, l->err);

	l->bound = most && t->events > most ? t->first_seq + t->events - most : t->first_seq;
	l->bottom = NULL;
	if (code == 0)
		code = pl_cursor_next(c, &e, l->err);
	if (code == 0 && pl_cursor_stack(c, &frame, 1))
		l->bottom = frame.code;
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}

/* Is it one of the threads that are asked for? */
static bool is_asked_for(const struct look *l, uint32_t thread)
{
	const struct crash_bounds *b = l->bounds;

	return (!b->one_process || l->process->number == b->process) &&
	       (!b->one_thread || thread == b->thread);
}

/* The last of all threads. PL_END: none was ended. */
static int find_last(struct look *l, struct tally *tally, struct crash *out, struct look *of)
{
	bool found = false;
	int code = 0;

	for (uint32_t i = 0; code >= 0 && i < pl_recording_process_count(l->r); i++) {
		l->process = pl_recording_process(l->r, i);
		for (uint32_t n = 0; code >= 0 && n < l->process->thread_count; n++) {
			struct crash c;
			l->thread = pl_recording_thread(l->r, l->process->number, n);
			if (!l->thread || !is_asked_for(l, n))
				continue;
			code = look_at_thread(l);
			if (code == 0)
				code = find_in_thread(l, tally, &c);
			if (code == 0 && (!found || is_later(&c, out))) {
				*out = c;
				*of = *l;
				found = true;
			}
		}
	}
	return code < 0 ? code : found ? 0 : PL_END;
}

/* Do the bounds leave out a part of a thread? */
static bool leaves_out(const struct pl_recording *r, const struct crash_bounds *bounds)
{
	for (uint32_t i = 0; bounds->events && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; n < p->thread_count; n++) {
			const struct pl_thread *t = pl_recording_thread(r, p->number, n);
			if (t && t->events > bounds->events)
				return true;
		}
	}
	return false;
}

/* The last crash, and where it was raised. Names in events are valid only while their cursors are,
 * so these are cleared. */
int crash_find(struct pl_recording *r, const struct crash_bounds *bounds, struct crash *out,
	struct pl_err *err)
{
	struct tally tally = {.most = bounds->count};
	struct pl_recording_info info;
	struct look l = {.r = r, .bounds = bounds, .err = err}, of = l;

	pl_recording_info(r, &info);
	l.filtered = info.filter[0] != 0;
	*out = (struct crash){.type = ""};
	int code = find_last(&l, &tally, out, &of);
	if (code == 0)
		code = find_origin(&of, out);
	out->ended = tally.ended;
	out->more = leaves_out(r, bounds) || (tally.most && tally.ended >= tally.most);
	out->end.task = out->end.type = out->raise.task = out->raise.type = NULL;
	return code;
}

int crash_trace(struct pl_recording *r, const struct crash *of, const struct crash_bounds *bounds,
	struct pl_buf *raises, struct pl_err *err)
{
	const struct pl_position *at = &of->end.position;
	struct pl_recording_info info;
	struct crash c = *of;
	struct look l = {.r = r,
		.bounds = bounds,
		.process = pl_recording_find_process(r, at->process),
		.thread = pl_recording_thread(r, at->process, at->thread),
		.raises = raises,
		.err = err};

	pl_recording_info(r, &info);
	l.filtered = info.filter[0] != 0;
	if (!l.process || !l.thread)
		return PL_ERR_NOT_FOUND;
	int code = look_at_thread(&l);
	if (code == 0)
		code = find_origin(&l, &c);
	return code == 0 && raises->failed ? PL_ERR_MEMORY : code;
}

const struct pl_process *crash_next_killed(const struct pl_recording *r, uint32_t *next)
{
	while (*next < pl_recording_process_count(r)) {
		const struct pl_process *p = pl_recording_process(r, (*next)++);
		if (p->thread_count && p->end == PL_PROCESS_SIGNALED && p->end_code != SIGTERM &&
			p->end_code != SIGINT)
			return p;
	}
	return NULL;
}

void crash_subject(
	const struct pl_recording *r, const struct crash *c, char text[CRASH_SUBJECT_BYTES])
{
	const struct pl_position *p = &c->end.position;
	const struct pl_thread *t = pl_recording_thread(r, p->process, p->thread);
	char of[32] = "";

	if (pl_recording_process_count(r) > 1)
		snprintf(of, sizeof of, " of process %u", p->process);
	if (c->of == CRASH_TASK)
		snprintf(text, CRASH_SUBJECT_BYTES, "task %s%s", c->task, of);
	else if (c->of == CRASH_PROCESS)
		snprintf(text, CRASH_SUBJECT_BYTES, "process %u", p->process);
	else if (c->of == CRASH_MAIN_THREAD)
		snprintf(text, CRASH_SUBJECT_BYTES, "the main thread%s", of);
	else if (t && t->name && t->name[0])
		snprintf(text, CRASH_SUBJECT_BYTES, "thread %.120s%s", t->name, of);
	else
		snprintf(text, CRASH_SUBJECT_BYTES, "thread %u%s", p->thread, of);
}
