/* The tables that come from counts (pathline/counts.h), without a visit to each event:
 * `event_count` has what was counted, `line`, `function` and `code` are sums of it.
 *
 *	SELECT function, sum(hits) FROM line GROUP BY function ORDER BY 2 DESC LIMIT 10
 *	SELECT file, line, hits FROM line WHERE from_ns = moment('+1') AND to_ns = moment('+2')
 *
 * A thread is counted when the scan comes to it. Its rows are sorted by code, so a row of a sum is
 * a run of them. The times of functions come from a profile, which is made only if one of them is
 * read.
 */
#include <stdlib.h>
#include "query/feed.h"
#include "query/tables.h"

/* Counted between two looks at whether to stop. */
#define STRETCH 200000000u

#define THREAD_COLUMNS(X)                                                                          \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, counted->feed.process_number))                                     \
	X(thread, INTEGER, THREAD, "number in its process, from 0",                                \
		put_number(out, counted->feed.thread_number))

#define NAME_COLUMNS(X)                                                                            \
	X(file, TEXT, FILE, "co_filename", put_file(out, row->code))                               \
	X(function, TEXT, FUNCTION, "co_qualname", put_function(out, row->code))                   \
	X(first_line, INTEGER, PLAIN, "co_firstlineno", put_first_line(out, row->code))

#define CODE_ID_COLUMN(X)                                                                          \
	X(code, TEXT, CODE, "id of the code, the same in every recording of a program",            \
		put_code_id(out, row->code))

#define RANGE_COLUMNS(X)                                                                           \
	X(from_ns, INTEGER, FROM, "count only from this time on, as in: from_ns = moment('+1.5')", \
		put_counted(out, c->scope.counted.from))                                           \
	X(to_ns, INTEGER, TO, "count only up to this time", put_counted(out, c->scope.counted.to))

#define EVENT_COUNT_COLUMNS(X)                                                                     \
	THREAD_COLUMNS(X)                                                                          \
	X(kind, TEXT, KIND, "as in event", put_text(out, pl_event_kind_name(row->kind), true))     \
	NAME_COLUMNS(X)                                                                            \
	X(line, INTEGER, LINE, "as in event", put_number(out, row->line))                          \
	X(events, INTEGER, PLAIN, "how many there are", put_count(out, row->events))               \
	CODE_ID_COLUMN(X)                                                                          \
	RANGE_COLUMNS(X)

#define LINE_COLUMNS(X)                                                                            \
	THREAD_COLUMNS(X)                                                                          \
	X(file, TEXT, FILE, "co_filename", put_file(out, row->code))                               \
	X(line, INTEGER, LINE, "number of the line", put_number(out, row->line))                   \
	X(hits, INTEGER, PLAIN, "how often it ran, with each pass of a loop that stays on it",     \
		put_count(out, sum_of(counted, PASS_KINDS)))                                       \
	X(function, TEXT, FUNCTION, "co_qualname", put_function(out, row->code))                   \
	X(first_line, INTEGER, PLAIN, "co_firstlineno", put_first_line(out, row->code))            \
	X(raises, INTEGER, PLAIN, "exceptions that arose, or arrived, there",                      \
		put_count(out, sum_of(counted, 1u << PL_EVENT_RAISE)))                             \
	CODE_ID_COLUMN(X)                                                                          \
	X(source, TEXT, PLAIN, "text of the line, as it ran",                                      \
		put_source(out, c->q, row->code, row->line))                                       \
	RANGE_COLUMNS(X)

#define SUM_COLUMN(X, name, kind, meaning)                                                         \
	X(name, INTEGER, PLAIN, meaning, put_count(out, sum_of(counted, 1u << PL_EVENT_##kind)))

#define FUNCTION_COLUMNS(X)                                                                        \
	THREAD_COLUMNS(X)                                                                          \
	NAME_COLUMNS(X)                                                                            \
	SUM_COLUMN(X, calls, CALL, "frames that began")                                            \
	SUM_COLUMN(X, resumes, RESUME, "times that a generator or coroutine went on")              \
	SUM_COLUMN(X, returns, RETURN, "frames that ended with a value")                           \
	SUM_COLUMN(X, yields, YIELD, "times that it was suspended with a value")                   \
	SUM_COLUMN(X, unwinds, UNWIND, "frames that ended with an exception")                      \
	SUM_COLUMN(X, raises, RAISE, "exceptions that arose in it, or arrived")                    \
	X(hits, INTEGER, PLAIN, "lines that ran in it",                                            \
		put_count(out, sum_of(counted, PASS_KINDS)))                                       \
	X(own_ns, INTEGER, COSTLY, "time of the code itself, estimated from samples",              \
		put_time(out, counted, TIME_OWN))                                                  \
	X(waiting_ns, INTEGER, COSTLY, "the part of it in which the thread waited",                \
		put_time(out, counted, TIME_WAITING))                                              \
	X(cumulated_ns, INTEGER, COSTLY, "time with that of the Python code that it calls",        \
		put_time(out, counted, TIME_CUMULATED))                                            \
	CODE_ID_COLUMN(X)                                                                          \
	RANGE_COLUMNS(X)

#define CODE_COLUMNS(X)                                                                            \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, counted->feed.process_number))                                     \
	CODE_ID_COLUMN(X)                                                                          \
	NAME_COLUMNS(X)                                                                            \
	X(flags, INTEGER, PLAIN, "co_flags", put_flags(out, row->code))                            \
	X(lines, INTEGER, PLAIN, "how many lines of it can begin to run",                          \
		put_number(out, (int64_t)pl_code_lines(row->code, NULL, 0)))                       \
	X(ran, INTEGER, PLAIN, "how many of them ran", put_number(out, lines_of(counted)))         \
	X(text, INTEGER, PLAIN, "number of the text of its file; a later one has a larger number", \
		put_number_or_null(out, pl_code_text(row->code)))

#define PASS_KINDS (1u << PL_EVENT_LINE | 1u << PL_EVENT_AGAIN)

enum time_kind { TIME_OWN, TIME_WAITING, TIME_CUMULATED };

struct counted {
	struct feed feed;	  /* only its threads */
	bool process_wise;	  /* all threads of a process together */
	struct pl_counts *counts; /* owned; of the thread */
	struct pl_count_table table;
	size_t row, end;	    /* the run of rows that is shown now */
	struct pl_profile *profile; /* owned; NULL: nobody asked */
	struct pl_map times;	    /* owned: address of a code -> index of its function + 1 */
};

/* ---- cells ---- */

static void put_count(sqlite3_context *out, uint64_t count)
{
	put_number(out, count < INT64_MAX ? (int64_t)count : INT64_MAX);
}

static void put_counted(sqlite3_context *out, int64_t time_ns)
{
	if (time_ns > INT64_MIN && time_ns < INT64_MAX)
		put_number(out, time_ns);
}

static void put_flags(sqlite3_context *out, const struct pl_code *code)
{
	if (code)
		put_number(out, pl_code_flags(code));
}

static uint64_t sum_of(const struct counted *counted, uint32_t kinds)
{
	uint64_t sum = 0;

	for (size_t i = counted->row; i < counted->end; i++)
		if (kinds >> counted->table.rows[i].kind & 1)
			sum += counted->table.rows[i].events;
	return sum;
}

/* Rows of a code are sorted by line. */
static int64_t lines_of(const struct counted *counted)
{
	int64_t lines = 0;
	int32_t last = 0;

	for (size_t i = counted->row; i < counted->end; i++) {
		const struct pl_count *row = &counted->table.rows[i];
		if (!(PASS_KINDS >> row->kind & 1) || row->line == last)
			continue;
		lines++;
		last = row->line;
	}
	return lines;
}

static void put_time(sqlite3_context *out, const struct counted *counted, enum time_kind kind)
{
	const struct pl_code *code = counted->table.rows[counted->row].code;
	const uint64_t *index = map_find(&counted->times, (uintptr_t)code);

	if (!counted->profile)
		return;
	if (!index) { /* no time, and no sample */
		put_number(out, 0);
		return;
	}
	const struct pl_profile_function *f =
		&pl_profile_tables(counted->profile)->functions[*index - 1];
	put_number(out, kind == TIME_WAITING	 ? f->waiting_ns
			: kind == TIME_CUMULATED ? f->cumulated_ns
						 : f->computing_ns + f->waiting_ns);
}

/* ---- counting ---- */

static void forget_thread(struct counted *counted)
{
	pl_counts_free(counted->counts);
	pl_profile_free(counted->profile);
	map_release(&counted->times);
	counted->counts = NULL;
	counted->profile = NULL;
	counted->table = (struct pl_count_table){0};
	counted->row = counted->end = 0;
}

/* From a seq to another, in stretches, so that it can be stopped. UINT64_MAX: to the end. */
static int count_between(
	struct query_cursor *c, struct pl_cursor *cursor, uint64_t seq, uint64_t end)
{
	struct counted *counted = c->state;
	const struct pl_thread *t = pl_recording_thread(
		c->q->r, counted->feed.process_number, counted->feed.thread_number);
	const uint64_t last = end < UINT64_MAX ? end : t->first_seq + t->events;
	int code = 0;

	while (code == 0 && seq < last && !*c->q->stop) {
		seq = last - seq < STRETCH ? last : seq + STRETCH;
		code = pl_cursor_count_to_seq(cursor, counted->counts, seq, &c->q->err);
	}
	if (code == 0 && end == UINT64_MAX && !*c->q->stop)
		code = pl_cursor_count(cursor, counted->counts, INT64_MAX, &c->q->err);
	return code;
}

static int count_thread(struct query_cursor *c)
{
	struct counted *counted = c->state;
	const struct query_range *range = &c->scope.counted;
	const uint32_t process = counted->feed.process_number;
	const uint32_t thread = counted->feed.thread_number;
	uint64_t seq = pl_recording_thread(c->q->r, process, thread)->first_seq, end = UINT64_MAX;
	struct pl_cursor *cursor = NULL;
	int code = 0;

	if (range->from > INT64_MIN)
		code = feed_seq_at(c->q, process, thread, range->from, &seq);
	if (code == 0 && range->to < INT64_MAX)
		code = feed_seq_at(c->q, process, thread, range->to, &end);
	if (code || seq >= end)
		return code;
	code = pl_cursor_new(&cursor, c->q->r, process, thread, &c->q->err);
	if (code == 0 && range->from > INT64_MIN)
		code = pl_cursor_seek_seq(cursor, seq, &c->q->err);
	if (code == 0)
		code = count_between(c, cursor, seq, end);
	pl_cursor_free(cursor);
	return code;
}

static bool profile_goes_on(void *context, double done)
{
	const struct query *q = context;

	(void)done;
	return !*q->stop;
}

/* The times of the thread's functions. */
static int take_times(struct query_cursor *c)
{
	struct counted *counted = c->state;
	const struct query_range *range = &c->scope.counted;
	const struct pl_profile_wanted wanted = {
		.range = {.process = counted->feed.process_number,
			.one_thread = true,
			.thread = counted->feed.thread_number,
			.from_ns = range->from > INT64_MIN ? range->from : 0,
			.to_ns = range->to < INT64_MAX ? range->to : 0},
		.progress = profile_goes_on,
		.context = c->q};
	int code = pl_profile_new(&counted->profile, c->q->r, &wanted, &c->q->err);

	if (code)
		return code;
	const struct pl_profile_tables *tables = pl_profile_tables(counted->profile);
	for (size_t i = 0; i < tables->function_count; i++) {
		uint64_t *index = map_put(&counted->times, (uintptr_t)tables->functions[i].code);
		if (!index)
			return PL_ERR_MEMORY;
		*index = i + 1;
	}
	return 0;
}

/* The other threads of the process, where they are counted together. */
static int count_rest_of_process(struct query_cursor *c)
{
	struct counted *counted = c->state;
	struct feed *feed = &counted->feed;
	const uint32_t index = feed->process_index;
	int code = 0;

	while (code == 0 && feed->process_index == index) {
		const struct pl_process *p = pl_recording_process(c->q->r, index);
		if (feed->thread >= p->thread_count)
			break;
		feed->thread_number = feed->thread++;
		if (pl_recording_thread(c->q->r, p->number, feed->thread_number))
			code = count_thread(c);
	}
	return code;
}

static int next_thread(struct query_cursor *c)
{
	struct counted *counted = c->state;
	int code;

	forget_thread(counted);
	code = feed_next_thread(&counted->feed);
	if (code == 0)
		code = pl_counts_new(&counted->counts, c->q->r, &c->q->err);
	if (code == 0)
		code = count_thread(c);
	if (code == 0 && counted->process_wise)
		code = count_rest_of_process(c);
	if (code == 0 && c->scope.costly)
		code = take_times(c);
	if (code == 0)
		code = pl_counts_table(counted->counts, &counted->table, &c->q->err);
	return code;
}

/* ---- runs of rows ---- */

typedef bool same_run(const struct pl_count *a, const struct pl_count *b);

static bool is_same_code(const struct pl_count *a, const struct pl_count *b)
{
	return a->code == b->code;
}

static bool is_same_line(const struct pl_count *a, const struct pl_count *b)
{
	return a->code == b->code && a->line == b->line;
}

static bool is_same_row(const struct pl_count *a, const struct pl_count *b)
{
	return a == b;
}

/* Does the scope want the row? What may have happened after a kill counts nowhere. */
static bool is_wanted(struct query_cursor *c, const struct pl_count *row, uint32_t kinds)
{
	return row->kind != PL_EVENT_POSSIBLE && kinds >> row->kind & 1 &&
	       range_has(&c->scope.line, row->line) && scope_has_code(&c->scope, row->code);
}

/* What was counted in another range is another row. */
static int64_t row_of_run(const struct query_cursor *c)
{
	const struct counted *counted = c->state;
	const uint64_t range[] = {(uint64_t)c->scope.counted.from, (uint64_t)c->scope.counted.to};
	const bool is_whole =
		c->scope.counted.from == INT64_MIN && c->scope.counted.to == INT64_MAX;

	return row_of_thread(counted->feed.ordinal,
		counted->row ^ (is_whole ? 0 : hash_bytes(range, sizeof range)));
}

/* To the next run that has a row of these kinds. */
static int next_run(struct query_cursor *c, same_run *same, uint32_t kinds)
{
	struct counted *counted = c->state;
	int code = 0;

	while (code == 0) {
		const struct pl_count_table *table = &counted->table;
		bool wanted = false;
		size_t end = counted->row = counted->end;
		for (; end < table->count && same(&table->rows[counted->row], &table->rows[end]);
			end++)
			wanted |= is_wanted(c, &table->rows[end], kinds);
		counted->end = end;
		if (wanted) {
			c->row = row_of_run(c);
			return 0;
		}
		if (end == counted->row)
			code = next_thread(c);
		if (*c->q->stop)
			return PL_END;
	}
	return code;
}

static int counted_open(struct query_cursor *c)
{
	struct counted *counted = c->state;

	counted->feed.q = c->q;
	counted->feed.scope = &c->scope;
	return 0;
}

static void counted_close(struct query_cursor *c)
{
	forget_thread(c->state);
}

#define CELLS(name, COLUMNS)                                                                       \
	static void name##_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)     \
	{                                                                                          \
		enum { COLUMNS(QUERY_INDEX) };                                                     \
		const struct counted *counted = c->state;                                          \
		const struct pl_count *row = &counted->table.rows[counted->row];                   \
                                                                                                   \
		switch (column) {                                                                  \
			COLUMNS(QUERY_CELL)                                                        \
		}                                                                                  \
	}
CELLS(event_count, EVENT_COUNT_COLUMNS)
CELLS(line, LINE_COLUMNS)
CELLS(function, FUNCTION_COLUMNS)
CELLS(code, CODE_COLUMNS)
#undef CELLS

/* ---- event_count ---- */

static const struct query_column event_count_columns[] = {EVENT_COUNT_COLUMNS(QUERY_COLUMN)};

static int event_count_next(struct query_cursor *c)
{
	return next_run(c, is_same_row, c->scope.kinds);
}

const struct query_table query_event_count = {
	.name = "event_count",
	.meaning = "how many events of each kind, code and line a thread has",
	.columns = event_count_columns,
	.column_count = sizeof event_count_columns / sizeof *event_count_columns,
	.state_bytes = sizeof(struct counted),
	.open = counted_open,
	.next = event_count_next,
	.cell = event_count_cell,
	.close = counted_close,
};

/* ---- line ---- */

static const struct query_column line_columns[] = {LINE_COLUMNS(QUERY_COLUMN)};

static int line_next(struct query_cursor *c)
{
	return next_run(c, is_same_line, PASS_KINDS);
}

const struct query_table query_line = {
	.name = "line",
	.meaning = "each line that ran in a thread, and how often",
	.columns = line_columns,
	.column_count = sizeof line_columns / sizeof *line_columns,
	.state_bytes = sizeof(struct counted),
	.open = counted_open,
	.next = line_next,
	.cell = line_cell,
	.close = counted_close,
};

/* ---- function ---- */

static const struct query_column function_columns[] = {FUNCTION_COLUMNS(QUERY_COLUMN)};

/* What has no code is no function: gaps, and marks without a frame. */
static int function_next(struct query_cursor *c)
{
	const struct counted *counted = c->state;
	int code;

	while ((code = next_run(c, is_same_code, UINT32_MAX)) == 0 &&
		!counted->table.rows[counted->row].code)
		;
	return code;
}

const struct query_table query_function = {
	.name = "function",
	.meaning = "each function that ran in a thread: its calls, its lines, its time",
	.columns = function_columns,
	.column_count = sizeof function_columns / sizeof *function_columns,
	.state_bytes = sizeof(struct counted),
	.open = counted_open,
	.next = function_next,
	.cell = function_cell,
	.close = counted_close,
};

/* ---- code ---- */

static const struct query_column code_columns[] = {CODE_COLUMNS(QUERY_COLUMN)};

static int code_open(struct query_cursor *c)
{
	struct counted *counted = c->state;

	counted->process_wise = true;
	return counted_open(c);
}

const struct query_table query_code = {
	.name = "code",
	.meaning = "each code that ran in a process",
	.columns = code_columns,
	.column_count = sizeof code_columns / sizeof *code_columns,
	.state_bytes = sizeof(struct counted),
	.open = code_open,
	.next = function_next,
	.cell = code_cell,
	.close = counted_close,
};
