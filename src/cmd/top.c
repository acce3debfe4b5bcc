/* pathline top: the words, and the order of things. */
#define _GNU_SOURCE
#include "cmd/top.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cmd/follow.h"
#include "cmd/page.h"
#include "cmd/replay.h"

#define ROWS_DEFAULT 20
#define FOLLOWED_MS  500

static const char ABOUT[] =
	"Show what a program does at this moment, each second, from its exact path: the functions\n"
	"and lines that take the time, calls, lines and exceptions a second, threads that do not\n"
	"move, and tasks that wait. PID is a process that runs: its recording is read, or "
	"`pathline\n"
	"attach` records it for as long as it is looked at. Without it: a recording that is being\n"
	"written, the latest one if none is named.\n\n"
	"On a terminal it is a screen: Tab or 1 to 5 choose the view, o w t c n sort, / filters,\n"
	"Enter opens replay there, p pauses, q quits and detaches. Elsewhere, and with --plain, "
	"it\n"
	"is one table each second.";

/* ---- the words ---- */

static int read_number(const char *option, const char *text, uint64_t *number)
{
	char *end = NULL;

	if (!text)
		return CMD_GO;
	errno = 0;
	*number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return CMD_GO;
	cmd_say("top: %s: '%s' is not a number", option, text);
	return CMD_USAGE;
}

static int read_view(struct top *t)
{
	const char *names[TOP_VIEWS + 1] = {0};

	for (enum top_view v = 0; v < TOP_VIEWS; v++)
		names[v] = top_view_name(v);
	if (t->view_text)
		t->view = top_view_named(t->view_text);
	if (t->view == TOP_VIEWS)
		return cmd_unknown("top", "view", t->view_text, names);
	if (!t->sort_text)
		return CMD_GO;
	t->sorts[t->view] = t->sort_text;
	return sheet_check_sort("top", top_columns(t->view), t->sort_text);
}

static int read_words(struct top *t)
{
	char why[PATTERN_WHY_BYTES] = "";
	int code = read_view(t);

	t->rows = ROWS_DEFAULT;
	if (code == CMD_GO)
		code = read_number("--rows", t->rows_text, &t->rows);
	if (code == CMD_GO)
		code = read_number("--times", t->times_text, &t->times);
	if (code == CMD_GO && t->filter_text &&
		pattern_read(&t->filter, t->filter_text, true, why) < 0) {
		cmd_say("top: --filter: '%s' is no pattern: %s", t->filter_text, why);
		code = CMD_USAGE;
	}
	return code;
}

/* The only operand, if it is a number. A recording of such a name is ./4711. */
static int process_number(const struct cmd *c)
{
	char *end;
	const long number = c->count == 1 ? strtol(c->words[0], &end, 10) : 0;

	return c->count == 1 && number > 0 && number <= INT_MAX && !*end ? (int)number : 0;
}

/* ---- the recording ---- */

static int check_grows(const struct top *t)
{
	struct pl_recording_info info;

	pl_recording_info(t->r, &info);
	if (!info.end_ns && !info.unfinished)
		return CMD_GO;
	cmd_say("top: the recording %s is complete; `pathline report%s` says where its time "
		"went",
		info.directory, cmd_recording());
	return CMD_USAGE;
}

static int open_recording(struct top *t)
{
	const int pid = process_number(t->cmd);
	int code = CMD_USAGE;

	if (pid) {
		code = top_attach(t, pid);
	} else if (t->keep) {
		cmd_say("top: -o is for a process that is attached: pathline top -o %s PID",
			t->keep);
	} else if (t->only_mine) {
		cmd_say("top: --only-mine is for a process that is attached: pathline top "
			"--only-mine PID");
	} else {
		code = cmd_open(t->cmd, &t->r);
		memcpy(t->recording, t->cmd->directory, sizeof t->recording);
	}
	return code == CMD_GO ? check_grows(t) : code;
}

static void stop_top(int number)
{
	(void)number;
	follow_stopped = 1;
}

/* Until the recorder has noticed that it is followed it writes an event within 400 ms, so what the
 * first look is of might not be there yet. */
static void begin_following(struct pl_recording *r)
{
	pl_recording_follow(r);
	nanosleep(&(struct timespec){.tv_nsec = FOLLOWED_MS * 1000000L}, NULL);
}

/* Whatever ends it, the recorder leaves the program. */
static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = stop_top};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static int run_top(struct top *t)
{
	const bool screen = !t->plain && !t->json && !t->times && replay_has_screen();
	int code = open_recording(t);

	if (code == CMD_GO)
		code = page_open(t->cmd, &t->out, !t->json);
	if (code == CMD_GO) {
		begin_following(t->r);
		code = screen ? top_run_screen(t) : top_run_plain(t);
		const int written = page_close(t->cmd, &t->out);
		code = written ? written : code;
	}
	return top_detach(t, code);
}

int cmd_top(struct cmd *c)
{
	struct top t = {.cmd = c};
	const struct cmd_option options[] = {
		{"view", 0, "VIEW",
			"begin with these rows: functions, lines, threads, tasks, or\n"
			"exceptions",
			.text = &t.view_text, .words = "functions lines threads tasks exceptions"},
		{"sort", 0, "COLUMN", "sort them by this column", .text = &t.sort_text},
		{"filter", 'f', "REGEX", "rows whose file, function or name has it",
			.text = &t.filter_text},
		{"only-mine", 0, NULL, "of a process that is attached: its own code alone",
			.flag = &t.only_mine},
		{"rows", 0, "N", "at most N rows a table; 0: all (default: 20)",
			.text = &t.rows_text},
		{"times", 'n', "N", "N tables, and then end", .text = &t.times_text},
		{"plain", 0, NULL, "text, also on a terminal", .flag = &t.plain},
		{"json", 0, NULL, "one JSON object each second, of all views", .flag = &t.json},
		{"output", 'o', "DIR", "keep the recording of an attached process there",
			.text = &t.keep},
		{0},
	};
	int code = cmd_parse(c, &(struct cmd_usage){"[PID|RECORDING]", ABOUT, options});

	if (code == CMD_GO)
		code = read_words(&t);
	if (code == CMD_GO) {
		catch_signals();
		code = run_top(&t);
	}
	top_release(&t);
	return code;
}
