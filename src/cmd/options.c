/* Options: one table for each command, used for parsing, for the help text (usage.h) and for
 * suggestions when a word is mistyped. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/nearest.h"
#include "cmd/usage.h"

#define OPTIONS_MAX 64
#define WORD_MAX    64 /* of an option, cut */

/* As many of the words as fit into a line. */
#define LIST_BYTES 400
static const char *list_words(const char *const *words, char list[LIST_BYTES])
{
	size_t used = 0;

	list[0] = 0;
	for (size_t i = 0; words[i]; i++) {
		const size_t n = strlen(words[i]);
		if (used + n + 8 > LIST_BYTES) {
			snprintf(list + used, LIST_BYTES - used, ", …");
			break;
		}
		used += (size_t)snprintf(
			list + used, LIST_BYTES - used, "%s%s", used ? ", " : "", words[i]);
	}
	return list;
}

int cmd_unknown(const char *command, const char *what, const char *word, const char *const *known)
{
	const char *nearest = nearest_word(word, known);

	char list[LIST_BYTES];

	if (nearest)
		cmd_say("%s%sunknown %s '%s'; did you mean '%s'?", command, *command ? ": " : "",
			what, word, nearest);
	else
		cmd_say("%s%sunknown %s '%s'; there are: %s", command, *command ? ": " : "", what,
			word, list_words(known, list));
	return CMD_USAGE;
}

/* 512, 64K, 8GiB, 1tb: units are powers of 1024, however they are written. */
bool cmd_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGTP";
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	unsigned shift = 0;
	for (unsigned i = 0; units[i] && *end; i++)
		if ((*end & ~0x20) == units[i]) {
			shift = 10 * (i + 1);
			end++;
			break;
		}
	if (*end && strcasecmp(end, "iB") && strcasecmp(end, "B"))
		return false;
	if (errno || n > UINT64_MAX >> shift)
		return false;
	*bytes = (uint64_t)n << shift;
	return true;
}

bool cmd_span(const char *text, int64_t *ns)
{
	static const struct {
		const char *word;
		double ns;
	} units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9},
		{"w", 7 * 86400e9}};
	char *end;
	const double count = strtod(text, &end);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (*text >= '0' && *text <= '9' && !strcmp(end, units[i].word) && count > 0 &&
			count * units[i].ns < 9e18) {
			*ns = (int64_t)(count * units[i].ns);
			return true;
		}
	return false;
}

void cmd_quote(struct pl_buf *b, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		buf_put(b, word, strlen(word));
		return;
	}
	buf_u8(b, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_put(b, "'\\''", 4);
		else
			buf_u8(b, (uint8_t)*word);
	}
	buf_u8(b, '\'');
}

/* " " and the word, quoted; empty: the latest one. */
static struct pl_buf recording_named;

void cmd_name_recording(const char *word)
{
	buf_reset(&recording_named);
	if (word) {
		buf_u8(&recording_named, ' ');
		cmd_quote(&recording_named, word);
	}
	buf_u8(&recording_named, 0);
}

const char *cmd_recording(void)
{
	return recording_named.used && !recording_named.failed ? (char *)recording_named.at : "";
}

/* Messages can contain names and texts from others: no byte of them may control the terminal or
 * begin a new line. */
static void defuse(char *line)
{
	for (unsigned char *c = (unsigned char *)line; *c; c++) {
		if (*c < 0x20 || *c == 0x7f)
			*c = '?';
		else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* the same, in UTF-8 */
			c[0] = c[1] = '?';
	}
}

/* One write(2) a line, so that it does not mix with what the recorded program writes. */
static void say_line(const char *before, const char *after, const char *format, va_list arguments)
{
	char *line = NULL, *whole = NULL;
	int n = -1;

	if (vasprintf(&line, format, arguments) >= 0) {
		defuse(line);
		n = asprintf(&whole, "%spathline: %s%s\n", before, line, after);
	}
	if (n > 0 && write(2, whole, (size_t)n) < 0) {
		/* nobody can be told */
	}
	if (n >= 0)
		free(whole);
	free(line);
}

void cmd_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_line("", "", format, arguments);
	va_end(arguments);
}

void cmd_say_bold(const struct cmd *c, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_line(c->color_err ? "\033[1m" : "", c->color_err ? "\033[0m" : "", format, arguments);
	va_end(arguments);
}

/* Of NO_COLOR any value but the empty one counts (no-color.org). */
static bool may_color(enum cmd_color choice, int fd)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (choice != COLOR_AUTO)
		return choice == COLOR_ALWAYS;
	return !(no && *no) && terminal && strcmp(terminal, "dumb") && isatty(fd);
}

struct parser {
	struct cmd *c;
	const struct cmd_usage *usage;
	const struct cmd_option *common;
	int at;	  /* the word being read */
	int kept; /* operands so far; words[0..kept) */
};

/* By word or by letter, first among the command's own. */
static const struct cmd_option *find_option(
	const struct parser *p, const char *word, size_t length, char letter)
{
	const struct cmd_option *tables[] = {p->usage->options, p->common};

	for (int t = 0; t < 2; t++)
		for (const struct cmd_option *o = tables[t]; o && o->word; o++)
			if (word ? strlen(o->word) == length && !memcmp(o->word, word, length)
				 : o->letter && o->letter == letter)
				return o;
	return NULL;
}

static int unknown_option(const struct parser *p, const char *word)
{
	char names[OPTIONS_MAX][WORD_MAX];
	const char *known[OPTIONS_MAX + 1] = {0};
	const struct cmd_option *tables[] = {p->usage->options, p->common};
	size_t n = 0;

	for (int t = 0; t < 2; t++)
		for (const struct cmd_option *o = tables[t]; o && o->word && n < OPTIONS_MAX;
			o++, n++) {
			snprintf(names[n], sizeof names[n], "--%s", o->word);
			known[n] = names[n];
		}
	char name[WORD_MAX];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
	const char *nearest = nearest_word(name, known), *command = p->c->name;
	if (nearest)
		cmd_say("%s: unknown option '%s'; did you mean '%s'?", command, name, nearest);
	else
		cmd_say("%s: unknown option '%s'; see pathline %s --help", command, name, command);
	return CMD_USAGE;
}

/* `text`: the argument that was given in the same word, or NULL. */
static int apply(struct parser *p, const struct cmd_option *o, const char *text)
{
	if (!o->argument && text) {
		cmd_say("%s: --%s takes no argument", p->c->name, o->word);
		return CMD_USAGE;
	}
	if (o->optional && !text)
		text = "";
	if (o->argument && !text) {
		if (p->at + 1 >= p->c->count) {
			cmd_say("%s: --%s needs an argument, %s", p->c->name, o->word, o->argument);
			return CMD_USAGE;
		}
		text = p->c->words[++p->at];
	}
	if (o->flag)
		*o->flag = true;
	if (o->text)
		*o->text = text;
	if (o->take)
		o->take(o->to, o->word, text);
	return CMD_GO;
}

static int read_long(struct parser *p, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct cmd_option *o = find_option(p, word + 2, length - 2, 0);

	if (!o)
		return unknown_option(p, word);
	return apply(p, o, equals ? equals + 1 : NULL);
}

/* -qoDIR is -q -o DIR */
static int read_letters(struct parser *p, const char *word)
{
	for (const char *l = word + 1; *l; l++) {
		const struct cmd_option *o = find_option(p, NULL, 0, *l);
		if (!o)
			return unknown_option(p, word);
		if (o->argument)
			return apply(p, o, l[1] ? l + 1 : NULL);
		int code = apply(p, o, NULL);
		if (code != CMD_GO)
			return code;
	}
	return CMD_GO;
}

/* `record` stops where its WHAT begins: -m, -c and - are options of Python. */
static bool ends_options(const struct parser *p, const char *word)
{
	if (word[0] != '-' || !word[1])
		return true;
	return p->usage->first_word_ends && word[1] != '-' && !find_option(p, NULL, 0, word[1]);
}

/* Operands are moved to the front of c->words as they come, so options may stand between them. What
 * follows -- is passed on as it is. */
static int read_words(struct parser *p)
{
	struct cmd *c = p->c;

	for (p->at = 0; p->at < c->count; p->at++) {
		char *word = c->words[p->at];
		int code = CMD_GO;
		if (!strcmp(word, "--")) {
			c->pass = p->kept;
			p->at++;
			break;
		} else if (ends_options(p, word)) {
			if (p->usage->first_word_ends)
				break;
			c->words[p->kept++] = word;
		} else if (word[1] == '-') {
			code = read_long(p, word);
		} else {
			code = read_letters(p, word);
		}
		if (code != CMD_GO)
			return code;
	}
	while (p->at < c->count)
		c->words[p->kept++] = c->words[p->at++];
	return CMD_GO;
}

static int read_color(struct cmd *c, const char *text)
{
	static const char *const choices[] = {"auto", "always", "never", NULL};

	for (int i = 0; choices[i]; i++)
		if (!strcmp(text, choices[i])) {
			c->color = (enum cmd_color)i;
			return CMD_GO;
		}
	return cmd_unknown(c->name, "colour", text, choices);
}

/* CMD_TABLE as the only word asks for the table itself, for completions and man pages. */
int cmd_parse(struct cmd *c, const struct cmd_usage *usage)
{
	bool help = false, version = false;
	const char *color = "auto";
	const struct cmd_option all[] = {
		{"no-pager", 0, NULL, "print without $PATHLINE_PAGER, $PAGER or less",
			.flag = &c->no_pager},
		{"color", 0, "WHEN", "auto, always or never; auto respects NO_COLOR",
			.text = &color, .words = "auto always never"},
		{"help", 'h', NULL, "print the help, and exit", .flag = &help},
		{"version", 0, NULL, "print the version, and exit", .flag = &version},
		{0},
	};
	const struct cmd_option *common = usage->paged ? all : all + 1;
	struct parser p = {.c = c, .usage = usage, .common = common};

	if (c->count == 1 && !strcmp(c->words[0], CMD_TABLE)) {
		usage_table(c, usage, common);
		return CMD_OK;
	}
	c->pass = -1;
	int code = read_words(&p);
	if (code == CMD_GO)
		code = read_color(c, color);
	if (code != CMD_GO)
		return code;
	if (help)
		usage_print(c, usage, common);
	else if (version)
		puts("pathline " PATHLINE_VERSION);
	c->count = p.kept;
	if (c->pass < 0)
		c->pass = c->count;
	c->color_out = may_color(c->color, 1);
	c->color_err = may_color(c->color, 2);
	return help || version ? CMD_OK : CMD_GO;
}
