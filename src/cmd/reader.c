/* pathline reader: calls, results and exceptions of all threads as a list, as pytrace has it: on a
 * terminal the reader of the screen (tui/reader.h), otherwise the same rows as text. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdlib.h>
#include "cmd/expression.h"
#include "cmd/follow.h"
#include "cmd/page.h"
#include "cmd/reader_text.h"
#include "cmd/replay.h"
#include "os/local.h"
#include "session/reading.h"

#define INDENT_LEVEL 2
#define INDENT_MAX   40 /* levels; of deeper rows the depth is in brackets */
#define WHO_WIDTH    12

struct reader_rows {
	struct pl_recording *r; /* owned */
	struct selection selection;
	struct expression filter;
	struct reading list;
	struct out out;
	const char *filter_text;
	char *folder; /* owned */
	bool follow;
};

static void write_text(void *context, const struct pl_event *e, char *text, size_t max)
{
	const struct reader_rows *w = context;

	reader_text(e, w->folder, text, max);
}

static bool wants_thread(void *context, const struct pl_thread *t)
{
	const struct reader_rows *w = context;
	const struct pl_process *p = pl_recording_find_process(w->r, t->process);

	return p && select_process(&w->selection, w->r, p) && select_thread(&w->selection, w->r, t);
}

/* "10:52:01.120031  1/MainThread  ", or the task in place of the thread */
static void write_who(struct reader_rows *w, const struct reading_row *row)
{
	const struct pl_thread *t =
		pl_recording_thread(w->r, row->position.process, row->position.thread);

	out_clock(&w->out, row->time_ns, 6);
	out_text(&w->out, "  ");
	if (pl_recording_process_count(w->r) > 1) {
		out_u64(&w->out, row->position.process);
		out_char(&w->out, '/');
	}
	if (row->task)
		out_column(&w->out, row->task, WHO_WIDTH);
	else
		out_column(&w->out, t && t->name[0] ? t->name : "?", WHO_WIDTH);
	out_text(&w->out, "  ");
}

static void write_row(struct reader_rows *w, const struct reading_row *row)
{
	const uint32_t levels = row->depth < INDENT_MAX ? row->depth : INDENT_MAX;

	out_line(&w->out);
	write_who(w, row);
	out_spaces(&w->out, (size_t)levels * INDENT_LEVEL);
	if (levels < row->depth) {
		out_char(&w->out, '[');
		out_u64(&w->out, row->depth);
		out_text(&w->out, "] ");
	}
	out_clean(&w->out, text_of(row->text));
	out_text(&w->out, "  #");
	out_u64(&w->out, row->seq);
	out_line_end(&w->out);
}

/* Wait for more of a recording that is being written. 0; PL_END: it is complete; or an error. */
static int wait_for_growth(struct reader_rows *w, struct pl_err *err)
{
	out_flush(&w->out);
	const int code = w->follow && !w->out.error ? follow_wait(w->r, err) : PL_END;
	return code ? code : reading_grown(&w->list, err);
}

static void say_nothing(struct reader_rows *w)
{
	char why[EXPRESSION_WHY_BYTES];

	expression_why(&w->filter, w->r, why);
	if (!w->out.error && !follow_stopped)
		cmd_say("reader: no row is selected%s", why);
}

static int write_rows(struct reader_rows *w)
{
	const struct reading_row *row;
	struct pl_err err = {0};
	int64_t number = 0;
	int code = reading_go_begin(&w->list, &err);

	while (code == 0 && !w->out.error && !follow_stopped) {
		code = reading_row(&w->list, number, &row, &err);
		if (code == 0) {
			write_row(w, row);
			number++;
		} else if (code == PL_END) {
			code = wait_for_growth(w, &err);
		}
	}
	if (code >= 0 && !number)
		say_nothing(w);
	if (code >= 0)
		return number || w->out.error || follow_stopped ? CMD_OK : CMD_NOTHING;
	cmd_say("reader: %s", err.used ? pl_err_text(&err) : pl_error_name(code));
	return CMD_BAD;
}

/* Without a terminal, or with --plain. */
static int print_rows(struct cmd *c, struct reader_rows *w)
{
	int code = cmd_open(c, &w->r);

	if (code == CMD_GO)
		code = select_read(&w->selection, w->r);
	if (code == CMD_GO)
		code = expression_read(&w->filter, "reader", w->filter_text, w->r);
	if (code == CMD_GO)
		code = page_open(c, &w->out, false);
	if (code != CMD_GO)
		return code;
	w->folder = reader_folder();
	w->list = (struct reading){.rules = {.r = w->r,
					   .stop = &follow_stopped,
					   .kinds = READING_KINDS,
					   .write = write_text,
					   .expr = w->filter.expr,
					   .context = w},
		.wants = wants_thread};
	follow_begin(w->r);
	code = write_rows(w);
	reading_release(&w->list);
	free(w->folder);
	const int written = page_close(c, &w->out);
	return written ? written : follow_stopped ? 128 + SIGINT : code;
}

static const char ABOUT[] =
	"Read a recording as a list: a row for each call, result and exception, of all threads\n"
	"in the order in which they ran, with arguments and results if they were recorded\n"
	"(record --values). On a terminal it has the keys of less: / ? n N search, f filters,\n"
	"F follows, Enter shows the source there, h lists all keys. A program that still runs\n"
	"is followed. Without a terminal the rows are printed.";

int cmd_reader(struct cmd *c)
{
	struct reader_rows w = {.selection = {.command = "reader"}};
	bool plain = false;
	const char *at = NULL;
	const struct cmd_option options[] = {
		{"at", 0, "WHEN", "on a terminal: begin there; WHEN as for replay's j",
			.text = &at},
		SELECT_PROCESS(w.selection),
		SELECT_THREAD(w.selection, ""),
		{"filter", 0, "EXPR", EXPRESSION_HELP, .text = &w.filter_text},
		{"plain", 0, NULL, "print the rows, also on a terminal", .flag = &plain},
		{"follow", 0, NULL, "printed: go on while the program runs", .flag = &w.follow},
		{0},
	};
	int code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]", ABOUT, options});

	if (code != CMD_GO)
		return code;
	if (!plain && replay_has_screen())
		code = replay_reader(c, &w.selection, at, w.filter_text);
	else
		code = print_rows(c, &w);
	if ((code == CMD_OK || code == CMD_NOTHING) && w.r &&
		cmd_say_damages("reader", w.r, 0) != CMD_OK)
		code = CMD_BAD;
	expression_release(&w.filter);
	select_release(&w.selection);
	pl_recording_close(w.r);
	return code;
}
