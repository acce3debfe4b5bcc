/* pathline info: the processes, interpreters and threads of a recording, for a person. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/info.h"
#include "cmd/sheet.h"
#include "cmd/summary.h"

#define GENERATIONS_MAX 16
#define NAMED_MAX	16 /* processes of an interpreter that are named */

/* Generations above p. In a hostile recording parents may form a circle. */
static size_t generation(const struct pl_recording *r, const struct pl_process *p)
{
	size_t n = 0;

	while (p->parent && n < GENERATIONS_MAX) {
		p = pl_recording_find_process(r, p->parent);
		if (!p)
			break;
		n++;
	}
	return n;
}

enum {
	PROCESS_NUMBER,
	PROCESS_PID,
	PROCESS_END,
	PROCESS_LENGTH,
	PROCESS_PARENT,
	PROCESS_HOW,
	PROCESS_COMMAND
};

static const struct column process_columns[] = {
	[PROCESS_NUMBER] = {NULL, "process"},
	[PROCESS_PID] = {NULL, "pid", 0, 7},
	[PROCESS_END] = {NULL, "ended"},
	[PROCESS_LENGTH] = {NULL, "length", 0, 9},
	[PROCESS_PARENT] = {NULL, "parent", 0, 8},
	[PROCESS_HOW] = {NULL, "how", 0, 8},
	[PROCESS_COMMAND] = {NULL, "command"},
	{0},
};

struct process_row {
	const struct pl_process *process;
	char end[SUMMARY_END_BYTES];
	char *command; /* owned; indented further than its parent's; NULL: no memory */
};

static struct cell process_cell(const void *context, size_t row, unsigned column)
{
	const struct process_row *r = (const struct process_row *)context + row;
	const struct pl_process *p = r->process;

	switch (column) {
	case PROCESS_NUMBER:
		return cell_number(p->number);
	case PROCESS_PID:
		return cell_number(p->pid);
	case PROCESS_END:
		return cell_text(r->end);
	case PROCESS_LENGTH:
		if (!p->start_ns || p->end_ns <= p->start_ns)
			return (struct cell){0};
		return (struct cell){
			.kind = CELL_NS, .number = units_between(p->start_ns, p->end_ns)};
	case PROCESS_PARENT:
		return (struct cell){
			.kind = p->parent ? CELL_NUMBER : CELL_NONE, .number = p->parent};
	case PROCESS_HOW:
		return cell_text(p->parent ? p->how : "-");
	default:
		return cell_text(r->command ? r->command : p->command);
	}
}

/* A table, indented further than its title. */
static struct sheet info_table(const struct column *columns, const void *context, size_t rows)
{
	return (struct sheet){
		.columns = columns, .context = context, .rows = rows, .indent = 2, .gap = 2};
}

/* What coming in cost a process that ran already; nothing of others. */
static void write_attached(struct out *o, const struct pl_process *p)
{
	char held[UNITS_BYTES], waited[UNITS_BYTES], began[UNITS_BYTES], text[256];

	if (!p->held_ns && !p->began_ns)
		return;
	units_duration(held, (int64_t)p->held_ns);
	units_duration(waited, (int64_t)p->waited_ns);
	units_duration(began, (int64_t)p->began_ns);
	snprintf(text, sizeof text,
		"process %" PRIu32 " ran already: a thread was held for %s; the recorder waited %s "
		"for the GIL, and had it for %s to begin",
		p->number, p->held_ns ? held : "a time that is not known", waited, began);
	out_line(o);
	out_text(o, "  ");
	out_wrap(o, text, 4);
	out_line_end(o);
}

/* In the order of their numbers, in which they began; the command is indented below its
 * parent's. */
void info_processes(struct out *o, const struct pl_recording *r)
{
	const uint32_t count = pl_recording_process_count(r);
	struct process_row *rows = calloc(count + 1, sizeof *rows);
	struct sheet s = info_table(process_columns, rows, count);

	info_title(o, "processes");
	s.cell = process_cell;
	for (uint32_t i = 0; rows && i < count; i++) {
		const struct pl_process *p = rows[i].process = pl_recording_process(r, i);
		summary_end(r, p, rows[i].end);
		if (asprintf(&rows[i].command, "%*s%s", (int)(2 * generation(r, p)), "",
			    p->command) < 0)
			rows[i].command = NULL;
	}
	if (rows)
		sheet_write(&s, o, SHEET_TEXT);
	for (uint32_t i = 0; i < count; i++)
		write_attached(o, pl_recording_process(r, i));
	for (uint32_t i = 0; rows && i < count; i++)
		free(rows[i].command);
	free(rows);
}

/* The same version by the same path: a virtual environment has its own path. */
static bool same_python(const struct pl_process *a, const struct pl_process *b)
{
	return !strcmp(a->interpreter, b->interpreter) && !strcmp(a->executable, b->executable);
}

/* Each interpreter once, with the processes that ran it. */
static void write_python(struct out *o, const struct pl_recording *r, uint32_t index)
{
	const struct pl_process *p = pl_recording_process(r, index);
	const uint32_t count = pl_recording_process_count(r);
	struct pl_buf text = {0};
	uint32_t more = 0, named = 0;

	if (!p->interpreter[0]) /* its description was lost */
		return;
	for (uint32_t i = 0; i < index; i++)
		if (same_python(pl_recording_process(r, i), p))
			return;
	for (uint32_t i = index; i < count; i++)
		more += same_python(pl_recording_process(r, i), p);
	buf_printf(
		&text, "%s, %s, in process%s", p->interpreter, p->executable, more > 1 ? "es" : "");
	for (uint32_t i = index; i < count && named < NAMED_MAX; i++)
		if (same_python(pl_recording_process(r, i), p))
			buf_printf(&text, "%s%" PRIu32, named++ ? ", " : " ",
				pl_recording_process(r, i)->number);
	if (more > named)
		buf_printf(&text, " and %" PRIu32 " more", more - named);
	buf_u8(&text, 0);
	out_line(o);
	out_text(o, "  ");
	out_wrap(o, text.failed ? p->executable : (const char *)text.at, 4);
	out_line_end(o);
	buf_release(&text);
}

void info_pythons(struct out *o, const struct pl_recording *r)
{
	info_title(o, "interpreters");
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		write_python(o, r, i);
}

enum { THREAD_PROCESS, THREAD_NUMBER, THREAD_TID, THREAD_EVENTS, THREAD_SEQ, THREAD_NAME };

static const struct column thread_columns[] = {
	[THREAD_PROCESS] = {NULL, "process"},
	[THREAD_NUMBER] = {NULL, "thread"},
	[THREAD_TID] = {NULL, "tid", 0, 8},
	[THREAD_EVENTS] = {NULL, "events"},
	[THREAD_SEQ] = {NULL, "first seq", 0, 9},
	[THREAD_NAME] = {NULL, "name"},
	{0},
};

static struct cell thread_cell(const void *context, size_t row, unsigned column)
{
	const struct pl_thread *t = ((const struct pl_thread *const *)context)[row];

	switch (column) {
	case THREAD_PROCESS:
		return cell_number(t->process);
	case THREAD_NUMBER:
		return cell_number(t->number);
	case THREAD_TID:
		return cell_number(t->native_id);
	case THREAD_EVENTS:
		return cell_count(t->events);
	case THREAD_SEQ:
		return cell_count(t->first_seq);
	default:
		return cell_text(t->name && t->name[0] ? t->name : "-");
	}
}

/* A thread whose number has no record, after damage, has no row. */
void info_threads(struct out *o, const struct pl_recording *r)
{
	const size_t most = summary_of(r).threads;
	const struct pl_thread **threads = calloc(most + 1, sizeof *threads);
	size_t count = 0;

	info_title(o, "threads");
	for (uint32_t i = 0; threads && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; n < p->thread_count && count < most; n++) {
			const struct pl_thread *t = pl_recording_thread(r, p->number, n);
			if (t)
				threads[count++] = t;
		}
	}
	struct sheet s = info_table(thread_columns, threads, count);
	s.cell = thread_cell;
	if (threads)
		sheet_write(&s, o, SHEET_TEXT);
	free(threads);
}
