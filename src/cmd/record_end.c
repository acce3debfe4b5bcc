#define _GNU_SOURCE
#include "cmd/record_end.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/summary.h"
#include "session/crash.h"
#include "session/unbegun.h"

/* "1,234 events", "1 event". */
static void say_count(char *to, size_t room, uint64_t n, const char *one, const char *many)
{
	char digits[UNITS_BYTES];

	units_count(digits, n);
	snprintf(to, room, "%s %s", digits, n == 1 ? one : many);
}

/* The interpreters that could not be recorded: the first one, and how many more. */
static void say_refused(const struct record_end *e, const char *what)
{
	const struct arena_head *h = e->head;
	uint32_t count = atomic_load(&h->refused);
	char more[32] = "";

	if (count > 1)
		snprintf(more, sizeof more, "; and %u more", count - 1);
	if (count)
		cmd_say_bold(e->cmd, "%s: %.*s%s", what, (int)sizeof h->refused_why - 1,
			h->refused_why, more);
}

/* No program loaded the recorder: did ours load the library that looks for a Python? */
static const char *say_no_python(const struct record_end *e)
{
	if (atomic_load(&e->head->preloaded))
		cmd_say_bold(e->cmd,
			"nothing was recorded: '%s' started no Python that can be recorded",
			e->program);
	else
		cmd_say_bold(e->cmd,
			"nothing was recorded: '%s' did not load Pathline's library; it is "
			"statically linked, set-uid, or of another libc (musl)",
			e->program);
	return "try the command that starts Python itself, such as: pathline record script.py";
}

/* The program may have failed before it came to what was chosen. */
static void say_nothing_chosen(const struct record_end *e)
{
	static const char why[] =
		"no code that --include, --exclude and --only-mine choose has run";
	const int code = WIFEXITED(e->status) ? WEXITSTATUS(e->status) : 0;

	if (code)
		cmd_say_bold(e->cmd,
			"nothing was recorded: the program ended with exit code %d, and %s", code,
			why);
	else
		cmd_say_bold(e->cmd, "nothing was recorded: %s", why);
}

/* `record --python EXE sh -c …`: a script has a dot or a slash. */
static bool is_like_command(const struct record_end *e)
{
	return e->python && e->missing && !strpbrk(e->missing, "./");
}

/* Why there is no recording, as far as is known. Returns what the user can try. */
static const char *say_nothing_recorded(const struct record_end *e)
{
	const struct arena_head *h = e->head;

	if (e->foreign[0]) {
		cmd_say_bold(e->cmd,
			"nothing was recorded: '%s' is of another libc than Pathline, musl (%s)",
			e->program, e->foreign);
		return "build Pathline on a system with that libc, and record there";
	}
	if (!e->report.finished) {
		cmd_say("nothing was recorded so far; programs that '%s' started still run, and "
			"will be recorded when they start a Python",
			e->program);
		return NULL;
	}
	if (atomic_load(&h->refused)) {
		say_refused(e, "nothing was recorded");
		return "try a CPython from 3.11 to 3.15, such as: pathline record --python "
		       "python3.13 script.py";
	}
	if (e->missing) {
		cmd_say_bold(e->cmd, "nothing was recorded: there is no file '%s'", e->missing);
		if (is_like_command(e))
			return NULL;
		return "try the path of a script, as it is from this directory: pathline record "
		       "script.py";
	}
	if (e->choose->rules.used) {
		say_nothing_chosen(e);
		return "try it without them, and see the modules and files that run; a script's "
		       "module is __main__, so choose it by its path";
	}
	if (atomic_load(&h->pythons)) {
		/* Python itself has said why, and --quiet is to add nothing to that. */
		if (e->quiet)
			return NULL;
		cmd_say_bold(e->cmd, "nothing was recorded: a Python started, but ended before its "
				     "program began: it could not be read or compiled, or "
				     "site failed");
		return "see what it says without `pathline record`; site and sitecustomize run "
		       "before recording begins";
	}
	return say_no_python(e);
}

static void say_totals(const struct record_end *e)
{
	const struct collector_packet *p = &e->report;
	char size[UNITS_BYTES], events[64], processes[64], threads[64];

	say_count(events, sizeof events, p->totals.events, "event", "events");
	say_count(processes, sizeof processes, p->totals.processes, "process", "processes");
	say_count(threads, sizeof threads, p->totals.threads, "thread", "threads");
	units_size(size, p->bytes);
	cmd_say("recorded in %s, %s", e->place->path, size);
	cmd_say("%s of %s, %s", events, processes, threads);
	if (p->running && p->finished)
		cmd_say("recording stopped while %u of the processes ran", p->running);
	else if (p->running)
		cmd_say("%u of the processes still %s; recording goes on until %s", p->running,
			p->running == 1 ? "runs" : "run", p->running == 1 ? "it ends" : "they end");
	else if (!p->finished && p->totals.processes)
		cmd_say("programs that '%s' started still run; recording goes on until they end",
			e->program);
}

/* How many events at how many places, and the reason of the place that lost most. */
static void say_losses(const struct record_end *e)
{
	const struct collector_packet *p = &e->report;
	char lost[64], places[64];

	if (p->text[0])
		cmd_say_bold(e->cmd, "recording stopped early: %s", p->text);
	if (!p->totals.losses)
		return;
	say_count(places, sizeof places, p->totals.losses, "place", "places");
	say_count(lost, sizeof lost, p->totals.lost, "event", "events");
	cmd_say_bold(e->cmd, "lost: %s at %s; %s", p->totals.lost ? lost : "something", places,
		p->totals.worst);
}

/* What to type next: with the recording's directory only if that is not the latest one anyway. */
static void say_command(const struct record_end *e, const char *what, const char *command)
{
	struct pl_buf b = {0};

	if (!e->place->is_default) {
		buf_u8(&b, ' ');
		cmd_quote(&b, e->place->path);
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

static void say_crash(
	const struct record_end *e, const struct pl_recording *recording, const struct crash *c)
{
	const struct pl_event *raise = &c->raise;
	char subject[CRASH_SUBJECT_BYTES];

	crash_subject(recording, c, subject);
	cmd_say("%s ended %s; it was raised in %s, %s:%d", c->type[0] ? c->type : "an exception",
		subject, raise->code ? pl_code_name(raise->code) : "?",
		raise->code ? shorten(pl_code_file(raise->code)) : "?", (int)raise->line);
	say_command(e, "see why:", "why");
	say_command(e, "see where it was raised:", "replay --at-exception");
	if (c->ended < 2)
		return;
	if (c->ended == 2 && !c->more)
		cmd_say("1 more thread, task or process ended by an exception");
	else
		cmd_say("%u%s more threads, tasks and processes ended by exceptions", c->ended - 1,
			c->more ? "+" : "");
	say_command(e, "see all of them:", "report --exceptions");
}

/* Did an exception end something? Then say so, and how to get there. SystemExit does not count. If
 * the program failed and not everything was searched, say that too. */
static void say_exception(const struct record_end *e, struct pl_recording *recording)
{
	const struct crash_bounds bounds = {.events = CRASH_EVENTS, .count = CRASH_COUNTED};
	struct crash crash = {0};
	char events[UNITS_BYTES];
	int code = crash_find(recording, &bounds, &crash, NULL);

	if (code == 0 && !crash.exits) {
		say_crash(e, recording, &crash);
	} else if (code >= 0 && crash.more && e->status != 0) {
		units_count(events, CRASH_EVENTS);
		cmd_say("no exception ended a thread, task or process in the last %s events of "
			"each thread",
			events);
		say_command(e, "search the rest as well:", "replay --at-exception");
	}
}

/* So many processes that were killed are named. */
#define KILLED_MAX 3

/* Processes that a signal ended; of the program itself say_kill tells it. */
static void say_killed(const struct record_end *e, const struct pl_recording *recording)
{
	uint32_t next = WIFSIGNALED(e->status) ? 1 : 0, count = 0, first = 0;
	char how[SUMMARY_END_BYTES], command[64];
	const struct pl_process *p;

	while ((p = crash_next_killed(recording, &next))) {
		if (!count)
			first = p->number;
		if (count++ >= KILLED_MAX)
			continue;
		summary_end(recording, p, how);
		cmd_say("process %" PRIu32 " was killed by %s", p->number, how);
	}
	if (!count)
		return;
	snprintf(command, sizeof command, "replay --process %" PRIu32 " --end", first);
	say_command(e, "see what ran last in it:", command);
	if (count <= KILLED_MAX)
		return;
	cmd_say("%" PRIu32 " more %s killed by signals", count - KILLED_MAX,
		count == KILLED_MAX + 1 ? "process was" : "processes were");
	say_command(e, "see all of them:", "info");
}

/* Python's own message is above, unless it went elsewhere. */
static void say_unbegun(const struct record_end *e, struct pl_recording *recording)
{
	const struct pl_process *p = pl_recording_process(recording, 0);

	if (p && unbegun_is(recording, p))
		cmd_say_bold(e->cmd,
			"nothing of the program ran: Python could not read or compile it; what is "
			"recorded is how Python said so and ended");
}

/* What ended threads, tasks and processes before their time. */
static void say_crashes(const struct record_end *e)
{
	struct pl_recording *recording = NULL;

	if (pl_recording_open(&recording, e->place->real, NULL) < 0)
		return;
	say_unbegun(e, recording);
	say_exception(e, recording);
	say_killed(e, recording);
	pl_recording_close(recording);
}

/* Death by a signal has no event: the line that ran last shows where it was. */
static void say_kill(const struct record_end *e)
{
	const int number = WIFSIGNALED(e->status) ? WTERMSIG(e->status) : 0;

	if (!number)
		return;
	cmd_say("the program was killed by signal %d (%s)", number, strsignal(number));
	say_command(e, "see what ran last:", "replay --end");
}

static void say_next(const struct record_end *e)
{
	const struct collector_packet *p = &e->report;

	if (e->answer == ANSWER_REPORT && p->finished && !p->totals.events) {
		say_command(e, "see what was lost:", "info");
		return;
	}
	say_command(e, "go through it:", "replay");
	say_command(e, "see where time went:", "report");
}

/* 3.11 imports something before it says that there is no such script: then there are events. */
bool record_end_is_empty(const struct record_end *e)
{
	const struct collector_totals *t = &e->report.totals;

	if (e->answer != ANSWER_REPORT)
		return false;
	return !t->processes || (e->report.finished && (!t->events || e->missing) && !t->losses &&
					!e->report.text[0]);
}

static void say_unmatched_includes(const struct record_end *e)
{
	choose_say_unmatched(
		e->choose, "--include", "code that ran", atomic_load(&e->head->filter_matched));
}

static void say_unmatched(const struct record_end *e)
{
	say_unmatched_includes(e);
	choose_say_unmatched(e->values_of, "--values-of", "function that was recorded",
		atomic_load(&e->head->values_matched));
}

/* --quiet leaves out all but the reason, which is a fault. */
static void say_empty(const struct record_end *e)
{
	const char *try = say_nothing_recorded(e);

	if (try && !e->quiet)
		cmd_say("%s", try);
	if (is_like_command(e) && !e->quiet)
		cmd_say("with --python, WHAT is a script, -m or -c; to run the command %s, leave "
			"--python out",
			e->missing);
	say_unmatched_includes(e);
	if (e->quiet)
		return;
	say_losses(e);
}

void record_end_say_latest(const struct record_end *e)
{
	char name[PATH_MAX];

	if (!e->quiet && !e->missing && place_latest(e->place, name))
		cmd_say("the latest recording is still %s", name);
}

/* What a flight recorder wrote: the last one is looked at like any other recording. */
static void say_flight(const struct record_end *e)
{
	const struct collector_packet *p = &e->report;
	struct place last = *e->place;
	struct record_end of_last = *e;

	if (p->flight_failed)
		cmd_say_bold(e->cmd, "the newest of the recording could not be written to %s: %s",
			e->place->home, strerror(p->flight_failed));
	if (e->quiet)
		return;
	if (!p->flights && !p->flight_failed)
		cmd_say("nothing was written: no exception ended the program or a thread, no "
			"signal a process, and no section was too slow");
	if (!p->flights)
		return;
	snprintf(last.real, sizeof last.real, "%s", p->flight);
	snprintf(last.path, sizeof last.path, "%s", shorten(p->flight));
	last.is_default = last.flight_default;
	of_last.place = &last;
	if (p->flights > 1)
		cmd_say("%u recordings were written; the last one is %s", p->flights, last.path);
	else
		cmd_say("the newest was written to %s", last.path);
	say_losses(e);
	say_crashes(&of_last);
	say_kill(&of_last);
	say_next(&of_last);
}

/* Faults are said with --quiet, too; all else is left out then. What the user can do next comes
 * last, where it is seen. */
void record_end_say(const struct record_end *e)
{
	if (record_end_is_empty(e)) {
		say_empty(e);
		return;
	}
	if (e->answer == ANSWER_DEAD)
		cmd_say_bold(e->cmd,
			"the collector, which writes the recording, died; what it had not "
			"written yet has been saved");
	else if (e->answer == ANSWER_SILENT)
		cmd_say_bold(e->cmd,
			"the collector, which writes the recording, does not answer; the "
			"next pathline command finishes the recording");
	if (e->flight && e->answer == ANSWER_REPORT)
		say_flight(e);
	if (e->quiet || (e->flight && e->answer == ANSWER_REPORT))
		return;
	if (e->answer == ANSWER_REPORT) {
		say_totals(e);
		say_refused(e, "not recorded");
		say_losses(e);
		say_unmatched(e);
	}
	if (e->answer != ANSWER_SILENT)
		say_crashes(e);
	say_kill(e);
	say_next(e);
}
