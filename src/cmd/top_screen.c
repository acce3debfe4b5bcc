/* `top` on a terminal: the text of its tables in tui/live.h, and its keys. */
#define _GNU_SOURCE
#include "cmd/top.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmd/follow.h"
#include "tui/live.h"

#define PERIOD_MS  1000
#define ROWS_SHOWN 500
#define WORDS_MAX  20
#define HINTS                                                                                      \
	"Tab view  o own  w waiting  t with calls  c count  / filter  Enter replay  p pause  "     \
	"q quit"

struct top_screen {
	struct top *t;
	struct out text; /* of the page */
	struct pl_err err;
	int failed;
	bool paused, ended;
	char message[PATTERN_WHY_BYTES + 32];
};

/* ---- what is shown ---- */

static bool look_again(void *context)
{
	struct top_screen *s = context;

	if (s->paused)
		return true;
	const int code = top_look(s->t, &s->err);
	if (code < 0)
		s->failed = code;
	s->ended = code == PL_END;
	return code == 0;
}

static void end_text(struct out *o)
{
	*out_step(o) = 0;
	o->used++;
}

static void show_page(void *context, struct live_page *page)
{
	struct top_screen *s = context;
	struct sheet sheet = top_sheet(s->t, s->t->view);

	s->text.used = 0;
	s->text.error = 0;
	s->text.columns = page->columns;
	top_summary(s->t, &s->text);
	end_text(&s->text);
	const size_t table = s->text.used;
	sheet.most = ROWS_SHOWN;
	sheet_write(&sheet, &s->text, SHEET_TEXT);
	end_text(&s->text);
	if (s->text.error) /* it did not fit */
		return;
	page->summary = s->text.bytes;
	page->table = s->text.bytes + table;
	page->message = s->message[0] ? s->message
			: s->failed   ? pl_error_name(s->failed)
			: s->ended    ? "the program has ended, or is no longer recorded; q quits"
			: s->paused   ? "paused; p goes on"
				      : NULL;
}

static bool choose_filter(void *context, const char *text)
{
	struct top_screen *s = context;
	char why[PATTERN_WHY_BYTES];

	s->message[0] = 0;
	if (pattern_read(&s->t->filter, text, true, why) == 0)
		return true;
	snprintf(s->message, sizeof s->message, "the filter is no pattern: %s", why);
	return false;
}

/* ---- keys ---- */

/* What a key sorts by, in each view in which it can. */
static const struct {
	const char *key, *sorts[TOP_VIEWS];
} sorting[] = {
	{"o", {[TOP_FUNCTIONS] = "share", [TOP_LINES] = "share"}},
	{"w", {[TOP_FUNCTIONS] = "waiting",
		      [TOP_LINES] = "waiting",
		      [TOP_THREADS] = "still",
		      [TOP_TASKS] = "waits"}},
	{"t", {[TOP_FUNCTIONS] = "cumulated", [TOP_LINES] = "cumulated", [TOP_TASKS] = "run"}},
	{"c", {[TOP_FUNCTIONS] = "calls", [TOP_LINES] = "passes", [TOP_EXCEPTIONS] = "count"}},
	{"n", {[TOP_FUNCTIONS] = "file",
		      [TOP_LINES] = "file",
		      [TOP_THREADS] = "name",
		      [TOP_TASKS] = "name",
		      [TOP_EXCEPTIONS] = "type"}},
};

static bool choose_sort(struct top_screen *s, const char *key)
{
	for (size_t i = 0; i < sizeof sorting / sizeof *sorting; i++) {
		const char *sort = sorting[i].sorts[s->t->view];
		if (strcmp(sorting[i].key, key) != 0)
			continue;
		if (sort)
			s->t->sorts[s->t->view] = sort;
		else
			snprintf(s->message, sizeof s->message, "%s are not sorted by that",
				top_view_name(s->t->view));
		return true;
	}
	return false;
}

static enum live_next take_top_key(void *context, const char *key, size_t row)
{
	struct top_screen *s = context;
	const int views = TOP_VIEWS;

	(void)row;
	s->message[0] = 0;
	if (!strcmp(key, "Tab"))
		s->t->view = (enum top_view)(((int)s->t->view + 1) % views);
	else if (!strcmp(key, "Shift-Tab"))
		s->t->view = (enum top_view)(((int)s->t->view + views - 1) % views);
	else if (key[0] >= '1' && key[0] < '1' + views && !key[1])
		s->t->view = (enum top_view)(key[0] - '1');
	else if (!strcmp(key, "p"))
		s->paused = !s->paused;
	else if (!choose_sort(s, key))
		snprintf(s->message, sizeof s->message,
			"Tab or 1 to 5 choose a view; o w t c n sort; q quits");
	return LIVE_GO;
}

/* ---- replay ---- */

struct replay_words {
	const char *words[WORDS_MAX];
	char process[16], thread[16], stop[CMD_DIRECTORY_BYTES + 32];
};

/* At the end of the path; from there back to the line, or to the call of the function. */
static void words_for(struct replay_words *w, const struct top *t, const struct top_where *where)
{
	const char **to = w->words;
	const bool anywhere = where->thread == PL_ALL_THREADS;

	snprintf(w->process, sizeof w->process, "%" PRIu32, where->process);
	snprintf(w->thread, sizeof w->thread, "%" PRIu32, where->thread);
	*to++ = "pathline";
	*to++ = "replay";
	*to++ = t->recording;
	*to++ = "--process";
	*to++ = w->process;
	if (!anywhere) {
		*to++ = "--thread";
		*to++ = w->thread;
	}
	*to++ = "--end";
	*to++ = "--command";
	if (where->seq) {
		snprintf(w->stop, sizeof w->stop, "j #%" PRIu64, where->seq);
		*to++ = w->stop;
	} else if (where->code) {
		if (where->line)
			snprintf(w->stop, sizeof w->stop, "b %s:%" PRId32,
				pl_code_file(where->code), where->line);
		else
			snprintf(w->stop, sizeof w->stop, "w %s", pl_code_name(where->code));
		*to++ = w->stop;
		*to++ = "--command";
		*to++ = "C";
		*to++ = "--command";
		*to++ = "clear";
	} else {
		*to++ = "bt";
	}
	*to = NULL;
}

/* Ctrl-C there is for the replay. */
static void open_replay(void *context, size_t row)
{
	struct top_screen *s = context;
	struct replay_words w;
	struct top_where where;
	struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
	int status;

	if (!top_where(s->t, row, &where))
		return;
	words_for(&w, s->t, &where);
	const pid_t pid = fork();
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		execv("/proc/self/exe", (char **)(uintptr_t)w.words);
		_exit(CMD_RECORD_NOT_FOUND);
	}
	sigaction(SIGINT, &ignored, &before);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		;
	sigaction(SIGINT, &before, NULL);
}

int top_run_screen(struct top *t)
{
	struct top_screen s = {.t = t};
	struct pl_err err = {0};

	if (out_init(&s.text, -1, false) < 0) {
		cmd_say("top: no memory for its screen");
		return CMD_BAD;
	}
	s.text.here = t->out.here;
	const int code = live_run(&(struct live){.period_ms = PERIOD_MS,
					  .hints = HINTS,
					  .ended = &follow_stopped,
					  .look = look_again,
					  .show = show_page,
					  .key = take_top_key,
					  .open = open_replay,
					  .filter = choose_filter,
					  .context = &s},
		&err);
	free(s.text.bytes);
	if (code < 0 || s.failed)
		cmd_say("top: %s", code < 0	? pl_err_text(&err)
				   : s.err.used ? pl_err_text(&s.err)
						: pl_error_name(s.failed));
	return code < 0 || s.failed ? CMD_BAD : CMD_OK;
}
