#include "session/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "session/answer.h"
#include "session/commands.h"
#include "session/operations.h"

#define COUNT_MAX 1000000 /* before a command */

const struct session_word *session_word(size_t index)
{
	return session_words[index].word ? &session_words[index] : NULL;
}

/* Does the line begin with this word? Returns its bytes; 0: no. "print(x)" begins with print. */
static size_t begins_with_word(const char *line, const char *word, size_t n)
{
	bool sticks = n == 1 && !isalpha((unsigned char)word[0]);

	return n && !strncmp(line, word, n) && (sticks || !line[n] || strchr(" (", line[n])) ? n
											     : 0;
}

/* With any of its names: the bytes of the longest one that matches. */
static size_t begins_any(const char *line, const struct session_word *word)
{
	size_t longest = begins_with_word(line, word->word, strlen(word->word));

	for (const char *at = word->others; at && *at;) {
		size_t n = strcspn(at, ","), same = begins_with_word(line, at, n);
		longest = same > longest ? same : longest;
		at += n + (at[n] == ',');
	}
	return longest;
}

/* The longest name wins: "info breakpoints" before "info b", and "step" before "s". */
const struct session_word *session_find_word(const char *line, const char **rest)
{
	const struct session_word *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; session_words[i].word; i++) {
		size_t n = begins_any(line, &session_words[i]);
		if (n > longest) {
			longest = n;
			found = &session_words[i];
		}
	}
	bool sticks = longest == 1 && !isalpha((unsigned char)line[0]);
	*rest = line + longest;
	if (sticks)
		*rest += **rest == ' '; /* "/ REGEX"; more spaces belong to the argument */
	else if (found)
		*rest += strspn(*rest, " ");
	return found;
}

/* Names separated by commas, each as a separate word. */
#define NAMES_BYTES 2048
static size_t split_names(char names[NAMES_BYTES], const char **known, size_t max)
{
	size_t used = 0, n = 0;

	for (size_t i = 0; session_words[i].word; i++) {
		used += (size_t)snprintf(names + used, NAMES_BYTES - used, "%s,%s%s",
			session_words[i].word,
			session_words[i].others ? session_words[i].others : "",
			session_words[i].others ? "," : "");
		if (used >= NAMES_BYTES)
			break;
	}
	for (char *at = names; n < max && *at;) {
		size_t length = strcspn(at, ",");
		if (length > 1)
			known[n++] = at;
		at += length;
		if (*at)
			*at++ = 0;
	}
	return n;
}

static int refuse_word(struct session *s, const char *line)
{
	char names[NAMES_BYTES], typed[64];
	const char *known[256];
	size_t n = split_names(names, known, sizeof known / sizeof *known - 1);

	known[n] = NULL;
	snprintf(typed, sizeof typed, "%.*s", (int)strcspn(line, " "), line);
	const char *nearest = nearest_word(typed, known);
	nearest = nearest ? nearest : nearest_word(line, known);
	return session_refuse(s, "unknown command: %s; %s%s%s", line,
		nearest ? "did you mean " : "", nearest ? nearest : "help lists the commands",
		nearest ? "?" : "");
}

int words_help(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const char *more = "";
	const struct session_word *word = *rest ? session_find_word(rest, &more) : NULL;

	(void)letter, (void)err;
	s->outcome.done = DONE_HELP;
	if (*rest && (!word || !word->help))
		return refuse_word(s, rest);
	if (word)
		return session_tell(s, "%s%s%s: %s%s%s", word->word, *word->argument ? " " : "",
			word->argument, word->help, word->others ? "; also " : "",
			word->others ? word->others : "");
	for (size_t i = 0; session_words[i].word; i++)
		if (session_words[i].help)
			session_tell_more(s, "%s%s", i ? " " : "", session_words[i].word);
	session_tell_more(s, "; help COMMAND says what it does");
	return 0;
}

static void forget_answer(struct session *s)
{
	session_begin(s);
	s->why[0] = s->note[0] = 0;
	s->seen_noted = false;
}

/* Once, and its answer. */
static int run_word(
	struct session *s, const struct session_word *word, const char *rest, struct pl_err *err)
{
	forget_answer(s);
	int code = word->run(s, word->word[0], rest, err);

	answer_outcome(s, code);
	return code;
}

/* So many times, or until it is refused. The place visited before is the one before all of them:
 * from the second time on, a move joins the one before it in the history. A refusal after some of
 * them is not one of the whole: the position has moved, so the answer is the position, with a
 * note. */
static int run_counted(
	struct session *s, const struct session_word *word, uint64_t count, struct pl_err *err)
{
	uint64_t done = 0;
	char seen[sizeof s->note];
	int code = 0;

	for (; done < count && code == 0; done++) {
		code = run_word(s, word, "", err);
		s->replay.joins = true;
	}
	s->replay.joins = false;
	if (code != PL_END || done == 1)
		return code;
	memcpy(seen, s->note, sizeof seen);
	snprintf(s->note, sizeof s->note, "%" PRIu64 " of %" PRIu64 " times: %.200s%s%.200s",
		done - 1, count, s->why, *seen ? "; " : "", seen);
	s->outcome.times = done - 1;
	s->outcome.ended_by = s->outcome.refusal;
	s->outcome.refusal = REFUSAL_NONE;
	s->why[0] = 0;
	return 0;
}

/* "step 3", as in gdb; too large a count is refused later. */
static bool read_count(const char *text, unsigned long long *count)
{
	if (!*text || text[strspn(text, "0123456789")])
		return false;
	*count = strtoull(text, NULL, 10);
	return true;
}

/* A count stands before the command (5s), or after it as in gdb (step 5), where the command takes
 * no argument. */
int session_do(struct session *s, const char *line, struct pl_err *err)
{
	const char *rest = "";
	unsigned long long count = 1;
	char *after;

	forget_answer(s);
	line += strspn(line, " \t");
	const char *begin = line;
	if (isdigit((unsigned char)*line)) {
		count = strtoull(line, &after, 10);
		line = after + strspn(after, " ");
	}
	const struct session_word *word = session_find_word(line, &rest);
	if (!*line)
		return !*begin ? session_refuse(s, "a command is missing; h lists them")
			       : session_refuse(
					 s, "%s: a count needs a command, such as 5s", begin);
	if (!word)
		return refuse_word(s, line);
	if (line != begin && word->how != WORD_COUNTS)
		return session_refuse(s, "%s does not take a count", word->word);
	if (line == begin && word->how == WORD_COUNTS && read_count(rest, &count))
		rest = "";
	if (!count || count > COUNT_MAX)
		return session_refuse(s, "a count is from 1 to %d", COUNT_MAX);
	if (word->how != WORD_TAKES && *rest)
		return session_refuse(s, "%s does not take an argument", word->word);
	return word->how == WORD_COUNTS ? run_counted(s, word, count, err)
					: run_word(s, word, rest, err);
}

/* For `replay --help`, and for the man page, which is made from that. */
void session_help(char help[WORDS_HELP_BYTES])
{
	size_t used = 0;

	help[0] = 0;
	for (size_t i = 0; session_words[i].word && used < WORDS_HELP_BYTES; i++) {
		char left[64];
		if (!session_words[i].help)
			continue;
		snprintf(left, sizeof left, "%s %s", session_words[i].word,
			session_words[i].argument);
		used += (size_t)snprintf(help + used, WORDS_HELP_BYTES - used, "\n  %-21s %s", left,
			session_words[i].help);
	}
	used += used < WORDS_HELP_BYTES ? (size_t)snprintf(help + used, WORDS_HELP_BYTES - used,
						  "\n\nA number before a command repeats it: 5s. "
						  "Other names, those of gdb and pdb:\n")
					: 0;
	for (size_t i = 0; session_words[i].word && used < WORDS_HELP_BYTES; i++)
		if (session_words[i].help && session_words[i].others)
			used += (size_t)snprintf(help + used, WORDS_HELP_BYTES - used,
				"\n  %-21s %s", session_words[i].word, session_words[i].others);
}
