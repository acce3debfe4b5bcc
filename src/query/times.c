/* The tables that come from samples and profiles: `task` and `sample`. */
#include "query/tables.h"

#define TASK_COLUMNS(X)                                                                            \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, p->number))                                                        \
	X(task_id, INTEGER, PLAIN, "its number in the process; NULL: not known",                   \
		put_number_or_null(out, t->number))                                                \
	X(name, TEXT, PLAIN, "its last name", put_text(out, t->name, false))                       \
	X(stretches, INTEGER, PLAIN, "times that it began or went on",                             \
		put_number(out, (int64_t)t->stretches))                                            \
	X(run_ns, INTEGER, PLAIN, "time in which it ran", put_number(out, t->run_ns))              \
	X(wait_ns, INTEGER, PLAIN, "time in which it waited", put_number(out, t->wait_ns))         \
	X(first_ns, INTEGER, PLAIN, "time of its first event", put_number(out, t->first_ns))       \
	X(last_ns, INTEGER, PLAIN, "time of its last event", put_number(out, t->last_ns))          \
	X(longest_ns, INTEGER, PLAIN, "the longest that it ran without a return to the loop",      \
		put_number_or_null(out, (uint64_t)(t->longest.ns > 0 ? t->longest.ns : 0)))        \
	X(file, TEXT, PLAIN, "of what took most of that", put_file(out, t->code))                  \
	X(function, TEXT, PLAIN, "likewise", put_function(out, t->code))                           \
	X(line, INTEGER, PLAIN, "likewise",                                                        \
		put_number_or_null(out, (uint64_t)(t->line > 0 ? t->line : 0)))                    \
	X(wait_file, TEXT, PLAIN, "where it waits at the end; NULL: it does not",                  \
		put_file(out, t->wait_code))                                                       \
	X(wait_line, INTEGER, PLAIN, "likewise",                                                   \
		put_number_or_null(out, (uint64_t)(t->wait_line > 0 ? t->wait_line : 0)))

#define SAMPLE_COLUMNS(X)                                                                          \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, s->process))                                                       \
	X(thread, INTEGER, PLAIN, "number in its process, from 0", put_number(out, s->thread))     \
	X(time_ns, INTEGER, PLAIN, "when the collector looked", put_number(out, s->time_ns))       \
	X(file, TEXT, PLAIN, "of the innermost recorded frame", put_file(out, s->code))            \
	X(function, TEXT, PLAIN, "likewise", put_function(out, s->code))                           \
	X(line, INTEGER, PLAIN, "likewise",                                                        \
		put_number_or_null(out, (uint64_t)(s->line > 0 ? s->line : 0)))                    \
	X(waiting, INTEGER, PLAIN, "1: the thread neither ran nor waited for a processor",         \
		put_number(out, s->waiting))                                                       \
	X(weight, INTEGER, PLAIN, "looks that it stands for", put_number(out, s->weight))          \
	X(code, TEXT, PLAIN, "id of the code", put_code_id(out, s->code))

/* The next process within the scope; NULL: there is none. */
static const struct pl_process *next_process(struct query_cursor *c, uint32_t *index)
{
	const struct pl_process *p;

	while ((p = pl_recording_process(c->q->r, (*index)++)))
		if (range_has(&c->scope.process, p->number))
			return p;
	return NULL;
}

static int open_nothing(struct query_cursor *c)
{
	(void)c;
	return 0;
}

/* ---- task ---- */

struct tasks {
	uint32_t index;
	const struct pl_process *p;
	struct pl_profile *profile; /* owned; of p */
	size_t row, count;
};

static const struct query_column task_columns[] = {TASK_COLUMNS(QUERY_COLUMN)};

static bool tasks_go_on(void *context, double done)
{
	const struct query *q = context;

	(void)done;
	return !*q->stop;
}

static int profile_tasks(struct query_cursor *c)
{
	struct tasks *tasks = c->state;
	const struct pl_profile_wanted wanted = {.range = {.process = tasks->p->number},
		.tasks = true,
		.progress = tasks_go_on,
		.context = c->q};

	pl_profile_free(tasks->profile);
	tasks->profile = NULL;
	tasks->row = tasks->count = 0;
	int code = pl_profile_new(&tasks->profile, c->q->r, &wanted, &c->q->err);
	if (code == 0)
		tasks->count = pl_profile_tables(tasks->profile)->task_count;
	return code;
}

static int task_next(struct query_cursor *c)
{
	struct tasks *tasks = c->state;
	int code = 0;

	tasks->row++;
	while (code == 0 && tasks->row >= tasks->count) {
		tasks->p = next_process(c, &tasks->index);
		code = tasks->p ? profile_tasks(c) : PL_END;
	}
	c->row = row_of_thread(tasks->index, tasks->row);
	return code;
}

static void task_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { TASK_COLUMNS(QUERY_INDEX) };
	const struct tasks *tasks = c->state;
	const struct pl_process *p = tasks->p;
	const struct pl_profile_task *t = &pl_profile_tables(tasks->profile)->tasks[tasks->row];

	switch (column) {
		TASK_COLUMNS(QUERY_CELL)
	}
}

static void task_close(struct query_cursor *c)
{
	pl_profile_free(((struct tasks *)c->state)->profile);
}

const struct query_table query_task = {
	.name = "task",
	.meaning = "each task (asyncio, trio, greenlets) of a process",
	.columns = task_columns,
	.column_count = sizeof task_columns / sizeof *task_columns,
	.state_bytes = sizeof(struct tasks),
	.open = open_nothing,
	.next = task_next,
	.cell = task_cell,
	.close = task_close,
};

/* ---- sample ---- */

struct looks {
	uint32_t index;
	struct pl_samples *samples; /* owned; NULL: of no process yet */
	struct pl_sample sample;
	uint64_t number; /* of the sample in the process */
};

static const struct query_column sample_columns[] = {SAMPLE_COLUMNS(QUERY_COLUMN)};

static int sample_next(struct query_cursor *c)
{
	struct looks *looks = c->state;
	int code = PL_END;

	for (;;) {
		if (looks->samples)
			code = pl_samples_next(looks->samples, &looks->sample, &c->q->err);
		c->row = row_of_thread(looks->index, looks->number++);
		if (code != PL_END)
			return code;
		const struct pl_process *p = next_process(c, &looks->index);
		if (!p)
			return PL_END;
		pl_samples_free(looks->samples);
		looks->samples = NULL;
		looks->number = 0;
		code = pl_samples_new(&looks->samples, c->q->r, p->number, &c->q->err);
		if (code)
			return code;
	}
}

static void sample_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { SAMPLE_COLUMNS(QUERY_INDEX) };
	const struct pl_sample *s = &((const struct looks *)c->state)->sample;

	switch (column) {
		SAMPLE_COLUMNS(QUERY_CELL)
	}
}

static void sample_close(struct query_cursor *c)
{
	pl_samples_free(((struct looks *)c->state)->samples);
}

const struct query_table query_sample = {
	.name = "sample",
	.meaning = "where threads were when the collector looked",
	.columns = sample_columns,
	.column_count = sizeof sample_columns / sizeof *sample_columns,
	.state_bytes = sizeof(struct looks),
	.open = open_nothing,
	.next = sample_next,
	.cell = sample_cell,
	.close = sample_close,
};
