/* The help: all keys, then the commands and their other names, from the tables of both. */
#include "tui/state.h"

#include <stdio.h>
#include <string.h>

#define LEFT_COLUMNS 26

/* A row of it. */
struct row {
	char left[64];
	const char *text; /* NULL: a title */
	char views[64];	  /* "": all */
};

static void title(struct row *row, const char *text)
{
	snprintf(row->left, sizeof row->left, "%s", text);
}

static void key_row(const struct key *key, struct row *row)
{
	snprintf(row->left, sizeof row->left, "%s", key->name);
	row->text = key->help;
	keys_views(key, row->views, sizeof row->views);
	if (!strcmp(row->views, "all"))
		row->views[0] = 0;
}

/* The n-th command, or the n-th that has other names. false: there is none. */
static bool word_row(size_t n, bool others, struct row *row)
{
	const struct session_word *word;

	for (size_t i = 0; (word = session_word(i)); i++) {
		if (!word->help || (others && !word->others) || n--)
			continue;
		snprintf(row->left, sizeof row->left, "%s %s", word->word,
			others ? "" : word->argument);
		row->text = others ? word->others : word->help;
		return true;
	}
	return false;
}

static size_t count_words(bool others)
{
	struct row row;
	size_t n = 0;

	while (word_row(n, others, &row))
		n++;
	return n;
}

static size_t count_keys(void)
{
	size_t n = 0;

	while (keys_row(n))
		n++;
	return n;
}

/* false: the help has no more rows. */
static bool help_row(size_t i, struct row *row)
{
	const size_t keys = count_keys(), words = count_words(false);

	*row = (struct row){.text = NULL};
	if (i == 0) {
		title(row, "KEYS (Space: next page, /: search, q or Esc: leave the help)");
	} else if (i <= keys) {
		key_row(keys_row(i - 1), row);
	} else if (i == keys + 1) {
		title(row, "COMMANDS, after the key : (a count before one repeats it)");
	} else if (i <= keys + 1 + words) {
		word_row(i - keys - 2, false, row);
	} else if (i == keys + words + 2) {
		title(row, "OTHER NAMES, those of gdb and pdb");
	} else {
		return word_row(i - keys - words - 3, true, row);
	}
	return true;
}

static int count_rows(void)
{
	return (int)(count_keys() + count_words(false) + count_words(true)) + 3;
}

void help_draw(struct tui *t, struct box box)
{
	const int count = count_rows();
	struct row row;

	if (t->help_top > count - box.rows)
		t->help_top = count - box.rows;
	if (t->help_top < 0)
		t->help_top = 0;
	for (int i = 0; i < box.rows && help_row((size_t)t->help_top + (size_t)i, &row); i++) {
		struct pen p = {.y = box.y + i, .x = box.x, .columns = box.columns};
		const int left = t->help_top + i <= (int)count_keys() ? 10 : LEFT_COLUMNS;
		p.lit = t->help_found == t->help_top + i + 1;
		if (!row.text) {
			pen_format(&p, INK_HERE, "%s", row.left);
			continue;
		}
		pen_format(&p, INK_HERE, " %-*s ", left, row.left);
		pen_text(&p, row.text, INK_PLAIN);
		if (row.views[0] && strcmp(row.views, "all")) {
			pen_text(&p, "  in ", INK_FAINT);
			pen_text(&p, row.views, INK_FAINT);
		}
		if (p.lit)
			pen_fill(&p, " ", INK_PLAIN);
	}
}

static bool matches(const struct tui *t, const struct row *row)
{
	return regexec(&t->regex, row->left, 0, NULL, 0) == 0 ||
	       (row->text && regexec(&t->regex, row->text, 0, NULL, 0) == 0);
}

bool help_search(struct tui *t, bool back)
{
	const int count = count_rows();
	const int from = t->help_found ? t->help_found - 1 : t->help_top + (back ? 0 : -1);
	struct row row;

	for (int n = 1; n <= count; n++) {
		int i = ((from + (back ? -n : n)) % count + count) % count;
		if (!help_row((size_t)i, &row) || !matches(t, &row))
			continue;
		t->help_found = i + 1;
		if (i < t->help_top || i >= t->help_top + t->body_rows)
			t->help_top = i - t->body_rows / 2;
		return true;
	}
	return false;
}
