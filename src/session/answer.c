#include "session/answer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "expr/taken_out.h"
#include "session/operations.h"
#include "session/words.h"

int session_refuse(struct session *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->why, sizeof s->why, format, arguments);
	va_end(arguments);
	return session_refused(s, s->outcome.refusal ? s->outcome.refusal : REFUSAL_NOT_UNDERSTOOD);
}

int session_tell(struct session *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->why, sizeof s->why, format, arguments);
	va_end(arguments);
	return session_done(s, s->outcome.done ? s->outcome.done : DONE_TOLD);
}

void session_tell_more(struct session *s, const char *format, ...)
{
	size_t used = strlen(s->why);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->why + used, sizeof s->why - used, format, arguments);
	va_end(arguments);
	if (!s->outcome.done)
		s->outcome.done = DONE_TOLD;
}

/* ---- stops ---- */

void answer_stop(struct session *s, const struct stop *stop)
{
	static const char *const words[] = {"b", "b", "w", "x", "watch"};

	session_tell_more(s, "%" PRIu32 ": %s%s%s", stop->number,
		stop->once ? "tbreak" : words[stop->kind], stop->name[0] ? " " : "", stop->name);
	if (stop->kind == STOP_LINE)
		session_tell_more(s, ":%" PRId32, stop->line);
	if (stop->kind == STOP_WRITE)
		session_tell_more(s, " in %s", pl_code_name(stop->code));
	if (stop->hits)
		session_tell_more(s, " if hits == %" PRIu64, stop->hits);
	if (stop->condition[0])
		session_tell_more(s, " if %s", stop->condition);
}

void answer_stops(struct session *s)
{
	const struct stops *stops = &s->replay.stops;

	for (size_t i = 0; i < stops->count; i++) {
		session_tell_more(s, "%s", i ? "; " : "");
		answer_stop(s, &stops->rows[i]);
	}
}

/* ---- what was done ---- */

static void answer_removed(struct session *s)
{
	const size_t count = s->outcome.count;

	session_tell(s,
		!count	     ? "there is no stop"
		: count == 1 ? "removed the stop"
			     : "removed all %zu stops",
		count);
}

static void answer_frame(struct session *s)
{
	const struct pl_frame *f = &s->outcome.frame;

	session_tell(s, "frame %zu: %s:%" PRId32 " %s", s->frame,
		f->code ? pl_code_file(f->code) : "?", f->line,
		f->code ? pl_code_name(f->code) : "?");
}

static void answer_source(struct session *s)
{
	const struct outcome *o = &s->outcome;

	session_tell(s, "%s:%" PRId32 ": %.*s", pl_code_file(o->place.code), o->place.line,
		o->text.length < WHY_MAX ? (int)o->text.length : WHY_MAX, o->text.at);
}

static void answer_hits(struct session *s)
{
	const struct line_hits *h = &s->outcome.hits;
	const int32_t line = s->outcome.place.line;
	char numbers[2][UNITS_BYTES];

	units_count(numbers[0], h->so_far);
	units_count(numbers[1], h->in_all);
	if (h->maybe_more && !h->in_all)
		session_tell(s, "line %" PRId32 ": not known; the path breaks off before it", line);
	else
		session_tell(s, "line %" PRId32 ": %s of %s hits%s%s%s", line, numbers[0],
			numbers[1], h->passes ? "" : ", without passes of one-line loops",
			h->whole ? "" : ", in what is not missing",
			h->maybe_more ? ", and maybe more where the path breaks off" : "");
}

/* Of a move the position is the answer, and lists are told by the commands that ask for them. */
static void answer_done(struct session *s)
{
	switch (s->outcome.done) {
	case DONE_SCOPE:
		session_tell(s, "stops and searches: %s",
			s->replay.only_here ? "this thread only" : "all threads");
		break;
	case DONE_STOP_SET:
	case DONE_STOP_REMOVED:
		session_tell(s, s->outcome.done == DONE_STOP_SET ? "stop " : "removed ");
		answer_stop(s, &s->outcome.stop);
		break;
	case DONE_STOPS_REMOVED:
		answer_removed(s);
		break;
	case DONE_MARKED:
		session_tell(s, "mark %c", s->outcome.letter);
		break;
	case DONE_FRAME_SELECTED:
		answer_frame(s);
		break;
	case DONE_SOURCE:
		answer_source(s);
		break;
	case DONE_HITS:
		answer_hits(s);
		break;
	case DONE_VARIABLES:
		answer_variables(s);
		break;
	case DONE_VALUE:
		answer_value(s);
		break;
	default:
		break;
	}
}

/* ---- why it was refused ---- */

/* What is the same for all. NULL: the text depends on the data. */
static const char *const refusals[] = {
	[REFUSAL_NOT_UNDERSTOOD] = "not understood",
	[REFUSAL_STOPPED] = "stopped",
	[REFUSAL_NOT_POSSIBLE] = "a replay does not do that",
	[REFUSAL_NO_VALUES] = "this recording has the path, not the values of variables",
	[REFUSAL_NO_STOP_SET] = "there is no stop; set one with b, x or w",
	[REFUSAL_NO_SUCH_MARK] = "there is no such mark; m LETTER sets one",
	[REFUSAL_BAD_PATTERN] = "not a regular expression",
	[REFUSAL_NO_SEARCH] = "there is no search to repeat; try /NAME",
	[REFUSAL_NO_EVENTS] = "nothing of it was recorded",
	[REFUSAL_NO_SUCH_TASK] = "there is no such task in this thread",
	[REFUSAL_NO_TASKS] = "this thread has no tasks",
	[REFUSAL_NO_FRAME] = "there is no frame here",
	[REFUSAL_OUTERMOST_FRAME] = "this is the outermost frame",
	[REFUSAL_INNERMOST_FRAME] = "this is the innermost frame",
	[REFUSAL_NO_FILE] = "there is no file here",
	[REFUSAL_NO_NAME] = "which variable? p NAME shows one, variables lists them",
	[REFUSAL_NOT_A_NAME] =
		("this command takes a variable, or what is below it, such as order.item; "
		 "variables lists them"),
	[REFUSAL_NOT_A_VALUE] =
		("the program does not run here, so only what was captured can be shown: a name, "
		 "below it .attribute, [2] or ['key'], and len(…) of these"),
	[REFUSAL_NO_LINES_KEPT] =
		("values of lines were not kept, so what wrote a variable is not known; record "
		 "--values lines keeps them"),
	[REFUSAL_NO_LINE_HERE] = "there is no line here; try b file:N",
};

/* Those whose text depends on the direction alone: forward, back. */
static const char *const by_direction[][2] = {
	[REFUSAL_NO_LINE] = {"no later line in this thread", "no earlier line in this thread"},
	[REFUSAL_NO_LATER_SWITCH] = {"no later switch", "no earlier switch"},
	[REFUSAL_NO_LATER_PLACE] = {"there is no later place", "there is no earlier place"},
	[REFUSAL_NOT_FOUND] = {"not found after this place; ? searches backward",
		"not found before this place; / searches forward"},
};

static void refuse_frame(struct session *s)
{
	const struct outcome *o = &s->outcome;

	session_refuse(s, "no %s line of this frame%s is recorded; %s",
		o->back ? "earlier" : "later",
		o->step == STEP_OUT ? "'s callers" : " or its callers",
		o->back ? "S goes back" : "s goes on");
}

static void refuse_line(struct session *s)
{
	static const char *const known[] = {[NEAR_NEVER] = "never ran",
		[NEAR_MAYBE] = "may have run at the end, where the path breaks off",
		[NEAR_NOT_WHOLE] = "is not in the recording, of which a part is missing"};
	const struct near_names *near = &s->outcome.near;
	const struct stop *stop = &s->outcome.stop;
	const char *never = known[near->known];

	if (near->before && near->after)
		session_refuse(s,
			"%s:%" PRId32 " %s; the nearest lines that ran are %" PRId32
			" and %" PRId32,
			stop->name, stop->line, never, near->before, near->after);
	else if (near->before || near->after)
		session_refuse(s, "%s:%" PRId32 " %s; the nearest line that ran is %" PRId32,
			stop->name, stop->line, never, near->before ? near->before : near->after);
	else if (near->missing)
		session_refuse(s, "%s:%" PRId32 " %s", stop->name, stop->line, never);
	else
		session_refuse(s, "no line of %s ran", stop->name);
}

static void refuse_name(struct session *s)
{
	const struct near_names *near = &s->outcome.near;
	const bool raised = s->outcome.refusal == REFUSAL_NEVER_RAISED;
	const char *name = s->outcome.stop.name;
	const char *did = near->name ? "; did you mean " : "", *it = near->name ? near->name : "";

	if (raised && near->none) {
		session_refuse(s, "no exception was raised");
		return;
	}
	if (near->missing)
		session_refuse(s, "%s is not in the recording, of which a part is missing%s%s%s",
			name, did, it, near->name ? "?" : "");
	else
		session_refuse(s, "no such %s: %s%s%s%s",
			raised ? "exception was raised" : "function was called", name, did, it,
			near->name ? "?" : "");
	if (raised)
		session_tell_more(s, "%s x takes a whole name: `report --exceptions` lists them",
			near->name ? "" : ";");
}

static void refuse_stop(struct session *s)
{
	if (s->outcome.refusal == REFUSAL_TOO_MANY_STOPS)
		session_refuse(s,
			"there are %d stops already, or the name is too long; clear N removes one",
			STOPS_MAX);
	else
		session_refuse(s, "there is no stop %" PRIu64 "; B lists them", s->outcome.number);
}

static void refuse_own_task(struct session *s)
{
	char text[TASK_TEXT_BYTES];

	tasks_text(&s->replay.task, text);
	session_refuse(s, "task %s does not go on later; [ goes back", text);
}

static void refuse_later_stop(struct session *s)
{
	const struct outcome *o = &s->outcome;
	char text[ELSEWHERE_BYTES];

	elsewhere_text(&s->replay, o->back, &o->elsewhere, text);
	if (o->never.number)
		session_refuse(s, "%s; stop %" PRIu32 ": %s", text, o->never.number, o->never.why);
	else
		session_refuse(s, "%s", text);
}

static void refuse_condition(struct session *s)
{
	const struct expr_fault *fault = &s->outcome.fault;

	session_refuse(s, "if: at column %zu: %s", fault->column, fault->what);
}

static void refuse_source(struct session *s)
{
	const struct pl_err *err = &s->outcome.source_err;

	session_refuse(s, "%s", err->used ? pl_err_text(err) : "the file has no such line");
}

/* Those whose text depends on more of the outcome. NULL: on its number alone. */
static void (*const by_data[])(struct session *s) = {
	[REFUSAL_NO_LINE_OF_FRAME] = refuse_frame,
	[REFUSAL_NO_LATER_STOP] = refuse_later_stop,
	[REFUSAL_BAD_CONDITION] = refuse_condition,
	[REFUSAL_NO_SUCH_STOP] = refuse_stop,
	[REFUSAL_TOO_MANY_STOPS] = refuse_stop,
	[REFUSAL_NEVER_RAN] = refuse_line,
	[REFUSAL_NEVER_CALLED] = refuse_name,
	[REFUSAL_NEVER_RAISED] = refuse_name,
	[REFUSAL_NO_LATER_PART] = refuse_own_task,
	[REFUSAL_NO_SUCH_VARIABLE] = answer_no_value,
	[REFUSAL_UNSET] = answer_no_value,
	[REFUSAL_NO_SUCH_PART] = answer_no_value,
	[REFUSAL_NOT_KEPT] = answer_no_value,
	[REFUSAL_NO_LENGTH] = answer_no_value,
	[REFUSAL_NEVER_BOUND] = answer_no_value,
	[REFUSAL_NO_LATER_WRITE] = answer_no_value,
	[REFUSAL_NO_EARLIER_WRITE] = answer_no_value,
	[REFUSAL_NO_SOURCE] = refuse_source,
};

static void answer_refusal(struct session *s)
{
	const size_t of = s->outcome.refusal;

	if (of == REFUSAL_NO_VALUES && values_taken_out(s->replay.r))
		session_refuse(s, "%s", VALUES_TAKEN_OUT);
	else if (of < sizeof refusals / sizeof *refusals && refusals[of])
		session_refuse(s, "%s", refusals[of]);
	else if (of < sizeof by_direction / sizeof *by_direction && by_direction[of][0])
		session_refuse(s, "%s", by_direction[of][s->outcome.back]);
	else if (of < sizeof by_data / sizeof *by_data && by_data[of])
		by_data[of](s);
	else
		session_refuse(s, "there is no %" PRIu64, s->outcome.number);
}

void answer_outcome(struct session *s, int code)
{
	if (code == 0 && !s->why[0])
		answer_done(s);
	else if (code == PL_END && !s->why[0])
		answer_refusal(s);
	if (code >= 0)
		answer_note(s);
}
