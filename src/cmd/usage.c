#define _GNU_SOURCE
#include "cmd/usage.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HELP_WIDTH 100 /* at most */
#define HELP_LEAST 50
#define HELP_LEFT  29 /* columns of an option's name */

/* Continuation lines are indented by `indent` columns. */
struct wrap {
	size_t width, indent, column;
};

/* As wide as the terminal, within limits. A file or a pipe gets the same everywhere. */
static size_t help_width(void)
{
	struct winsize size = {0};

	if (!isatty(1) || ioctl(1, TIOCGWINSZ, &size) < 0 || !size.ws_col ||
		size.ws_col > HELP_WIDTH)
		return HELP_WIDTH;
	return size.ws_col < HELP_LEAST ? HELP_LEAST : size.ws_col;
}

static void put_blanks(struct wrap *w, size_t n)
{
	printf("%*s", (int)n, "");
	w->column += n;
}

/* Width is counted in characters, not bytes: of a character in UTF-8 only the first byte counts. A
 * word that is wider than a line is not split. */
static void put_word(struct wrap *w, size_t blanks, const char *word, size_t n)
{
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)word[i] & 0xc0) != 0x80;
	if (w->column + blanks + width > w->width && w->column > w->indent) {
		putchar('\n');
		w->column = 0;
		blanks = w->indent;
	}
	put_blanks(w, blanks);
	printf("%.*s", (int)n, word);
	w->column += width;
}

/* A row of a list: a name, two blanks or more, and what it means. Returns where the meaning begins;
 * 0: it is not a row. */
static size_t row_indent(const char *line)
{
	const size_t length = strcspn(line, "\n"), begin = strspn(line, " ");

	for (size_t i = begin; i + 1 < length; i++)
		if (line[i] == ' ' && line[i + 1] == ' ')
			return i + strspn(line + i, " ");
	return 0;
}

/* Does the text after this newline belong to the same paragraph? */
static bool goes_on_in_paragraph(const char *line, const char *next)
{
	return *next && *next != '\n' && *next != ' ' && *line != ' ' && *line != '\n' &&
	       !row_indent(line) && !row_indent(next);
}

/* From the current column; further lines begin below it. */
static void put_text(const char *text, size_t left)
{
	struct wrap w = {.width = help_width(), .column = left};

	for (const char *line = text, *at = text;;) {
		const size_t row = row_indent(line);
		w.indent = left + (left + row <= w.width * 3 / 4 ? row : 0);
		while (*at && *at != '\n') {
			const size_t blanks = strspn(at, " "), n = strcspn(at + blanks, " \n");
			put_word(&w, blanks, at + blanks, n);
			at += blanks + n;
		}
		if (!*at)
			break;
		if (goes_on_in_paragraph(line, at + 1)) {
			const size_t n = strcspn(++at, " \n");
			put_word(&w, 1, at, n);
			at += n;
			continue;
		}
		putchar('\n');
		line = ++at;
		w.column = 0;
		if (*line && *line != '\n')
			put_blanks(&w, left);
	}
	putchar('\n');
}

/* `  -f, --force                what it means`. A long name has its line for itself. */
static void usage_row(const struct cmd_option *o)
{
	char left[80];
	char letter[8] = "   ";

	if (o->letter)
		snprintf(letter, sizeof letter, "-%c,", o->letter);
	snprintf(left, sizeof left, o->optional ? "%s --%s[%s%s]" : "%s --%s%s%s", letter, o->word,
		o->argument ? "=" : "", o->argument ? o->argument : "");
	if (strlen(left) > 26)
		printf("  %s\n%*s", left, HELP_LEFT, "");
	else
		printf("  %-26s ", left);
	put_text(o->help, HELP_LEFT);
}

void usage_print(
	const struct cmd *c, const struct cmd_usage *usage, const struct cmd_option *common)
{
	printf("usage: pathline %s [OPTION]…%s%s\n\n", c->name, usage->operands[0] ? " " : "",
		usage->operands);
	put_text(usage->about, 0);
	putchar('\n');
	for (const struct cmd_option *o = usage->options; o && o->word; o++)
		usage_row(o);
	for (const struct cmd_option *o = common; o->word; o++)
		usage_row(o);
}

/* ---- the tables ---- */

/* A cell of a table that programs read: one row a line, cells separated by tabs. What would end a
 * cell or a row is escaped. */
void cmd_table_text(char before, const char *text)
{
	static const char special[] = "\n\t\\", letters[] = "nt\\";

	putchar(before);
	for (; text && *text; text++) {
		const char *found = strchr(special, *text);
		if (found)
			putchar('\\');
		putchar(found ? letters[found - special] : *text);
	}
}

static void table_row(const struct cmd *c, const struct cmd_option *o)
{
	const char letter[] = {o->letter, 0};
	const char *texts[] = {c->name, o->word, letter, o->optional ? NULL : o->argument,
		o->optional ? NULL : o->words, o->help};

	fputs("option", stdout);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cmd_table_text('\t', texts[i]);
	putchar('\n');
}

void usage_table(
	const struct cmd *c, const struct cmd_usage *usage, const struct cmd_option *common)
{
	fputs("usage", stdout);
	cmd_table_text('\t', c->name);
	cmd_table_text('\t', usage->operands);
	cmd_table_text('\t', usage->about);
	cmd_table_text('\t', usage->first_word_ends ? "first word ends" : "");
	putchar('\n');
	for (const struct cmd_option *o = usage->options; o && o->word; o++)
		table_row(c, o);
	for (const struct cmd_option *o = common; o->word; o++)
		table_row(c, o);
}
