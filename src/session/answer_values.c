/* Variables and values as text, and why there are none. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "session/answer.h"
#include "session/operations.h"
#include "session/words.h"

#define LISTED_BYTES 256 /* of one value in a list */
/* The recorder keeps 1,024 names of a module or class body (KEPT_NAMES_MAX), Python's own ones
 * among them. */
#define NAMES_MANY 1000
#define NAMES_KEPT "of a module or class body at most 1,024 names are kept"
#define REST_BYTES 128 /* of the list, for what is left out */

/* "*left = 3 (line 14)": the last line changed it. */
static void answer_variable(struct session *s, const struct variable *v)
{
	struct pl_value value = v->value;
	char text[LISTED_BYTES];

	value.name = (struct pl_text){0};
	pl_value_text(&value, text, sizeof text);
	session_tell_more(s, "%s%s%.*s = %s", v->changed ? "*" : "", v->stars, (int)v->name.length,
		v->name.at, text);
	if (v->line > 0)
		session_tell_more(s, " (line %" PRId32 ")", v->line);
	if (v->unsure)
		session_tell_more(s, " or newer, which had no room");
}

void answer_variables(struct session *s)
{
	const struct variables *v;
	size_t i = 0;

	if (session_variables(s, &v, NULL))
		return;
	if (v->state == VARIABLES_LOST)
		session_tell_more(s, "what was before a loss is not known: ");
	else if (v->count && v->all[0].of_call)
		session_tell_more(s, "arguments as of the call; values of lines were not kept: ");
	for (; i < v->count && strlen(s->why) + LISTED_BYTES + REST_BYTES < WHY_MAX; i++) {
		session_tell_more(s, "%s", i ? "; " : "");
		answer_variable(s, &v->all[i]);
	}
	if (i < v->count)
		session_tell_more(s, "; and %zu more: p NAME shows one", v->count - i);
	if (!v->count && v->state == VARIABLES_NOT_KEPT)
		session_tell_more(s,
			"no values of %s: it has no arguments, or --values-of does not "
			"name it",
			v->code ? pl_code_name(v->code) : "this frame");
	else if (!v->count)
		session_tell_more(s, "no variable is bound");
}

void answer_value(struct session *s)
{
	const struct value_question *q = &s->outcome.question;
	const bool unsure = q->variable && q->variable->unsure;
	char text[WHY_MAX];

	pl_value_text(&q->value, text, sizeof text);
	session_tell(s, "%s%s", text, unsure ? " or newer, which had no room" : "");
}

static void refuse_variable(struct session *s)
{
	const struct value_question *q = &s->outcome.question;
	const struct variables *v;

	if (session_variables(s, &v, NULL))
		return;
	if (v->count >= NAMES_MANY)
		session_refuse(s, "no variable %s is known here; " NAMES_KEPT, q->name);
	else if (q->near[0])
		session_refuse(
			s, "no variable %s is known here; did you mean %s?", q->name, q->near);
	else if (v->state == VARIABLES_LOST)
		session_refuse(
			s, "%s is not known here: what was before a loss is missing", q->name);
	else if (v->count && v->all[0].of_call)
		session_refuse(s,
			"%s is not an argument, and values of lines were not kept: record --values "
			"lines keeps them",
			q->name);
	else
		session_refuse(s, "no variable %s is known here; variables lists them", q->name);
}

/* It was never bound in the function; the nearest name, or some that were. */
static void refuse_unknown(struct session *s)
{
	const struct value_question *q = &s->outcome.question;
	const struct replay_place place = session_place(s);
	const char *function = place.code ? pl_code_name(place.code) : "this function";
	const struct variables *v;

	if (session_variables(s, &v, NULL) == 0 && v->count >= NAMES_MANY)
		session_refuse(s, "no variable %s of %s was kept; " NAMES_KEPT, q->name, function);
	else if (s->outcome.near.name)
		session_refuse(s, "no variable %s was ever bound in %s; did you mean %s?", q->name,
			function, q->near);
	else
		session_refuse(s, "no variable %s was ever bound in %s%s%s", q->name, function,
			q->near[0] ? "; there are: " : "", q->near);
}

void answer_no_value(struct session *s)
{
	const struct value_question *q = &s->outcome.question;

	switch (s->outcome.refusal) {
	case REFUSAL_NO_SUCH_VARIABLE:
		refuse_variable(s);
		break;
	case REFUSAL_UNSET:
		session_refuse(s, "%s is <unset> here: { goes to what deleted it", q->name);
		break;
	case REFUSAL_NO_SUCH_PART:
		session_refuse(s, "%s has no such part; p %s shows it", q->name, q->name);
		break;
	case REFUSAL_NOT_KEPT:
		session_refuse(s,
			"that is not in what was kept of %s; p %s shows what is, and record "
			"--values-limit how much",
			q->name, q->name);
		break;
	case REFUSAL_NEVER_BOUND:
		refuse_unknown(s);
		break;
	case REFUSAL_NO_LENGTH:
		session_refuse(s, "that value of %s has no length", q->name);
		break;
	default:
		session_refuse(s, "%s was not written %s in this frame", s->variable,
			s->outcome.back ? "earlier" : "later");
		break;
	}
}

void answer_written(struct session *s)
{
	const struct write_found *w = &s->outcome.written;

	if (w->line > 0)
		snprintf(s->note, sizeof s->note, "%.200s = %s, by line %" PRId32, s->variable,
			w->text, w->line);
	else
		snprintf(s->note, sizeof s->note, "%.200s = %s%s", s->variable, w->text,
			w->line == 0 ? ", an argument of this call" : "");
}
