/* Stops, as they are asked for, and removed. */
#include <stdio.h>
#include "session/known.h"
#include "session/operations.h"

static int toggle(struct session *s, const struct wish *w)
{
	struct stops *stops = &s->replay.stops;
	struct stop *same = w->kind == STOP_WRITE ? stops_find_write(stops, w->name, w->code)
						  : stops_find(stops, w->kind, w->name, w->line);
	const bool same_hits = same && (!w->hits || w->hits == same->hits);

	if (same_hits && same->once == w->once) {
		s->outcome.stop = *same;
		stops_clear(stops, same->number);
		return session_done(s, DONE_STOP_REMOVED);
	}
	struct stop *stop = same_hits ? same : stops_add(stops, w->kind, w->name, w->line);
	if (!stop)
		return session_refused(s, REFUSAL_TOO_MANY_STOPS);
	stop->hits = same_hits ? same->hits : w->hits;
	stop->once = w->once;
	stop->code = w->code;
	s->outcome.stop = *stop;
	return session_done(s, DONE_STOP_SET);
}

/* The same place with another number of hits is another stop; asked for as b where it is a tbreak,
 * or the other way round, it only changes into that. */
int session_toggle_stop(struct session *s, const struct wish *w, struct pl_err *err)
{
	session_begin(s);
	int code = w->kind == STOP_WRITE || stops_find(&s->replay.stops, w->kind, w->name, w->line)
			   ? 0
		   : w->kind == STOP_LINE  ? known_line(s, w->name, w->line, err)
		   : w->kind == STOP_RAISE ? known_exception(s, w->name, err)
					   : known_function(s, w->name, err);

	if (code == PL_END) {
		s->outcome.stop = (struct stop){.kind = w->kind, .line = w->line};
		snprintf(s->outcome.stop.name, sizeof s->outcome.stop.name, "%s", w->name);
	}
	return code ? code : toggle(s, w);
}

int session_remove_stops(struct session *s)
{
	session_begin(s);
	s->outcome.count = s->replay.stops.count;
	s->replay.stops.count = 0;
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
	stops_clear(stops, (uint32_t)number);
	return session_done(s, DONE_STOP_REMOVED);
}
