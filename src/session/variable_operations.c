/* Operations on the variables of the selected frame. */
#include <stdio.h>
#include <string.h>
#include "session/known.h"
#include "session/operations.h"
#include "session/writes.h"

/* PL_END of session_variables: there is no frame, or it was stopped. */
static int no_variables(struct session *s, int code)
{
	return code < 0 ? code
			: session_refused(s, s->replay.stop && *s->replay.stop ? REFUSAL_STOPPED
									       : REFUSAL_NO_FRAME);
}

/* Without values there is nothing to ask for. */
static bool recording_has_values(const struct session *s)
{
	struct pl_recording_info info;

	pl_recording_info(s->replay.r, &info);
	return info.value_events || !strcmp(info.values, "lines");
}

/* Is it known of this frame that values of its lines were not kept? */
static bool lacks_lines(const struct session *s, const struct variables *v)
{
	struct pl_recording_info info;

	pl_recording_info(s->replay.r, &info);
	return (v->count && v->all[0].of_call) || !strcmp(info.values, "calls");
}

/* The one that commands without a name mean from now on. */
static void remember_variable(struct session *s, const char *name)
{
	if (name != s->variable)
		snprintf(s->variable, sizeof s->variable, "%s", name);
}

int session_list_variables(struct session *s, struct pl_err *err)
{
	const struct variables *v;

	session_begin(s);
	int code = session_variables(s, &v, err);
	if (code)
		return no_variables(s, code);
	if (!recording_has_values(s))
		return session_refused(s, REFUSAL_NO_VALUES);
	return session_done(s, DONE_VARIABLES);
}

/* The refusal of a question. */
static enum refusal refusal_of(const struct value_question *q)
{
	static const enum refusal refusals[] = {
		[ANSWER_VALUE] = REFUSAL_NONE,
		[ANSWER_NOT_UNDERSTOOD] = REFUSAL_NOT_A_VALUE,
		[ANSWER_NO_VARIABLE] = REFUSAL_NO_SUCH_VARIABLE,
		[ANSWER_UNSET] = REFUSAL_UNSET,
		[ANSWER_ABSENT] = REFUSAL_NO_SUCH_PART,
		[ANSWER_NOT_KEPT] = REFUSAL_NOT_KEPT,
		[ANSWER_NO_LENGTH] = REFUSAL_NO_LENGTH,
	};

	return refusals[q->answer];
}

int session_print(struct session *s, const char *text, struct pl_err *err)
{
	const struct variables *v;
	struct value_question question;

	session_begin(s);
	int code = session_variables(s, &v, err);
	if (code)
		return no_variables(s, code);
	value_question_ask(&question, v, text);
	s->outcome.question = question;
	if (question.answer == ANSWER_NO_VARIABLE && !recording_has_values(s))
		return session_refused(s, REFUSAL_NO_VALUES);
	if (question.answer != ANSWER_VALUE)
		return session_refused(s, refusal_of(&question));
	remember_variable(s, question.path);
	return session_done(s, DONE_VALUE);
}

/* The path that is meant: this one, or the last one that was asked for. It must begin with a
 * variable of the selected frame; a part that is not there now may have been, or will be. PL_END:
 * it is refused. */
static int find_variable(struct session *s, const char **name, struct pl_err *err)
{
	const struct variables *v;
	int code = session_variables(s, &v, err);

	if (code)
		return no_variables(s, code);
	if (!recording_has_values(s))
		return session_refused(s, REFUSAL_NO_VALUES);
	if (!**name)
		*name = s->variable;
	if (!**name)
		return session_refused(s, REFUSAL_NO_NAME);
	value_question_ask(&s->outcome.question, v, *name);
	const enum value_answer answer = s->outcome.question.answer;
	if (answer == ANSWER_NOT_UNDERSTOOD || s->outcome.question.length ||
		strlen(*name) >= sizeof s->variable)
		return session_refused(s, REFUSAL_NOT_A_NAME);
	if (answer == ANSWER_NOT_KEPT)
		return session_refused(s, refusal_of(&s->outcome.question));
	if (lacks_lines(s, v))
		return session_refused(s, REFUSAL_NO_LINES_KEPT);
	return answer == ANSWER_NO_VARIABLE && v->code
		       ? known_variable(s, v->code, s->outcome.question.name, err)
		       : 0;
}

int session_to_write(struct session *s, const char *name, bool back, struct pl_err *err)
{
	const struct pl_event at = s->replay.at;
	struct write_search search = {.r = s->replay.r, .stop = s->replay.stop, .back = back};
	struct write_found found;

	session_begin(s);
	s->outcome.back = back;
	int code = find_variable(s, &name, err);
	if (code)
		return code;
	remember_variable(s, name);
	search.name = s->variable;
	if (!session_frame_depth(s, &search.depth))
		return session_refused(s, REFUSAL_NO_FRAME);
	code = write_find(&search, &at, &found, err);
	if (code == 0)
		code = replay_seq(
			&s->replay, at.position.process, at.position.thread, found.seq, err);
	code = session_moved(s, code, back ? REFUSAL_NO_EARLIER_WRITE : REFUSAL_NO_LATER_WRITE);
	if (code == 0) {
		s->outcome.note = NOTE_WRITTEN;
		s->outcome.written = found;
	}
	return code;
}

/* The same again removes it. */
int session_watch(struct session *s, const char *name, struct pl_err *err)
{
	const struct variables *v;

	session_begin(s);
	int code = find_variable(s, &name, err);
	if (code == 0)
		code = session_variables(s, &v, err);
	if (code)
		return code;
	if (!v->code)
		return session_refused(s, REFUSAL_NO_FRAME);
	remember_variable(s, name);
	return session_toggle_stop(s,
		&(struct wish){.kind = STOP_WRITE,
			.name = s->variable,
			.line = pl_code_first_line(v->code),
			.code = v->code},
		err);
}
