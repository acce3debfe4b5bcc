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
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/child.h"
#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/loader.h"
#include "cmd/place.h"
#include "cmd/stat.h"
#include "cmd/what.h"
#include "collector/collector.h"
#include "collector/finish.h"
#include "session/crash.h"

#define PRELOAD	      "pathline-preload.so"
#define DEFAULT_LIMIT "8G"
#define REPORT_MS     30000 /* the longest delay of the command's end */
#define SILENCE_MS    3000  /* without a tick: the collector is stopped or dead */

extern char **environ;

/* What --clock can be. */
static const struct {
	const char *word;
	int64_t tick_ns;
	enum arena_stamps stamps;
} CLOCKS[] = {
	{"tick=auto", 0, STAMPS_TICK},
	{"tick=1ms", 1000000, STAMPS_TICK},
	{"tick=100us", 100000, STAMPS_TICK},
	{"tick=10ms", 10000000, STAMPS_TICK},
	{"call", 0, STAMPS_CALL},
	{"line", 0, STAMPS_LINE},
};

/* What --timing can be. */
enum { TIMING_CLOCK, TIMING_CALLS };

struct run {
	struct cmd *cmd;
	struct what what;
	struct place place;
	struct child child;
	struct arena arena; /* mapped when the collector is ready */
	char preload[PATH_MAX];
	char arena_path[2 * PATH_MAX];
	char **environment;  /* owned array */
	struct pl_buf texts; /* the variables that were added */
	uint64_t limit;
	uint32_t on_full;   /* enum arena_full */
	uint32_t passes;    /* enum arena_passes */
	uint32_t order;	    /* enum arena_order */
	uint32_t clock;	    /* in CLOCKS */
	uint32_t timing;    /* TIMING_… */
	uint32_t hot_lines; /* 0: no code becomes hot */
	bool no_children, quiet, stat;
	struct stat_usage usage; /* of the command, for --stat */
	struct choose choose;
	const char *missing;	/* the script, as written, if it does not exist; NULL: it does */
	char foreign[PATH_MAX]; /* the loader of WHAT, if it does not load our library; else "" */
	int arena_fd;		/* open while we claim the arena */
	int channel;		/* to the collector; -1: none */
	pid_t collector;
};

/* ---- what it needs ---- */

static bool try_preload(struct run *r, const char *directory, const char *within)
{
	char pattern[PATH_MAX + 64];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s%s" PRELOAD, directory, within);
	bool ok = glob(pattern, 0, NULL, &found) == 0 && realpath(found.gl_pathv[0], r->preload);
	globfree(&found);
	return ok;
}

/* The directory of this binary; without /proc, from the name by which it was called. */
static void own_directory(char self[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	const char *called = (const char *)getauxval(AT_EXECFN);

	self[n > 0 ? n : 0] = 0;
	if (n <= 0 && called)
		snprintf(self, PATH_MAX, "%s", called);
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
}

/* Beside the binary in a build directory, or where it was installed. */
static int find_preload(struct run *r)
{
	static const char *const within[] = {
		"/", "/../lib/pathline/", "/../lib/*/pathline/", "/../lib64/pathline/"};
	char self[PATH_MAX];

	own_directory(self);
	for (size_t i = 0; i < sizeof within / sizeof *within; i++)
		if (try_preload(r, self, within[i]))
			return CMD_GO;
	cmd_say("record: " PRELOAD " is neither in %s nor installed; build it with: make", self);
	return CMD_RECORD_FAILED;
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
	if (arena_link_path(r->arena_path, link) && loader_takes(link)) {
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

static enum arena_stamps stamps_of(const struct run *r)
{
	enum arena_stamps stamps = CLOCKS[r->clock].stamps;

	return r->timing == TIMING_CALLS && stamps == STAMPS_TICK ? STAMPS_CALL : stamps;
}

/* ---- the collector ---- */

static void be_collector(struct run *r, int channel)
{
	struct pl_buf command = {0};

	for (char **word = r->what.argv; *word; word++) {
		if (word != r->what.argv)
			buf_u8(&command, ' ');
		cmd_quote(&command, *word);
	}
	buf_u8(&command, 0);
	struct collector_start s = {.directory_fd = r->place.directory_fd,
		.channel = channel,
		.directory = r->place.real,
		.command = command.failed ? "" : (const char *)command.at,
		.limit_bytes = r->limit,
		.on_full = r->on_full,
		.no_children = r->no_children,
		.count_costs = r->stat,
		.passes = r->passes,
		.order = CLOCKS[r->clock].stamps == STAMPS_LINE ? ORDER_EXACT : r->order,
		.clock = stamps_of(r) == STAMPS_CALL ? "call" : CLOCKS[r->clock].word,
		.tick_ns = CLOCKS[r->clock].tick_ns,
		.stamps = stamps_of(r),
		.hot_lines = r->hot_lines,
		.filter = buf_view(&r->choose.rules),
		.filter_text = r->choose.text.used ? (const char *)r->choose.text.at : ""};
	_exit(collector_run(&s));
}

static int map_arena(struct run *r)
{
	int fd = open(r->arena_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int err = fd < 0 ? -errno : arena_map(&r->arena, fd);

	if (err == 0)
		finish_claim(fd);
	else if (fd >= 0)
		close(fd);
	r->arena_fd = fd;
	return err;
}

static int start_collector(struct run *r)
{
	struct collector_packet p = {0};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		cmd_say("record: the collector cannot be started: no socket: %s", strerror(errno));
		return CMD_RECORD_FAILED;
	}
	r->collector = fork();
	if (r->collector == 0)
		be_collector(r, ends[1]);
	close(ends[1]);
	r->channel = ends[0];
	ssize_t n = r->collector < 0 ? -1 : recv(r->channel, &p, sizeof p, 0);
	if (n != (ssize_t)sizeof p || p.word != COLLECTOR_READY) {
		cmd_say("record: %s",
			n == (ssize_t)sizeof p ? p.text : "the collector could not be started");
		return CMD_RECORD_FAILED;
	}
	snprintf(r->arena_path, sizeof r->arena_path, "%s", p.text);
	int err = map_arena(r);
	if (err < 0) {
		cmd_say("record: %s: %s", r->arena_path, strerror(-err));
		return CMD_RECORD_FAILED;
	}
	return CMD_GO;
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
		if (is_variable(environ[i], ARENA_VARIABLE))
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
	if (loader)
		buf_printf(
			&r->texts, "LD_PRELOAD=%s:%s", r->preload, *loader + strlen("LD_PRELOAD="));
	else
		buf_printf(&r->texts, "LD_PRELOAD=%s", r->preload);
	buf_u8(&r->texts, 0);
	at[1] = r->texts.used;
	buf_printf(&r->texts, ARENA_VARIABLE "=%s:0", r->arena_path);
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

enum answer { ANSWER_REPORT, ANSWER_DEAD, ANSWER_SILENT };

/* Wait for the report while the collector's clock ticks. */
static enum answer ask_collector(struct run *r, int status, struct collector_packet *p)
{
	uint64_t tick = 0;
	int silent_ms = 0;

	*p = (struct collector_packet){
		.word = COLLECTOR_ENDED, .pid = r->child.pid, .status = status};
	/* A collector that was told to end has sent its report already, and receives nothing. */
	send(r->channel, p, sizeof *p, MSG_NOSIGNAL);
	for (int ms = 0; ms < REPORT_MS && silent_ms < SILENCE_MS; ms += 100, silent_ms += 100) {
		struct pollfd fd = {.fd = r->channel, .events = POLLIN};
		if (poll(&fd, 1, 100) > 0) {
			bool whole = recv(r->channel, p, sizeof *p, 0) == (ssize_t)sizeof *p;
			return whole && p->word == COLLECTOR_REPORT ? ANSWER_REPORT : ANSWER_DEAD;
		}
		uint64_t now = atomic_load_explicit(&r->arena.head->tick, memory_order_relaxed);
		if (now != tick)
			silent_ms = 0;
		tick = now;
	}
	return ANSWER_SILENT;
}

static void say_count(char *to, size_t room, uint64_t n, const char *one, const char *many)
{
	char digits[UNITS_BYTES];

	units_count(digits, n);
	snprintf(to, room, "%s %s", digits, n == 1 ? one : many);
}

/* The interpreters that could not be recorded: the first one, and how many more. */
static void say_refused(struct run *r, const char *what)
{
	const struct arena_head *h = r->arena.head;
	uint32_t count = atomic_load(&h->refused);
	char more[32] = "";

	if (count > 1)
		snprintf(more, sizeof more, "; and %u more", count - 1);
	if (count)
		cmd_say_bold(r->cmd, "%s: %.*s%s", what, (int)sizeof h->refused_why - 1,
			h->refused_why, more);
}

/* The script that Python is to run, if no such file exists; NULL: it exists, or it is not a
 * script. */
static const char *missing_script(const struct run *r)
{
	const char *word = r->cmd->words[0];

	return r->what.argv[1] == word && *word != '-' && access(word, F_OK) < 0 ? word : NULL;
}

/* Why there is no recording, as far as is known. Returns what the user can try. */
static const char *say_nothing_recorded(struct run *r, const struct collector_packet *p)
{
	static const char start_python[] =
		"try the command that starts Python itself, such as: pathline record script.py";
	const struct arena_head *h = r->arena.head;

	if (r->foreign[0]) {
		cmd_say_bold(r->cmd,
			"nothing was recorded: '%s' is of another libc than Pathline, musl (%s)",
			r->what.argv[0], r->foreign);
		return "build Pathline on a system with that libc, and record there";
	}
	if (!p->finished) {
		cmd_say("nothing was recorded so far; programs that '%s' started still run, and "
			"will be recorded when they start a Python",
			r->what.argv[0]);
		return NULL;
	}
	if (atomic_load(&h->refused)) {
		say_refused(r, "nothing was recorded");
		return "try a CPython from 3.11 to 3.15, such as: pathline record --python "
		       "python3.13 script.py";
	}
	if (r->missing) {
		cmd_say_bold(r->cmd, "nothing was recorded: there is no file '%s'", r->missing);
		return "try the path of a script, as it is from this directory: pathline record "
		       "script.py";
	}
	if (r->choose.rules.used) {
		cmd_say_bold(r->cmd, "nothing was recorded: no code that --include, --exclude and "
				     "--only-mine choose has run");
		return "try it without them, and see the modules and files that run";
	}
	if (atomic_load(&h->pythons)) {
		/* Python itself has said why, and --quiet is to add nothing to that. */
		if (r->quiet)
			return NULL;
		cmd_say_bold(r->cmd, "nothing was recorded: a Python started, but ended before its "
				     "program began");
		return "see what it says without `pathline record`; site and sitecustomize run "
		       "before "
		       "recording begins";
	}
	if (atomic_load(&h->preloaded)) {
		cmd_say_bold(r->cmd,
			"nothing was recorded: '%s' started no Python that can be recorded",
			r->what.argv[0]);
		return start_python;
	}
	cmd_say_bold(r->cmd,
		"nothing was recorded: '%s' did not load Pathline's library; it is statically "
		"linked, "
		"set-uid, or of another libc (musl)",
		r->what.argv[0]);
	return start_python;
}

static void say_totals(struct run *r, const struct collector_packet *p)
{
	char size[UNITS_BYTES], events[64], processes[64], threads[64];

	say_count(events, sizeof events, p->totals.events, "event", "events");
	say_count(processes, sizeof processes, p->totals.processes, "process", "processes");
	say_count(threads, sizeof threads, p->totals.threads, "thread", "threads");
	units_size(size, p->bytes);
	cmd_say("recorded in %s, %s", r->place.path, size);
	cmd_say("%s of %s, %s", events, processes, threads);
	if (p->running)
		cmd_say("%u of the processes still %s; recording goes on until %s", p->running,
			p->running == 1 ? "runs" : "run", p->running == 1 ? "it ends" : "they end");
	else if (!p->finished && p->totals.processes)
		cmd_say("programs that '%s' started still run; recording goes on until they end",
			r->what.argv[0]);
}

static void say_losses(struct run *r, const struct collector_packet *p)
{
	char lost[64], places[64];

	if (p->text[0])
		cmd_say_bold(r->cmd, "recording stopped early: %s", p->text);
	if (!p->totals.losses)
		return;
	say_count(places, sizeof places, p->totals.losses, "place", "places");
	say_count(lost, sizeof lost, p->totals.lost, "event", "events");
	cmd_say_bold(r->cmd, "lost: %s at %s; %s", p->totals.lost ? lost : "something", places,
		p->totals.worst);
}

static void say_command(struct run *r, const char *what, const char *command)
{
	struct pl_buf b = {0};

	if (!r->place.is_default) {
		buf_u8(&b, ' ');
		cmd_quote(&b, r->place.path);
	}
	buf_u8(&b, 0);
	cmd_say("%-24s pathline %s%s", what, command, b.failed ? "" : (const char *)b.at);
	buf_release(&b);
}

/* Relative to this directory, if it is below it. */
static const char *shorten(const char *path)
{
	char here[PATH_MAX];
	size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;

	return n > 1 && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

static void say_crash(struct run *r, const struct pl_recording *recording, const struct crash *c)
{
	const struct pl_event *raise = &c->raise;
	char subject[CRASH_SUBJECT_BYTES];

	crash_subject(recording, c, subject);
	cmd_say("%s ended %s; it was raised in %s, %s:%d", c->type[0] ? c->type : "an exception",
		subject, raise->code ? pl_code_name(raise->code) : "?",
		raise->code ? shorten(pl_code_file(raise->code)) : "?", (int)raise->line);
	say_command(r, "see where it was raised:", "replay --at-exception");
	if (c->ended < 2)
		return;
	cmd_say("exceptions also ended %u%s other%s of its threads, tasks and processes",
		c->ended - 1, c->more ? "+" : "", c->ended > 2 || c->more ? "s" : "");
	say_command(r, "see all of them:", "report --exceptions");
}

/* Did an exception end something? Then say so, and how to get there. SystemExit does not count. If
 * the program failed and not everything was searched, say that too. */
static void say_exception(struct run *r, bool failed)
{
	const struct crash_bounds bounds = {.events = CRASH_EVENTS, .count = CRASH_COUNTED};
	struct pl_recording *recording = NULL;
	struct crash crash = {0};
	char events[UNITS_BYTES];
	int code = pl_recording_open(&recording, r->place.real, NULL);

	if (code == 0)
		code = crash_find(recording, &bounds, &crash, NULL);
	if (code == 0 && !crash.exits) {
		say_crash(r, recording, &crash);
	} else if (code >= 0 && crash.more && failed) {
		units_count(events, CRASH_EVENTS);
		cmd_say("no exception ended a thread, task or process in the last %s events of "
			"each thread",
			events);
		say_command(r, "search the rest as well:", "replay --at-exception");
	}
	pl_recording_close(recording);
}

/* Death by a signal has no event: the line that ran last shows where it was. */
static void say_kill(struct run *r, int status)
{
	const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (!number)
		return;
	cmd_say("the program was killed by signal %d (%s)", number, strsignal(number));
	say_command(r, "see what ran last:", "replay --end");
}

static void say_next(struct run *r)
{
	say_command(r, "go through it:", "replay");
	say_command(r, "see where time went:", "report");
}

/* No line of the program ran: no Python ran, or it ended before its program began. (3.11 imports
 * something before it says that there is no such script.) */
static bool is_empty(const struct run *r, const struct collector_packet *p)
{
	const struct collector_totals *t = &p->totals;

	return !t->processes ||
	       (p->finished && (!t->events || r->missing) && !t->losses && !p->text[0]);
}

/* No Python ran: the latest recording is the one before. */
static void end_without_path(struct run *r, const struct collector_packet *p)
{
	const char *try = say_nothing_recorded(r, p);

	if (p->finished)
		place_withdraw(&r->place);
	if (r->quiet)
		return;
	if (try)
		cmd_say("%s", try);
	choose_say_unmatched(&r->choose, atomic_load(&r->arena.head->filter_matched));
}

static void say_end(struct run *r, enum answer answer, const struct collector_packet *p, int status)
{
	if (answer == ANSWER_REPORT && is_empty(r, p)) {
		end_without_path(r, p);
		if (!r->quiet)
			say_losses(r, p);
		return;
	}
	if (answer == ANSWER_DEAD)
		cmd_say_bold(r->cmd,
			"the collector, which writes the recording, died; what it had not "
			"written yet has been saved");
	else if (answer == ANSWER_SILENT)
		cmd_say_bold(r->cmd,
			"the collector, which writes the recording, does not answer; the "
			"next pathline command finishes the recording");
	if (r->quiet)
		return;
	if (answer == ANSWER_REPORT) {
		say_totals(r, p);
		say_refused(r, "not recorded");
		say_losses(r, p);
		choose_say_unmatched(&r->choose, atomic_load(&r->arena.head->filter_matched));
	}
	if (answer == ANSWER_DEAD || (answer == ANSWER_REPORT && p->finished))
		say_exception(r, status != 0);
	say_kill(r, status);
	say_next(r);
}

/* For stat.c: record a program of its own, in a process of our own, without messages. */
static int record_calibration(struct cmd *c, const char *directory, char **words, int count);

static int finish_record(struct run *r, int status)
{
	struct collector_packet p;
	enum answer answer = ask_collector(r, status, &p);

	if (answer == ANSWER_DEAD) {
		waitpid(r->collector, NULL, 0);
		finish_arena(r->arena_path, r->child.pid, status);
	}
	say_end(r, answer, &p, status);
	if (answer == ANSWER_REPORT && p.finished)
		waitpid(r->collector, NULL, 0);
	if (r->stat && !r->usage.calibrating && answer == ANSWER_REPORT && p.totals.processes)
		stat_say(r->cmd, r->place.real, &r->usage, record_calibration);
	return WIFSIGNALED(status) ? child_die_of(WTERMSIG(status)) : WEXITSTATUS(status);
}

static int record_run(struct run *r, const char *directory)
{
	int code = find_preload(r);

	if (code != CMD_GO)
		return code;
	finish_dead_arenas(NULL);
	code = place_make(&r->place, directory, r->what.name);
	if (code != CMD_GO)
		return code;
	child_prepare(&r->child);
	code = start_collector(r);
	if (code == CMD_GO)
		code = make_preload_takeable(r);
	if (code == CMD_GO)
		code = start_command(r);
	if (code != CMD_GO) {
		if (r->channel >= 0)
			close(r->channel);
		if (r->collector > 0)
			waitpid(r->collector, NULL, 0);
		place_undo(&r->place);
		return code;
	}
	place_publish(&r->place);
	int status = child_wait(&r->child);
	stat_usage_take(&r->usage);
	return finish_record(r, status);
}

static int record_calibration(struct cmd *c, const char *directory, char **words, int count)
{
	struct run r = {.cmd = c,
		.channel = -1,
		.place.directory_fd = -1,
		.quiet = true,
		.stat = true,
		.no_children = true,
		.usage.calibrating = true};
	int code = what_resolve(&r.what, words, count, NULL);

	if (code == CMD_GO)
		code = record_run(&r, directory);
	what_release(&r.what);
	arena_unmap(&r.arena);
	free(r.environment);
	buf_release(&r.texts);
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

/* The index of an option's word among its choices, which are those of an enum of arena.h. */
static int choose(const char *word, const char *what, const char *const *choices, uint32_t *to)
{
	for (*to = 0; choices[*to]; (*to)++)
		if (!strcmp(word, choices[*to]))
			return CMD_GO;
	return cmd_unknown(what, word, choices);
}

static bool read_count(const char *text, uint32_t *to)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(text, &end, 10);

	*to = (uint32_t)n;
	return *text >= '0' && *text <= '9' && !*end && !errno && n <= UINT32_MAX;
}

struct choices {
	const char *limit, *on_full, *passes, *order, *clock, *timing, *hot;
};

static int read_choices(struct run *r, const struct choices *word)
{
	static const char *const full[] = {"wait", "drop", NULL},
				 *const passes[] = {"all", "none", NULL},
				 *const order[] = {"witness", "exact", NULL},
				 *const timing[] = {"clock", "calls", NULL};
	const char *clocks[sizeof CLOCKS / sizeof *CLOCKS + 1] = {0};

	for (size_t i = 0; i < sizeof CLOCKS / sizeof *CLOCKS; i++)
		clocks[i] = CLOCKS[i].word;

	if (!cmd_size(word->limit, &r->limit)) {
		cmd_say("record: '%s' is not a size; write 64M, 2G, 1GiB or a number of bytes",
			word->limit);
		return CMD_USAGE;
	}
	if (r->limit && r->limit < COLLECTOR_LIMIT_MIN) {
		cmd_say("record: --limit %s is too small; the smallest limit is 1M, and 0 is none",
			word->limit);
		return CMD_USAGE;
	}
	if (!read_count(word->hot, &r->hot_lines)) {
		cmd_say("record: --hot: '%s' is not a number of lines; write 1000, or 0 for no hot "
			"code",
			word->hot);
		return CMD_USAGE;
	}
	int code = choose(word->on_full, "choice for --on-full:", full, &r->on_full);
	if (code == CMD_GO)
		code = choose(word->passes, "choice for --passes:", passes, &r->passes);
	if (code == CMD_GO)
		code = choose(word->order, "choice for --order:", order, &r->order);
	if (code == CMD_GO)
		code = choose(word->clock, "choice for --clock:", clocks, &r->clock);
	if (code == CMD_GO)
		code = choose(word->timing, "choice for --timing:", timing, &r->timing);
	if (code == CMD_GO && !r->cmd->count) {
		cmd_say("record: nothing to run; write: pathline record script.py");
		code = CMD_USAGE;
	}
	return code;
}

int cmd_record(struct cmd *c)
{
	struct run r = {.cmd = c, .channel = -1, .place.directory_fd = -1};
	struct choices word = {.limit = DEFAULT_LIMIT,
		.on_full = "wait",
		.passes = "all",
		.order = "witness",
		.clock = "tick=auto",
		.timing = "clock",
		.hot = "1000"};
	const char *directory = NULL, *python = NULL;
	const struct cmd_option options[] = {
		{"output", 'o', "DIR",
			"the directory of the recording, new or empty. Without it:\n"
			".pathline/<time>-<name>/",
			.text = &directory},
		{"python", 0, "EXE", "run WHAT with this Python. Without it: python3 from PATH",
			.text = &python},
		{"no-children", 0, NULL, "do not record the processes that it starts",
			.flag = &r.no_children},
		{"limit", 0, "SIZE",
			"keep the newest SIZE of it: 64M, 2G, 1GiB, at least 1M; 0: no limit.\n"
			"Without it: " DEFAULT_LIMIT "iB",
			.text = &word.limit},
		{"on-full", 0, "wait|drop",
			"when events come faster than they can be written: the program waits (at\n"
			"most 2 s), or events are lost; the recording says so. Without it: wait",
			.text = &word.on_full},
		{"passes", 0, "all|none",
			"Python reports the line of a loop on a single line once: record each "
			"further\n"
			"pass as 'again', or none of them, which is faster. Without it: all",
			.text = &word.passes},
		{"order", 0, "witness|exact",
			"witness: a line may have run anywhere between the recorded events around "
			"it,\n"
			"beside other threads; exact: each line and return is recorded, and the "
			"order\n"
			"of all threads is known, which is slower. Without it: witness",
			.text = &word.order},
		{"hot", 0, "LINES",
			"a code of which so many lines ran is recorded in a way that costs less "
			"for\n"
			"each line and more to begin with (3.12, 3.13); 0: never. Without it: 1000",
			.text = &word.hot},
		{"stat", 0, NULL,
			"at the end, estimate what recording cost, and which functions cost most",
			.flag = &r.stat},
		{"include", 0, "GLOB",
			"record code whose module or path matches GLOB. Of several --include and\n"
			"--exclude the last one that matches decides; what none matches is left "
			"out\n"
			"if the first one is an --include. A GLOB with a / or .py is a path; the "
			"words\n"
			"stdlib and site-packages stand for those",
			.take = choose_take, .to = &r.choose, .words = "stdlib site-packages"},
		{"exclude", 0, "GLOB",
			"do not record such code. It costs nothing after its first run. What it "
			"calls\n"
			"is shown in the place of its call",
			.take = choose_take, .to = &r.choose, .words = "stdlib site-packages"},
		{"only-mine", 0, NULL,
			"record the files below this directory and the script's, but not the "
			"standard\n"
			"library and not what was installed",
			.take = choose_take, .to = &r.choose},
		{"clock", 0, "WHICH",
			"which events have a time: the first one after each tick (tick=100us,\n"
			"tick=1ms, tick=10ms), each call and return (call), or each event, with "
			"an\n"
			"event for each line (line). Without it: tick=auto, which is 1 ms, or up "
			"to\n"
			"10 ms where ticking would take more than 1% of a core",
			.text = &word.clock,
			.words = "tick=auto tick=100us tick=1ms tick=10ms call line"},
		{"timing", 0, "clock|calls",
			"calls: each call and return has a time, whatever --clock says of the "
			"rest.\n"
			"Without it: clock",
			.text = &word.timing},
		{"quiet", 'q', NULL, "print no messages at the end", .flag = &r.quiet},
		{0},
	};
	const struct cmd_usage usage = {.operands = "[--] WHAT",
		.about = "Run a program and record the exact path of every Python in it.\n\n"
			 "WHAT is  script.py ARGUMENT…    or  -m MODULE ARGUMENT…    or  -c CODE "
			 "ARGUMENT…  "
			 "  or  - (stdin)\n"
			 "or any command: the Pythons that it starts are recorded.\n\n"
			 "The exit code is that of the program; when the program died of a signal, "
			 "record "
			 "dies of it as well.\n"
			 "125: Pathline failed; 126: WHAT cannot be executed; 127: WHAT was not "
			 "found.",
		.options = options,
		.first_word_ends = true};
	int code = cmd_parse(c, &usage);

	if (code == CMD_GO)
		code = read_choices(&r, &word);
	if (code == CMD_GO)
		code = choose_end(&r.choose, c->words[0]);
	if (code == CMD_GO) {
		hold_standard_descriptors();
		code = what_resolve(&r.what, c->words, c->count, python);
		r.missing = code == CMD_GO ? missing_script(&r) : NULL;
	}
	if (code == CMD_GO)
		code = record_run(&r, directory);
	what_release(&r.what);
	arena_unmap(&r.arena);
	free(r.environment);
	buf_release(&r.texts);
	choose_release(&r.choose);
	return code;
}
