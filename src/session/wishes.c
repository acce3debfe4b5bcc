/* Stops, as they are asked for, and removed. */
#include <stdio.h>
#include <string.h>
#include "session/known.h"
#include "session/operations.h"

/* Its condition, if it has one: *out is the caller's. */
static int read_condition(struct session *s, const struct wish *w, struct expr **out)
{
	struct pl_recording_info info;

	*out = NULL;
	if (!w->condition)
		return 0;
	pl_recording_info(s->replay.r, &info);
	const struct when_scale scale = when_scale_of(&info);
	const struct expr_words words = {.scale = &scale, .variables = true};
	int code = strlen(w->condition) < STOP_CONDITION_MAX
			   ? expr_read(out, w->condition, &words, &s->outcome.fault)
			   : PL_ERR_ARGUMENT;
	if (code == PL_ERR_ARGUMENT)
		return session_refused(
			s, *s->outcome.fault.what ? REFUSAL_BAD_CONDITION : REFUSAL_TOO_MANY_STOPS);
	s->replay.stops.no_lines = !strcmp(info.values, "calls") || !strcmp(info.values, "none");
	if (code == 0 && !info.value_events && expr_needs(*out) & EXPR_ARGS)
		code = session_refused(s, REFUSAL_NO_VALUES);
	if (code) {
		expr_free(*out);
		*out = NULL;
	}
	return code;
}

/* The expression is the stop's now, or freed. */
static int toggle(struct session *s, const struct wish *w, struct expr *expr)
{
	struct stops *stops = &s->replay.stops;
	struct stop *same = w->kind == STOP_WRITE ? stops_find_write(stops, w->name, w->code)
						  : stops_find_if(stops, w->kind, w->name, w->line,
							    w->condition ? w->condition : "");
	const bool same_hits = same && (!w->hits || w->hits == same->hits);

	if (same_hits && same->once == w->once) {
		s->outcome.stop = *same;
		s->outcome.stop.expr = NULL;
		stops_clear(stops, same->number);
		expr_free(expr);
		return session_done(s, DONE_STOP_REMOVED);
	}
	struct stop *stop = same_hits ? same : stops_add(stops, w->kind, w->name, w->line);
	if (!stop || same_hits)
		expr_free(expr);
	else
		stop->expr = expr;
	if (!stop)
		return session_refused(s, REFUSAL_TOO_MANY_STOPS);
	snprintf(stop->condition, sizeof stop->condition, "%s", w->condition ? w->condition : "");
	stop->hits = same_hits ? same->hits : w->hits;
	stop->once = w->once;
	stop->code = w->code;
	s->outcome.stop = *stop;
	s->outcome.stop.expr = NULL;
	return session_done(s, DONE_STOP_SET);
}

/* The same place with another number of hits is another stop; asked for as b where it is a tbreak,
 * or the other way round, it only changes into that. */
int session_toggle_stop(struct session *s, const struct wish *w, struct pl_err *err)
{
	struct expr *expr;

	session_begin(s);
	int code = read_condition(s, w, &expr);
	if (code)
		return code;
	code = w->kind == STOP_WRITE || stops_find(&s->replay.stops, w->kind, w->name, w->line) ? 0
	       : w->kind == STOP_LINE  ? known_line(s, w->name, w->line, err)
	       : w->kind == STOP_RAISE ? known_exception(s, w->name, err)
				       : known_function(s, w->name, err);

	if (code)
		expr_free(expr);
	if (code == PL_END) {
		s->outcome.stop = (struct stop){.kind = w->kind, .line = w->line};
		snprintf(s->outcome.stop.name, sizeof s->outcome.stop.name, "%s", w->name);
	}
	return code ? code : toggle(s, w, expr);
}

int session_remove_stops(struct session *s)
{
	session_begin(s);
	s->outcome.count = s->replay.stops.count;
	stops_empty(&s->replay.stops);
	return session_done(s, DONE_STOPS_REMOVED);
}

int session_remove_stop(struct session *s, uint64_t number)
{
	struct stops *stops = &s->replay.stops;
	size_t i = 0;

	session_begin(s);
	s->outcome.number = number;
	while (i < stops->count && stops->rows[i].number != number)
		i++;
	if (i == stops->count)
		return session_refused(s, REFUSAL_NO_SUCH_STOP);
	s->outcome.stop = stops->rows[i];
	s->outcome.stop.expr = NULL;
	stops_clear(stops, (uint32_t)number);
	return session_done(s, DONE_STOP_REMOVED);
}
