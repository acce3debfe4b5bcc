/* What all sub-commands share: their table, options, messages, and how a recording is found and
 * opened.
 *
 * A sub-command is a row in COMMANDS and a file of its name with cmd_NAME. It declares its options
 * as a table of struct cmd_option over its own variables, calls cmd_parse, and returns an exit
 * code; only main ends the process.
 *
 *	int cmd_dump(struct cmd *c)
 *	{
 *		bool json = false;
 *		const char *fields = NULL;
 *		const struct cmd_option options[] = {
 *			{"json", 0, NULL, "one JSON object a line", .flag = &json},
 *			{"fields", 'f', "LIST", "tab-separated columns", .text = &fields},
 *			{0},
 *		};
 *		const struct cmd_usage usage = {"[RECORDING]", "Print the path.", options};
 *		int code = cmd_parse(c, &usage);
 *		if (code != CMD_GO)
 *			return code;
 *
 * Data goes to stdout; messages go to stderr, through cmd_say, which adds "pathline: ".
 */
#ifndef PL_CMD_CMD_H
#define PL_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pathline/pathline.h"

/* X(name, one line of help) */
#define COMMANDS(X)                                                                                \
	X(record, "run a program and record its path")                                             \
	X(attach, "record a program that runs already")                                            \
	X(service, "print how a service is always recorded")                                       \
	X(detach, "end the recording of an attached program, which goes on")                       \
	X(ps, "list the Python processes, and which can be attached")                              \
	X(top, "show what a program does now, each second")                                        \
	X(dump, "print the path, one event a line")                                                \
	X(calls, "print the calls as a tree, one call a line")                                     \
	X(why, "say why it failed: a traceback with values and causes")                            \
	X(replay, "go through a recording, line by line, forward and back")                        \
	X(reader, "read calls, results and exceptions as a list, also while it runs")              \
	X(report, "say where the time went, line by line")                                         \
	X(history, "each value that a variable or attribute had, and who wrote it")                \
	X(query, "ask by SQL: calls, lines, events, exceptions, and their sums")                   \
	X(info, "what was recorded: processes, threads, counts, losses")                           \
	X(export, "write a recording in a format of another program")                              \
	X(pack, "copy a recording into one file, to keep or to send")                              \
	X(snapshot, "copy what is recorded of a process so far into one file")                     \
	X(ls, "list the recordings")                                                               \
	X(rm, "remove recordings")                                                                 \
	X(prune, "remove the oldest recordings, by size and age")                                  \
	X(check, "verify a recording, and say what is damaged")

enum cmd_exit {
	CMD_GO = -1, /* from cmd_parse and cmd_open: do not exit, continue */
	CMD_OK = 0,
	CMD_NOT_WRITTEN = 1, /* the output */
	CMD_NOTHING = 1,     /* there is nothing of what was asked for, as grep has it */
	CMD_USAGE = 2,
	CMD_BAD = 3,		   /* a recording that cannot be read, or is damaged */
	CMD_RECORD_FAILED = 125,   /* record only: Pathline's own failure */
	CMD_RECORD_NO_EXEC = 126,  /* record only: not executable */
	CMD_RECORD_NOT_FOUND = 127 /* record only: no such command */
};

enum cmd_color { COLOR_AUTO = 0, COLOR_ALWAYS, COLOR_NEVER };

/* PATH_MAX; <limits.h> defines names that commands use. */
#define CMD_DIRECTORY_BYTES 4096

/* One call of a sub-command. */
struct cmd {
	const char *name;
	char **words; /* after the name; after cmd_parse the operands; point into main's argv */
	int count;    /* of words */
	int pass;     /* after cmd_parse: index of the first word after "--"; or count */
	enum cmd_color color;		     /* as chosen by --color */
	bool color_out;			     /* after cmd_parse: may stdout be coloured? */
	bool color_err;			     /* and stderr? */
	bool no_pager;			     /* as chosen by --no-pager */
	char directory[CMD_DIRECTORY_BYTES]; /* after cmd_directory: the recording's */
};

#define X(name, help) int cmd_##name(struct cmd *c);
COMMANDS(X)
#undef X

/* ---- options ---- */

/* A row with word NULL ends a table. Every table implies --help (-h), --version and --color. */
struct cmd_option {
	const char *word;     /* without dashes */
	char letter;	      /* 0: none */
	const char *argument; /* its name in the help; NULL: a flag */
	const char *help;     /* lines after the first are indented */
	bool *flag;	      /* set when given; NULL: not wanted */
	const char **text;    /* its argument, the last one given; points into argv */
	/* Called for each occurrence, in order: `to`, the word, and the argument, NULL for a
	 * flag. */
	void (*take)(void *to, const char *word, const char *text);
	void *to;
	/* For completion, the words that its argument can be: "call line"; NULL: unknown, or its
	 * name says it: "all|none" */
	const char *words;
	bool optional; /* the argument is given with = or not at all, and is "" then */
};

struct cmd_usage {
	const char *operands; /* for the help: "[RECORDING]" */
	const char *about;    /* a sentence or more */
	const struct cmd_option *options;
	bool paged;	      /* has --no-pager: text goes through a pager (page.h) */
	bool first_word_ends; /* the first operand ends the options */
};

/* Consume the options. CMD_GO, or an exit code: 0 when help or version was printed, CMD_USAGE after
 * an explanation. */
int cmd_parse(struct cmd *c, const struct cmd_usage *usage);

/* For programs, from which completions and manual pages are made (tools/options.py): given alone,
 * this word prints the tables, of one command or of all. Rows of tab-separated texts, in which \n,
 * \t and \\ are escapes:
 *
 *	command	NAME	help			(of all only)
 *	usage	NAME	operands	about	"first word ends", or nothing
 *	option	NAME	word	letter	argument	words	help
 */
#define CMD_TABLE "--help=table"
/* One text of such a row, after `before`. */
void cmd_table_text(char before, const char *text);

/* Say "COMMAND: unknown WHAT 'word'; did you mean 'nearest'?" and return CMD_USAGE. The command is
 * "" before one is known. */
int cmd_unknown(const char *command, const char *what, const char *word, const char *const *known);
/* "64M", "2G", "1GiB", "100000": bytes, powers of 1024. false: it is not a size. */
bool cmd_size(const char *text, uint64_t *bytes);
/* "500ms", "5s", "2m", "1h", "30d", "2w": a time, more than 0. false: it is none. */
bool cmd_span(const char *text, int64_t *ns);

struct pl_buf;
/* Append the word, quoted for a shell. */
void cmd_quote(struct pl_buf *b, const char *word);

/* What a command in a message ends with, so that it can be typed as it is: " " and the name of the
 * recording, quoted for a shell; "": the latest one. Its name is as it was typed; NULL: none
 * was. */
const char *cmd_recording(void);
void cmd_name_recording(const char *word);

/* ---- talk ---- */

/* A line on stderr, "pathline: …\n". One write(2), so that it does not mix with the program's
 * output. Control bytes are shown as ?. */
void cmd_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same in bold when stderr may be coloured. */
void cmd_say_bold(const struct cmd *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- recordings ---- */

/* Find the recording that the operands name (home.h says how), or the latest one: its directory,
 * into c->directory. CMD_GO; CMD_USAGE after saying what is wrong: too many operands, or no
 * recording. */
int cmd_directory(struct cmd *c);
/* cmd_directory; then finish what dead collectors left; then open. CMD_GO with *out, or an exit
 * code. */
int cmd_open(struct cmd *c, struct pl_recording **out);
/* Say why it could not be opened, and return the exit code. */
int cmd_open_failed(
	const char *command, const char *directory, int error, const struct pl_err *err);
/* At the end of a command: if the recording is damaged, say in how many places. `met`: how many the
 * command met itself, which may be more than the recording knows of. CMD_OK, or CMD_BAD. */
int cmd_say_damages(const char *command, const struct pl_recording *r, uint64_t met);

#endif
