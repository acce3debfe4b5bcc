/* Moves along the path, and through what was visited, marked or searched for. */
#include <stdlib.h>
#include "session/operations.h"

void session_begin(struct session *s)
{
	s->outcome = (struct outcome){.done = DONE_MOVED};
}

int session_refused(struct session *s, enum refusal refusal)
{
	s->outcome.refusal = refusal;
	return PL_END;
}

int session_done(struct session *s, enum done done)
{
	s->outcome.done = done;
	return 0;
}

int session_moved(struct session *s, int code, enum refusal refusal)
{
	if (code == 0)
		s->frame = 0;
	if (code == PL_END)
		session_refused(s, s->replay.stop && *s->replay.stop ? REFUSAL_STOPPED : refusal);
	return code;
}

/* ---- steps ---- */

/* There is no later line: where was the thread seen after its last event, which can be a call? */
static void see_end(struct session *s)
{
	const uint32_t thread = s->replay.at.position.thread;
	uint32_t count;
	struct seen *rows = session_seen_threads(s, true, &count);

	if (rows && thread < count && rows[thread].code) {
		s->outcome.note = NOTE_SEEN;
		s->outcome.seen = rows[thread];
	}
	free(rows);
}

/* Why n, f or until found no line: others of the thread may follow, and are not of these frames. */
static int refuse_step(struct session *s, enum step step, bool back, struct pl_err *err)
{
	struct pl_event line;
	int code = step == STEP_LINE || *s->replay.stop ? PL_END
							: replay_peek(&s->replay, back, &line, err);

	if (code < 0)
		return code;
	s->outcome.back = back;
	s->outcome.step = step;
	if (*s->replay.stop)
		return session_refused(s, REFUSAL_STOPPED);
	if (code == PL_END && !back)
		see_end(s);
	return session_refused(s, code == PL_END ? REFUSAL_NO_LINE : REFUSAL_NO_LINE_OF_FRAME);
}

int session_step(struct session *s, enum step step, bool back, struct pl_err *err)
{
	session_begin(s);
	int code = replay_step(&s->replay, step, back, err);

	return code == PL_END ? refuse_step(s, step, back, err)
			      : session_moved(s, code, REFUSAL_NO_LINE);
}

int session_until(struct session *s, int32_t line, struct pl_err *err)
{
	session_begin(s);
	int code = replay_until(&s->replay, line, err);

	return code == PL_END ? refuse_step(s, STEP_NEXT, false, err)
			      : session_moved(s, code, REFUSAL_NO_LINE);
}

/* ---- stops and searches ---- */

/* There is no stop in all of the recording: the first condition that is the reason. */
static int explain_conditions(struct session *s, struct pl_err *err)
{
	const struct stops *stops = &s->replay.stops;
	int code = 0;

	for (size_t i = 0; code == 0 && i < stops->count && !s->outcome.never.number; i++) {
		if (!stops->rows[i].expr)
			continue;
		code = expr_nothing(stops->rows[i].expr, s->replay.r, s->outcome.never.why, err);
		if (s->outcome.never.why[0])
			s->outcome.never.number = stops->rows[i].number;
	}
	return code;
}

/* Where no stop is left on the way, the outcome has where there are some. */
int session_continue(struct session *s, bool back, struct pl_err *err)
{
	session_begin(s);
	if (!s->replay.stops.count)
		return session_refused(s, REFUSAL_NO_STOP_SET);
	int code = replay_continue(&s->replay, back, err);
	if (code == PL_END && !*s->replay.stop) {
		code = elsewhere_find(&s->replay, back, &s->outcome.elsewhere, err);
		if (code == 0 && !s->outcome.elsewhere.count && !*s->replay.stop)
			code = explain_conditions(s, err);
		code = code ? code : PL_END;
	}
	s->outcome.back = back;
	return session_moved(s, code, REFUSAL_NO_LATER_STOP);
}

int session_scope(struct session *s, bool only_here)
{
	session_begin(s);
	s->replay.only_here = only_here;
	return session_done(s, DONE_SCOPE);
}

int session_search(struct session *s, const char *pattern, bool back, struct pl_err *err)
{
	session_begin(s);
	pattern_release(&s->pattern);
	s->pattern_back = back;
	return *pattern && pattern_read(&s->pattern, pattern, false, NULL) == 0
		       ? session_search_again(s, false, err)
		       : session_refused(s, REFUSAL_BAD_PATTERN);
}

int session_search_again(struct session *s, bool against, struct pl_err *err)
{
	session_begin(s);
	if (!s->pattern.text)
		return session_refused(s, REFUSAL_NO_SEARCH);
	s->outcome.back = s->pattern_back != against;
	return session_moved(
		s, replay_search(&s->replay, &s->pattern, s->outcome.back, err), REFUSAL_NOT_FOUND);
}

/* ---- parts, visited places, marks ---- */

int session_switch(struct session *s, bool back, struct pl_err *err)
{
	const struct runner from = {s->replay.at.position, s->replay.task};

	session_begin(s);
	int code = replay_switch(&s->replay, back, err);
	if (code == 0) {
		s->outcome.note = NOTE_RUNS_HERE;
		s->outcome.from = from;
	}
	s->outcome.back = back;
	return session_moved(s, code, REFUSAL_NO_LATER_SWITCH);
}

int session_visited(struct session *s, bool back, struct pl_err *err)
{
	session_begin(s);
	s->outcome.back = back;
	return session_moved(s, replay_visited(&s->replay, back, err), REFUSAL_NO_LATER_PLACE);
}

int session_mark(struct session *s, char letter)
{
	session_begin(s);
	s->outcome.letter = letter;
	replay_mark(&s->replay, letter);
	return session_done(s, DONE_MARKED);
}

int session_to_mark(struct session *s, char letter, struct pl_err *err)
{
	session_begin(s);
	s->outcome.letter = letter;
	return session_moved(s, replay_to_mark(&s->replay, letter, err), REFUSAL_NO_SUCH_MARK);
}
