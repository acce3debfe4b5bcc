/* The commands of stops: set, list and remove them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "expr/taken_out.h"
#include "session/answer.h"
#include "session/commands.h"
#include "session/operations.h"

/* Cut off " if hits == K" at the end; false: something else follows "if". */
static bool cut_hits(char *text, uint64_t *hits)
{
	char *at = strstr(text, " if "), digits[UNITS_BYTES];
	uint64_t n;
	int end = 0;

	*hits = 0;
	if (!at)
		return true;
	if (sscanf(at, " if hits == %31[0-9] %n", digits, &end) != 1 || at[end] ||
		!command_number(digits, &n))
		return false;
	*at = 0;
	*hits = n;
	return true;
}

/* Is there a condition after " if " of other names than hits, or, as pdb has it, after "N, "? */
static bool asks_values(const char *text)
{
	const char *at = strstr(text, " if "), *comma = strstr(text, ", ");

	if (comma && comma > text && isdigit((unsigned char)comma[-1]))
		return true;
	if (!at)
		return false;
	at += 4 + strspn(at + 4, " ");
	return strncmp(at, "hits", 4) || isalnum((unsigned char)at[4]) || at[4] == '_';
}

/* What follows " if ", or as pdb has it "N, "; the text ends before it. NULL: nothing does. */
static const char *cut_condition(char *text)
{
	char *at = strstr(text, " if "), *comma = strstr(text, ", ");

	if (comma && comma > text && isdigit((unsigned char)comma[-1]) && (!at || comma < at)) {
		*comma = 0;
		return comma + 2;
	}
	if (!at)
		return NULL;
	*at = 0;
	return at + 4 + strspn(at + 4, " ");
}

/* Is "if" its last word? */
static bool lacks_condition(const char *text)
{
	const size_t n = strlen(text);

	return n >= 3 && !strcmp(text + n - 3, " if");
}

/* PL_END, after saying what is missing. `text` begins with a space. */
static int refuse_condition(struct session *s, const char *command, const char *text)
{
	session_refused(s, REFUSAL_BAD_CONDITION);
	return session_refuse(s,
		"%s%s: nothing follows if; say when to stop there, as in: %s%.*s if qty > 10",
		command, text, command, (int)(strlen(text) - 3), text);
}

/* Answers for a refusal that the words explain better than the operation. */
static int set_stop(struct session *s, const struct wish *w, struct pl_err *err)
{
	const int code = session_toggle_stop(s, w, err);

	if (code != PL_END || s->outcome.refusal != REFUSAL_NO_VALUES)
		return code;
	if (values_taken_out(s->replay.r))
		return session_refuse(s, VALUES_TAKEN_OUT "; b N if hits == K stops at that hit");
	return session_refuse(s, NO_VALUES "; b N if hits == K stops at that hit");
}

/* "b", "b 12", "b file.py:12", "b function", each with " if hits == K" for a line. What has no
 * number after its last colon is a function's name. A space comes first, so that "if" can follow
 * nothing. */
int command_break(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const struct replay_place here = session_place(s);
	char words[STOP_NAME_MAX + 1], *text = words + 1;
	struct wish w = {.kind = STOP_LINE, .once = letter == 't'};
	uint64_t line = here.line > 0 ? (uint64_t)here.line : 0;

	const bool whole = snprintf(words, sizeof words, " %s", rest) < (int)sizeof words;
	if (whole && lacks_condition(words))
		return refuse_condition(s, w.once ? "tbreak" : "b", words);
	if (whole && asks_values(words))
		w.condition = cut_condition(words);
	if (!whole || !cut_hits(words, &w.hits))
		return session_refuse(s,
			"not understood: b %s; try b N, b file:N, b function, b N if hits == K",
			rest);
	text -= !*words;
	w.name = text;
	char *colon = strrchr(text, ':');
	const char *number = colon ? colon + 1 : text;
	bool has_line = !*text || (command_number(number, &line) && line <= INT32_MAX);
	if (!has_line && number[strspn(number, "0123456789")] == 0 && *number)
		return session_refuse(s, "not a line number: %s; try b N or b file:N", text);
	if (!has_line && w.hits)
		return session_refuse(s, "hits are counted for lines only; try b N if hits == K");
	if (!has_line)
		w.kind = STOP_CALL;
	else if (colon)
		*colon = 0;
	else if (here.code && line)
		w.name = pl_code_file(here.code);
	else
		return session_refused(s, REFUSAL_NO_LINE_HERE);
	w.line = has_line ? (int32_t)line : 0;
	return set_stop(s, &w, err);
}

/* A text that is cut would be another name, or another condition. PL_END: it is refused. */
static int copy_argument(struct session *s, const char *rest, char text[STOP_NAME_MAX])
{
	if (snprintf(text, STOP_NAME_MAX, "%s", rest) < STOP_NAME_MAX)
		return 0;
	return session_refuse(s, "a stop has at most %d bytes", STOP_NAME_MAX - 1);
}

/* w: each entry of a function, also when a generator or coroutine is resumed. */
int command_entries(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	char text[STOP_NAME_MAX + 1] = " ";
	struct wish w = {.kind = STOP_ENTRY, .name = text + 1};

	(void)letter;
	if (copy_argument(s, rest, text + 1))
		return PL_END;
	if (lacks_condition(text))
		return refuse_condition(s, "w", text);
	w.condition = cut_condition(text);
	if (!text[0] || !text[1])
		return session_refuse(
			s, "w needs the name of a function; bt shows where the position is");
	return set_stop(s, &w, err);
}

/* x: without a name, any exception. */
int command_raised(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	char text[STOP_NAME_MAX + 1];
	struct wish w = {.kind = STOP_RAISE, .name = text + 1};

	(void)letter;
	text[0] = ' ';
	if (copy_argument(s, rest, text + 1))
		return PL_END;
	if (lacks_condition(text))
		return refuse_condition(s, "x", text);
	w.condition = cut_condition(text);
	if (!*text)
		w.name = text;
	return set_stop(s, &w, err);
}

int command_stops(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	session_done(s, DONE_STOPS);
	answer_stops(s);
	return s->replay.stops.count ? 0 : session_tell(s, "there is no stop");
}

/* By number; without one, all of them. */
int command_clear(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	uint64_t number;

	(void)letter, (void)err;
	if (!*rest)
		return session_remove_stops(s);
	if (!command_number(rest, &number) || session_remove_stop(s, number)) {
		session_refused(s, REFUSAL_NO_SUCH_STOP);
		return session_refuse(s, "there is no stop %s; B lists them", rest);
	}
	session_tell(s, "removed ");
	answer_stop(s, &s->outcome.stop);
	session_tell_more(s, s->replay.stops.count ? "; left: " : "; no stop is left");
	answer_stops(s);
	return 0;
}
