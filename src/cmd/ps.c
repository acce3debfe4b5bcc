/* pathline ps: the Python processes here, and which of them can be attached.
 *
 * A process is looked at as `attach` does it (target.h), and not touched. */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/target.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/running.h"
#include "cmd/sheet.h"

#define NARROW	    72 /* columns of a terminal */
#define LAST_WIDTH  30 /* kept for the command on a terminal */
#define USER_WIDTH  12
#define STATE_WIDTH 10

struct listing {
	struct running *rows; /* owned */
	size_t count, room;
	bool no_memory;
};

static const char ABOUT[] =
	"List the processes that are a CPython, with what `pathline attach` needs to know of "
	"them.\nPATHLINE is 'attachable', 'recorded', with the directory after the command, or "
	"'no', with\nthe reason. What runs in containers is listed too. A process of another user "
	"is listed by\nthe name of its program, unless you are root.";

static struct running *new_row(struct listing *l)
{
	if (l->count == l->room) {
		size_t room = l->room ? l->room * 2 : 32;
		struct running *rows = realloc(l->rows, room * sizeof *rows);
		l->no_memory = !rows;
		if (!rows)
			return NULL;
		l->rows = rows;
		l->room = room;
	}
	return &l->rows[l->count];
}

/* In the order of their numbers, as /proc has them. */
static void find_all(struct listing *l)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;

	while (d && !l->no_memory && (e = readdir(d))) {
		int pid = atoi(e->d_name);
		struct running *row = pid > 0 ? new_row(l) : NULL;
		if (row && running_look(row, pid))
			l->count++;
	}
	if (d)
		closedir(d);
}

/* ---- as text ---- */

enum { COLUMN_PID, COLUMN_USER, COLUMN_PYTHON, COLUMN_RUNS, COLUMN_STATE, COLUMN_COMMAND, COLUMNS };

static struct cell process_cell(const void *context, size_t index, unsigned column)
{
	const struct running *p = (const struct running *)context + index;

	switch (column) {
	case COLUMN_PID:
		return cell_number(p->pid);
	case COLUMN_USER:
		return cell_text(p->user);
	case COLUMN_PYTHON:
		return cell_text(p->release[0] ? p->release : NULL);
	case COLUMN_RUNS:
		return cell_ns(CELL_NS, p->runs_ns);
	case COLUMN_STATE:
		return cell_text(running_state(p));
	default:
		return (struct cell){.kind = CELL_TEXT,
			.text = p->command,
			.source = p->note ? text_of(p->note) : (struct text){0}};
	}
}

static void write_text(const struct listing *l, struct out *o)
{
	const struct column columns[COLUMNS + 1] = {
		[COLUMN_PID] = {NULL, "PID"},
		[COLUMN_USER] = {NULL, "USER", USER_WIDTH, 8},
		[COLUMN_PYTHON] = {NULL, "PYTHON"},
		[COLUMN_RUNS] = {NULL, "RUNS", 0, 7},
		[COLUMN_STATE] = {NULL, "PATHLINE", STATE_WIDTH},
		[COLUMN_COMMAND] = {NULL, "COMMAND"},
	};
	const struct sheet s = {.columns = columns,
		.cell = process_cell,
		.context = l->rows,
		.rows = l->count,
		.gap = o->columns && o->columns < NARROW ? 1 : 2,
		.last = LAST_WIDTH};

	sheet_write(&s, o, SHEET_TEXT);
}

/* ---- as JSON ---- */

static void process_json(const struct running *p, struct out *o)
{
	struct json j = {.out = o};

	json_line(&j, "process");
	json_i64(&j, "pid", p->pid);
	json_u64(&j, "uid", p->uid);
	json_text(&j, "user", p->user);
	json_text(&j, "python", p->release[0] ? p->release : NULL);
	json_text(&j, "command", p->command);
	json_i64(&j, "runs_ns", p->runs_ns);
	json_bool(&j, "recorded", p->recorded);
	json_text(&j, "directory", p->directory);
	json_bool(&j, "attachable", !p->why && !p->recorded);
	json_text(&j, "why_not", p->why);
	json_line_end(&j);
}

static void write_all(const struct listing *l, struct out *o, bool json)
{
	for (size_t i = 0; json && i < l->count; i++)
		process_json(&l->rows[i], o);
	if (!json && l->count)
		write_text(l, o);
	if (!l->count)
		cmd_say("ps: no Python runs here");
}

int cmd_ps(struct cmd *c)
{
	bool json = false;
	const struct cmd_option options[] = {
		{"json", 0, NULL, "one JSON object a process", .flag = &json},
		{0},
	};
	struct out o = {0};
	struct listing l = {0};
	int code = cmd_parse(c, &(struct cmd_usage){"", ABOUT, options, .paged = true});

	if (code == CMD_GO && c->count) {
		cmd_say("ps: it takes no operand; '%s' is too much", c->words[0]);
		code = CMD_USAGE;
	}
	if (code == CMD_GO)
		code = page_open(c, &o, !json);
	if (code == CMD_GO) {
		code = CMD_OK;
		page_start(c, &o);
		find_all(&l);
		write_all(&l, &o, json);
	}
	if (l.no_memory) {
		cmd_say("ps: no memory for all processes");
		code = CMD_BAD;
	}
	int written = page_close(c, &o);
	for (size_t i = 0; i < l.count; i++)
		running_release(&l.rows[i]);
	free(l.rows);
	return written ? written : code;
}
