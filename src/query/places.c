/* The tables that come from the lists of the recording: `process`, `thread` and `loss`. */
#include "query/feed.h"
#include "query/tables.h"

#define PROCESS_COLUMNS(X)                                                                         \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, p->number))                                                        \
	X(parent, INTEGER, PLAIN, "number of the process that started it",                         \
		put_number_or_null(out, p->parent))                                                \
	X(pid, INTEGER, PLAIN, "process id", put_number(out, p->pid))                              \
	X(how, TEXT, PLAIN, "start, fork or exec", put_text(out, p->how, false))                   \
	X(command, TEXT, PLAIN, "its command line", put_text(out, p->command, false))              \
	X(executable, TEXT, PLAIN, "path of the interpreter", put_text(out, p->executable, false)) \
	X(interpreter, TEXT, PLAIN, "its version", put_text(out, p->interpreter, false))           \
	X(start_ns, INTEGER, PLAIN, "ns since 1970", put_time(out, p->start_ns))                   \
	X(end_ns, INTEGER, PLAIN, "ns since 1970; NULL: not known", put_time(out, p->end_ns))      \
	X(ended, TEXT, PLAIN, "running, exited, signaled, execed, lost",                           \
		put_text(out, end_word(p->end), true))                                             \
	X(end_code, INTEGER, PLAIN, "exit code, or signal", put_number(out, p->end_code))          \
	X(threads, INTEGER, PLAIN, "how many it had", put_number(out, p->thread_count))            \
	X(switches, INTEGER, PLAIN, "between threads", put_number(out, (int64_t)p->switches))

#define THREAD_COLUMNS(X)                                                                          \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, t->process))                                                       \
	X(thread, INTEGER, THREAD, "number in its process, from 0", put_number(out, t->number))    \
	X(name, TEXT, PLAIN, "its last name in threading", put_text(out, t->name, false))          \
	X(native_id, INTEGER, PLAIN, "as gettid(2) gave it",                                       \
		put_number(out, (int64_t)t->native_id))                                            \
	X(start_ns, INTEGER, PLAIN, "ns since 1970", put_time(out, t->start_ns))                   \
	X(end_ns, INTEGER, PLAIN, "ns since 1970; NULL: not known", put_time(out, t->end_ns))      \
	X(events, INTEGER, PLAIN, "how many are there", put_number(out, (int64_t)t->events))       \
	X(first_seq, INTEGER, PLAIN, "seq of the oldest one",                                      \
		put_number(out, (int64_t)t->first_seq))                                            \
	X(blocks, INTEGER, PLAIN, "blocks of events", put_number(out, t->blocks))                  \
	X(lines, INTEGER, PLAIN, "of them: lines",                                                 \
		put_number(out, (int64_t)t->counts[PL_EVENT_LINE]))                                \
	X(calls, INTEGER, PLAIN, "of them: calls",                                                 \
		put_number(out, (int64_t)t->counts[PL_EVENT_CALL]))                                \
	X(raises, INTEGER, PLAIN, "of them: raises",                                               \
		put_number(out, (int64_t)t->counts[PL_EVENT_RAISE]))

#define LOSS_COLUMNS(X)                                                                            \
	X(process, INTEGER, PLAIN, "number in the recording; 0: the recording as a whole",         \
		put_number(out, l->process))                                                       \
	X(thread, INTEGER, PLAIN, "number in its process", put_number(out, l->thread))             \
	X(seq, INTEGER, PLAIN, "where", put_number(out, (int64_t)l->seq))                          \
	X(time_ns, INTEGER, PLAIN, "when, ns since 1970", put_time(out, l->time_ns))               \
	X(reason, TEXT, PLAIN, "as of a gap", put_text(out, pl_gap_reason_name(l->reason), true))  \
	X(lost, INTEGER, PLAIN, "events; NULL: not known", put_number_or_null(out, l->lost))       \
	X(text, TEXT, PLAIN, "an explanation", put_text(out, l->text, false))

/* 0 is not known. */
static void put_time(sqlite3_context *out, int64_t time_ns)
{
	put_number_or_null(out, time_ns > 0 ? (uint64_t)time_ns : 0);
}

static void close_nothing(struct query_cursor *c)
{
	(void)c;
}

/* ---- process ---- */

struct processes {
	uint32_t index;
	const struct pl_process *p;
};

static const struct query_column process_columns[] = {PROCESS_COLUMNS(QUERY_COLUMN)};

static const char *end_word(enum pl_process_end end)
{
	static const char *const words[] = {
		[PL_PROCESS_RUNNING] = "running",
		[PL_PROCESS_EXITED] = "exited",
		[PL_PROCESS_SIGNALED] = "signaled",
		[PL_PROCESS_EXECED] = "execed",
		[PL_PROCESS_LOST] = "lost",
	};

	return end < sizeof words / sizeof *words ? words[end] : NULL;
}

static int process_open(struct query_cursor *c)
{
	(void)c;
	return 0;
}

static int process_next(struct query_cursor *c)
{
	struct processes *processes = c->state;

	c->row = processes->index;
	processes->p = pl_recording_process(c->q->r, processes->index++);
	return processes->p ? 0 : PL_END;
}

static void process_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { PROCESS_COLUMNS(QUERY_INDEX) };
	const struct pl_process *p = ((const struct processes *)c->state)->p;

	switch (column) {
		PROCESS_COLUMNS(QUERY_CELL)
	}
}

const struct query_table query_process = {
	.name = "process",
	.meaning = "each process",
	.columns = process_columns,
	.column_count = sizeof process_columns / sizeof *process_columns,
	.state_bytes = sizeof(struct processes),
	.open = process_open,
	.next = process_next,
	.cell = process_cell,
	.close = close_nothing,
};

/* ---- thread ---- */

static const struct query_column thread_columns[] = {THREAD_COLUMNS(QUERY_COLUMN)};

static int thread_open(struct query_cursor *c)
{
	struct feed *feed = c->state;

	feed->q = c->q;
	feed->scope = &c->scope;
	return 0;
}

static int thread_next(struct query_cursor *c)
{
	int code = feed_next_thread(c->state);

	c->row = ((const struct feed *)c->state)->ordinal;
	return code;
}

static void thread_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { THREAD_COLUMNS(QUERY_INDEX) };
	const struct feed *feed = c->state;
	const struct pl_thread *t =
		pl_recording_thread(c->q->r, feed->process_number, feed->thread_number);

	switch (column) {
		THREAD_COLUMNS(QUERY_CELL)
	}
}

const struct query_table query_thread = {
	.name = "thread",
	.meaning = "each thread of each process",
	.columns = thread_columns,
	.column_count = sizeof thread_columns / sizeof *thread_columns,
	.state_bytes = sizeof(struct feed),
	.open = thread_open,
	.next = thread_next,
	.cell = thread_cell,
	.close = close_nothing,
};

/* ---- loss ---- */

struct losses {
	uint32_t index;
	const struct pl_loss *l;
};

static const struct query_column loss_columns[] = {LOSS_COLUMNS(QUERY_COLUMN)};

static int loss_next(struct query_cursor *c)
{
	struct losses *losses = c->state;

	if (losses->index >= pl_recording_loss_count(c->q->r))
		return PL_END;
	c->row = losses->index;
	losses->l = pl_recording_loss(c->q->r, losses->index++);
	return losses->l ? 0 : PL_END;
}

static void loss_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { LOSS_COLUMNS(QUERY_INDEX) };
	const struct pl_loss *l = ((const struct losses *)c->state)->l;

	switch (column) {
		LOSS_COLUMNS(QUERY_CELL)
	}
}

const struct query_table query_loss = {
	.name = "loss",
	.meaning = "what is missing in the recording, and why",
	.columns = loss_columns,
	.column_count = sizeof loss_columns / sizeof *loss_columns,
	.state_bytes = sizeof(struct losses),
	.open = process_open,
	.next = loss_next,
	.cell = loss_cell,
	.close = close_nothing,
};
