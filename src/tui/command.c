/* A line, as the user typed it or as a key stands for it: a search in what is shown, an order of
 * the screen (orders.h), or a command of the session (session/words.h). */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "session/operations.h"
#include "tui/orders.h"
#include "tui/reader.h"

#define REPEAT_MAX 10000

/* ---- search in the text ---- */

static bool text_has(const struct tui *t, int32_t line)
{
	struct pl_text text;

	return listing_text(&t->source, line, &text) && pattern_is_in(&t->pattern, text);
}

/* From the line after the cursor through the whole file and around its end, back to the cursor's
 * own line, so that the only match is found again. */
static void search_text(struct tui *t, bool back)
{
	for (int32_t n = 1; n <= t->source.lines; n++) {
		int64_t line = (int64_t)t->cursor + (back ? -n : n);
		if (line < 1)
			line += t->source.lines;
		if (line > t->source.lines)
			line -= t->source.lines;
		if (!text_has(t, (int32_t)line))
			continue;
		if (back ? line >= t->cursor : line <= t->cursor)
			tui_say(t, back ? "continued at the bottom" : "continued at the top");
		t->cursor = (int32_t)line;
		return;
	}
	tui_say(t, "not found in %s", t->source.file ? t->source.file : "the source");
}

/* true: the search was in the source's text or in the help, not in the path. in_text remembers
 * which of them the last / or ? was, because ; and , repeat that one, wherever the user is then. In
 * the help, case makes no difference: its text is prose. */
static bool search_sight(struct tui *t, const char *line)
{
	bool again = (*line == ';' || *line == ',') && !line[1];
	const char *rest;

	if (!again && *line != '/' && *line != '?')
		return false;
	if (t->view == VIEW_READER && !t->help) {
		reader_search(t, line);
		return true;
	}
	if (!again)
		t->in_text = t->help || t->view != VIEW_PATH;
	if (!t->in_text || (again && !t->pattern.text))
		return false;
	session_find_word(line, &rest);
	if (!again) {
		pattern_release(&t->pattern);
		pattern_read(&t->pattern, rest, t->help, NULL);
		t->pattern_back = *line == '?';
	}
	if (!t->pattern.text)
		tui_say(t, "not a regular expression: %s", rest);
	else if (!t->help)
		search_text(t, t->pattern_back != (*line == ','));
	else if (!help_search(t, t->pattern_back != (*line == ',')))
		tui_say(t, "not found in the help");
	return true;
}

/* ---- commands ---- */

/* On the screen a stop without a file is in the file that is shown, and without a line at the
 * cursor's. */
static const char *complete_stop(const struct tui *t, const char *line, char to[PROMPT_BYTES * 2])
{
	const char *rest;
	const struct session_word *word = session_find_word(line, &rest);
	char number[16];

	if (!word || !t->source.file || (strcmp(word->word, "b") && strcmp(word->word, "tbreak")))
		return line;
	snprintf(number, sizeof number, "%" PRId32, t->cursor);
	if (!*rest)
		rest = number;
	size_t digits = strspn(rest, "0123456789");
	if (!digits || (rest[digits] && rest[digits] != ' '))
		return line;
	snprintf(to, PROMPT_BYTES * 2, "%s %s:%s", word->word, t->source.file, rest);
	return to;
}

/* How far a search is, ten times a second at most: called by the session while session_do runs, on
 * this thread. The message is not kept: when the search ends, its result takes the place. */
static void search_progress(void *context, uint32_t thread, uint64_t seq)
{
	struct tui *t = context;
	const struct pl_thread *searched =
		pl_recording_thread(t->s->replay.r, t->s->replay.at.position.process, thread);
	const int64_t now = tui_now_ns();
	char numbers[2][UNITS_BYTES];

	if (!searched || now - t->drawn_ns < 100 * INT64_C(1000000))
		return;
	t->drawn_ns = now;
	uint64_t done = seq > searched->first_seq ? seq - searched->first_seq : 0;
	units_count(numbers[0], done);
	units_count(numbers[1], searched->events);
	tui_say(t, "searching %s: event %s of %s (%.0f%%); Ctrl-C stops", searched->name,
		numbers[0], numbers[1],
		searched->events ? 100.0 * (double)done / (double)searched->events : 0.0);
	draw(t);
	t->message[0] = 0;
}

/* Might the command search the recording? Then the screen says so before it begins: a first window
 * of events can take longer than a tenth of a second, and until then there is no progress. */
static bool takes_time(const char *line)
{
	const char *rest;
	const struct session_word *word =
		session_find_word(line + strspn(line, "0123456789 "), &rest);

	return word && (strchr("cC/?;,bwxT", word->word[0]) || !strcmp(word->word, "hits") ||
			       !strcmp(word->word, "tbreak"));
}

void tui_do_session(struct tui *t, const char *line)
{
	char stop[PROMPT_BYTES * 2];
	struct pl_err err = {0};
	struct session *s = t->s;
	int code;

	t->drawn_ns = tui_now_ns();
	s->replay.progress = search_progress;
	s->replay.context = t;
	if (takes_time(line) && t->source.file) {
		tui_say(t, "searching; Ctrl-C stops");
		draw(t);
		t->message[0] = 0;
	}
	if (!strncmp(line, "search ", 7) || !strncmp(line, "reverse-search ", 15))
		t->in_text = false; /* ; and , repeat the last search */
	code = session_do(s, complete_stop(t, line, stop), &err);
	if (code < 0)
		tui_say(t, "%s", err.used ? pl_err_text(&err) : pl_error_name(code));
	else
		tui_say(t, "%s", s->why[0] ? s->why : s->note);
	t->quit = s->quit;
	position_show(t);
}

/* A count of an order is limited, since each repetition draws on what is shown; the session limits
 * counts of its own commands. */
static void run_order(
	struct tui *t, const struct order *order, const char *rest, unsigned long count)
{
	if (count > 1 && !order->repeats)
		tui_say(t, "%s does not take a count", order->word);
	else
		for (count = count < REPEAT_MAX ? count : REPEAT_MAX; count > 0; count--)
			order->run(t, rest);
}

/* The order of the questions matters: / and ? first, because they search the text here and the path
 * in the session; then the screen's own commands; then the session's, which also says what is not
 * understood. */
void tui_do(struct tui *t, const char *line)
{
	const char *rest, *command;
	char *after;

	line += strspn(line, " ");
	*t->o->interrupted = 0;
	t->message[0] = 0;
	unsigned long count = isdigit((unsigned char)*line) ? strtoul(line, &after, 10) : 1;
	command = line + strspn(line, "0123456789");
	command += strspn(command, " ");
	if (!*line || search_sight(t, command))
		return;
	const struct order *order = order_find(command, &rest);
	if (order)
		run_order(t, order, rest, count);
	else
		tui_do_session(t, line);
}
