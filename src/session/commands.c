#include "session/commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "session/operations.h"
#include "session/when.h"

/* Is the whole text a number from 1 on? */
bool command_number(const char *text, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*n = strtoull(text, &end, 10);
	return !*end && *n && *n < INT64_MAX;
}

/* PL_END. What was given is none. */
static int refuse_line(struct session *s, const char *command, const char *rest)
{
	if (rest[strspn(rest, "0")])
		return session_refuse(s, "not a line number: %s; try %s 44", rest, command);
	return session_refuse(s, "there is no line 0: the first line of a file is 1");
}

/* ---- moves ---- */

/* The letter is the first one of the command's own name, whichever of its names was typed. */
static int do_step(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	enum step step = strchr("sS", letter)	? STEP_LINE
			 : strchr("nN", letter) ? STEP_NEXT
						: STEP_OUT;

	(void)rest;
	return session_step(s, step, isupper((unsigned char)letter), err);
}

/* Without a number: the line after this one, so that a loop's jump back does not stop it. */
static int do_until(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	uint64_t line = (uint64_t)s->replay.at.line + 1;

	(void)letter;
	if (*rest && (!command_number(rest, &line) || line > INT32_MAX))
		return refuse_line(s, "until", rest);
	return session_until(s, (int32_t)line, err);
}

static int do_continue(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)rest;
	return session_continue(s, letter == 'C', err);
}

static int do_all(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	return session_scope(s, !s->replay.only_here);
}

/* Without a pattern: that of the last search, in the direction of this one. */
static int search_same(struct session *s, char letter, struct pl_err *err)
{
	if (!s->pattern.text) {
		session_refused(s, REFUSAL_NO_SEARCH);
		return session_refuse(s,
			"%c needs a regular expression, such as %c book; alone it repeats the last "
			"search, and there was none",
			letter, letter);
	}
	s->pattern_back = letter == '?';
	return session_search_again(s, false, err);
}

/* , goes against the direction of the last / or ?, and ; along with it. */
static int do_search(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	if (letter == ';' || letter == ',')
		return session_search_again(s, letter == ',', err);
	if (!*rest)
		return search_same(s, letter, err);
	int code = session_search(s, rest, letter == '?', err);
	if (code == PL_END && s->outcome.refusal == REFUSAL_BAD_PATTERN)
		session_refuse(s, "not a regular expression: %s", rest);
	return code;
}

static int do_switch(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)rest;
	return session_switch(s, letter == '[', err);
}

/* ---- visited places and marks ---- */

/* m sets a mark, ' goes there, and '' goes to the place before. */
static int do_mark(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const bool good = *rest >= 'a' && *rest <= 'z' && !rest[1];

	if (letter == '\'' && *rest == '\'' && !rest[1])
		return session_visited(s, true, err);
	if (!good)
		return session_refuse(s, "a mark is one letter, a to z");
	return letter == '\'' ? session_to_mark(s, *rest, err) : session_mark(s, *rest);
}

static int do_back(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest;
	return session_visited(s, true, err);
}

static int do_forward(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest;
	return session_visited(s, false, err);
}

/* ---- jumps ---- */

/* "#4711" */
static int jump_to_seq(struct session *s, const char *text, struct pl_err *err)
{
	char *end;
	uint64_t seq = strtoull(text + 1, &end, 10);

	if (*end || seq > INT64_MAX)
		return session_refuse(s, "not the number of an event: %s", text);
	return session_to_seq(s, seq, err);
}

/* j: `start`, `end`, the number of an event (#4711), or a time. */
static int do_jump(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	int64_t time_ns;

	(void)letter;
	if (!strcmp(rest, "start"))
		return session_to_start(s, err);
	if (!strcmp(rest, "end"))
		return session_to_end(s, err);
	if (*rest == '#' && isdigit((unsigned char)rest[1]))
		return jump_to_seq(s, rest, err);
	if (!*rest)
		return session_refuse(s, "j needs a time: %s, -1h, #4711, start, end", WHEN_FORMS);
	if (!session_read_time(s, rest, &time_ns))
		return session_refuse(
			s, "not a time: %s; try %s, -1h, #4711, start, end", rest, WHEN_FORMS);
	return session_to_time(s, time_ns, err);
}

/* ---- frames and lines ---- */

static int do_frame(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)rest;
	return session_select_frame(s, letter == 'u', err);
}

/* One line of the file in which the selected frame is. */
static int do_list(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	uint64_t number = 0;

	(void)letter, (void)err;
	if (*rest && (!command_number(rest, &number) || number > INT32_MAX))
		return refuse_line(s, "list", rest);
	return session_source(s, (int32_t)number);
}

/* Of this line, or of another one of the same file. */
static int do_hits(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const struct replay_place here = session_place(s);
	uint64_t line = here.line > 0 ? (uint64_t)here.line : 0;

	(void)letter;
	if (!here.code)
		return session_refused(s, REFUSAL_NO_FILE);
	if ((*rest && !command_number(rest, &line)) || line > HITS_LINE_MAX)
		return refuse_line(s, "hits", rest);
	return session_line_hits(s, (int32_t)line, err);
}

/* ---- others ---- */

static int do_quit(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	s->quit = true;
	return session_done(s, DONE_QUIT);
}

/* Commands that users of gdb and pdb type by habit: they are known, so as to say why they do
 * nothing. */
static int do_run(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	session_refused(s, REFUSAL_NOT_POSSIBLE);
	return session_refuse(
		s, "a recording is not run again; j start goes to where this thread began");
}

static int do_disable(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	session_refused(s, REFUSAL_NOT_POSSIBLE);
	return session_refuse(s,
		"stops are only set and removed: clear N removes one, b N if hits == K stops at "
		"one hit");
}

/* ---- the table ---- */

/* The argument may follow without a space if the word is one character and not a letter; one space
 * before it is not part of it. */
const struct session_word session_words[] = {
	{"s", "", "step,stepi", NAMES_NONE, WORD_COUNTS, do_step,
		"the next line of this thread, into calls"},
	{"S", "", "reverse-step,rs", NAMES_NONE, WORD_COUNTS, do_step,
		"the previous line of this thread, into calls"},
	{"n", "", "next", NAMES_NONE, WORD_COUNTS, do_step,
		"the next line of this frame, over calls; when the frame ends, of its caller"},
	{"N", "", "reverse-next,rn", NAMES_NONE, WORD_COUNTS, do_step,
		"the previous line of this frame, over calls; from its first line: where it was "
		"called"},
	{"f", "", "finish,return,r", NAMES_NONE, WORD_COUNTS, do_step,
		"finish this frame: its caller's next line"},
	{"F", "", "reverse-finish", NAMES_NONE, WORD_COUNTS, do_step,
		"the line that called this frame"},
	{"until", "[N]", "unt", NAMES_NONE, WORD_TAKES, do_until,
		"go on in this frame to a line after this one, or to line N or later"},
	{"c", "", "continue,cont", NAMES_NONE, WORD_COUNTS, do_continue, "go to the next stop"},
	{"C", "", "reverse-continue,rc", NAMES_NONE, WORD_COUNTS, do_continue,
		"go to the previous stop"},
	{"a", "", NULL, NAMES_NONE, WORD_ALONE, do_all,
		"choose whether stops and searches count in all threads or in this thread only"},
	{"b", "[PLACE]", "break", NAMES_PLACES, WORD_TAKES, command_break,
		"set a stop at this line, or at N, FILE:N, or where FUNCTION is called; N and "
		"FILE:N can be followed by: if hits == K; each by: if qty > 10 and item == "
		"'anvil'; the same again removes it"},
	{"tbreak", "[PLACE]", "tb", NAMES_PLACES, WORD_TAKES, command_break,
		"set a stop as b does, for once: it is removed where c or C reaches it"},
	{"B", "", "stops,info breakpoints,info break,info b", NAMES_NONE, WORD_ALONE, command_stops,
		"list the stops"},
	{"x", "[TYPE]", "catch", NAMES_EXCEPTIONS, WORD_TAKES, command_raised,
		"set a stop where an exception of the type, or any, is raised; also with if"},
	{"w", "FUNCTION", NULL, NAMES_FUNCTIONS, WORD_TAKES, command_entries,
		"set a stop where a function is called or resumed"},
	{"clear", "[NUMBER]", "delete,cl", NAMES_STOPS, WORD_TAKES, command_clear,
		"remove a stop; without a number: all stops"},
	{"u", "", "up", NAMES_NONE, WORD_COUNTS, do_frame, "select the frame of the caller"},
	{"d", "", "down", NAMES_NONE, WORD_COUNTS, do_frame,
		"select the frame that this one called"},
	{"bt", "", "backtrace,where,info stack,info frame", NAMES_NONE, WORD_ALONE, command_stack,
		"list the frames of the stack"},
	{"list", "[N]", "l,ll,longlist,info line,info source", NAMES_NONE, WORD_TAKES, do_list,
		"show the text of this line, or of line N of this file"},
	{"t", "[THREAD]", "thread,info threads", NAMES_THREADS, WORD_TAKES, command_thread,
		"list the threads, or go to where one is at this moment; from the end of a thread "
		"that hangs: to its end"},
	{"P", "[PROCESS]", "process,inferior,info inferiors", NAMES_PROCESSES, WORD_TAKES,
		command_process, "list the processes, or go to where one is at this time"},
	{"T", "[TASK]", "task,info tasks", NAMES_TASKS, WORD_TAKES, command_task,
		"list the tasks of this thread, or go to where one runs next, or else to its last "
		"part"},
	{"hits", "[N]", NULL, NAMES_NONE, WORD_TAKES, do_hits,
		"say how often this line, or line N, has run in this thread, so far and in all"},
	{"j", "WHEN", "jump", NAMES_NONE, WORD_TAKES, do_jump,
		"jump to 10:52:01.5, 2026-11-21 10:52, +5ms or -1h (from here), 42% (of the "
		"thread's time), #4711, start, end"},
	{"m", "LETTER", "mark", NAMES_NONE, WORD_TAKES, do_mark,
		"mark this place with a letter, a to z"},
	{"'", "LETTER", NULL, NAMES_NONE, WORD_TAKES, do_mark,
		"go to the mark with a letter; '' goes to the place before"},
	{"back", "", NULL, NAMES_NONE, WORD_COUNTS, do_back, "go back to the place before"},
	{"forward", "", NULL, NAMES_NONE, WORD_COUNTS, do_forward, "go forward again, after back"},
	{"/", "REGEX", "search", NAMES_NONE, WORD_TAKES, do_search,
		"search forward for a call or exception whose name matches; alone, for the same "
		"again; on the screen / "
		"searches the text, and search REGEX the path"},
	{"?", "REGEX", "reverse-search", NAMES_NONE, WORD_TAKES, do_search,
		"search backward for a call or exception whose name matches; alone, for the same "
		"again; on the screen ? "
		"searches the text, and reverse-search REGEX the path"},
	{";", "", NULL, NAMES_NONE, WORD_COUNTS, do_search, "repeat the search"},
	{",", "", NULL, NAMES_NONE, WORD_COUNTS, do_search,
		"repeat the search in the other direction"},
	{"]", "", NULL, NAMES_NONE, WORD_COUNTS, do_switch,
		"go to the next part of the path: another task or thread runs, or this task is "
		"resumed; parts without a line and callbacks outside of tasks are passed over"},
	{"[", "", NULL, NAMES_NONE, WORD_COUNTS, do_switch,
		"go to the first line of this part of the path; from there, or from before it, to "
		"the previous part; parts without a line and callbacks outside of tasks are passed "
		"over"},
	{"variables", "", "vars,locals,args,info locals,info args", NAMES_NONE, WORD_ALONE,
		command_variables,
		"list the variables of the selected frame; * before what the last line changed"},
	{"p", "VALUE", "print,pp,display", NAMES_VARIABLES, WORD_TAKES, command_print,
		"show a value of the selected frame: order, order.item, order['item'], rows[2], "
		"len(rows)"},
	{"{", "[NAME]", NULL, NAMES_VARIABLES, WORD_TAKES, command_write,
		"go to the line that wrote the variable before, in this frame, or a part of it: "
		"order.total; without a name: the one that was shown last"},
	{"}", "[NAME]", NULL, NAMES_VARIABLES, WORD_TAKES, command_write,
		"go to the line that writes the variable next, in this frame"},
	{"watch", "[NAME]", NULL, NAMES_VARIABLES, WORD_TAKES, command_watch,
		"set a stop where the variable, or a part of it, changes, in each call of this "
		"function; the same "
		"again removes it"},
	{"run", "", "start,restart", NAMES_NONE, WORD_TAKES, do_run, NULL},
	{"disable", "", "enable,ignore,condition,commands", NAMES_NONE, WORD_TAKES, do_disable,
		NULL},
	{"help", "[COMMAND]", "h", NAMES_COMMANDS, WORD_TAKES, words_help,
		"list the commands, or say what one of them does"},
	{"q", "", "quit,exit", NAMES_NONE, WORD_ALONE, do_quit, "quit"},
	{0},
};
