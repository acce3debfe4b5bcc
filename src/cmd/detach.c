/* pathline detach: the recorder leaves a program that `pathline attach` records. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "attach/attach.h"
#include "cmd/attach_pid.h"
#include "cmd/cmd.h"

#define LEAVE_MS 10000
#define LOOK_MS	 20

int attach_pid(const struct cmd *c, const char *command, int *pid)
{
	char *end;
	long number = c->count == 1 ? strtol(c->words[0], &end, 10) : 0;

	if (c->count == 1 && number > 0 && number <= INT_MAX && !*end) {
		*pid = (int)number;
		return CMD_GO;
	}
	if (c->count == 1)
		cmd_say("%s: '%s' is not a process number; `pathline ps` lists them", command,
			c->words[0]);
	else
		cmd_say("%s: write one process number: pathline %s PID", command, command);
	return CMD_USAGE;
}

static bool has_left(int pid)
{
	struct target t;
	char why[ATTACH_WHY_BYTES];

	return target_look(&t, pid, why) < 0 ? kill(pid, 0) < 0 && errno == ESRCH : !t.arena[0];
}

/* The command that attached it notices, and brings the recording to its end. */
static int leave(const struct target *t)
{
	const struct attach_order o = {t, t->recorder, NULL};
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
	struct attach_sent sent;
	char why[ATTACH_WHY_BYTES];

	if (attach_send(&o, &sent, why) < 0) {
		cmd_say("detach: %s", why);
		return CMD_RECORD_FAILED;
	}
	for (int ms = 0; ms < LEAVE_MS; ms += LOOK_MS) {
		if (has_left(t->pid))
			return CMD_OK;
		nanosleep(&pause, NULL);
	}
	cmd_say("detach: process %d has not let the recorder leave within 10 s: C code holds the "
		"GIL; it leaves when that ends",
		t->pid);
	return CMD_RECORD_FAILED;
}

/* `why` it cannot be attached, or "", is an answer only if it is not known whether it is recorded,
 * or if it is. */
static void say_refused(const struct target *t, const char *why)
{
	if (t->arena[0] && t->preloaded)
		cmd_say("detach: process %d is recorded by the `pathline record` that started it, "
			"which ends with it",
			t->pid);
	else if (!t->arena[0] && t->first_object)
		cmd_say("detach: process %d is not recorded; `pathline ps` says which are", t->pid);
	else if (!t->arena[0] && t->uid != geteuid() && geteuid() != 0)
		cmd_say("detach: process %d belongs to another user; detach it as that user or as "
			"root: sudo pathline detach %d",
			t->pid, t->pid);
	else
		cmd_say("detach: %s", why);
}

int cmd_detach(struct cmd *c)
{
	const struct cmd_option options[] = {{0}};
	struct target t;
	char why[ATTACH_WHY_BYTES];
	int pid = 0;
	int code = cmd_parse(c, &(struct cmd_usage){"PID",
					"End the recording of a program that `pathline attach` "
					"records. The program goes on as\nbefore it was attached.",
					options});

	if (code == CMD_GO)
		code = attach_pid(c, "detach", &pid);
	if (code != CMD_GO)
		return code;
	const bool looked = target_look(&t, pid, why) == 0;
	if (looked && t.arena[0] && !t.preloaded)
		return leave(&t);
	say_refused(&t, looked ? "" : why);
	return CMD_RECORD_FAILED;
}
