/* report --follow: the same report again, as the recording grows. */
#include "cmd/report.h"

#include <time.h>
#include "cmd/follow.h"

int report_check_follow(const struct report *w)
{
	if (!w->flame && !w->collapsed)
		return follow_check(&w->selection);
	cmd_say("report: %s is written once; leave out --follow",
		w->flame ? "--flame" : "--collapsed");
	return CMD_USAGE;
}

static const char CLEAR_SCREEN[] = "\033[H\033[J";

/* A terminal shows the newest one only, and no pager has it. */
static void report_separate(struct report *w, bool first)
{
	if (w->out.columns)
		out_text(&w->out, CLEAR_SCREEN);
	else if (!first)
		out_char(&w->out, '\n');
	w->headless = false;
	w->exceptions_before = 0;
}

int report_follow(struct report *w)
{
	struct pl_err err = {0};
	struct timespec began;
	int waited = 0;

	follow_begin(w->r);
	for (bool first = true; waited == 0 && w->code == CMD_OK && !w->out.error; first = false) {
		clock_gettime(CLOCK_MONOTONIC, &began);
		report_separate(w, first);
		report_ranges(w);
		out_flush(&w->out);
		waited = follow_wait_again(w->r, &began, &err);
	}
	if (waited < 0) {
		cmd_say("report: %s", err.used ? pl_err_text(&err) : pl_error_name(waited));
		return CMD_BAD;
	}
	return follow_stopped ? 128 + SIGINT : report_conclude(w);
}
