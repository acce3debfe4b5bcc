/* What no look has seen. A line whose time is estimated to be nothing may have run where no look
 * was: before the first one of a span, after the last one, or between two that found different
 * lines.
 *
 *	S0   a    b            c                        S1    the tail: each line once, in order
 *	|      x                    x    x    x   x      |    looks: at a, then at c
 *	|<-a ->|<-- a, b, c ------->|            |<- c ->|    what can have run in the gap
 *
 * A line that is not in the tail ran within a tick of the beginning.
 *
 * In one gap it can have run for all of it. In many gaps not, since looks come at any time: if it
 * had run for the distance of two looks in all, one look is expected to have found it.
 */
#include "trace/profile.h"

/* ---- the gaps of a span ---- */

static double span_ns(const struct pl_profile *p, uint64_t from_ticks, uint64_t to_ticks)
{
	return to_ticks > from_ticks ? (double)clockmap_span(&p->r->clock, to_ticks - from_ticks)
				     : 0;
}

/* The last one stands for all for which there is no room: then it is between any lines. */
static void add_hidden_gap(struct pl_profile *p, const struct profile_gap *gap)
{
	struct profile_gap *last = &p->gaps[GAPS_MAX - 1];

	if (p->gap_count < GAPS_MAX) {
		p->gaps[p->gap_count++] = *gap;
		return;
	}
	last->before = last->after = 0;
	if (last->ns < gap->ns)
		last->ns = gap->ns;
	if (last->apart_ns < gap->apart_ns)
		last->apart_ns = gap->apart_ns;
}

void hidden_begin(struct pl_profile *p)
{
	p->gap_count = p->looked_at = 0;
}

void hidden_look(struct pl_profile *p, uint32_t line, uint64_t from_ticks, uint64_t to_ticks)
{
	const struct looks *l = &p->seen;
	const uint64_t at = l->sample.ticks, before = looks_before(l);

	if (looks_is_first(l, from_ticks))
		add_hidden_gap(p, &(struct profile_gap){.after = line,
					  .from_ns = span_ns(p, p->open_ticks, from_ticks),
					  .ns = span_ns(p, from_ticks, at),
					  .apart_ns = span_ns(p, 0, before)});
	else if (p->looked_at != line)
		add_hidden_gap(p, &(struct profile_gap){.before = p->looked_at,
					  .after = line,
					  .from_ns = span_ns(p, p->open_ticks, at - before),
					  .ns = span_ns(p, 0, before),
					  .apart_ns = span_ns(p, 0, before)});
	if (looks_is_last(l, to_ticks))
		add_hidden_gap(p, &(struct profile_gap){.before = line,
					  .from_ns = span_ns(p, p->open_ticks, at),
					  .ns = span_ns(p, at, to_ticks),
					  .apart_ns = span_ns(p, 0, looks_after(l))});
	p->looked_at = line;
}

void hidden_none(struct pl_profile *p, uint64_t end_ticks)
{
	const struct looks *l = &p->seen;

	if (!p->gap_count)
		add_hidden_gap(
			p, &(struct profile_gap){.ns = span_ns(p, p->open_ticks, end_ticks),
				   .apart_ns = l->has_sample ? span_ns(p, 0, looks_before(l)) : 0});
}

/* ---- what can have run there ---- */

/* Where the line is in the tail, from 1; 0: it is not there, or not once, or the tail is not all
 * known. */
static uint32_t place_in_tail(const struct share *s, uint32_t line)
{
	uint32_t place = 0;

	if (s->lines[line].tail_rows != 1 || s->tail_count == TAIL_MAX)
		return 0;
	while (place < s->tail_count && s->tail[place].line != line)
		place++;
	return place < s->tail_count ? place + 1 : 0;
}

/* How long can the line have run in the gap? */
static double time_that_fits(
	const struct share *s, const struct profile_gap *gap, uint32_t line, double tick_ns)
{
	const uint32_t place = place_in_tail(s, line);
	const uint32_t before = gap->before ? place_in_tail(s, gap->before - 1) : 0;
	const uint32_t after = gap->after ? place_in_tail(s, gap->after - 1) : 0;
	const double left_ns = tick_ns - gap->from_ns;

	if (place && ((before > place) || (after && after < place)))
		return 0;
	if (s->lines[line].tail_rows || gap->ns < left_ns)
		return gap->ns;
	return left_ns > 0 ? left_ns : 0;
}

static void add_doubt(struct share_doubt *d)
{
	d->hidden_ns += d->span_hidden_ns;
	d->apart_ns2 += d->span_hidden_ns * d->span_apart_ns;
	d->span_hidden_ns = d->span_apart_ns = 0;
}

static void note_doubt(struct share_doubt *d, double hidden_ns, double apart_ns)
{
	if (hidden_ns < d->span_hidden_ns)
		return;
	d->span_hidden_ns = hidden_ns;
	d->span_apart_ns = apart_ns > hidden_ns ? apart_ns : hidden_ns;
}

/* At the end of the path the last event may have come up to a tick later. */
void hidden_close(struct pl_profile *p, double ns, double tick_ns)
{
	struct share *s = &p->share;
	const double least_ns = p->ends && tick_ns < ns + 1e9 ? tick_ns : 0;

	if (p->end.open && !p->end.code) /* path_end_unsure does it */
		return;
	for (uint32_t i = 0; i < s->touched_count; i++) {
		struct shared_line *l = &s->lines[s->touched[i]];
		struct share_doubt *of_code = &s->codes[l->of_code].doubt;
		note_doubt(&l->doubt, least_ns, least_ns);
		for (uint32_t k = 0; k < p->gap_count; k++) {
			double hidden_ns = time_that_fits(s, &p->gaps[k], s->touched[i], tick_ns);
			note_doubt(&l->doubt, hidden_ns < ns ? hidden_ns : ns, p->gaps[k].apart_ns);
		}
		note_doubt(of_code, l->doubt.span_hidden_ns, l->doubt.span_apart_ns);
		if (p->proven)
			l->doubt.span_hidden_ns = 0;
		add_doubt(&l->doubt);
	}
	for (uint32_t i = 0; i < s->touched_code_count; i++) {
		struct share_doubt *d = &s->codes[s->touched_codes[i]].doubt;
		if (p->proven_call)
			d->span_hidden_ns = 0;
		add_doubt(d);
	}
}

double hidden_error_ns(const struct share_doubt *d)
{
	double apart_ns = d->hidden_ns > 0 ? d->apart_ns2 / d->hidden_ns : 0;

	return apart_ns < d->hidden_ns ? apart_ns : d->hidden_ns;
}
