#define _GNU_SOURCE
#include "session/commands.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "base/units.h"
#include "session/elsewhere.h"
#include "session/known.h"
#include "session/when.h"

#define NO_VALUES  "this recording has the path, not the values of variables"
#define FRAMES_MAX 4096
#define LINE_MAX   (1 << 20) /* for which hits are counted */

int session_refuse(struct session *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->why, sizeof s->why, format, arguments);
	va_end(arguments);
	s->refused = true;
	return 0;
}

int session_tell(struct session *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->why, sizeof s->why, format, arguments);
	va_end(arguments);
	return 0;
}

void session_tell_more(struct session *s, const char *format, ...)
{
	size_t used = strlen(s->why);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->why + used, sizeof s->why - used, format, arguments);
	va_end(arguments);
}

/* After a move: PL_END is a refusal, for this reason, or because the user stopped it. Wherever the
 * position has moved, the innermost frame is the selected one again. */
static int moved(struct session *s, int code, const char *why)
{
	if (code == 0)
		s->frame = 0;
	if (code == PL_END)
		return session_refuse(s, "%s", s->replay.stop && *s->replay.stop ? "stopped" : why);
	return code;
}

/* Is the whole text a number from 1 on? */
static bool read_counting_number(const char *text, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*n = strtoull(text, &end, 10);
	return !*end && *n && *n < INT64_MAX;
}

/* ---- where it is ---- */

/* The frames of the position, the outermost first; free them. *depth can be more than the
 * FRAMES_MAX that are filled in. NULL: there is no memory. */
static struct pl_frame *frames_here(struct session *s, size_t *depth)
{
	struct pl_frame *frames = calloc(FRAMES_MAX, sizeof *frames);

	*depth = frames ? replay_stack(&s->replay, frames, FRAMES_MAX) : 0;
	return frames;
}

/* The code and line of the selected frame. */
static struct replay_place selected_place(struct session *s)
{
	struct replay_place place = replay_place(&s->replay);
	size_t depth = 0;
	struct pl_frame *frames = s->frame ? frames_here(s, &depth) : NULL;

	if (depth > s->frame && depth - 1 - s->frame < FRAMES_MAX) {
		place.code = frames[depth - 1 - s->frame].code;
		place.line = frames[depth - 1 - s->frame].line;
	}
	free(frames);
	return place;
}

/* ---- steps ---- */

static void note_end(struct session *s);

/* Why n, f or until found no line: others of the thread may follow, and are not of these frames. */
static int no_line(struct session *s, enum step step, bool back, struct pl_err *err)
{
	const char *way = back ? "earlier" : "later";
	struct pl_event line;
	int code = step == STEP_LINE || *s->replay.stop ? PL_END
							: replay_peek(&s->replay, back, &line, err);

	if (code < 0)
		return code;
	if (*s->replay.stop)
		return session_refuse(s, "stopped");
	if (code == PL_END && !back)
		note_end(s);
	if (code == PL_END)
		return session_refuse(s, "no %s line in this thread", way);
	return session_refuse(s, "no %s line of this frame%s is recorded; %s", way,
		step == STEP_OUT ? "'s callers" : " or its callers",
		back ? "S goes back" : "s goes on");
}

/* The letter is the first one of the command's own name, whichever of its names was typed. */
static int do_step(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	enum step step = strchr("sS", letter)	? STEP_LINE
			 : strchr("nN", letter) ? STEP_NEXT
						: STEP_OUT;
	bool back = isupper((unsigned char)letter);

	(void)rest;
	int code = replay_step(&s->replay, step, back, err);
	return code == PL_END ? no_line(s, step, back, err) : moved(s, code, "");
}

/* Without a number: the line after this one, so that a loop's jump back does not stop it. */
static int do_until(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	uint64_t line = (uint64_t)s->replay.at.line + 1;

	(void)letter;
	if (*rest && (!read_counting_number(rest, &line) || line > INT32_MAX))
		return session_refuse(s, "not a line number: %s; try until 44", rest);
	int code = replay_until(&s->replay, (int32_t)line, err);
	return code == PL_END ? no_line(s, STEP_NEXT, false, err) : moved(s, code, "");
}

/* Where no stop is left on the way, the answer says where there are some (elsewhere.h). */
static int do_continue(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	char text[ELSEWHERE_BYTES];
	bool back = letter == 'C';

	(void)rest;
	if (!s->replay.stops.count)
		return session_refuse(s, "there is no stop; set one with b, x or w");
	int code = replay_continue(&s->replay, back, err);
	if (code == PL_END && !*s->replay.stop) {
		code = elsewhere_tell(&s->replay, back, text, err);
		code = code ? code : PL_END;
	}
	return moved(s, code, text);
}

/* Stops and searches are of all threads of the process, or only of this one. */
static int do_all(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	s->replay.only_here = !s->replay.only_here;
	return session_tell(s, "stops and searches: %s",
		s->replay.only_here ? "this thread only" : "all threads");
}

/* ---- stops ---- */

/* As the command that would set it. */
static void tell_stop(struct session *s, const struct stop *stop)
{
	static const char *const words[] = {"b", "b", "w", "x"};

	session_tell_more(s, "%" PRIu32 ": %s%s%s", stop->number,
		stop->once ? "tbreak" : words[stop->kind], stop->name[0] ? " " : "", stop->name);
	if (stop->kind == STOP_LINE)
		session_tell_more(s, ":%" PRId32, stop->line);
	if (stop->hits)
		session_tell_more(s, " if hits == %" PRIu64, stop->hits);
}

/* All of them on one line, in the order in which they were set. */
static void tell_stops(struct session *s)
{
	const struct stops *stops = &s->replay.stops;

	for (size_t i = 0; i < stops->count; i++) {
		session_tell_more(s, "%s", i ? "; " : "");
		tell_stop(s, &stops->rows[i]);
	}
}

/* A stop that a person asks for. */
struct wish {
	enum stop_kind kind;
	const char *name;
	int32_t line;
	uint64_t hits;
	bool once;
};

/* Set the stop, or delete it if the same one exists. The same place with another number of hits is
 * another stop; asked for as b where it is a tbreak, or the other way round, it only changes into
 * that. */
static int toggle(struct session *s, const struct wish *w)
{
	struct stops *stops = &s->replay.stops;
	struct stop *same = stops_find(stops, w->kind, w->name, w->line);
	const bool same_hits = same && (!w->hits || w->hits == same->hits);

	if (same_hits && same->once == w->once) {
		session_tell(s, "removed ");
		tell_stop(s, same);
		stops_clear(stops, same->number);
		return 0;
	}
	struct stop *stop = same_hits ? same : stops_add(stops, w->kind, w->name, w->line);
	if (!stop)
		return session_refuse(s,
			"there are %d stops already, or the name is too long; clear N removes one",
			STOPS_MAX);
	stop->hits = same_hits ? same->hits : w->hits;
	stop->once = w->once;
	session_tell(s, "stop ");
	tell_stop(s, stop);
	return 0;
}

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
		!read_counting_number(digits, &n))
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

/* Only what ran can be stopped at: a mistyped name is refused now, with what is near to it, and not
 * after a search of the whole recording. known.h has said why; PL_END is its refusal. */
static int set_stop(struct session *s, const struct wish *w, struct pl_err *err)
{
	int code = stops_find(&s->replay.stops, w->kind, w->name, w->line) ? 0
		   : w->kind == STOP_LINE  ? known_line(s, w->name, w->line, err)
		   : w->kind == STOP_RAISE ? known_exception(s, w->name, err)
					   : known_function(s, w->name, err);

	return code == 0 ? toggle(s, w) : code == PL_END ? 0 : code;
}

/* "b", "b 12", "b file.py:12", "b function", each with " if hits == K" for a line. What has no
 * number after its last colon is a function's name. */
static int do_break(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const struct replay_place here = selected_place(s);
	char text[STOP_NAME_MAX];
	struct wish w = {.kind = STOP_LINE, .name = text, .once = letter == 't'};
	uint64_t line = here.line > 0 ? (uint64_t)here.line : 0;

	const bool whole = snprintf(text, sizeof text, "%s", rest) < (int)sizeof text;
	if (whole && asks_values(text))
		return session_refuse(s, NO_VALUES "; b N if hits == K stops at that hit");
	if (!whole || !cut_hits(text, &w.hits))
		return session_refuse(s,
			"not understood: b %s; try b N, b file:N, b function, b N if hits == K",
			rest);
	char *colon = strrchr(text, ':');
	const char *number = colon ? colon + 1 : text;
	bool has_line = !*text || (read_counting_number(number, &line) && line <= INT32_MAX);
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
		return session_refuse(s, "there is no line here; try b file:N");
	w.line = has_line ? (int32_t)line : 0;
	return set_stop(s, &w, err);
}

static int do_stops(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	tell_stops(s);
	return s->replay.stops.count ? 0 : session_tell(s, "there is no stop");
}

/* w: each entry of a function, also when a generator or coroutine is resumed. */
static int do_entries(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter;
	if (!*rest)
		return session_refuse(
			s, "w needs the name of a function; bt shows where the position is");
	return set_stop(s, &(struct wish){.kind = STOP_ENTRY, .name = rest}, err);
}

/* x: without a name, any exception. */
static int do_raised(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter;
	return set_stop(s, &(struct wish){.kind = STOP_RAISE, .name = rest}, err);
}

static int clear_all(struct session *s)
{
	const size_t count = s->replay.stops.count;

	s->replay.stops.count = 0;
	return session_tell(s,
		!count	     ? "there is no stop"
		: count == 1 ? "removed the stop"
			     : "removed all %zu stops",
		count);
}

/* By number; without one, all of them. */
static int do_clear(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct stops *stops = &s->replay.stops;
	size_t i = 0;
	uint64_t n;

	(void)letter, (void)err;
	if (!*rest)
		return clear_all(s);
	while (read_counting_number(rest, &n) && i < stops->count && stops->rows[i].number != n)
		i++;
	if (!read_counting_number(rest, &n) || i == stops->count)
		return session_refuse(s, "there is no stop %s; B lists them", rest);
	session_tell(s, "removed ");
	tell_stop(s, &stops->rows[i]);
	stops_clear(stops, (uint32_t)n);
	session_tell_more(s, stops->count ? "; left: " : "; no stop is left");
	tell_stops(s);
	return 0;
}

/* ---- stack, threads, processes ---- */

static const char *frame_name(const struct pl_frame *f)
{
	return f->code ? pl_code_name(f->code) : "?";
}

static const char *frame_file(const struct pl_frame *f)
{
	return f->code ? pl_code_file(f->code) : "?";
}

/* u and d move the selection only; the position stays. */
static int do_frame(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	size_t depth;
	struct pl_frame *frames = frames_here(s, &depth);

	(void)rest;
	if (!frames)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the stack");
	if (letter == 'u' && s->frame + 1 < depth)
		s->frame++;
	else if (letter == 'd' && s->frame)
		s->frame--;
	else
		depth = 0;
	size_t index = depth - 1 - s->frame;
	if (!depth || index >= FRAMES_MAX)
		session_refuse(s, letter == 'u' ? "this is the outermost frame"
						: "this is the innermost frame");
	else
		session_tell(s, "frame %zu: %s:%" PRId32 " %s", s->frame,
			frame_file(&frames[index]), frames[index].line, frame_name(&frames[index]));
	free(frames);
	return 0;
}

/* The innermost frame first, as u and d number them. */
static int do_stack(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	size_t depth;
	struct pl_frame *frames = frames_here(s, &depth);

	(void)letter, (void)rest;
	if (!frames)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the stack");
	if (!depth)
		session_refuse(s, "there is no frame here");
	for (size_t i = 0; i < depth && depth - 1 - i < FRAMES_MAX; i++) {
		const struct pl_frame *f = &frames[depth - 1 - i];
		session_tell_more(s, "%s%s%zu %s %s:%" PRId32, i ? "; " : "",
			i == s->frame ? "> " : "", i, frame_name(f), frame_file(f), f->line);
	}
	free(frames);
	return 0;
}

/* One line of the file in which the selected frame is. */
static int do_list(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const struct replay_place here = selected_place(s);
	struct pl_err why = {0};
	struct pl_text text;
	uint64_t number = 0;

	(void)letter, (void)err;
	if (*rest && (!read_counting_number(rest, &number) || number > INT32_MAX))
		return session_refuse(s, "not a line number: %s; try list 44", rest);
	const int32_t line = number ? (int32_t)number : here.line;
	if (!here.code)
		return session_refuse(s, "there is no file here");
	if (pl_source_line(s->replay.r, here.code, line, &text, &why))
		return session_refuse(
			s, "%s", why.used ? pl_err_text(&why) : "the file has no such line");
	return session_tell(s, "%s:%" PRId32 ": %.*s", pl_code_file(here.code), line,
		text.length < WHY_MAX ? (int)text.length : WHY_MAX, text.at);
}

/* A thread that stood somewhere when its process was killed was there to the end, so that another
 * thread's end is at the same time; another process may have gone on after that. */
static int64_t moment_ns(const struct replay *p, const struct moment *m)
{
	const struct pl_process *of = pl_recording_find_process(p->r, m->at.position.process);

	return !m->stands ? m->at.time_ns : of && of->end_ns ? of->end_ns : INT64_MAX;
}

/* By time, because the order is that of one process. It takes two moves, to the thread and to the
 * time, of which the history keeps one; if the second fails, the first is taken back. */
static int go_to_process(
	struct replay *p, uint32_t process, uint32_t thread, int64_t time_ns, struct pl_err *err)
{
	const struct pl_position here = p->at.position;
	const uint64_t seq = p->at.seq;
	int code = replay_seq(p, process, thread, 0, err);

	p->joins = code == 0; /* it is one move */
	if (code == 0)
		code = replay_time(p, time_ns, err);
	if (code < 0)
		replay_seq(p, here.process, here.thread, seq, err);
	p->joins = false;
	return code;
}

/* To where another thread, of this or another process, is at this moment. */
static int go_to_thread(struct session *s, uint32_t process, uint32_t thread, struct pl_err *err)
{
	struct replay *p = &s->replay;
	const struct moment from = replay_moment(p);
	const struct pl_thread *t = pl_recording_thread(p->r, process, thread);
	const char *name = t && t->name[0] ? t->name : "the thread";
	const bool same = process == from.at.position.process;
	const int64_t time_ns = moment_ns(p, &from);
	enum replay_there there = REPLAY_RUNS;
	int code = same ? replay_thread(p, &from, thread, &there, err)
			: go_to_process(p, process, thread, time_ns, err);

	if (code == 0)
		replay_keep_moment(p, &from);
	if (code == 0 && from.stands && (same || time_ns == INT64_MAX))
		session_note_seen(s);
	else if (code == 0 && there != REPLAY_RUNS)
		snprintf(s->note, sizeof s->note,
			there == REPLAY_BEGINS_LATER
				? "%.80s had not begun; this is its first event"
				: "this is the last event of %.80s",
			name);
	return moved(s, code, "nothing of it was recorded");
}

/* Begin or continue a list of what exists; `missing`, if not "", is what was asked for and does
 * not. */
static void tell_row(struct session *s, const char *what, const char *missing)
{
	if (s->why[0])
		session_tell_more(s, "; ");
	else if (*missing)
		session_refuse(s, "there is no %s %s; there are: ", what, missing);
}

/* Is it the thread's number or name? */
static bool is_thread(const struct pl_thread *t, uint32_t number, const char *word)
{
	char digits[16];

	snprintf(digits, sizeof digits, "%" PRIu32, number);
	return t && (!strcmp(word, digits) || !strcmp(word, t->name));
}

/* No thread of the position's process has this number or name: does one of another process? Then
 * say how to go there. */
static bool tell_process_with(struct session *s, const char *word)
{
	struct pl_recording *r = s->replay.r;

	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; n < p->thread_count; n++) {
			if (!is_thread(pl_recording_thread(r, p->number, n), n, word))
				continue;
			session_refuse(s,
				"there is no thread %s in process %" PRIu32 "; process %" PRIu32
				" has it: P %" PRIu32 ", then t %s",
				word, s->replay.at.position.process, p->number, p->number, word);
			return true;
		}
	}
	return false;
}

/* By number or name; of threads with one name the first. Without an argument, or with one that no
 * thread has, the list. */
static int do_thread(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const uint32_t process = s->replay.at.position.process;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, process);

	(void)letter;
	for (uint32_t n = 0; p && n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(s->replay.r, process, n);
		if (!*rest || !is_thread(t, n, rest))
			continue;
		if (n == s->replay.at.position.thread)
			return session_tell(s, "this is thread %" PRIu32 " %s", n, t->name);
		return go_to_thread(s, process, n, err);
	}
	if (*rest && tell_process_with(s, rest))
		return 0;
	for (uint32_t n = 0; p && n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(s->replay.r, process, n);
		if (!t)
			continue;
		tell_row(s, "thread", rest);
		session_tell_more(s, "%s%" PRIu32 ": %s",
			n == s->replay.at.position.thread && !*rest ? "> " : "", n, t->name);
	}
	return 0;
}

/* The thread in which one came from this process; or else its first. */
static uint32_t thread_from(struct session *s, uint32_t process)
{
	const struct moment from = replay_moment(&s->replay);

	return from.at.position.process == process ? from.at.position.thread : 0;
}

/* By number. Without one, or with one that no process has, the list. */
static int do_process(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct pl_recording *r = s->replay.r;

	(void)letter;
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		char number[16];
		snprintf(number, sizeof number, "%" PRIu32, p->number);
		if (strcmp(rest, number))
			continue;
		if (p->number == s->replay.at.position.process)
			return session_tell(s, "this is process %" PRIu32, p->number);
		return go_to_thread(s, p->number, thread_from(s, p->number), err);
	}
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		tell_row(s, "process", rest);
		session_tell_more(s, "%s%" PRIu32 ": pid %" PRIu32 " %s",
			p->number == s->replay.at.position.process && !*rest ? "> " : "", p->number,
			p->pid, p->command);
	}
	return 0;
}

#define TASKS_MAX  1000 /* more are not counted */
#define TASKS_TOLD 12	/* if there are more, so many are named */

/* The number of a task such as "3"; 0: the word is a name. */
static uint64_t task_number(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word) ? strtoull(word, NULL, 10) : 0;
}

/* Is it the task of the position? */
static bool is_here(const struct session *s, const struct task_name *task)
{
	const struct task_name *here = &s->replay.task;

	return (here->number || here->text[0]) && tasks_same(here->number, here->text, task);
}

/* Of many tasks: the place in the list around which some are named. */
static size_t task_in_sight(
	const struct session *s, const struct task_name *names, size_t count, uint64_t number)
{
	size_t i = 0;

	while (i < count && (number ? names[i].number < number : !is_here(s, &names[i])))
		i++;
	return i < count ? i : number ? count : 0;
}

/* The name of a task that was mistyped. */
static const char *near_task(const struct task_name *names, size_t count, const char *missing)
{
	const char *known[TASKS_MAX + 1] = {NULL};

	for (size_t i = 0; i < count; i++)
		known[i] = names[i].text;
	return nearest_word(missing, known);
}

/* All tasks, or if there are many, those around the position's, or around the number that was asked
 * for. */
static void tell_tasks(
	struct session *s, const struct task_name *names, size_t count, const char *missing)
{
	const size_t at = task_in_sight(s, names, count, task_number(missing));
	const size_t most = count - TASKS_TOLD, half = TASKS_TOLD / 2;
	const bool many = count > TASKS_TOLD;
	const char *near = many && *missing ? near_task(names, count, missing) : NULL;
	size_t from = 0, end = count;
	char text[TASK_TEXT_BYTES], number[UNITS_BYTES];

	units_count(number, count);
	if (*missing)
		session_refuse(s, "there is no task %s in this thread; ", missing);
	if (near)
		session_tell_more(s, "did you mean %s? ", near);
	if (many) {
		from = at < half ? 0 : at - half < most ? at - half : most;
		end = from + TASKS_TOLD;
		session_tell_more(s,
			"%s%s tasks, some of them: ", count == TASKS_MAX ? "at least " : "",
			number);
	} else if (*missing) {
		session_tell_more(s, "there are: ");
	}
	for (size_t i = from; i < end; i++) {
		tasks_text(&names[i], text);
		session_tell_more(s, "%s%s%s", i > from ? "; " : "",
			!*missing && is_here(s, &names[i]) ? "> " : "", text);
	}
	if (many)
		session_tell_more(s, "; `report --tasks -n 0` lists all");
}

/* `missing`: what was asked for and is no task; "": the list itself was asked for. */
static int list_tasks(struct session *s, const char *missing, struct pl_err *err)
{
	struct task_name *names = calloc(TASKS_MAX, sizeof *names);
	size_t count;

	if (!names)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the names of tasks");
	int code = replay_tasks(&s->replay, names, TASKS_MAX, &count, err);
	if (code == 0 && *s->replay.stop)
		session_refuse(s, "stopped");
	else if (code == 0 && !count)
		session_refuse(s, "this thread has no tasks");
	else if (code == 0)
		tell_tasks(s, names, count, missing);
	free(names);
	return code;
}

/* By a name that it had at any time. Of several tasks with one name only those parts are found in
 * which they have it. */
static int task_by_name(struct session *s, struct task_name *task, struct pl_err *err)
{
	int code = replay_task_number(&s->replay, task->text, &task->number, err);

	return code ? code : replay_task(&s->replay, task, err);
}

/* By number or name: where it runs next, or else its last part. Without an argument the list. */
static int do_task(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct task_name wanted = {.number = task_number(rest)}, named = {.number = 0};
	const uint64_t from = s->replay.at.seq;
	char text[TASK_TEXT_BYTES];
	int code = PL_END;

	(void)letter;
	snprintf(named.text, sizeof named.text, "%s", rest);
	if (wanted.number)
		code = replay_task(&s->replay, &wanted, err);
	if (code == PL_END && *rest)
		code = task_by_name(s, &named, err); /* a name can also consist of digits */
	if (code == 0 && s->replay.at.seq < from) {
		tasks_text(&s->replay.task, text);
		snprintf(s->note, sizeof s->note,
			"task %s runs no later line; this is its last part with a line", text);
	}
	if (code <= 0)
		return moved(s, code, "");
	if (*rest && is_here(s, wanted.number ? &wanted : &named)) {
		tasks_text(&s->replay.task, text);
		return session_refuse(s, "task %s does not go on later; [ goes back", text);
	}
	return list_tasks(s, rest, err);
}

/* ---- how often ---- */

/* Kept while the position is in the thread, because counting a long thread takes seconds. */
struct hits *session_hits(struct session *s)
{
	const struct pl_position *at = &s->replay.at.position;

	if (s->hits && s->hits_at.process == at->process && s->hits_at.thread == at->thread)
		return s->hits;
	hits_free(s->hits);
	s->hits = hits_new(s->replay.r, at->process, at->thread);
	s->hits_at = *at;
	return s->hits;
}

/* Does the recording have the passes of loops that stay on a line? */
static bool has_passes(const struct session *s)
{
	struct pl_recording_info info;

	pl_recording_info(s->replay.r, &info);
	return !strcmp(info.passes, "all");
}

/* How often it ran so far, and in all. A line that may have run after the last event has no exact
 * number. */
static int tell_hits(struct session *s, const struct replay_place *of, uint64_t so_far,
	uint64_t in_all, struct pl_err *err)
{
	const struct pl_position *at = &s->replay.at.position;
	struct possible possible = {0};
	char numbers[2][UNITS_BYTES];
	int code = possible_add(&possible, s->replay.r, at->process, at->thread, err);
	const bool may = code == 0 && possible_has(&possible, of->code, of->line);

	possible_release(&possible);
	units_count(numbers[0], so_far);
	units_count(numbers[1], in_all);
	if (code == 0 && may && !in_all)
		session_tell(
			s, "line %" PRId32 ": not known; the path breaks off before it", of->line);
	else if (code == 0)
		session_tell(s, "line %" PRId32 ": %s of %s hits%s%s%s", of->line, numbers[0],
			numbers[1], has_passes(s) ? "" : ", without passes of one-line loops",
			executed_is_whole(s->replay.r) ? "" : ", in what is not missing",
			may ? ", and maybe more where the path breaks off" : "");
	return code;
}

/* To the end of the counting, where the screen would go on with other things meanwhile. */
static int count_hits(struct session *s, const struct replay_place *of, struct pl_err *err)
{
	struct hits *h = session_hits(s);
	uint64_t *counts = h ? calloc((size_t)of->line + 1, sizeof *counts) : NULL;
	int code = HITS_GOES_ON;

	if (!counts)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for counts of lines");
	while (code == HITS_GOES_ON && !*s->replay.stop)
		code = hits_work(h, s->replay.at.seq, err);
	if (code == HITS_READY && hits_of(h, of->code, counts, of->line)) {
		const uint64_t so_far = counts[of->line];
		hits_in_all(h, of->code, counts, of->line);
		code = tell_hits(s, of, so_far, counts[of->line], err);
	} else if (code >= 0) {
		session_refuse(s, "stopped");
	}
	free(counts);
	return code < 0 ? code : 0;
}

/* Of this line, or of another one of the same file. */
static int do_hits(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct replay_place here = selected_place(s);
	uint64_t line = here.line > 0 ? (uint64_t)here.line : 0;

	(void)letter;
	if (!here.code)
		return session_refuse(s, "there is no file here");
	if ((*rest && !read_counting_number(rest, &line)) || line > LINE_MAX)
		return session_refuse(s, "not a line number: %s; try hits 44", rest);
	here.line = (int32_t)line;
	return count_hits(s, &here, err);
}

/* ---- time ---- */

/* Percents are of the time of the position's thread. */
static struct when_scale scale_of(struct session *s, struct pl_recording_info *info)
{
	const struct pl_event *at = &s->replay.at;
	const struct pl_thread *t =
		pl_recording_thread(s->replay.r, at->position.process, at->position.thread);
	struct when_scale scale = {.info = info, .from_ns = at->time_ns, .back = true};

	pl_recording_info(s->replay.r, info);
	scale.start_ns = t ? t->start_ns : info->start_ns;
	scale.end_ns = t ? replay_end(&s->replay) : info->end_ns;
	if (t && scale.end_ns < scale.start_ns)
		scale.end_ns = scale.start_ns;
	return scale;
}

int session_percent(struct session *s)
{
	struct pl_recording_info info;
	const struct when_scale scale = scale_of(s, &info);
	const struct pl_position *at = &s->replay.at.position;
	const struct pl_thread *t = pl_recording_thread(s->replay.r, at->process, at->thread);
	const double whole = (double)scale.end_ns - (double)scale.start_ns;
	const double past = (double)scale.from_ns - (double)scale.start_ns;

	if (t && s->replay.at.seq + 1 >= t->first_seq + t->events)
		return 100; /* the thread can end later than its last event */
	return past <= 0 ? 0 : past >= whole ? 100 : (int)(100 * past / whole);
}

/* A seq ("#4711") is not a time; do_jump reads it itself. */
static bool read_time(struct session *s, const char *text, int64_t *time_ns)
{
	struct pl_recording_info info;
	const struct when_scale scale = scale_of(s, &info);
	struct when when;

	if (!when_read(text, &scale, &when))
		return false;
	*time_ns = when.time_ns;
	return when.kind == WHEN_TIME;
}

/* Say how far the nearest event is from the requested time. */
static void note_distance(struct session *s, int64_t off_ns)
{
	char text[UNITS_BYTES];

	if (!off_ns)
		return;
	units_duration(text, off_ns < 0 && off_ns > INT64_MIN ? -off_ns : off_ns);
	snprintf(s->note, sizeof s->note, "the nearest event is %s %s", text,
		off_ns < 0 ? "earlier" : "later");
}

/* "MainThread was seen last in line 7 of inner, waiting for 3.9 s; w0: line 13 of worker, …". */
static void note_thread(struct session *s, uint32_t thread, const struct seen *seen)
{
	const struct pl_thread *t =
		pl_recording_thread(s->replay.r, s->replay.at.position.process, thread);
	const size_t used = strlen(s->note);
	char text[SEEN_BYTES];

	seen_text(seen, text);
	snprintf(s->note + used, sizeof s->note - used, "%s%.40s%s%s", used ? "; " : "",
		t && t->name[0] ? t->name : "a thread", s->seen_noted ? ": " : " was seen last in ",
		text);
	s->seen_noted = true;
}

void session_note_here(struct session *s)
{
	const struct seen *seen = s->seen_noted ? NULL : replay_seen(&s->replay);

	if (seen)
		note_thread(s, s->replay.at.position.thread, seen);
}

/* Did the thread end before its process did? */
static bool has_ended(const struct pl_process *p, const struct pl_thread *t)
{
	return t->end_ns && (!p->end_ns || t->end_ns < p->end_ns);
}

/* There is no later line: where was the thread seen after its last event, which can be a call? */
static void note_end(struct session *s)
{
	const struct pl_position *here = &s->replay.at.position;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, here->process);
	const struct pl_thread *t = pl_recording_thread(s->replay.r, here->process, here->thread);
	const uint32_t count = p ? p->thread_count : 0;
	struct path path = {.r = s->replay.r, .process = here->process, .thread = here->thread};
	struct seen *rows = calloc((size_t)count + 1, sizeof *rows);

	if (rows && t && here->thread < count && !s->seen_noted && !has_ended(p, t)) {
		seen_ask(&path, &rows[here->thread]);
		if (seen_last(s->replay.r, here->process, rows, count, NULL) == 0 &&
			rows[here->thread].code)
			note_thread(s, here->thread, &rows[here->thread]);
	}
	path_release(&path);
	free(rows);
}

#define NOTED_THREADS 4

/* For the first few threads only: a note is one line. */
void session_note_seen(struct session *s)
{
	const struct pl_position *here = &s->replay.at.position;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, here->process);
	const uint32_t count = p ? p->thread_count : 0;
	struct seen *rows = calloc((size_t)count + 1, sizeof *rows);
	uint32_t noted = 0, left_out = 0;

	if (!rows || !p)
		goto done;
	for (uint32_t n = 0; n < count; n++) {
		struct path path = {.r = s->replay.r, .process = here->process, .thread = n};
		const struct pl_thread *t = pl_recording_thread(s->replay.r, here->process, n);
		if (!t || has_ended(p, t))
			continue;
		seen_ask(&path, &rows[n]);
		path_release(&path);
	}
	if (seen_last(s->replay.r, here->process, rows, count, NULL))
		goto done;
	for (uint32_t i = 0; i < count; i++) { /* the position's thread first */
		const uint32_t n = (here->thread + i) % count;
		if (rows[n].code && noted++ < NOTED_THREADS)
			note_thread(s, n, &rows[n]);
	}
	left_out = noted > NOTED_THREADS ? noted - NOTED_THREADS : 0;
	if (left_out)
		snprintf(s->note + strlen(s->note), sizeof s->note - strlen(s->note),
			"; and %" PRIu32 " more thread%s", left_out, left_out == 1 ? "" : "s");
done:
	free(rows);
}

/* The end of this thread's path, and where all threads were seen last. */
static int jump_to_end(struct session *s, struct pl_err *err)
{
	const struct pl_position here = s->replay.at.position;
	int code = replay_seq(&s->replay, here.process, here.thread, INT64_MAX, err);

	if (code == 0)
		session_note_seen(s);
	return moved(s, code, "empty");
}

/* j: `start`, `end`, the number of an event (#4711), or a time. */
static int do_jump(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct replay *p = &s->replay;
	const struct pl_position here = p->at.position;
	int64_t time_ns, off_ns;
	char *end;

	(void)letter;
	if (!strcmp(rest, "start"))
		return moved(s, replay_seq(p, here.process, here.thread, 0, err), "empty");
	if (!strcmp(rest, "end"))
		return jump_to_end(s, err);
	if (*rest == '#' && isdigit((unsigned char)rest[1])) {
		uint64_t seq = strtoull(rest + 1, &end, 10);
		if (*end || seq > INT64_MAX)
			return session_refuse(s, "not the number of an event: %s", rest);
		int code = moved(s, replay_seq(p, here.process, here.thread, seq, err), "empty");
		if (code == 0 && p->at.seq != seq)
			snprintf(s->note, sizeof s->note,
				"there is no event #%" PRIu64 "; this is #%" PRIu64, seq,
				p->at.seq);
		return code;
	}
	if (!*rest)
		return session_refuse(s, "j needs a time: %s, -1h, #4711, start, end", WHEN_FORMS);
	if (!read_time(s, rest, &time_ns))
		return session_refuse(
			s, "not a time: %s; try %s, -1h, #4711, start, end", rest, WHEN_FORMS);
	int code = moved(s, replay_time(p, time_ns, err), "this thread has no events");
	if (code == 0 && !s->why[0] && !__builtin_sub_overflow(p->at.time_ns, time_ns, &off_ns))
		note_distance(s, off_ns);
	return code;
}

/* ---- marks, visited places, search, switches ---- */

/* m sets a mark, ' goes there, and '' goes to the place before. */
static int do_mark(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	bool good = *rest >= 'a' && *rest <= 'z' && !rest[1];

	if (letter == '\'' && *rest == '\'' && !rest[1])
		return moved(s, replay_visited(&s->replay, true, err), "there is no earlier place");
	if (!good)
		return session_refuse(s, "a mark is one letter, a to z");
	if (letter == '\'')
		return moved(s, replay_to_mark(&s->replay, *rest, err),
			"there is no such mark; m LETTER sets one");
	replay_mark(&s->replay, *rest);
	return session_tell(s, "mark %s", rest);
}

static int do_back(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest;
	return moved(s, replay_visited(&s->replay, true, err), "there is no earlier place");
}

static int do_forward(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest;
	return moved(s, replay_visited(&s->replay, false, err), "there is no later place");
}

/* , goes against the direction of the last / or ?, and ; along with it. */
static int do_search(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	bool again = letter == ';' || letter == ',';

	if (!again) {
		if (s->has_regex)
			regfree(&s->regex);
		s->has_regex = *rest && regcomp(&s->regex, rest, REG_EXTENDED | REG_NOSUB) == 0;
		s->regex_back = letter == '?';
		if (!s->has_regex)
			return session_refuse(s, "not a regular expression: %s", rest);
	}
	if (!s->has_regex)
		return session_refuse(s, "there is no search to repeat; try /NAME");
	bool back = s->regex_back != (letter == ',');
	return moved(s, replay_search(&s->replay, &s->regex, back, err),
		back ? "not found before this place; / searches forward"
		     : "not found after this place; ? searches backward");
}

/* Who ran at a place that one went to, or came from. */
struct runner {
	struct pl_position at;
	struct task_name task;
};

/* "thread 2 pricing_1, task 3 worker"; within one thread "task 3 worker" is enough. */
#define RUNNER_BYTES 240
static void runner_text(const struct session *s, const struct runner *one,
	const struct runner *other, char text[RUNNER_BYTES])
{
	const struct pl_thread *t =
		pl_recording_thread(s->replay.r, one->at.process, one->at.thread);
	const bool same = one->at.thread == other->at.thread;
	char name[TASK_TEXT_BYTES], others[TASK_TEXT_BYTES], thread[80];

	tasks_text(&one->task, name);
	tasks_text(&other->task, others);
	snprintf(thread, sizeof thread, "thread %" PRIu32 "%s%.60s", one->at.thread,
		t && t->name[0] ? " " : "", t ? t->name : "");
	if (name[0])
		snprintf(text, RUNNER_BYTES, "%s%stask %.140s", same ? "" : thread,
			same ? "" : ", ", name);
	else
		snprintf(text, RUNNER_BYTES, "%s%s", thread,
			same && others[0] ? " outside of tasks" : "");
}

/* Says who runs here, and who ran where one came from. */
static int do_switch(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const struct runner from = {s->replay.at.position, s->replay.task};
	char left[RUNNER_BYTES], now[RUNNER_BYTES];

	(void)rest;
	int code = replay_switch(&s->replay, letter == '[', err);
	if (code == 0) {
		const struct runner here = {s->replay.at.position, s->replay.task};
		runner_text(s, &here, &from, now);
		runner_text(s, &from, &here, left);
		if (strcmp(now, left))
			snprintf(s->note, sizeof s->note, "%s runs here; you came from %s", now,
				left);
		else
			snprintf(s->note, sizeof s->note, "%s runs here", now);
	}
	return moved(s, code, letter == '[' ? "no earlier switch" : "no later switch");
}

static int do_quit(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	s->quit = true;
	return 0;
}

/* Commands that users of gdb and pdb type by habit: they are known, so as to say why they do
 * nothing. */
static int do_run(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	return session_refuse(
		s, "a recording is not run again; j start goes to where this thread began");
}

static int do_disable(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	return session_refuse(s,
		"stops are only set and removed: clear N removes one, b N if hits == K stops at "
		"one hit");
}

static int do_values(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	return session_refuse(s, NO_VALUES);
}

void session_release(struct session *s)
{
	if (s->has_regex)
		regfree(&s->regex);
	executed_release(&s->executed);
	hits_free(s->hits);
	replay_release(&s->replay);
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
	{"b", "[PLACE]", "break", NAMES_PLACES, WORD_TAKES, do_break,
		"set a stop at this line, or at N, FILE:N, or where FUNCTION is called; N and "
		"FILE:N can be followed by: if hits == K; the same again removes it"},
	{"tbreak", "[PLACE]", "tb", NAMES_PLACES, WORD_TAKES, do_break,
		"set a stop as b does, for once: it is removed where c or C reaches it"},
	{"B", "", "stops,info breakpoints,info break,info b", NAMES_NONE, WORD_ALONE, do_stops,
		"list the stops"},
	{"x", "[TYPE]", "catch", NAMES_EXCEPTIONS, WORD_TAKES, do_raised,
		"set a stop where an exception of the type, or any, is raised"},
	{"w", "FUNCTION", NULL, NAMES_FUNCTIONS, WORD_TAKES, do_entries,
		"set a stop where a function is called or resumed"},
	{"clear", "[NUMBER]", "delete,cl", NAMES_STOPS, WORD_TAKES, do_clear,
		"remove a stop; without a number: all stops"},
	{"u", "", "up", NAMES_NONE, WORD_COUNTS, do_frame, "select the frame of the caller"},
	{"d", "", "down", NAMES_NONE, WORD_COUNTS, do_frame,
		"select the frame that this one called"},
	{"bt", "", "backtrace,where,info stack,info frame", NAMES_NONE, WORD_ALONE, do_stack,
		"list the frames of the stack"},
	{"list", "[N]", "l,ll,longlist,info line,info source", NAMES_NONE, WORD_TAKES, do_list,
		"show the text of this line, or of line N of this file"},
	{"t", "[THREAD]", "thread,info threads", NAMES_THREADS, WORD_TAKES, do_thread,
		"list the threads, or go to where one is at this moment; from the end of a thread "
		"that hangs: to its end"},
	{"P", "[PROCESS]", "process,inferior,info inferiors", NAMES_PROCESSES, WORD_TAKES,
		do_process, "list the processes, or go to where one is at this time"},
	{"T", "[TASK]", "task,info tasks", NAMES_TASKS, WORD_TAKES, do_task,
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
		"search forward for a call or exception whose name matches; on the screen / "
		"searches the text, and search REGEX the path"},
	{"?", "REGEX", "reverse-search", NAMES_NONE, WORD_TAKES, do_search,
		"search backward for a call or exception whose name matches; on the screen ? "
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
	{"print", "", "p,pp,display,watch,info locals,info args,args", NAMES_NONE, WORD_TAKES,
		do_values, NULL},
	{"run", "", "start,restart", NAMES_NONE, WORD_TAKES, do_run, NULL},
	{"disable", "", "enable,ignore,condition,commands", NAMES_NONE, WORD_TAKES, do_disable,
		NULL},
	{"help", "[COMMAND]", "h", NAMES_COMMANDS, WORD_TAKES, words_help,
		"list the commands, or say what one of them does"},
	{"q", "", "quit,exit", NAMES_NONE, WORD_ALONE, do_quit, "quit"},
	{0},
};
