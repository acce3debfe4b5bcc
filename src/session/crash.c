#include "session/crash.h"

#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "session/crash_look.h"

/* The number of events before a frame's end that are read to find the exception that ends it. */
#define NEAR   16
#define RECENT (2 * NEAR)
/* The first frame of a task is never higher than this. */
#define FRAMES_MAX 256

/* Frames of threading below a thread's function. */
#define THREAD_DEPTH 3

#define BIT(kind) (1u << PL_EVENT_##kind)

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

/* ---- what it ended ---- */

/* A first selection, from the event alone; judge reads more. With a filter frames may be missing
 * below it, so more depths are accepted. */
static bool may_be_end(const struct crash_look *l, const struct pl_event *e)
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
static int reader_approach(struct reader *r, const struct crash_look *l, uint64_t seq)
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

static int reader_next(struct reader *r, const struct crash_look *l, struct pl_event *e)
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
		if (has && e->type && e->seq + NEAR >= end->seq && crash_same_frame(e, end))
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
static int read_frame_end(const struct crash_look *l, struct reader *r, const struct pl_event *end,
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
	const struct crash_look *l, struct reader *r, const struct pl_event *end, struct crash *c)
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
	const struct crash_look *l;
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
	const struct crash_look *l = ends->l;
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

	for (size_t i = 0; code >= 0 && i < count && !crash_look_is_stopped(ends->l); i++) {
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
static void ends_init(struct ends *ends, const struct crash_look *l, uint64_t to)
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
		if (ends->to <= ends->l->bound || crash_look_is_stopped(ends->l))
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

/* Ids that are not the same are two objects. Of several that may be it, the first one counts since
 * what waits began to: that is the one by which a gather fails. */
int crash_task_end(const struct crash_look *l, const struct crash_handed *wanted, struct crash *out)
{
	enum crash_same same = CRASH_OTHER;
	struct ends ends;
	struct crash c;
	bool some = false;
	int code = 0;

	ends_init(&ends, l, wanted->before);
	ends.in_order = crash_is_orderly(wanted->type);
	while (code == 0 && same != CRASH_SAME) {
		code = ends_previous(&ends, &c);
		if (code || (some && c.end.seq < wanted->since))
			break;
		if (c.of == CRASH_TASK && !strcmp(c.type, wanted->type))
			same = crash_is_same(l, &c, wanted->id);
		else
			same = CRASH_OTHER;
		if (same == CRASH_SAME || (same == CRASH_MAY_BE && !wanted->same_alone)) {
			*out = c;
			some = true;
		}
	}
	ends_release(&ends);
	return code < 0 ? code : some ? 0 : PL_END;
}

/* ---- the last one ---- */

/* How many threads, tasks and processes exceptions ended; counting stops at `most`. */
struct tally {
	uint32_t most, ended;
};

/* The last one of the thread; an exit only if there is nothing else. */
static int find_in_thread(const struct crash_look *l, struct tally *tally, struct crash *out)
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
static int look_at_thread(struct crash_look *l)
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
static bool is_asked_for(const struct crash_look *l, uint32_t thread)
{
	const struct crash_bounds *b = l->bounds;

	return (!b->one_process || l->process->number == b->process) &&
	       (!b->one_thread || thread == b->thread);
}

/* The last of all threads. PL_END: none was ended. */
static int find_last(
	struct crash_look *l, struct tally *tally, struct crash *out, struct crash_look *of)
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
	struct crash_look l = {.r = r, .bounds = bounds, .err = err}, of = l;

	pl_recording_info(r, &info);
	l.filtered = info.filter[0] != 0;
	l.valued = info.value_events;
	*out = (struct crash){.type = ""};
	int code = find_last(&l, &tally, out, &of);
	if (code == 0)
		code = crash_origin(&of, out);
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
	struct crash_look l = {.r = r,
		.bounds = bounds,
		.process = pl_recording_find_process(r, at->process),
		.thread = pl_recording_thread(r, at->process, at->thread),
		.raises = raises,
		.err = err};

	pl_recording_info(r, &info);
	l.filtered = info.filter[0] != 0;
	l.valued = info.value_events;
	if (!l.process || !l.thread)
		return PL_ERR_NOT_FOUND;
	int code = look_at_thread(&l);
	if (code == 0)
		code = crash_origin(&l, &c);
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
