/* The commands of frames, threads, processes and tasks: each lists them, or goes to one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "base/units.h"
#include "session/commands.h"
#include "session/operations.h"

/* The innermost frame first, as u and d number them. */
int command_stack(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	size_t depth;
	struct pl_frame *frames = session_frames(s, &depth);

	(void)letter, (void)rest;
	if (!frames)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the stack");
	for (size_t i = 0; i < depth && depth - 1 - i < FRAMES_MAX; i++) {
		const struct pl_frame *f = &frames[depth - 1 - i];
		session_tell_more(s, "%s%s%zu %s %s:%" PRId32, i ? "; " : "",
			i == s->frame ? "> " : "", i, f->code ? pl_code_name(f->code) : "?",
			f->code ? pl_code_file(f->code) : "?", f->line);
	}
	free(frames);
	return depth ? session_done(s, DONE_STACK) : session_refused(s, REFUSAL_NO_FRAME);
}

/* ---- threads and processes ---- */

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
			session_refused(s, REFUSAL_NO_SUCH_THREAD);
			session_refuse(s,
				"there is no thread %s in process %" PRIu32 "; process %" PRIu32
				" has it: P %" PRIu32 ", then t %s",
				word, s->replay.at.position.process, p->number, p->number, word);
			return true;
		}
	}
	return false;
}

/* Without an argument, or with one that no thread has. */
static int list_threads(struct session *s, const char *missing)
{
	const uint32_t process = s->replay.at.position.process;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, process);

	if (*missing)
		session_refused(s, REFUSAL_NO_SUCH_THREAD);
	else
		session_done(s, DONE_THREADS);
	for (uint32_t n = 0; p && n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(s->replay.r, process, n);
		if (!t)
			continue;
		tell_row(s, "thread", missing);
		session_tell_more(s, "%s%" PRIu32 ": %s",
			n == s->replay.at.position.thread && !*missing ? "> " : "", n, t->name);
	}
	return *missing ? PL_END : 0;
}

/* By number or name; of threads with one name the first. */
int command_thread(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const uint32_t process = s->replay.at.position.process;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, process);

	(void)letter;
	for (uint32_t n = 0; *rest && p && n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(s->replay.r, process, n);
		if (!is_thread(t, n, rest))
			continue;
		int code = session_thread(s, n, err);
		if (code == 0 && s->outcome.done == DONE_HERE)
			session_tell(s, "this is thread %" PRIu32 " %s", n, t->name);
		return code;
	}
	if (*rest && tell_process_with(s, rest))
		return PL_END;
	return list_threads(s, rest);
}

static int list_processes(struct session *s, const char *missing)
{
	struct pl_recording *r = s->replay.r;

	if (*missing)
		session_refused(s, REFUSAL_NO_SUCH_PROCESS);
	else
		session_done(s, DONE_PROCESSES);
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		tell_row(s, "process", missing);
		session_tell_more(s, "%s%" PRIu32 ": pid %" PRIu32 " %s",
			p->number == s->replay.at.position.process && !*missing ? "> " : "",
			p->number, p->pid, p->command);
	}
	return *missing ? PL_END : 0;
}

/* By number. Without one, or with one that no process has, the list. */
int command_process(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct pl_recording *r = s->replay.r;

	(void)letter;
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		char number[16];
		snprintf(number, sizeof number, "%" PRIu32, p->number);
		if (strcmp(rest, number))
			continue;
		int code = session_process(s, p->number, err);
		if (code == 0 && s->outcome.done == DONE_HERE)
			session_tell(s, "this is process %" PRIu32, p->number);
		return code;
	}
	return list_processes(s, rest);
}

/* ---- tasks ---- */

#define TASKS_MAX  1000 /* more are not counted */
#define TASKS_TOLD 12	/* if there are more, so many are named */

/* The number of a task such as "3"; 0: the word is a name. */
static uint64_t task_number(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word) ? strtoull(word, NULL, 10) : 0;
}

/* Of many tasks: the place in the list around which some are named. */
static size_t task_in_sight(
	const struct session *s, const struct task_name *names, size_t count, uint64_t number)
{
	size_t i = 0;

	while (i < count && (number ? names[i].number < number : !session_is_task(s, &names[i])))
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
			!*missing && session_is_task(s, &names[i]) ? "> " : "", text);
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
	int code = session_tasks(s, names, TASKS_MAX, &count, err);
	if (code == 0 && *missing)
		code = session_refused(s, REFUSAL_NO_SUCH_TASK);
	if (code == 0 || (code == PL_END && s->outcome.refusal == REFUSAL_NO_SUCH_TASK))
		tell_tasks(s, names, count, missing);
	free(names);
	return code;
}

/* By number or name: where it runs next, or else its last part. Without an argument the list. */
int command_task(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct task_name wanted = {.number = task_number(rest)};

	(void)letter;
	snprintf(wanted.text, sizeof wanted.text, "%s", rest);
	int code = *rest ? session_task(s, &wanted, err) : session_refused(s, REFUSAL_NO_SUCH_TASK);
	return code == PL_END && s->outcome.refusal != REFUSAL_NO_LATER_PART
		       ? list_tasks(s, rest, err)
		       : code;
}
