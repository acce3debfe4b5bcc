/* What every sub-command shares: the one table of them, options, talk, and how a recording is found
 * and opened.
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
 * Data goes to stdout; talk goes to stderr, through cmd_say, in lines that begin with "pathline: ".
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
	X(dump, "print the path, one event a line")                                                \
	X(replay, "go through a recording, line by line, forward and back")                        \
	X(report, "say where the time went, line by line")                                         \
	X(info, "what was recorded: processes, threads, counts, losses")                           \
	X(ls, "list the recordings")                                                               \
	X(rm, "remove recordings")                                                                 \
	X(check, "verify a recording, and say what is damaged")

enum cmd_exit {
	CMD_GO = -1, /* from cmd_parse and cmd_open: no exit, go on */
	CMD_OK = 0,
	CMD_USAGE = 2,
	CMD_BAD = 3,		   /* a recording that cannot be read, or is damaged */
	CMD_RECORD_FAILED = 125,   /* record only: Pathline's own failure */
	CMD_RECORD_NO_EXEC = 126,  /* record only: not executable */
	CMD_RECORD_NOT_FOUND = 127 /* record only: no such command */
};

enum cmd_color { COLOR_AUTO = 0, COLOR_ALWAYS, COLOR_NEVER };

/* PATH_MAX; <limits.h> has names that commands use. */
#define CMD_DIRECTORY_BYTES 4096

/* One call of a sub-command. */
struct cmd {
	const char *name;
	char **words; /* what follows the name; behind cmd_parse the operands. Into main's argv */
	int count;    /* of words */
	int pass;     /* behind cmd_parse: words from here on stood behind "--"; or count */
	enum cmd_color color;		     /* as chosen by --color */
	bool color_out;			     /* behind cmd_parse: may stdout be coloured? */
	bool color_err;			     /* and stderr? */
	bool no_pager;			     /* as chosen by --no-pager */
	char directory[CMD_DIRECTORY_BYTES]; /* after cmd_directory: of the recording */
};

#define X(name, help) int cmd_##name(struct cmd *c);
COMMANDS(X)
#undef X

/* ---- options ---- */

/* A row with word NULL ends a table. --help (-h), --version and --color are in every table by
 * themselves. */
struct cmd_option {
	const char *word;     /* without dashes */
	char letter;	      /* 0: none */
	const char *argument; /* its name in the help; NULL: a flag */
	const char *help;     /* lines after the first are indented */
	bool *flag;	      /* set when given; NULL: not wanted */
	const char **text;    /* its argument, the last one given; into argv */
	/* Called for each that is given, in their order: `to`, the word, and the argument, NULL for
	 * a flag. */
	void (*take)(void *to, const char *word, const char *text);
	void *to;
	/* For completion, what its argument can be: "call line"; NULL: not known, or in its name:
	 * "all|none" */
	const char *words;
};

struct cmd_usage {
	const char *operands; /* for the help: "[RECORDING]" */
	const char *about;    /* a sentence or more */
	const struct cmd_option *options;
	bool paged;	      /* has --no-pager: its text goes through a pager (page.h) */
	bool first_word_ends; /* options end at the first operand: what follows belongs to another
				 program */
};

/* Eat the options. CMD_GO, or an exit code: 0 when help or version was printed, CMD_USAGE after an
 * explanation. */
int cmd_parse(struct cmd *c, const struct cmd_usage *usage);

/* For programs, of which completions and manual pages are made (tools/options.py): alone, this word
 * prints the tables, of one command or of all. Rows of tab-separated texts, in which \n, \t and \\
 * stand for these:
 *	command	NAME	help			(of all only)
 *	usage	NAME	operands	about	"first word ends", or nothing
 *	option	NAME	word	letter	argument	words	help
 */
#define CMD_TABLE "--help=table"
/* One text of such a row, with `before` in front of it. */
void cmd_table_text(char before, const char *text);

/* Say "unknown WHAT 'word'; did you mean 'nearest'?" and give CMD_USAGE. */
int cmd_unknown(const char *what, const char *word, const char *const *known);
/* "64M", "2G", "1GiB", "100000": bytes, powers of 1024. false: no size. */
bool cmd_size(const char *text, uint64_t *bytes);

struct pl_buf;
/* Append the word as a shell would need it typed. */
void cmd_quote(struct pl_buf *b, const char *word);

/* ---- talk ---- */

/* A line on stderr, "pathline: …\n". One write(2), so that it does not mix with the program's
 * output. Control bytes in it are shown as ?. */
void cmd_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same in bold when stderr may be coloured. */
void cmd_say_bold(const struct cmd *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- recordings ---- */

/* The directory of the recording that the operands name (home.h says how), or of the latest one:
 * into c->directory. CMD_GO; CMD_USAGE after saying what is wrong: more operands, or no
 * recording. */
int cmd_directory(struct cmd *c);
/* cmd_directory; then finish what dead collectors left; then open. CMD_GO with *out, or an exit
 * code. */
int cmd_open(struct cmd *c, struct pl_recording **out);
/* Why it could not be opened: says so, and gives the exit code. */
int cmd_open_failed(
	const char *command, const char *directory, int error, const struct pl_err *err);

#endif
