/* pathline service: how a service is always recorded, with nothing changed in it: two variables of
 * its environment, as a systemd drop-in or as they are. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "cmd/attach_pid.h"
#include "cmd/library.h"
#include "cmd/service_begin.h"
#include "cmd/service_words.h"

#define PRELOAD "pathline-preload.so"

static const char ABOUT[] =
	"Print a drop-in for a service of systemd with which each Python that it starts is "
	"recorded\ninto a new recording below DIR, if that directory exists when it starts, and "
	"else is not.\nNothing in the service is changed.";

static int print_variables(const char *word, bool plain)
{
	char preload[PATH_MAX];

	if (!library_find(PRELOAD, preload))
		return library_missing("service", PRELOAD);
	if (strpbrk(preload, ": \t\n$")) {
		cmd_say("service: the path of %s has a space, a colon or a $, which the loader "
			"does not take in LD_PRELOAD; move Pathline to another directory",
			preload);
		return CMD_RECORD_FAILED;
	}
	if (word[0] != '/') {
		cmd_say("service: '%s' does not begin with /; a service needs the whole path of "
			"the directory",
			word);
		return CMD_USAGE;
	}
	if (strpbrk(word, "\"\\%\n$")) {
		cmd_say("service: '%s' has a quote, a backslash, a %% or a $; choose another "
			"directory",
			word);
		return CMD_USAGE;
	}
	if (plain)
		printf("LD_PRELOAD=%s\n" SERVICE_DIR_VARIABLE "=%s\n", preload, word);
	else
		printf("[Service]\nEnvironment=LD_PRELOAD=%s\n"
		       "Environment=\"" SERVICE_DIR_VARIABLE "=%s\"\n",
			preload, word);
	return fflush(stdout) == 0 ? CMD_OK : CMD_NOT_WRITTEN;
}

int cmd_service(struct cmd *c)
{
	const char *pid_text = NULL;
	bool plain = false;
	const struct cmd_option options[] = {
		{"plain", 0, NULL, "print the variables alone, as NAME=VALUE", .flag = &plain},
		{"begin", 0, "PID", "for the preload: record PID below DIR, and print the arena",
			.text = &pid_text},
		{0},
	};
	int code = cmd_parse(c, &(struct cmd_usage){"DIR", ABOUT, options});

	if (code == CMD_GO && c->count != 1) {
		cmd_say("service: name one directory, such as /var/log/app/pathline");
		code = CMD_USAGE;
	}
	if (code != CMD_GO)
		return code;
	if (!pid_text)
		return print_variables(c->words[0], plain);
	int pid = 0;
	struct cmd of_pid = {
		.name = c->name, .words = (char *[]){(char *)pid_text, NULL}, .count = 1};
	code = attach_pid(&of_pid, "service", &pid);
	return code == CMD_GO ? service_begin(c, pid, c->words[0]) : code;
}
