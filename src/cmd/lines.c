#define _GNU_SOURCE
#include "cmd/lines.h"
#include "cmd/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_S     1000000000
#define NAME_WIDTH   12 /* on a terminal */
#define NAME_LEAST   4
#define INDENT_LEVEL 2
#define INDENT_MAX   24 /* levels; deeper ones are shown by their number */
#define FRONT_WIDTH  30 /* of time and thread */
#define TAIL_WIDTH   24 /* for what follows a path */
#define PATH_LEAST   16
#define VALUES_LEAST 24
#define VALUES_MAX   16384 /* bytes of an event's values */

static void write_process(struct lines *w)
{
	struct out *o = w->out;

	out_line(o);
	out_tone(o, TONE_STRONG);
	out_text(o, "process ");
	out_u64(o, w->process->number);
	out_text(o, "  pid ");
	out_u64(o, w->process->pid);
	out_text(o, "  ");
	out_clean(o, text_of(w->process->command));
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

/* Columns of a terminal, or of a part of a screen; 0: neither. */
static unsigned columns_of_line(const struct lines *w)
{
	return w->columns ? w->columns : w->out->columns;
}

/* Wide enough for the names of the process's threads; on a terminal long names are cut. */
static void measure_names(struct lines *w)
{
	w->name_width = NAME_LEAST;
	for (uint32_t n = 0; w->process && n < w->process->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(w->r, w->process->number, n);
		size_t width = t && t->name ? text_width(t->name) : 0;
		if (width > w->name_width)
			w->name_width = width;
	}
	if (columns_of_line(w) && w->name_width > NAME_WIDTH)
		w->name_width = NAME_WIDTH;
}

/* The row's process and thread. A process is announced before its rows, if there are several. */
static void lines_follow(struct lines *w, const struct pl_position *p)
{
	if (!w->process || w->process->number != p->process) {
		w->process = pl_recording_find_process(w->r, p->process);
		w->thread = NULL;
		measure_names(w);
		if (w->process && !w->only_rows && pl_recording_process_count(w->r) > 1)
			write_process(w);
	}
	if (!w->thread || w->thread->number != p->thread)
		w->thread = pl_recording_thread(w->r, p->process, p->thread);
}

/* The clock of the event, and before it the date, if that has changed. The time zone is looked up
 * once for each second of the path, not for each row. */
static void follow_clock(struct lines *w, int64_t time_ns)
{
	const int64_t second = time_ns / NS_PER_S;
	char date[LOCAL_BYTES];

	if (w->clock[0] && second == w->second)
		return;
	w->second = second;
	local_clock(w->clock, time_ns, 0);
	local_date(date, time_ns);
	if (w->only_rows || !strcmp(date, w->date))
		return;
	memcpy(w->date, date, sizeof w->date);
	out_tone(w->out, TONE_STRONG);
	out_text(w->out, date);
	out_tone(w->out, TONE_PLAIN);
	out_char(w->out, '\n');
}

static void write_time(struct lines *w, int64_t time_ns)
{
	out_tone(w->out, TONE_FAINT);
	out_text(w->out, w->clock);
	out_char(w->out, '.');
	out_digits(w->out, (uint64_t)(time_ns > 0 ? time_ns % NS_PER_S / 1000 : 0), 6);
	out_tone(w->out, TONE_PLAIN);
}

/* Its name, or "#3" for one without a name. The digits are made by hand: this is done for each
 * row. */
static void write_thread(struct lines *w, uint32_t thread)
{
	char number[16] = "#";

	out_char(w->out, ' ');
	out_tone(w->out, TONE_TIME);
	if (w->thread && w->thread->name && w->thread->name[0]) {
		out_column(w->out, w->thread->name, w->name_width);
	} else {
		const uint32_t n = thread;
		size_t at = 1;
		for (uint32_t unit = 1000000000; unit; unit /= 10)
			if (n >= unit || unit == 1)
				number[at++] = (char)('0' + n / unit % 10);
		number[at] = 0;
		out_column(w->out, number, w->name_width);
	}
	out_tone(w->out, TONE_PLAIN);
	out_char(w->out, ' ');
}

/* A recursion of thousands of levels would leave no room for the lines. */
static void write_indent(struct lines *w, uint32_t depth)
{
	const unsigned columns = columns_of_line(w);
	uint32_t most = INDENT_MAX;

	/* On a terminal at most two fifths of the room to the right of time and thread. */
	if (columns && columns < FRONT_WIDTH + INDENT_MAX * INDENT_LEVEL * 5 / 2)
		most = columns > FRONT_WIDTH ? (columns - FRONT_WIDTH) / 5 : 0;
	if (depth <= most) {
		out_spaces(w->out, (size_t)depth * INDENT_LEVEL);
		return;
	}
	out_spaces(w->out, (size_t)most * INDENT_LEVEL);
	out_tone(w->out, TONE_FAINT);
	out_char(w->out, '[');
	out_u64(w->out, depth);
	out_text(w->out, "] ");
	out_tone(w->out, TONE_PLAIN);
}

/* Where a row stands: of its thread, at a time, so many levels to the right. */
static void begin_row_at(
	struct lines *w, const struct pl_position *p, int64_t time_ns, uint32_t indent)
{
	lines_end(w);
	lines_follow(w, p);
	follow_clock(w, time_ns);
	out_line(w->out);
	write_time(w, time_ns);
	write_thread(w, p->thread);
	write_indent(w, indent);
}

/* What each row begins with. */
static void begin_row(struct lines *w, const struct pl_event *e, uint32_t indent)
{
	begin_row_at(w, &e->position, e->time_ns, indent);
}

/* The path has what is left of the line, less the room for what comes after it. */
static void write_place(struct lines *w, const struct pl_event *e, int32_t line)
{
	const size_t left = out_line_left(w->out);

	out_tone(w->out, TONE_FAINT);
	out_text(w->out, "  ");
	out_path(w->out, pl_code_file(e->code),
		left > PATH_LEAST + TAIL_WIDTH ? left - TAIL_WIDTH : PATH_LEAST);
	out_char(w->out, ':');
	out_i64(w->out, line);
	out_tone(w->out, TONE_PLAIN);
}

/* The row's indentation says how deep it is in calls, so that of the source is left out. */
static void write_source(struct lines *w, const struct pl_event *e)
{
	struct pl_text text;
	size_t blank = 0;

	out_tone(w->out, TONE_NAME);
	out_i64(w->out, e->line);
	out_tone(w->out, TONE_PLAIN);
	if (pl_source_line(w->r, e->code, e->line, &text, NULL) < 0) {
		write_place(w, e, e->line);
		return;
	}
	while (blank < text.length && (text.at[blank] == ' ' || text.at[blank] == '\t'))
		blank++;
	out_text(w->out, "  ");
	out_clean(w->out, (struct text){.at = text.at + blank, .length = text.length - blank});
}

static void write_word(struct lines *w, const struct pl_event *e, enum tone tone)
{
	out_tone(w->out, tone);
	out_text(w->out, pl_event_kind_name(e->kind));
	out_tone(w->out, TONE_PLAIN);
}

static void write_tail(struct lines *w, const char *before, const char *text)
{
	if (!text || !text[0])
		return;
	out_tone(w->out, TONE_FAINT);
	out_text(w->out, before);
	out_clean(w->out, text_of(text));
	out_tone(w->out, TONE_PLAIN);
}

/* "  in task 3 worker": a number, a name, or both. */
static void write_task(struct lines *w, const struct pl_event *e)
{
	char before[48];

	snprintf(before, sizeof before, "  in task ");
	if (e->task_id)
		snprintf(before, sizeof before, "  in task %" PRIu64 "%s", e->task_id,
			e->task ? " " : "");
	write_tail(w, before, e->task_id && !e->task ? " " : e->task);
}

/* The event's values, if they were kept: before, between and after. On a terminal they leave room
 * for the path. */
static void write_values(
	struct lines *w, const struct pl_event *e, const char *before, const char *after)
{
	char text[VALUES_MAX];
	const size_t left = out_line_left(w->out), other = TAIL_WIDTH + PATH_LEAST;
	const size_t room = left > VALUES_LEAST + other ? left - other : VALUES_LEAST;

	if (!e->values.at)
		return;
	const size_t length = values_text(e, text, room < sizeof text ? room : sizeof text);
	out_text(w->out, before);
	out_clean(w->out, (struct text){.at = text, .length = length});
	out_text(w->out, after);
}

/* "book(item='anvil')", "numbers <- 3": None is what a plain next() sends. */
static void write_entered(struct lines *w, const struct pl_event *e)
{
	out_clean(w->out, text_of(pl_code_name(e->code)));
	if (e->kind == PL_EVENT_CALL)
		write_values(w, e, "(", ")");
	else if (values_kind(e) != PL_VALUE_NONE)
		write_values(w, e, " <- ", "");
}

static void write_enter(struct lines *w, const struct pl_event *e)
{
	write_word(w, e, e->kind == PL_EVENT_THROW ? TONE_BAD : TONE_GOOD);
	out_char(w->out, ' ');
	write_entered(w, e);
	write_place(w, e, e->kind == PL_EVENT_CALL ? pl_code_first_line(e->code) : e->line);
	if (e->caller_line > 0) {
		out_tone(w->out, TONE_FAINT);
		out_text(w->out, "  from line ");
		out_i64(w->out, e->caller_line);
		out_tone(w->out, TONE_PLAIN);
	}
	write_task(w, e);
}

/* A call of which only the callee is known; that is one level deeper. */
static void write_outside(struct lines *w, const struct pl_event *e)
{
	out_tone(w->out, TONE_FAINT);
	out_text(w->out, "call ");
	out_clean(w->out, text_of(pl_code_name(e->code)));
	write_place(w, e, pl_code_first_line(e->code));
	out_text(w->out, "  not recorded");
	out_tone(w->out, TONE_PLAIN);
}

static void write_leave(struct lines *w, const struct pl_event *e)
{
	write_word(w, e, e->kind == PL_EVENT_UNWIND ? TONE_BAD : TONE_GOOD);
	out_char(w->out, ' ');
	if (e->values.at) {
		write_values(w, e, "", "");
		write_tail(w, "  in ", pl_code_name(e->code));
	} else {
		out_clean(w->out, text_of(pl_code_name(e->code)));
	}
	write_tail(w, "  ", e->type);
}

static void write_exception(struct lines *w, const struct pl_event *e)
{
	write_word(w, e, TONE_BAD);
	out_char(w->out, ' ');
	if (values_kind(e) == PL_VALUE_EXCEPTION)
		write_values(w, e, "", "");
	else
		out_clean(w->out, text_of(e->type && e->type[0] ? e->type : "an exception"));
	out_text(w->out, " in ");
	out_clean(w->out, text_of(pl_code_name(e->code)));
	if (e->line > 0) {
		out_text(w->out, " line ");
		out_i64(w->out, e->line);
	} else if (e->kind == PL_EVENT_HANDLED) {
		out_tone(w->out, TONE_FAINT);
		out_text(w->out, "  by a clean-up that the compiler added");
		out_tone(w->out, TONE_PLAIN);
	}
}

static void write_gap(struct lines *w, const struct pl_event *e)
{
	out_tone(w->out, TONE_BAD);
	out_text(w->out, "gap  ");
	if (e->lost) {
		out_count(w->out, e->lost);
		out_text(w->out, e->lost == 1 ? " event: " : " events: ");
	}
	out_text(w->out, pl_gap_reason_text(e->gap));
	out_tone(w->out, TONE_PLAIN);
}

/* The line's text is above, where the loop began. */
static void write_again(struct lines *w, const struct pl_event *e)
{
	out_tone(w->out, TONE_NAME);
	out_i64(w->out, e->line);
	out_tone(w->out, TONE_FAINT);
	out_text(w->out, "  again");
	out_tone(w->out, TONE_PLAIN);
}

static void write_possible(struct lines *w, const struct pl_event *e)
{
	write_word(w, e, TONE_FAINT);
	out_char(w->out, ' ');
	if (e->line) {
		write_source(w, e);
	} else {
		out_text(w->out, e->type);
		out_char(w->out, ' ');
		out_clean(w->out, text_of(pl_code_name(e->code)));
	}
}

static void write_event(struct lines *w, const struct pl_event *e)
{
	switch (e->kind) {
	case PL_EVENT_POSSIBLE:
		write_possible(w, e);
		break;
	case PL_EVENT_LINE:
		write_source(w, e);
		break;
	case PL_EVENT_AGAIN:
		write_again(w, e);
		break;
	case PL_EVENT_CALL:
	case PL_EVENT_RESUME:
	case PL_EVENT_THROW:
		write_enter(w, e);
		break;
	case PL_EVENT_OUTSIDE:
		write_outside(w, e);
		break;
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
	case PL_EVENT_UNWIND:
		write_leave(w, e);
		break;
	case PL_EVENT_RAISE:
	case PL_EVENT_RERAISE:
	case PL_EVENT_HANDLED:
		write_exception(w, e);
		break;
	default:
		write_word(w, e, TONE_STRONG);
		write_tail(w, "  ", e->type);
		break;
	}
}

/* A call and its return are at the depth of the calling frame, the lines between them one
 * deeper. */
static uint32_t indent_of(const struct pl_event *e)
{
	bool inside = e->kind != PL_EVENT_CALL && e->kind != PL_EVENT_RESUME &&
		      e->kind != PL_EVENT_THROW && e->kind != PL_EVENT_RETURN &&
		      e->kind != PL_EVENT_YIELD && e->kind != PL_EVENT_UNWIND &&
		      e->kind != PL_EVENT_OUTSIDE;

	return e->depth + inside;
}

/* ---- what a line changed ---- */

/* Is the event the one after the line whose row is open, in the same frame? */
static bool follows_open_row(const struct lines *w, const struct pl_event *e)
{
	const struct pl_event *o = &w->open_at;

	return w->open && o->position.process == e->position.process &&
	       o->position.thread == e->position.thread && o->seq + 1 == e->seq &&
	       o->depth == e->depth;
}

/* Behind the row of the line, or in a row of its own if others came between. */
static void write_changed(struct lines *w, const struct pl_event *e)
{
	char text[VALUES_MAX];
	const size_t left = out_line_left(w->out);
	const size_t room = left > VALUES_LEAST ? left : VALUES_LEAST;
	const size_t length = variables_text(e, text, room < sizeof text ? room : sizeof text);

	if (!length)
		return;
	const bool apart = !follows_open_row(w, e);
	if (apart)
		begin_row(w, e, e->depth + 1);
	out_tone(w->out, TONE_GOOD);
	out_text(w->out, apart ? "changed " : "    ");
	out_clean(w->out, (struct text){.at = text, .length = length});
	out_tone(w->out, TONE_PLAIN);
	if (apart)
		out_line_end(w->out);
}

void lines_end(struct lines *w)
{
	if (!w->open)
		return;
	if (w->unsure)
		write_tail(w, "  ", "~");
	out_line_end(w->out);
	w->open = false;
}

static void row_is_written(struct lines *w, const struct pl_event *e)
{
	w->open = true;
	w->unsure = e->order_from < e->order;
	w->open_at = *e;
	if (w->only_rows || (e->kind != PL_EVENT_LINE && e->kind != PL_EVENT_AGAIN))
		lines_end(w);
}

/* 10:52:01.120034 MainThread   call work  shop.py:12  from line 44  in task 1 Task-1
 *	10:52:01.120034 MainThread     13  total = 0                                    ~
 *
 * A ~ at the end: its place among the rows of other threads is not known exactly.
 */
void lines_write(struct lines *w, const struct pl_event *e)
{
	if (e->variables.at && !w->only_rows)
		write_changed(w, e);
	begin_row(w, e, indent_of(e));
	if (e->kind == PL_EVENT_GAP)
		write_gap(w, e);
	else if (e->code)
		write_event(w, e);
	else
		write_word(w, e, TONE_STRONG);
	row_is_written(w, e);
}

#define SOURCE_TEXT_MAX 4096

/* 10:52:01.120034 MainThread       kernel syscall write "out.txt" 4.1 us
 *
 * A thread that ran no Python has its id in place of a name.
 */
void lines_source(struct lines *w, const struct pl_source_row *row, uint32_t depth, bool unsure)
{
	const bool known = row->thread != PL_NO_THREAD;
	const struct pl_position p = {
		.process = row->process, .thread = known ? row->thread : row->native_id};
	char text[SOURCE_TEXT_MAX];

	begin_row_at(w, &p, row->time_ns, depth + 1);
	out_tone(w->out, TONE_FAINT);
	out_clean(w->out, text_of(row->source->name));
	out_char(w->out, ' ');
	pl_source_row_text(row, text, sizeof text);
	out_clean(w->out, text_of(text));
	out_tone(w->out, TONE_PLAIN);
	if (unsure)
		write_tail(w, "  ", "~");
	out_line_end(w->out);
}

/* "continues main  shop.py:12". Without memory they are left out. */
void lines_write_stack(struct lines *w, const struct pl_event *gap, const struct pl_cursor *c)
{
	const size_t count = pl_cursor_stack(c, NULL, 0);
	struct pl_frame *frames = calloc(count + 1, sizeof *frames);

	if (frames)
		pl_cursor_stack(c, frames, count);
	for (size_t i = 0; frames && i < count; i++) {
		struct pl_event row = *gap;
		row.code = frames[i].code;
		begin_row(w, &row, (uint32_t)i);
		out_tone(w->out, TONE_GOOD);
		out_text(w->out, "continues ");
		out_tone(w->out, TONE_PLAIN);
		out_clean(w->out, text_of(pl_code_name(row.code)));
		write_place(w, &row, frames[i].line);
		out_line_end(w->out);
	}
	free(frames);
}
