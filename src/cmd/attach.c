/* pathline attach: record a program that runs already.
 *
 *	attach                          the collector            the program
 *	  is it a Python, may it be?                               runs
 *	  fork ------------------------> directory, arena
 *	  an order, by ptrace ------------------------------------> the recorder comes in
 *	  waits: --for, Ctrl-C, its end, `pathline detach`          drains <--- events
 *	  an order to leave --------------------------------------> the recorder leaves
 *	  ENDED -----------------------> brings all to disk         runs
 *
 * If this command is killed, the collector goes on until the program ends or is detached.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "attach/attach.h"
#include "cmd/attach_children.h"
#include "cmd/attach_leave.h"
#include "cmd/attach_own.h"
#include "cmd/attach_pid.h"
#include "cmd/attach_words.h"
#include "cmd/cmd.h"
#include "cmd/drain.h"
#include "cmd/library.h"
#include "cmd/place.h"
#include "cmd/record_end.h"
#include "cmd/record_options.h"
#include "cmd/what.h"
#include "collector/finish.h"
#include "os/watch.h"
#include "recorder/order.h"

#define COME_IN_MS 10000 /* C code may hold the GIL so long */
#define LOOK_MS	   20

#define SHM_PATH_BYTES 64

static const char ABOUT[] =
	"Record the exact path of a CPython 3.11 to 3.15 that runs already, from now on. Nothing "
	"must be\nprepared in it. Each thread's stack at that moment begins its path. Ctrl-C, "
	"--for, or\n`pathline detach PID` ends the recording, and the program goes on as "
	"before.\n\n"
	"It may be in a container; another user's can be attached by root. Not yet: machines "
	"other\nthan x86-64. What ptrace does not allow is refused, with the reason.";

struct attaching {
	struct cmd *cmd;
	struct target target;
	struct watch watch; /* of the program; none if it asks by itself */
	struct place place;
	struct drain drain;
	struct attach_words words;
	struct what what; /* its name alone */
	struct record_options options;
	const char *for_text;
	bool children;
	const char *own_version; /* the program itself asks; NULL: a user */
	int64_t for_ns;		 /* 0: until it is ended */
	int shm_fd;		 /* of the program's /dev/shm, if that is not ours; else -1 */
	char recorder[PATH_MAX];
	char why[ATTACH_WHY_BYTES];
};

static int64_t attach_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_ms(int ms)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
}

/* ---- options ---- */

static int read_options(struct attaching *a)
{
	const struct cmd_option own[] = {
		{"for", 0, "TIME", "end after that long: 500ms, 5s, 2m, 1h", .text = &a->for_text},
		{"children", 0, NULL, "also record the processes that it starts",
			.flag = &a->children},
		{"by-itself", 0, "VERSION",
			"for the package pathline: PID, a Python of that version, loads the\n"
			"recorder that stdout names",
			.text = &a->own_version},
		{0},
	};
	int code = record_options_read(&a->options, a->cmd, &(struct cmd_usage){"PID", ABOUT, own});

	if (code == CMD_GO && a->for_text && !cmd_span(a->for_text, &a->for_ns)) {
		cmd_say("attach: --for: '%s' is not a time; write 500ms, 5s, 2m or 1h",
			a->for_text);
		code = CMD_USAGE;
	}
	return code;
}

/* What is the program's own (--only-mine) is known by its directory and its words. */
static int end_options(struct attaching *a)
{
	attach_words_read(&a->words, a->target.pid);
	if (a->words.here[0])
		a->options.choose.here = a->options.values.of.here = a->words.here;
	return record_options_end(&a->options, a->words.words);
}

/* ---- the program ---- */

static int look_at_program(struct attaching *a, int pid)
{
	char name[64];

	if (!a->own_version)
		watch_open(&a->watch, pid);
	if (a->own_version)
		attach_own_target(&a->target, pid, a->own_version);
	else if (target_look(&a->target, pid, a->why) < 0) {
		cmd_say("attach: %s", a->why);
		return CMD_RECORD_FAILED;
	}
	if (a->target.arena[0]) {
		cmd_say("attach: process %d is recorded already%s %d", pid,
			a->target.preloaded
				? ", by the `pathline record` that started it; look at it with: "
				  "pathline top"
				: "; end that with: pathline detach",
			pid);
		return CMD_RECORD_FAILED;
	}
	snprintf(name, sizeof name, "pathline-recorder-%s.so", a->target.version);
	if (!library_find(name, a->recorder))
		return library_missing("attach", name);
	if (strlen(a->recorder) >= ORDER_TEXT_MAX) {
		cmd_say("attach: the path of %s is too long; move Pathline to another directory",
			name);
		return CMD_RECORD_FAILED;
	}
	return CMD_GO;
}

/* The program may end before us, and its root with it: the directory stays open. */
static bool open_shm(struct attaching *a, char path[SHM_PATH_BYTES])
{
	snprintf(path, SHM_PATH_BYTES, "/proc/%d/root/dev/shm", a->target.pid);
	a->shm_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, SHM_PATH_BYTES, "/proc/%d/fd/%d", (int)getpid(), a->shm_fd);
	if (a->shm_fd < 0)
		cmd_say("attach: process %d has no /dev/shm for the recording's memory: %s",
			a->target.pid, strerror(errno));
	return a->shm_fd >= 0;
}

static int start_collector_for(struct attaching *a)
{
	char line[PATH_MAX], text[PATH_MAX + 32], shm[SHM_PATH_BYTES];
	struct collector_start s = {.directory_fd = a->place.directory_fd,
		.directory = a->place.real,
		.command = text,
		.attached = true,
		.flight = {.folder = a->place.home, .name = a->what.name}};

	a->options.no_children = !a->children;
	record_options_apply(&a->options, &s);
	attach_words_line(a->target.pid, line, sizeof line);
	snprintf(text, sizeof text, "%s (attached)", line[0] ? line : a->target.program);
	if (a->target.own_shm && !open_shm(a, shm))
		return CMD_RECORD_FAILED;
	if (a->target.own_shm)
		s.arena_directory = shm;
	return drain_start(&a->drain, &s, "attach");
}

/* ---- coming in, and leaving ---- */

static bool has_come(const struct arena_head *h)
{
	return atomic_load(&h->next_process) != 0;
}

/* Nobody else waits for it. Once it is gone its number may be another process's. */
static bool collector_lives(struct attaching *a)
{
	if (a->drain.collector > 0 && waitpid(a->drain.collector, NULL, WNOHANG) != 0)
		a->drain.collector = 0;
	return a->drain.collector > 0;
}

static bool program_lives(const struct attaching *a)
{
	return a->own_version ? kill(a->target.pid, 0) == 0 || errno != ESRCH
			      : !watch_ended(&a->watch);
}

/* Processes that it forked may outlive it. What it runs by exec has no recorder. */
static bool is_over(const struct attaching *a)
{
	return (a->options.no_children && (!program_lives(a) || watch_execed(&a->watch))) ||
	       !attach_has_writers(a->drain.arena.head);
}

/* What the program has made of the order to come in. true: the recorder is there. */
static bool wait_for_it(
	struct attaching *a, const struct attach_order *o, const struct attach_sent *sent)
{
	struct arena_head *h = a->drain.arena.head;
	unsigned failed = ORDER_OPEN;

	for (int ms = 0; ms < COME_IN_MS && program_lives(a) && !failed && !watch_execed(&a->watch);
		ms += LOOK_MS) {
		if (atomic_load_explicit(&h->refused, memory_order_acquire)) {
			snprintf(a->why, sizeof a->why, "%.500s", h->refused_why);
			return false;
		}
		if (has_come(h) && (a->own_version || attach_has_writers(h)))
			return true;
		pause_ms(LOOK_MS);
		failed = a->own_version ? ORDER_OPEN : attach_failed(o, sent);
	}
	if (!failed && has_come(h)) /* and the program has ended since */
		return true;
	if (failed)
		attach_take_back(o, sent);
	snprintf(a->why, sizeof a->why, "%s",
		failed == ORDER_NOT_LOADED ? "its loader does not load the recorder; is libpython "
					     "loaded without RTLD_GLOBAL?"
		: failed		   ? "it cannot open the recording's memory in /dev/shm"
		: watch_execed(&a->watch)  ? "it runs another program now (exec); try again"
		: program_lives(a)
			? "it came to no place where a recorder can begin within 10 s: C "
			  "code holds the GIL; try again, or record it from its start: pathline "
			  "record PROGRAM"
			: "it ended meanwhile");
	return false;
}

/* The arena belongs to the user of the program, who alone may open it. */
static bool give_arena(struct attaching *a)
{
	const struct target *t = &a->target;

	if (t->uid == geteuid() || fchown(a->drain.arena_fd, t->uid, t->gid) == 0)
		return true;
	snprintf(a->why, sizeof a->why, "its user cannot be given the recording's memory: %s",
		strerror(errno));
	return false;
}

/* Of some tries nobody needs to know. */
#define MANY_TRIES 100

static void say_attached(const struct attaching *a, const struct attach_sent *sent)
{
	char obstacle[ATTACH_WHY_BYTES / 2];

	cmd_say("attached to process %d (CPython %s), a thread of which was held for %.2f ms%s",
		a->target.pid, a->target.version, (double)sent->held_ns / 1e6,
		a->for_ns ? "" : "; Ctrl-C ends the recording, not the program");
	if (sent->tries < MANY_TRIES)
		return;
	choose_explain(a->target.pid, &sent->obstacle, obstacle, sizeof obstacle);
	cmd_say("attach: it took %u tries to find a thread that may be stopped: %s", sent->tries,
		obstacle);
}

static int come_in(struct attaching *a)
{
	char arena[sizeof a->drain.arena_path];
	const struct attach_order o = {&a->target, a->recorder, arena};
	struct attach_sent sent = {0};
	bool failed = false;

	snprintf(arena, sizeof arena, "%s", a->drain.arena_path);
	if (a->target.own_shm)
		snprintf(arena, sizeof arena, "/dev/shm%s", strrchr(a->drain.arena_path, '/'));
	if (a->own_version)
		failed = !attach_own_tell(a->recorder, a->drain.arena_path,
			a->options.flight_ns ? a->place.home : a->place.real);
	else
		failed = !give_arena(a) || attach_send(&o, &sent, a->why) < 0;
	if (failed || !wait_for_it(a, &o, &sent)) {
		cmd_say("attach: process %d was not recorded: %s", a->target.pid, a->why);
		return CMD_RECORD_FAILED;
	}
	if (!a->own_version)
		attach_note_held(a->drain.arena.head, a->target.pid, sent.held_ns);
	if (!a->options.quiet && !a->own_version)
		say_attached(a, &sent);
	return CMD_GO;
}

/* If a process does not answer, its recorder ends when it notices that the arena is closed. */
static void leave_program(struct attaching *a)
{
	struct attach_leave l = {.head = a->drain.arena.head, .recorder = a->recorder};

	if (is_over(a) || attach_leave_all(&l) || is_over(a))
		return;
	cmd_say("attach: process %d was not left yet: %s; its recorder stops itself", l.left_over,
		l.why[0] ? l.why : "it runs no Python");
	if (collector_lives(a))
		kill(a->drain.collector, SIGTERM);
}

/* ---- until it ends ---- */

static volatile sig_atomic_t asked_to_end;

static void on_end(int number)
{
	(void)number;
	asked_to_end = 1;
}

static void hear_signals(void)
{
	const struct sigaction end = {.sa_handler = on_end};

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
}

/* Whether it runs another program is asked of /proc: at each look that would be more than all else
 * that an idle program costs. */
#define LOOKS_AN_EXEC 10

static bool seems_over(const struct attaching *a, unsigned look)
{
	if (look % LOOKS_AN_EXEC == 0)
		return is_over(a);
	return (a->options.no_children && !program_lives(a)) ||
	       !attach_has_writers(a->drain.arena.head);
}

static void wait_for_end(struct attaching *a)
{
	static struct attach_children children;
	const int64_t until_ns = a->for_ns ? attach_clock_ns() + a->for_ns : INT64_MAX;

	children = (struct attach_children){
		.head = a->drain.arena.head, .program = &a->target, .arena = a->drain.arena_path};
	for (unsigned look = 0; !asked_to_end && !seems_over(a, look) && collector_lives(a);
		look++) {
		if (a->children && !a->own_version && !a->target.foreign && !a->target.own_shm)
			attach_children_look(&children);
		int64_t left_ns = until_ns - attach_clock_ns();
		if (left_ns <= 0)
			return;
		pause_ms(left_ns < LOOK_MS * 1000000 ? (int)(left_ns / 1000000) + 1 : LOOK_MS);
	}
}

/* The arena names the directory in which its recording is finished. A program of another user, or
 * in a container, can have changed that, so what its dead collector had not written is given up. */
static void finish_it(const struct attaching *a)
{
	const char *name = strrchr(a->drain.arena_path, '/');

	if (!a->target.foreign)
		finish_arena(a->drain.arena_path, 0, 0);
	else if (a->shm_fd < 0)
		unlink(a->drain.arena_path);
	else if (name)
		unlinkat(a->shm_fd, name + 1, 0);
}

static void report(struct attaching *a)
{
	struct record_end end = {.cmd = a->cmd,
		.place = &a->place,
		.choose = &a->options.choose,
		.values_of = &a->options.values.of,
		.head = a->drain.arena.head,
		.program = a->target.program,
		.foreign = "",
		.flight = a->options.flight_ns != 0,
		.quiet = a->options.quiet};

	end.answer = drain_ask(&a->drain, 0, 0, &end.report);
	if (end.answer == ANSWER_DEAD) {
		if (a->drain.collector > 0)
			waitpid(a->drain.collector, NULL, 0);
		finish_it(a);
	}
	record_end_say(&end);
	if (end.answer == ANSWER_REPORT && end.report.finished)
		waitpid(a->drain.collector, NULL, 0);
	if (a->options.flight_ns && end.report.finished && !end.report.flights)
		place_undo(&a->place);
}

static int attach_to(struct attaching *a)
{
	what_name_running(&a->what, a->words.words);
	finish_dead_arenas(NULL);
	int code = record_options_place(&a->options, &a->place, a->what.name);
	if (code != CMD_GO)
		return code;
	hear_signals();
	code = start_collector_for(a);
	if (code == CMD_GO)
		code = come_in(a);
	if (code != CMD_GO) {
		if (a->drain.channel >= 0)
			close(a->drain.channel);
		if (a->drain.collector > 0) {
			kill(a->drain.collector, SIGTERM);
			waitpid(a->drain.collector, NULL, 0);
		}
		place_remove(&a->place);
		return code;
	}
	place_publish(&a->place);
	wait_for_end(a);
	leave_program(a);
	report(a);
	return CMD_OK;
}

int cmd_attach(struct cmd *c)
{
	struct attaching a = {.cmd = c,
		.watch.pidfd = -1,
		.drain.channel = -1,
		.shm_fd = -1,
		.place = {.command = "attach", .directory_fd = -1}};
	int pid = 0;
	int code = read_options(&a);

	if (code == CMD_GO)
		code = attach_pid(c, "attach", &pid);
	if (code == CMD_GO && a.own_version && !attach_own_begin())
		code = CMD_RECORD_FAILED;
	if (code == CMD_GO)
		code = look_at_program(&a, pid);
	if (code == CMD_GO)
		code = end_options(&a);
	if (code == CMD_GO)
		code = attach_to(&a);
	arena_unmap(&a.drain.arena);
	watch_close(&a.watch);
	record_options_release(&a.options);
	attach_words_release(&a.words);
	return code;
}
