/* Tab in the prompt: completes what is typed as far as it is unambiguous, and lists what it can
 * become. Further Tabs insert each of these in turn. */
#define _GNU_SOURCE
#include "tui/state.h"

#include <stdio.h>
#include <string.h>

/* Set the line, with this in place of the word that is completed. */
static void tab_put(struct tui *t, const char *word, size_t length, const char *after)
{
	char line[PROMPT_BYTES];

	snprintf(line, sizeof line, "%.*s%.*s%s", (int)t->tab.found.from, t->tab.stem, (int)length,
		word, after);
	prompt_begin(&t->prompt, line);
}

void tab_close(struct tui *t)
{
	completion_release(&t->tab.found);
	t->tab.listed = false;
	t->tab.turn = 0;
}

/* What follows a word that is complete. */
static const char *after_word(const struct tui *t, const char *word)
{
	size_t n = strlen(word);

	if (!t->tab.found.from)
		return " ";
	return t->tab.stem[0] == 'b' && n > 3 && !strcmp(word + n - 3, ".py") ? ":" : "";
}

/* The common beginning of all words, if it still contains what was typed, which can also be in
 * their middle. */
static void put_common(struct tui *t)
{
	const struct completion *c = &t->tab.found;
	const char *typed = t->tab.stem + c->from;

	if (memmem(c->words[0], c->common, typed, strlen(typed)))
		tab_put(t, c->words[0], c->common, "");
	else
		tab_put(t, typed, strlen(typed), "");
}

static void tab_begin(struct tui *t)
{
	struct completion *c = &t->tab.found;
	struct pl_err err = {0};

	memcpy(t->tab.stem, t->prompt.text, sizeof t->tab.stem);
	*t->o->interrupted = 0;
	int code = complete_line(t->s, t->tab.stem, t->tab.own, c, &err);
	if (code) {
		snprintf(t->message, sizeof t->message, "%s",
			code < 0 ? pl_err_text(&err) : "stopped");
		tab_close(t);
	} else if (!c->count) {
		snprintf(t->message, sizeof t->message, "nothing completes %s", t->tab.stem);
	} else if (c->count == 1) {
		tab_put(t, c->words[0], strlen(c->words[0]), after_word(t, c->words[0]));
	} else {
		put_common(t);
		t->tab.listed = true;
	}
}

void tab_press(struct tui *t)
{
	struct completion *c = &t->tab.found;

	t->message[0] = 0;
	if (!t->tab.listed) {
		tab_begin(t);
		return;
	}
	t->tab.turn = t->tab.turn % c->count + 1;
	tab_put(t, c->words[t->tab.turn - 1], strlen(c->words[t->tab.turn - 1]), "");
}

#define GAP 2

static int widest(const struct completion *c, int columns)
{
	int width = 1;

	for (size_t i = 0; i < c->count; i++) {
		struct pen measure = {.columns = 1 << 20, .left = 1 << 20};
		pen_text(&measure, c->words[i], INK_PLAIN);
		width = measure.column > width ? measure.column : width;
	}
	return width + GAP < columns ? width + GAP : columns;
}

/* In columns, from the top down, as ls does. If there are too many, a page is shown, with a … in
 * its last place; further Tabs lead to the next one. */
int tab_draw(struct tui *t, struct box box)
{
	const struct completion *c = &t->tab.found;
	const int width = widest(c, box.columns), across = box.columns / width;
	const int needed = ((int)c->count + across - 1) / across;
	const int rows = needed < box.rows ? needed : box.rows;
	/* the page with the chosen one */
	const size_t page = (size_t)rows * (size_t)across, turn = t->tab.turn ? t->tab.turn - 1 : 0;
	const size_t first = page ? turn / page * page : 0;

	for (int y = 0; y < rows; y++) {
		struct pen p = {
			.y = box.y + box.rows - rows + y, .x = box.x, .columns = box.columns};
		pen_fill(&p, " ", INK_PLAIN);
		for (int x = 0; x < across; x++) {
			size_t i = first + (size_t)(x * rows + y);
			struct pen word = {
				.y = p.y, .x = box.x + x * width, .columns = width - GAP};
			word.lit = i + 1 == t->tab.turn;
			if (i >= c->count)
				continue;
			if (y == rows - 1 && x == across - 1 && first + page < c->count)
				pen_text(&word, "…", INK_FAINT);
			else
				pen_text(&word, c->words[i], INK_NAME);
		}
	}
	return rows;
}
