/* pathline replay: move through a recording by commands, one a line. The answer to each is a row:
 * the position, or "!" and the command's message. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/expression.h"
#include "cmd/json.h"
#include "cmd/progress.h"
#include "cmd/reader_text.h"
#include "cmd/replay.h"
#include "cmd/replay_values.h"
#include "cmd/lines.h"
#include "cmd/request_at.h"
#include "cmd/rows.h"
#include "cmd/summary.h"
#include "session/crash.h"
#include "session/words.h"
#include "tui/tui.h"

/* In two, so that the help fits in a narrow terminal. */
#define FIELDS_PLACE "pid,tid,seq,time,depth,event,file,line,code"
#define FIELDS_MORE  "type,task_id,task"
#define FIELDS	     FIELDS_PLACE "," FIELDS_MORE
#define COMMANDS_MAX 256

/* Ctrl-C ends the current command, and the position stays. Other signals end the screen. Handlers
 * set these two, and do nothing else; the session and the screen look at them. */
static volatile sig_atomic_t interrupted, ended;

/* One replay: the session, and how it answers, as rows, as JSON, or on the screen. */
struct answers {
	struct session session;
	struct out out;
	struct rows rows;
	struct progress progress;
	bool json;
	const char *commands[COMMANDS_MAX]; /* of --command, in order; point into argv */
	size_t command_count;
	bool too_many;
	const char *at, *process, *thread, *request;
	bool end, at_exception;
	/* of the screen */
	struct keys keys;
	struct out text; /* one row at a time */
	struct lines lines;
	bool follow, screen;
	enum view view;
	const char *filter;
	struct selection *selection; /* of the reader; not owned; NULL: all */
	char *folder;		     /* owned: the current one, with a slash at its end */
};

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void end_screen(int signal)
{
	ended = signal;
	interrupted = 1;
}

static void take_command(void *to, const char *word, const char *text)
{
	struct answers *a = to;

	(void)word;
	if (a->command_count < COMMANDS_MAX)
		a->commands[a->command_count++] = text;
	else
		a->too_many = true;
}

static void write_why(struct answers *a)
{
	const struct outcome *o = &a->session.outcome;
	const char *why = a->session.why;
	struct json j = {.out = &a->out};

	if (a->json) {
		json_line(&j, o->refusal ? "refused" : "done");
		json_text(&j, o->refusal ? "why" : "what", why);
		json_text(&j, "code", o->refusal ? refusal_name(o->refusal) : done_name(o->done));
		if (!o->refusal)
			replay_values_json(&j, &a->session);
		json_line_end(&j);
		return;
	}
	out_text(&a->out, "!\t");
	out_message(&a->out, text_of(why));
	out_char(&a->out, '\n');
}

/* The note comes before the row, because the row ends the answer: a program that has read it has
 * the whole answer. */
static void write_note(struct answers *a)
{
	struct json j = {.out = &a->out};

	if (a->json) {
		json_line(&j, "note");
		json_text(&j, "what", a->session.note);
		json_line_end(&j);
		return;
	}
	out_text(&a->out, "#\t");
	out_message(&a->out, text_of(a->session.note));
	out_char(&a->out, '\n');
}

static void give_answer(struct answers *a)
{
	if (!a->session.why[0])
		session_note_here(&a->session);
	if (a->session.note[0])
		write_note(a);
	if (a->session.why[0])
		write_why(a);
	else
		rows_write(&a->rows, &a->session.replay.at);
	out_flush(&a->out);
}

static int replay_failed(int code, const struct pl_err *err)
{
	cmd_say("replay: %s", err->used ? pl_err_text(err) : pl_error_name(code));
	return CMD_BAD;
}

static void replay_progress(void *context, uint32_t thread, uint64_t seq)
{
	struct answers *a = context;
	const struct replay *p = &a->session.replay;
	const struct pl_thread *t = pl_recording_thread(p->r, p->at.position.process, thread);

	if (t && t->events && seq > t->first_seq)
		progress_show(&a->progress, (double)(seq - t->first_seq) / (double)t->events);
}

/* One command. `answered`: with a row; those of the user's file and of options only move. CMD_GO,
 * or an exit code. */
static int run_command(struct answers *a, const char *line, bool answered)
{
	struct pl_err err = {0};

	interrupted = 0;
	a->progress = progress_begin();
	a->session.replay.progress = replay_progress;
	a->session.replay.context = a;
	int code = session_do(&a->session, line, &err);
	progress_end(&a->progress);
	if (code < 0)
		return replay_failed(code, &err);
	if (a->session.quit)
		return CMD_OK;
	if (answered)
		give_answer(a);
	return a->out.error ? CMD_OK : CMD_GO;
}

/* A person is asked for each command. On stderr, since stdout has answers only. */
static void prompt(const FILE *from)
{
	if (from == stdin && isatty(0))
		fputs("(pathline) ", stderr);
}

/* Commands from a file or stdin; empty lines and lines that begin with # are skipped. */
static int run_lines(struct answers *a, FILE *from, bool answered)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int code = CMD_GO;

	while (code == CMD_GO && (prompt(from), n = getline(&line, &room, from)) >= 0) {
		while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			line[--n] = 0;
		if (!answered && !strncmp(line, "key ", 4)) {
			if (!keys_bind(&a->keys, line + 4))
				cmd_say("replay: cannot bind a key by '%s'; write: key K COMMAND",
					line);
		} else if (line[0] && line[0] != '#') {
			code = run_command(a, line, answered);
		}
	}
	if (code == CMD_GO && from == stdin && isatty(0))
		fputs("\n", stderr); /* after the prompt that had no answer */
	free(line);
	return code;
}

/* ~/.config/pathline/replay: commands and keys for each replay. A mistake in it is said, and ends
 * nothing. */
static int run_own(struct answers *a)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[PATH_MAX];
	FILE *from = NULL;
	int code = CMD_GO;

	if (config && *config)
		snprintf(path, sizeof path, "%s/pathline/replay", config);
	else
		snprintf(path, sizeof path, "%s/.config/pathline/replay", home ? home : "");
	from = fopen(path, "re");
	if (from) {
		code = run_lines(a, from, false);
		fclose(from);
	} else if (errno != ENOENT && errno != ENOTDIR) {
		cmd_say("replay: cannot read %s: %s; it is ignored", path, strerror(errno));
	}
	return code;
}

/* Execute an option as its command. A refusal ends the program. */
static int start_option(struct answers *a, const char *word, const char *text)
{
	char line[1024];

	snprintf(line, sizeof line, "%s %s", word, text);
	int code = run_command(a, line, false);
	if (code == CMD_GO && a->session.outcome.refusal) {
		cmd_say("replay: %s", a->session.why);
		return CMD_USAGE;
	}
	return code;
}

/* To the last event of the thread that was chosen. If none was: to the last one of the process, in
 * the order of its threads. */
static int go_to_end(struct answers *a)
{
	struct replay *p = &a->session.replay;
	const uint32_t process = p->at.position.process;
	const struct pl_process *of = pl_recording_find_process(p->r, process);
	const uint32_t count = of ? of->thread_count : 0;
	uint32_t last = p->at.position.thread;
	struct pl_err err = {0};
	uint64_t order = 0;
	int code = 0;

	for (uint32_t n = 0; !a->thread && n < count && code >= 0; n++) {
		p->joins = true;
		code = replay_seq(p, process, n, INT64_MAX, &err);
		if (code == 0 && p->at.order > order) {
			order = p->at.order;
			last = n;
		}
	}
	p->joins = true;
	if (code >= 0)
		code = replay_seq(p, process, last, INT64_MAX, &err);
	p->joins = false;
	if (code >= 0)
		session_note_seen(&a->session);
	return code < 0 ? replay_failed(code, &err) : CMD_GO;
}

/* Go to the last event of a process that a signal ended. */
static int go_to_kill(struct answers *a, const struct pl_process *of)
{
	struct replay *p = &a->session.replay;
	char how[SUMMARY_END_BYTES], text[128];
	struct pl_err err = {0};
	int code = replay_seq(p, of->number, 0, 0, &err);

	if (code < 0)
		return replay_failed(code, &err);
	a->thread = NULL; /* it may be one of another process */
	code = go_to_end(a);
	summary_end(p->r, of, how);
	snprintf(text, sizeof text,
		"process %" PRIu32 " was killed by %s, and this is its last event", of->number,
		how);
	cmd_say("replay: no exception ended anything; %s", text);
	if (a->screen && !a->session.note[0])
		snprintf(a->session.note, sizeof a->session.note, "%s", text);
	return code;
}

/* Did a signal end the process of the position? */
static bool was_killed(const struct replay *p)
{
	const struct pl_process *of = pl_recording_find_process(p->r, p->at.position.process);

	return of &&
	       (of->end == PL_PROCESS_SIGNALED || (of->end == PL_PROCESS_LOST && of->end_code));
}

/* Nothing ended by an exception: of all threads, or of those that --process and --thread name. */
static void say_none(const struct answers *a)
{
	const struct pl_position *at = &a->session.replay.at.position;
	const struct pl_thread *t =
		pl_recording_thread(a->session.replay.r, at->process, at->thread);

	if (a->thread)
		cmd_say("replay: nothing in thread %s of process %" PRIu32
			" ended by an exception; "
			"without -p and -t all threads are searched",
			t && t->name[0] ? t->name : a->thread, at->process);
	else if (a->process)
		cmd_say("replay: nothing in process %" PRIu32 " ended by an exception; without -p "
			"and -t all threads are searched",
			at->process);
	else
		cmd_say("replay: no thread, task or process of this recording ended by an "
			"exception; `x` stops at those that were handled");
}

/* Go to where the last exception that ended something was raised: of all threads, or of the
 * process and thread that were chosen, which are those of the position. */
static int go_to_exception(struct answers *a)
{
	struct replay *p = &a->session.replay;
	struct pl_err err = {0};
	const struct crash_bounds bounds = {.one_process = a->process || a->thread,
		.one_thread = a->thread,
		.process = p->at.position.process,
		.thread = p->at.position.thread,
		.stop = &interrupted};
	struct crash crash;
	int code = crash_find(p->r, &bounds, &crash, &err);

	const bool none = code == PL_END || (code == 0 && crash.exits);
	uint32_t next = 0;
	const struct pl_process *killed = crash_next_killed(p->r, &next);
	if (none && was_killed(p)) {
		char who[32] = "the program";
		if (pl_recording_process_count(p->r) > 1)
			snprintf(who, sizeof who, "process %" PRIu32, p->at.position.process);
		code = go_to_end(a);
		cmd_say("replay: no exception ended anything; %s was killed, and this is its last "
			"event",
			who);
		return code;
	}
	if (none && killed && !bounds.one_process)
		return go_to_kill(a, killed);
	if (code == PL_END) {
		say_none(a);
		return CMD_USAGE;
	}
	const struct pl_position *at = &crash.raise.position;
	if (code == 0)
		code = replay_seq(p, at->process, at->thread, crash.raise.seq, &err);
	if (crash.exits && a->screen)
		snprintf(a->session.note, sizeof a->session.note,
			"no exception ended anything; this is the last exit (SystemExit)");
	return code < 0 ? replay_failed(code, &err) : CMD_GO;
}

static int go_to_request(struct answers *a)
{
	struct replay *p = &a->session.replay;
	struct request q;
	struct pl_err err = {0};
	int code = request_at_number("replay", p->r, a->request, &q);

	if (code != CMD_GO)
		return code;
	code = replay_seq(p, q.process, q.thread, q.seq, &err);
	return code < 0 ? replay_failed(code, &err) : CMD_GO;
}

/* Wait a moment for what is still being written. false: the recording is complete. */
static bool grows(struct pl_recording *r)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	if (info.end_ns || interrupted)
		return false;
	pl_recording_follow(r);
	usleep(50000);
	return pl_recording_refresh(r, NULL) >= 0;
}

/* The position, from the general to the particular: the first line, the user's own commands, the
 * process, the thread, the time, the end, the exception. With --follow a recording may not have
 * its first line yet. */
static int replay_begin(struct answers *a)
{
	struct replay *p = &a->session.replay;
	struct pl_err err = {0};
	int code = replay_start(p, &err);

	while (code == PL_END && a->follow && grows(p->r))
		code = replay_start(p, &err);
	if (code == PL_END) {
		cmd_say(pl_recording_loss(p->r, 0)
				? "replay: no event of this recording was kept; `pathline info%s` "
				  "says what was lost"
				: "replay: nothing of Python ran in this recording; `pathline "
				  "info%s` says what did",
			cmd_recording());
		return CMD_OK;
	}
	if (code < 0)
		return replay_failed(code, &err);
	code = run_own(a);
	if (code == CMD_GO && a->process)
		code = start_option(a, "P", a->process);
	if (code == CMD_GO && a->thread)
		code = start_option(a, "t", a->thread);
	a->session.note[0] = 0; /* that it begins there */
	if (code == CMD_GO && a->at)
		code = start_option(a, "j", a->at);
	if (code == CMD_GO && a->request)
		code = go_to_request(a);
	if (code == CMD_GO && a->end)
		code = go_to_end(a);
	if (code == CMD_GO && a->at_exception)
		code = go_to_exception(a);
	return code;
}

/* The row that `dump` prints for an event, without the line end. */
static size_t write_row(
	void *context, const struct pl_event *e, unsigned columns, char *to, size_t max)
{
	struct answers *a = context;

	if (a->lines.columns != columns)
		a->lines.process = NULL; /* its names of threads are measured again */
	a->lines.columns = columns;
	a->text.used = 0;
	a->text.error = 0;
	lines_write(&a->lines, e);
	if (a->text.error) /* it did not fit, and there is no descriptor to write it to */
		return (size_t)snprintf(
			to, max, "%" PRId32 "  this line is too long to be shown here", e->line);
	size_t n = a->text.used && a->text.bytes[a->text.used - 1] == '\n' ? a->text.used - 1
									   : a->text.used;
	n = n < max ? n : max;
	memcpy(to, a->text.bytes, n);
	return n;
}

/* A row of the reader. */
static void write_text(void *context, const struct pl_event *e, char *to, size_t max)
{
	const struct answers *a = context;

	reader_text(e, a->folder, to, max);
}

static bool wants_thread(void *context, const struct pl_thread *t)
{
	const struct answers *a = context;
	const struct pl_recording *r = a->session.replay.r;
	const struct pl_process *p = pl_recording_find_process(r, t->process);

	return !a->selection ||
	       (p && select_process(a->selection, r, p) && select_thread(a->selection, r, t));
}

/* Otherwise they would end the process with the terminal in the screen's mode. */
static void catch_ends(void)
{
	struct sigaction action = {.sa_handler = end_screen};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* The commands of --command only move; then the screen begins where they led. */
static int show_screen(struct answers *a)
{
	struct pl_err err = {0};
	int code = CMD_GO;

	for (size_t i = 0; i < a->command_count && code == CMD_GO; i++)
		code = run_command(a, a->commands[i], false);
	if (code != CMD_GO)
		return code;
	if (out_init(&a->text, -1, false) < 0) {
		cmd_say("replay: no memory for its screen");
		return CMD_BAD;
	}
	a->text.here = getcwd(NULL, 0); /* NULL: paths are not shortened */
	a->lines = (struct lines){.out = &a->text, .r = a->session.replay.r, .only_rows = true};
	a->folder = reader_folder();
	catch_ends();
	code = tui_run(&(struct tui_options){.session = &a->session,
			       .interrupted = &interrupted,
			       .ended = &ended,
			       .keys = &a->keys,
			       .follow = a->follow,
			       .view = a->view,
			       .filter = a->filter,
			       .row = write_row,
			       .text = write_text,
			       .wants = wants_thread,
			       .context = a},
		&err);
	free(a->folder);
	free(a->text.here);
	free(a->text.bytes);
	a->text = (struct out){.fd = -1};
	return code < 0 ? replay_failed(code, &err) : ended ? 128 + ended : CMD_OK;
}

static int replay(struct answers *a)
{
	int code = replay_begin(a);

	if (code != CMD_GO)
		return code;
	if (a->screen)
		return show_screen(a);
	a->session.why[0] = 0;
	give_answer(a);
	for (size_t i = 0; i < a->command_count && code == CMD_GO; i++)
		code = run_command(a, a->commands[i], true);
	if (code == CMD_GO)
		code = run_lines(a, stdin, true);
	return code == CMD_GO ? CMD_OK : code;
}

/* SA_RESTART: Ctrl-C at the prompt does not end the reading of a line. */
static int replay_prepare(struct answers *a, struct cmd *c)
{
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};

	if (a->too_many) {
		cmd_say("replay: at most %d --command", COMMANDS_MAX);
		return CMD_USAGE;
	}
	int code = cmd_open(c, &a->session.replay.r);
	if (code != CMD_GO)
		return code;
	a->session.replay.stop = &interrupted;
	sigaction(SIGINT, &action, NULL);
	if (out_init(&a->out, 1, false) < 0) {
		cmd_say("replay: no memory for its output");
		return CMD_BAD;
	}
	return rows_init(&a->rows, &a->out, a->session.replay.r, FIELDS, a->json);
}

bool replay_has_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(0) && isatty(1) && term && *term && strcmp(term, "dumb");
}

#define ABOUT_BYTES (WORDS_HELP_BYTES + 512)
/* The help has the table of commands in it, so it is made when it is needed. */
static void describe_commands(char about[ABOUT_BYTES])
{
	char words[WORDS_HELP_BYTES];

	session_help(words);
	snprintf(about, ABOUT_BYTES,
		"Go through a recording, line by line, forward and back. On a terminal it shows a "
		"screen;\n"
		"h there lists the keys. Otherwise, and with --plain, it reads commands from "
		"stdin, "
		"one a line.\n"
		"It answers each with the row of the new position,\n" FIELDS_PLACE ",\n" FIELDS_MORE
		",\n"
		"or with a row that begins with ! and says what was done, or why nothing was. A "
		"row "
		"that\n"
		"begins with # adds something to the next row.\n%s",
		words);
}

static int end_replay(struct answers *a, int code)
{
	rows_release(&a->rows);
	const int written = a->out.bytes ? out_release(&a->out) : CMD_OK;
	session_release(&a->session);
	pl_recording_close(a->session.replay.r);
	free(a);
	return written ? written : code;
}

/* The table of its options. CMD_OK after --keys. */
static int replay_parse(struct answers *a, struct cmd *c)
{
	char about[ABOUT_BYTES];
	bool plain = false, keys = false;
	const struct cmd_option options[] = {
		{"at", 0, "WHEN", "begin at that time; WHEN as for the command j", .text = &a->at},
		{"end", 0, NULL, "begin at the last event, of all threads or of --thread",
			.flag = &a->end},
		{"process", 'p', "PROCESS",
			"begin in that process, by number; with --end at its last event",
			.text = &a->process},
		{"thread", 't', "THREAD", "begin in that thread, by number or name",
			.text = &a->thread},
		{"at-exception", 0, NULL,
			"begin where the last exception was raised that ended a thread, task or "
			"process, of all threads or of --process and --thread; if none did: at the "
			"last event of a process that was killed, or where the last SystemExit was "
			"raised",
			.flag = &a->at_exception},
		{"request", 0, "N", "begin at " REQUEST_HELP, .text = &a->request},
		{"command", 'c', "LINE", "do this first; can be given several times",
			.take = take_command, .to = a},
		{"plain", 0, NULL, "read commands from stdin, also on a terminal", .flag = &plain},
		{"json", 0, NULL, "the same, with JSON objects as answers", .flag = &a->json},
		{"follow", 0, NULL,
			"on a terminal: follow a program that still runs. At the last event the\n"
			"position goes along (`j end` goes there); elsewhere it stays",
			.flag = &a->follow},
		{"keys", 0, NULL, "print the keys of the screen: view, key, command, meaning",
			.flag = &keys},
		{0},
	};

	describe_commands(about);
	int code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]", about, options});
	a->screen = !plain && !a->json && replay_has_screen();
	if (code != CMD_GO || !keys)
		return code;
	keys_print(stdout);
	return CMD_OK;
}

int cmd_replay(struct cmd *c)
{
	struct answers *a = calloc(1, sizeof *a);

	if (!a) {
		cmd_say("replay: no memory");
		return CMD_BAD;
	}
	int code = replay_parse(a, c);
	if (code == CMD_GO)
		code = replay_prepare(a, c);
	if (code == CMD_GO)
		code = replay(a);
	if (code == CMD_OK && a->session.replay.r && !a->screen)
		code = cmd_say_damages("replay", a->session.replay.r, 0);
	return end_replay(a, code);
}

/* A recording that is being written is followed. */
int replay_reader(struct cmd *c, struct selection *selection, const char *at, const char *filter)
{
	struct expression checked = {0};
	struct answers *a = calloc(1, sizeof *a);
	struct pl_recording_info info;

	if (!a) {
		cmd_say("reader: no memory");
		return CMD_BAD;
	}
	a->screen = true;
	a->view = VIEW_READER;
	a->selection = selection;
	a->at = at;
	a->filter = filter;
	int code = replay_prepare(a, c);
	if (code == CMD_GO)
		code = select_read(selection, a->session.replay.r);
	if (code == CMD_GO)
		code = expression_read(&checked, "reader", filter, a->session.replay.r);
	expression_release(&checked);
	if (code == CMD_GO) {
		pl_recording_info(a->session.replay.r, &info);
		a->follow = !info.end_ns && !info.unfinished;
		code = replay(a);
	}
	return end_replay(a, code);
}
