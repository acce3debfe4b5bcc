/* pathline report: tasks, and what blocked event loops. */
#include "cmd/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "cmd/json.h"
#include "cmd/line_at.h"

/* ---- tasks ---- */

enum {
	TASK_NUMBER,
	TASK_NAME,
	TASK_RUN,
	TASK_WAIT,
	TASK_WAIT_ERROR,
	TASK_STRETCHES,
	TASK_MAX,
	TASK_MAX_ERROR,
	TASK_MAX_AT,
	TASK_FIRST,
	TASK_LAST,
	TASK_FILE,
	TASK_LINE,
	TASK_CODE,
	TASK_WAIT_FILE,
	TASK_WAIT_LINE,
	TASK_WAIT_CODE,
	TASK_PLACE
};

const struct column report_task_columns[] = {
	[TASK_NUMBER] = {"task_id", "id", 5},
	[TASK_NAME] = {"task", "task", 20, 0},
	[TASK_RUN] = {"run_ns", "running"},
	[TASK_WAIT] = {"wait_ns", "waiting"},
	[TASK_WAIT_ERROR] = {"wait_error_ns", "waiting error", 0, 7},
	[TASK_STRETCHES] = {"stretches", "stretches", 0, 8},
	[TASK_MAX] = {"max_ns", "longest"},
	[TASK_MAX_ERROR] = {"max_error_ns", NULL},
	[TASK_MAX_AT] = {"max_at", "began", 0, 9},
	[TASK_FIRST] = {"first", NULL},
	[TASK_LAST] = {"last", NULL},
	[TASK_FILE] = {"file", NULL},
	[TASK_LINE] = {"line", NULL},
	[TASK_CODE] = {"code", NULL},
	[TASK_WAIT_FILE] = {"wait_file", NULL},
	[TASK_WAIT_LINE] = {"wait_line", NULL},
	[TASK_WAIT_CODE] = {"wait_code", NULL},
	[TASK_PLACE] = {NULL, "mostly in"},
	{0},
};

/* A task for which nothing was measured has no longest stretch, and - as its place. */
static struct cell task_cell(const void *context, size_t row, unsigned column)
{
	const struct report *w = context;
	const struct pl_profile_task *t = &w->t->tasks[row];

	switch (column) {
	case TASK_NUMBER:
		return t->number ? cell_ns(CELL_NUMBER, (int64_t)t->number) : (struct cell){0};
	case TASK_NAME:
		return cell_text(t->name);
	case TASK_RUN:
		return cell_ns(CELL_NS, t->run_ns);
	case TASK_WAIT:
		return cell_ns(CELL_NS, t->wait_ns);
	case TASK_WAIT_ERROR:
		return cell_ns(CELL_ERROR, t->wait_error_ns);
	case TASK_STRETCHES:
		return cell_count(t->stretches);
	case TASK_MAX:
	case TASK_MAX_ERROR:
	case TASK_MAX_AT:
		return cell_longest(&t->longest, column - TASK_MAX);
	case TASK_FIRST:
		return cell_ns(CELL_MOMENT, t->first_ns);
	case TASK_LAST:
		return cell_ns(CELL_MOMENT, t->last_ns);
	case TASK_FILE:
		return cell_file(t->code);
	case TASK_LINE:
		return t->code ? cell_ns(CELL_NUMBER, t->line) : (struct cell){0};
	case TASK_CODE:
		return cell_code(t->code);
	case TASK_WAIT_FILE:
		return cell_file(t->wait_code);
	case TASK_WAIT_LINE:
		return t->wait_code ? cell_number(t->wait_line) : (struct cell){0};
	case TASK_WAIT_CODE:
		return cell_code(t->wait_code);
	default:
		return t->code ? cell_place(w, t->code, t->line) : cell_text("-");
	}
}

/* Its number, if that is known, and its name. */
static void write_task(struct out *o, uint64_t number, const char *name)
{
	if (number)
		out_u64(o, number);
	if (number && *name)
		out_char(o, ' ');
	out_clean(o, text_of(name));
}

/* The end of a line: `app.py:17  await queue.get()`. The line's number may not be known. */
static void end_with_place(struct out *o, const struct cell *place, int64_t line)
{
	out_path(o, place->text, out_line_left(o) / 2);
	out_char(o, ':');
	out_i64(o, line);
	out_tone(o, TONE_FAINT);
	out_text(o, "  ");
	out_clean(o, place->source);
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

/* `task 3 worker waits since 12:00:01.250 in app.py:17  await queue.get()` */
static void write_waiting(struct report *w, const struct pl_profile_task *t)
{
	const struct cell c = cell_place(w, t->wait_code, t->wait_line);
	struct out *o = &w->out;

	out_line(o);
	out_text(o, "task ");
	write_task(o, t->number, t->name);
	out_text(o, " waits since ");
	out_clock(o, t->last_ns, 3);
	out_text(o, " in ");
	end_with_place(o, &c, c.number);
}

/* Tasks that wait when the path ends: of a program that hangs, that is what it waits for. */
static void write_all_waiting(struct report *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->t->task_count && w->form == SHEET_TEXT; i++) {
		if (!w->t->tasks[i].wait_code)
			continue;
		count++;
		if (!w->rows || count <= w->rows)
			write_waiting(w, &w->t->tasks[i]);
	}
	if (count)
		out_char(&w->out, '\n');
	report_more(w, w->rows && count > w->rows ? count - w->rows : 0);
}

/* The tasks as a table, then those that still wait at the end, and what - means, if there is
 * one. */
int report_tasks(struct report *w)
{
	struct sheet s = report_sheet(w, "task", report_task_columns);

	s.cell = task_cell;
	s.rows = w->t->task_count;
	w->found = true;
	report_title(w, "tasks", NULL);
	int code = report_show(w, &s);
	if (!s.rows)
		report_note(w, "No asyncio task and no greenlet ran.");
	write_all_waiting(w);
	for (size_t i = 0; i < s.rows; i++)
		if (!w->t->tasks[i].longest.ns) {
			report_note(w,
				"-: not known, as no time stamp lies in a stretch of the task "
				"(each is short)");
			break;
		}
	return code;
}

/* ---- blocking ---- */

static const char *kind_word(const struct pl_profile_block *b)
{
	return b->kind == PL_BLOCK_LOOP ? "loop" : b->kind == PL_BLOCK_STILL ? "still" : "callback";
}

static const char *thread_name(const struct report *w, uint32_t thread)
{
	const struct pl_thread *t = pl_recording_thread(w->r, w->range.process, thread);

	return t && t->name ? t->name : "";
}

/* Where the line began that took the time, or most of it. Several passes of it may be between two
 * stamps: that which took long came last. */
static bool block_seq(const struct report *w, const struct pl_profile_block *b, uint64_t *seq)
{
	const struct line_at at = {.process = w->range.process,
		.thread = b->thread,
		.code = b->code,
		.line = b->line,
		.from_seq = b->from_seq,
		.before_seq = b->before_seq};

	return line_at_seq(w->r, &at, seq);
}

/* Its stack, the innermost frame first, each with the line at which it was. */
struct stack_walk {
	uint32_t node;
	const struct pl_code *code; /* NULL: no more */
	int32_t line;
	bool recursive;
};

/* Where it stood: the innermost frame has the line of the block itself. */
static struct stack_walk stack_begin(const struct report *w, const struct pl_profile_block *b)
{
	return (struct stack_walk){.node = b->node,
		.code = b->code,
		.line = b->line,
		.recursive = w->t->nodes[b->node].recursive};
}

/* One frame further out. A node has the line at which its caller called it. */
static void stack_next(const struct report *w, struct stack_walk *s)
{
	const struct pl_profile_node *n = &w->t->nodes[s->node];

	/* A recursive node represents frames of its own code: its parent is the first of them. */
	if (n->recursive)
		n = &w->t->nodes[n->parent];
	s->line = n->line;
	s->node = n->parent;
	s->code = w->t->nodes[s->node].code;
	s->recursive = w->t->nodes[s->node].recursive;
}

/* In a column; cut only if lines are. */
static void write_name(struct out *o, const char *name)
{
	size_t width = text_width(name);

	out_column(o, name, o->columns || width < 28 ? 28 : width);
}

/* Outside of tasks nothing is said. */
static void write_block_task(struct out *o, const struct pl_profile_block *b)
{
	if (!b->task)
		return;
	out_text(o, ", task ");
	write_task(o, b->task_id, b->task);
}

static const char *what_was(const struct pl_profile_block *b)
{
	switch (b->kind) {
	case PL_BLOCK_LOOP:
		return "  the event loop was kept busy, ";
	case PL_BLOCK_CALLBACK:
		return "  one callback kept the event loop busy, ";
	default:
		return b->or_later ? "  stood still, at this line or a later one, "
				   : "  stood still, ";
	}
}

/* A line says what stood still, for how long, and when; then its stack, innermost first, as a
 * traceback turned around. */
static void write_block_text(struct report *w, const struct pl_profile_block *b)
{
	struct out *o = &w->out;
	uint64_t seq;

	out_line(o);
	out_tone(o, TONE_STRONG);
	out_span(o, b->time.ns);
	out_tone(o, TONE_PLAIN);
	out_char(o, ' ');
	out_error(o, b->time.error_ns);
	out_text(o, what_was(b));
	out_clock(o, b->time.at_ns, 3);
	out_text(o, ", thread ");
	out_u64(o, b->thread);
	out_char(o, ' ');
	out_clean(o, text_of(thread_name(w, b->thread)));
	write_block_task(o, b);
	if (block_seq(w, b, &seq)) {
		out_text(o, ", #");
		out_u64(o, seq);
	}
	out_line_end(o);
	for (struct stack_walk s = stack_begin(w, b); s.code; stack_next(w, &s)) {
		const struct cell c = cell_place(w, s.code, s.line);
		out_line(o);
		out_text(o, "    ");
		write_name(o, pl_code_name(s.code));
		out_text(o, s.recursive ? " (recursion) " : " ");
		end_with_place(o, &c, s.line);
	}
}

/* One object a block, with its whole stack, innermost first. A member that has no value is null and
 * not absent. */
static void write_block_json(struct report *w, const struct pl_profile_block *b)
{
	struct json j = {.out = &w->out};
	uint64_t seq;

	json_line(&j, "block");
	json_u64(&j, "process", w->range.process);
	json_u64(&j, "thread", b->thread);
	json_text(&j, "kind", kind_word(b));
	json_i64(&j, "ns", b->time.ns);
	json_i64(&j, "error_ns", b->time.error_ns);
	json_moment(&j, "at", b->time.at_ns);
	json_bool(&j, "or_later", b->or_later);
	if (b->task_id)
		json_u64(&j, "task_id", b->task_id);
	else
		json_null(&j, "task_id");
	if (b->task)
		json_text(&j, "task", b->task);
	else
		json_null(&j, "task");
	if (block_seq(w, b, &seq))
		json_u64(&j, "seq", seq);
	else
		json_null(&j, "seq");
	json_open(&j, "stack", '[');
	for (struct stack_walk s = stack_begin(w, b); s.code; stack_next(w, &s)) {
		json_open(&j, NULL, '{');
		json_text(&j, "file", pl_code_file(s.code));
		json_i64(&j, "line", s.line);
		json_text(&j, "code", pl_code_name(s.code));
		json_bool(&j, "recursive", s.recursive);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_line_end(&j);
}

enum {
	BLOCK_KIND,
	BLOCK_THREAD,
	BLOCK_NS,
	BLOCK_ERROR,
	BLOCK_AT,
	BLOCK_OR_LATER,
	BLOCK_TASK_ID,
	BLOCK_TASK,
	BLOCK_FILE,
	BLOCK_LINE,
	BLOCK_CODE,
	BLOCK_SEQ
};

static const struct column block_columns[] = {
	[BLOCK_KIND] = {"kind"},
	[BLOCK_THREAD] = {"in_thread"},
	[BLOCK_NS] = {"ns"},
	[BLOCK_ERROR] = {"error_ns"},
	[BLOCK_AT] = {"at"},
	[BLOCK_OR_LATER] = {"or_later"},
	[BLOCK_TASK_ID] = {"task_id"},
	[BLOCK_TASK] = {"task"},
	[BLOCK_FILE] = {"file"},
	[BLOCK_LINE] = {"line"},
	[BLOCK_CODE] = {"code"},
	[BLOCK_SEQ] = {"seq"},
	{0},
};

/* CSV has no stack: only where the block was. */
static struct cell block_cell(const void *context, size_t row, unsigned column)
{
	const struct report *w = context;
	const struct pl_profile_block *b = &w->t->blocks[row];
	uint64_t seq;

	switch (column) {
	case BLOCK_KIND:
		return cell_text(kind_word(b));
	case BLOCK_THREAD:
		return cell_count(b->thread);
	case BLOCK_NS:
		return cell_ns(CELL_NS, b->time.ns);
	case BLOCK_ERROR:
		return cell_ns(CELL_NS, b->time.error_ns);
	case BLOCK_AT:
		return cell_ns(CELL_MOMENT, b->time.at_ns);
	case BLOCK_OR_LATER:
		return cell_text(b->or_later ? "true" : "false");
	case BLOCK_TASK_ID:
		return b->task_id ? cell_ns(CELL_NUMBER, (int64_t)b->task_id) : (struct cell){0};
	case BLOCK_TASK:
		return b->task ? cell_text(b->task) : (struct cell){0};
	case BLOCK_FILE:
		return cell_file(b->code);
	case BLOCK_LINE:
		return cell_ns(CELL_NUMBER, b->line);
	case BLOCK_SEQ:
		return block_seq(w, b, &seq) ? cell_ns(CELL_NUMBER, (int64_t)seq)
					     : (struct cell){0};
	default:
		return cell_code(b->code);
	}
}

static void say_none_stood_still(struct report *w)
{
	struct pl_buf note = {0};

	buf_printf(&note, "No thread and no event loop stood still for that long%s%s",
		w->t->idle_ns ? "; tasks that wait: pathline report --tasks" : ".",
		w->t->idle_ns ? cmd_recording() : "");
	buf_u8(&note, 0);
	if (!note.failed)
		report_note(w, (char *)note.at);
	buf_release(&note);
}

/* The longest first, as the profile has them. */
int report_blocking(struct report *w)
{
	struct sheet s = report_sheet(w, "block", block_columns);
	size_t most = w->rows && w->form == SHEET_TEXT ? w->rows : SIZE_MAX;

	w->found = true;
	if (w->form == SHEET_CSV) {
		s.cell = block_cell;
		s.rows = w->t->block_count;
		return report_show(w, &s);
	}
	report_title(w, "standing still for more than", w->blocking_text);
	for (size_t i = 0; i < w->t->block_count && i < most && !w->out.error; i++)
		if (w->form == SHEET_JSON)
			write_block_json(w, &w->t->blocks[i]);
		else
			write_block_text(w, &w->t->blocks[i]);
	if (!w->t->block_count)
		say_none_stood_still(w);
	if (w->form == SHEET_TEXT && w->t->more_blocks) {
		out_count(&w->out, w->t->more_blocks);
		out_text(&w->out, " shorter ones are not listed\n");
	}
	if (w->form == SHEET_TEXT)
		out_char(&w->out, '\n');
	report_more(w, w->t->block_count > most ? w->t->block_count - most : 0);
	return CMD_GO;
}
