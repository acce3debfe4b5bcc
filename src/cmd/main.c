/* pathline: selects the sub-command; the only place that ends the process. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmd/home.h"

static const struct row {
	const char *name;
	int (*run)(struct cmd *c);
	const char *help;
} rows[] = {
#define X(name, help) {#name, cmd_##name, help},
	COMMANDS(X)
#undef X
};
#define ROWS (sizeof rows / sizeof *rows)

static void print_help(FILE *to)
{
	fputs("usage: pathline COMMAND [OPTION]… [ARGUMENT]…\n\n"
	      "Record the exact path of a Python program, and go through it later.\n"
	      "Without a COMMAND, on a terminal, it opens the latest recording.\n\n",
		to);
	for (size_t i = 0; i < ROWS; i++)
		fprintf(to, "  %-9s %s\n", rows[i].name, rows[i].help);
	fputs("\n`pathline COMMAND --help` describes one. Begin with: pathline record script.py\n",
		to);
}

/* The tables of all commands: each prints its own where it parses its options. */
static int print_tables(void)
{
	char table[] = CMD_TABLE;
	int code = CMD_OK;

	for (size_t i = 0; i < ROWS && code == CMD_OK; i++) {
		fputs("command", stdout);
		cmd_table_text('\t', rows[i].name);
		cmd_table_text('\t', rows[i].help);
		putchar('\n');
		char *words[] = {table, NULL};
		code = rows[i].run(
			&(struct cmd){.name = rows[i].name, .words = words, .count = 1, .pass = 1});
	}
	return code;
}

static int unknown_command(const char *word)
{
	const char *names[ROWS + 1] = {0};

	for (size_t i = 0; i < ROWS; i++)
		names[i] = rows[i].name;
	if (word[0] != '-')
		return cmd_unknown("", "command", word, names);
	cmd_say("unknown option '%s'; see pathline --help", word);
	return CMD_USAGE;
}

static bool has_recording(void)
{
	char folder[PATH_MAX];
	struct home_list list = {0};
	size_t index;
	bool has = home_find(folder) && home_list(folder, &list) == 0 &&
		   home_latest(folder, &list, &index);

	home_list_release(&list);
	return has;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		if (isatty(0) && isatty(1) && has_recording())
			return cmd_replay(&(struct cmd){.name = "replay", .words = argv + 1});
		print_help(stderr);
		return CMD_USAGE;
	}
	const char *word = argv[1];
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_help(stdout);
		return CMD_OK;
	}
	if (!strcmp(word, CMD_TABLE))
		return print_tables();
	if (!strcmp(word, "--version")) {
		puts("pathline " PATHLINE_VERSION);
		return CMD_OK;
	}
	for (size_t i = 0; i < ROWS; i++)
		if (!strcmp(word, rows[i].name))
			return rows[i].run(&(struct cmd){.name = rows[i].name,
				.words = argv + 2,
				.count = argc - 2,
				.pass = argc - 2});
	return unknown_command(word);
}
