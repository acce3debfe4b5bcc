/* pathline record: run a command, with a collector beside it.
 *
 *	record                          the collector               the command
 *	  fork ------------------------> directory, arena, header
 *	  claim the arena <-- READY ----
 *	  fork, exec, with LD_PRELOAD and PATHLINE_ARENA -----------> runs
 *	  wait; signals are passed on    drains <------- events -----
 *	  it ended: ENDED -------------> brings all to disk
 *	  <---- REPORT ----------------  exits, or continues with what still lives
 *	  say what was recorded, and end as the command did
 *
 * If the collector dies in the meantime, the program continues, and its arena is finished here:
 * only we know how the command ended. Anything that fails before the command runs is our failure,
 * with exit codes of our own; from then on the exit code is the program's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "cmd/calibrate.h"
#include "cmd/child.h"
#include "cmd/cmd.h"
#include "cmd/drain.h"
#include "cmd/library.h"
#include "cmd/loader.h"
#include "cmd/place.h"
#include "cmd/record_end.h"
#include "cmd/record_options.h"
#include "cmd/stat.h"
#include "cmd/what.h"
#include "collector/collector.h"
#include "collector/finish.h"
#include "source/kernel.h"

#define PRELOAD "pathline-preload.so"
#define NATIVE	"pathline-native.so"
extern char **environ;

static const char ABOUT[] =
	"Run a program and record the exact path of every Python in it.\n\n"
	"WHAT is  script.py ARGUMENT…    or  -m MODULE ARGUMENT…    or  -c CODE ARGUMENT…  "
	"  or  - (stdin)\n"
	"or any command: the Pythons that it starts are recorded.\n\n"
	"The exit code is that of the program; when the program died of a signal, record "
	"dies of it as well.\n"
	"125: Pathline failed; 126: the command cannot be executed; 127: it was not found. "
	"Python ends\nwith 2 when a script is missing.";

struct run {
	struct cmd *cmd;
	struct what what;
	struct place place;
	struct child child;
	struct drain drain;
	char preload[PATH_MAX];
	char native[PATH_MAX]; /* beside it; "": not wanted */
	char **environment;    /* owned array */
	struct pl_buf texts;   /* the variables that were added */
	struct record_options options;
	struct stat_usage usage; /* of the command, for --stat */
	const char *missing;	 /* the script, as written, if it does not exist; NULL: it does */
	char foreign[PATH_MAX];	 /* the loader of WHAT, if it does not load our library; else "" */
};

/* ---- what it needs ---- */

static int find_preload(struct run *r)
{
	if (r->options.native && !library_find(NATIVE, r->native))
		return library_missing("record", NATIVE);
	return library_find(PRELOAD, r->preload) ? CMD_GO : library_missing("record", PRELOAD);
}

/* In the directory by which the loader takes the preload, and after it: the preload finds it so. */
static void put_libraries(struct run *r)
{
	const int n = (int)(strrchr(r->preload, '/') - r->preload);

	buf_printf(&r->texts, "LD_PRELOAD=%s", r->preload);
	if (r->native[0])
		buf_printf(&r->texts, ":%.*s/" NATIVE, n, r->preload);
}

/* The loader splits LD_PRELOAD at spaces and colons, and expands $ORIGIN. */
static bool loader_takes(const char *path)
{
	return !strpbrk(path, ": \t\n$");
}

/* If the loader cannot take the path of our libraries, it gets a link to their directory, which is
 * removed with the arena. */
static int make_preload_takeable(struct run *r)
{
	char link[PATH_MAX];
	char *slash = strrchr(r->preload, '/');

	if (loader_takes(r->preload))
		return CMD_GO;
	if (arena_link_path(r->drain.arena_path, link) && loader_takes(link)) {
		*slash = 0;
		int err = symlink(r->preload, link);
		*slash = '/';
		if (err == 0) {
			snprintf(r->preload, sizeof r->preload, "%.*s/" PRELOAD,
				(int)(sizeof r->preload - sizeof PRELOAD - 1), link);
			return CMD_GO;
		}
	}
	cmd_say("record: the path of %s has a space, a colon or a $, which the loader does not "
		"take in "
		"LD_PRELOAD, and a link to it cannot be made in /dev/shm; move Pathline to another "
		"directory",
		r->preload);
	return CMD_RECORD_FAILED;
}

/* ---- the collector ---- */

static int start_collector(struct run *r)
{
	struct pl_buf command = {0};

	for (char **word = r->what.argv; *word; word++) {
		if (word != r->what.argv)
			buf_u8(&command, ' ');
		cmd_quote(&command, *word);
	}
	buf_u8(&command, 0);
	struct collector_start s = {.directory_fd = r->place.directory_fd,
		.directory = r->place.real,
		.command = command.failed ? "" : (const char *)command.at,
		.flight = {.folder = r->place.home, .name = r->what.name},
		.starter_pid = (uint32_t)getpid()};
	record_options_apply(&r->options, &s);
	int code = drain_start(&r->drain, &s, "record");
	buf_release(&command);
	return code;
}

/* ---- the command ---- */

static bool is_variable(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(entry, name, n) && entry[n] == '=';
}

/* The caller's environment with our two variables: LD_PRELOAD stays in its place, so that removing
 * our part of it restores the order. */
static int make_environment(struct run *r)
{
	size_t n = 0, at[2];
	char **to;

	while (environ[n])
		n++;
	r->environment = to = calloc(n + 3, sizeof *to);
	if (!to)
		return ENOMEM;
	char **loader = NULL;
	for (size_t i = 0; i < n; i++) {
		if (is_variable(environ[i], ARENA_VARIABLE) ||
			is_variable(environ[i], WHAT_PYTHON_VARIABLE))
			continue;
		if (is_variable(environ[i], "LD_PRELOAD") && !loader)
			loader = to;
		*to++ = environ[i];
	}
	if (r->foreign[0]) {
		*to = NULL;
		return 0;
	}
	at[0] = r->texts.used;
	put_libraries(r);
	if (loader)
		buf_printf(&r->texts, ":%s", *loader + strlen("LD_PRELOAD="));
	buf_u8(&r->texts, 0);
	at[1] = r->texts.used;
	buf_printf(&r->texts, ARENA_VARIABLE "=%s:0", r->drain.arena_path);
	buf_u8(&r->texts, 0);
	if (r->texts.failed)
		return ENOMEM;
	if (!loader)
		loader = to++;
	*loader = (char *)r->texts.at + at[0];
	*to = (char *)r->texts.at + at[1];
	return 0;
}

static int start_command(struct run *r)
{
	if (!loader_is_foreign(r->what.path, r->foreign, sizeof r->foreign))
		r->foreign[0] = 0;
	int err = make_environment(r);

	if (!err)
		err = child_start(&r->child, r->what.path, r->what.argv, r->environment);
	if (err) {
		cmd_say("record: '%s' cannot be executed: %s", r->what.argv[0], strerror(err));
		return err == ENOENT ? CMD_RECORD_NOT_FOUND : CMD_RECORD_NO_EXEC;
	}
	return CMD_GO;
}

/* ---- the end ---- */

/* For stat.c: record a program of its own, in a process of our own, without messages. */
static int record_calibration(struct cmd *c, const char *directory, char **words, int count);

static int finish_record(struct run *r, int status)
{
	struct record_end end = {.cmd = r->cmd,
		.place = &r->place,
		.choose = &r->options.choose,
		.values_of = &r->options.values.of,
		.head = r->drain.arena.head,
		.program = r->what.argv[0],
		.missing = r->missing,
		.python = r->options.python != NULL,
		.foreign = r->foreign,
		.quiet = r->options.quiet,
		.flight = r->options.flight_ns != 0,
		.status = status};

	end.answer = drain_ask(&r->drain, r->child.pid, status, &end.report);
	if (end.answer == ANSWER_DEAD) {
		waitpid(r->drain.collector, NULL, 0);
		finish_arena(r->drain.arena_path, r->child.pid, status);
	}
	record_end_say(&end);
	const bool whole = end.answer == ANSWER_REPORT && end.report.finished;
	/* Nothing was recorded: the latest recording is the one before. */
	if (whole && record_end_is_empty(&end)) {
		place_withdraw(&r->place);
		record_end_say_latest(&end);
	}
	if (whole)
		waitpid(r->drain.collector, NULL, 0);
	if (whole && r->options.flight_ns && !end.report.flights)
		place_undo(&r->place);
	if (whole && r->missing && record_end_is_empty(&end))
		place_remove(&r->place);
	else if (r->options.stat && !r->usage.calibrating && end.answer == ANSWER_REPORT &&
		 end.report.totals.processes)
		stat_say(r->cmd, r->place.real, &r->usage, record_calibration);
	return WIFSIGNALED(status) ? child_die_of(WTERMSIG(status)) : WEXITSTATUS(status);
}

static int record_run(struct run *r)
{
	child_begin(&r->child);
	int code = find_preload(r);

	if (code != CMD_GO)
		return code;
	finish_dead_arenas(NULL);
	code = record_options_place(&r->options, &r->place, r->what.name);
	if (code != CMD_GO)
		return code;
	child_prepare(&r->child);
	code = start_collector(r);
	if (code == CMD_GO)
		code = make_preload_takeable(r);
	if (code == CMD_GO)
		code = start_command(r);
	if (code != CMD_GO) {
		if (r->drain.channel >= 0)
			close(r->drain.channel);
		if (r->drain.collector > 0)
			waitpid(r->drain.collector, NULL, 0);
		place_undo(&r->place);
		return code;
	}
	place_publish(&r->place);
	int status = child_wait(&r->child);
	stat_usage_take(&r->usage);
	return finish_record(r, status);
}

static void run_release(struct run *r)
{
	what_release(&r->what);
	arena_unmap(&r->drain.arena);
	free(r->environment);
	buf_release(&r->texts);
	record_options_release(&r->options);
}

static int record_calibration(struct cmd *c, const char *directory, char **words, int count)
{
	struct run r = {.cmd = c,
		.drain.channel = -1,
		.place = {.command = "record", .directory_fd = -1},
		.options = {.directory = directory,
			.quiet = true,
			.stat = true,
			.no_children = true},
		.usage.calibrating = true};
	struct record_values *values = &r.options.values;

	values->of.command = c->name;
	values->word = "calls";
	choose_take_of(&values->of, "values-of", CALIBRATE_VALUES_OF);
	int code = record_values_end(values, words);
	if (code == CMD_GO)
		code = what_resolve(&r.what, words, count, NULL);
	if (code == CMD_GO)
		code = record_run(&r);
	run_release(&r);
	return code;
}

/* A descriptor that the caller closed must not be reused for one of ours, which would become the
 * program's stdin. */
static void hold_standard_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return;
}

/* The script that Python is to run, if no such file exists; NULL: it exists, or it is not a
 * script. */
static const char *missing_script(const struct run *r)
{
	const char *word = r->cmd->words[0];

	return r->what.argv[1] == word && *word != '-' && access(word, F_OK) < 0 ? word : NULL;
}

static int check_kernel(const char *list)
{
	static const char *const groups[] = {
#define X(constant, word) word,
		KERNEL_GROUPS(X)
#undef X
			NULL};
	struct pl_view word;
	uint32_t wanted;
	char text[64];

	if (kernel_groups_read(list, &wanted, &word))
		return CMD_GO;
	snprintf(text, sizeof text, "%.*s", (int)word.left, (const char *)word.at);
	return cmd_unknown("record", "group of --kernel:", text, groups);
}

static int read_options(struct record_options *o, struct cmd *c)
{
	const struct cmd_option own[] = {
		{"python", 0, "EXE", "run WHAT with this Python. Without it: python3 from PATH",
			.text = &o->python},
		{"no-children", 0, NULL, "do not record the processes that it starts",
			.flag = &o->no_children},
		{"kernel", 0, "LIST",
			"also record what the kernel does for the program, beside the path:\n"
			"`syscall`, system calls; `sched`, when threads leave the processor,\n"
			"why, and who wakes them; `block`, disks; `fault`, page faults;\n"
			"`signal`; `net`, TCP connections; without LIST: all. Needs root",
			.text = &o->kernel, .optional = true},
		{"native", 0, "PATTERN",
			"also record entries and exits of C, C++, Rust and Cython functions that "
			"are\n"
			"built with -finstrument-functions; --native='work_*', "
			"--native='libx.so*:*':\n"
			"those of that name, or in that file",
			.text = &o->native, .optional = true},
		{"stat", 0, NULL,
			"at the end, estimate what recording cost, and which functions cost most;\n"
			"this takes about 2 s",
			.flag = &o->stat},
		{0},
	};
	const struct cmd_usage usage = {
		.operands = "[--] WHAT", .about = ABOUT, .options = own, .first_word_ends = true};
	int code = record_options_read(o, c, &usage);

	if (code == CMD_GO && !c->count) {
		cmd_say("record: nothing to run; write: pathline record script.py");
		code = CMD_USAGE;
	}
	if (code == CMD_GO && o->flight_ns && o->stat) {
		cmd_say("record: --stat needs all of a recording; leave --flight out");
		code = CMD_USAGE;
	}
	if (code == CMD_GO && o->kernel)
		code = check_kernel(o->kernel);
	return code == CMD_GO ? record_options_end(o, c->words) : code;
}

int cmd_record(struct cmd *c)
{
	struct run r = {
		.cmd = c, .drain.channel = -1, .place = {.command = "record", .directory_fd = -1}};
	int code = read_options(&r.options, c);

	if (code == CMD_GO) {
		hold_standard_descriptors();
		code = what_resolve(&r.what, c->words, c->count, r.options.python);
		r.missing = code == CMD_GO ? missing_script(&r) : NULL;
	}
	if (code == CMD_GO)
		code = record_run(&r);
	run_release(&r);
	return code;
}
