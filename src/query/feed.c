#include "query/feed.h"

#include <stdlib.h>
#include "base/array.h"

#define GAP_BIT	  (1u << PL_EVENT_GAP)
#define ALL_KINDS ((1u << PL_EVENT_KIND_COUNT) - 1)

static uint32_t wanted_kinds(const struct feed *s)
{
	return s->kinds & s->scope->kinds;
}

/* ---- threads ---- */

void feed_skip_thread(struct feed *s)
{
	pl_cursor_free(s->c);
	pl_search_free(s->s);
	s->c = NULL;
	s->s = NULL;
	s->open = s->has_event = false;
	s->gap_count = s->gaps_given = 0;
}

void feed_release(struct feed *s)
{
	feed_skip_thread(s);
	free(s->gaps);
	s->gaps = NULL;
	s->gap_room = 0;
}

int feed_next_thread(struct feed *s)
{
	const struct pl_process *p;

	while ((p = pl_recording_process(s->q->r, s->process_index))) {
		const bool wanted = range_has(&s->scope->process, p->number);
		while (wanted && s->thread < p->thread_count) {
			s->process_number = p->number;
			s->thread_number = s->thread++;
			s->ordinal = s->before + s->thread_number;
			if (range_has(&s->scope->thread, s->thread_number) &&
				pl_recording_thread(s->q->r, p->number, s->thread_number))
				return 0;
		}
		s->process_index++;
		s->before += p->thread_count;
		s->thread = 0;
	}
	return PL_END;
}

/* ---- bounds ---- */

int feed_seq_at(struct query *q, uint32_t process, uint32_t thread, int64_t time_ns, uint64_t *seq)
{
	struct pl_cursor *probe = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&probe, q->r, process, thread, &q->err);

	*seq = UINT64_MAX;
	if (code == 0)
		code = pl_cursor_seek_time(probe, time_ns, &q->err);
	if (code == 0)
		code = pl_cursor_next(probe, &e, &q->err);
	if (code == 0)
		*seq = e.seq;
	pl_cursor_free(probe);
	return code == PL_END ? 0 : code;
}

/* Times never go back in a thread, so they bound seqs. */
static int bound_by_time(struct feed *s, const struct query_range *time)
{
	uint64_t seq = 0;
	int code = 0;

	if (time->from > INT64_MIN)
		code = feed_seq_at(s->q, s->process_number, s->thread_number, time->from, &seq);
	if (code == 0 && seq > s->seq)
		s->seq = seq;
	if (code == 0 && time->to < INT64_MAX && !s->open_end) {
		code = feed_seq_at(s->q, s->process_number, s->thread_number, time->to + 1, &seq);
		if (code == 0 && seq < s->end)
			s->end = seq;
	}
	return code;
}

static int bound(struct feed *s)
{
	const struct query_range *seq = &s->scope->seq;

	s->seq = 0;
	s->end = UINT64_MAX;
	if (s->unbounded)
		return 0;
	if (seq->from > 0)
		s->seq = (uint64_t)seq->from;
	if (seq->to < INT64_MAX && !s->open_end)
		s->end = seq->to < 0 ? 0 : (uint64_t)seq->to + 1;
	int code = s->seq < s->end ? bound_by_time(s, &s->scope->time) : 0;
	s->seq -= s->seq < s->earlier ? s->seq : s->earlier;
	return code;
}

/* ---- a search ---- */

static bool feed_may(void *context, const struct pl_count *row)
{
	struct feed *s = context;

	if (s->all_codes)
		return true;
	return scope_has_code(s->scope, row->code) && range_has(&s->scope->line, row->line) &&
	       (row->kind != PL_EVENT_CALL || scope_has_argument(s->scope, row->code));
}

/* A gap waits for the next event. What it points to would not be valid for so long. */
static int feed_is(void *context, const struct pl_event *e)
{
	struct feed *s = context;

	if (e->kind != PL_EVENT_GAP)
		return 0;
	struct pl_event *gaps = array_room(s->gaps, s->gap_count, &s->gap_room, sizeof *gaps);
	if (!gaps)
		return PL_ERR_MEMORY;
	s->gaps = gaps;
	s->gaps[s->gap_count] = *e;
	s->gaps[s->gap_count++].task = NULL;
	return PL_END;
}

/* Where events are left out by more than their seq. */
static bool needs_search(const struct feed *s)
{
	const struct query_range *line = &s->scope->line;

	return wanted_kinds(s) != ALL_KINDS ||
	       (!s->all_codes &&
		       (s->scope->name_count || line->from > INT64_MIN || line->to < INT64_MAX));
}

static int open_search(struct feed *s)
{
	const struct pl_wanted wanted = {.process = s->process_number,
		.thread = s->thread_number,
		.kinds = wanted_kinds(s),
		.may = feed_may,
		.is = feed_is,
		.context = s,
		.stop = s->q->stop};

	int code = pl_search_new(&s->s, s->q->r, &wanted, &s->q->err);
	if (code == 0)
		pl_search_want_values(s->s, s->values);
	return code;
}

static int open_cursor(struct feed *s)
{
	int code = pl_cursor_new(&s->c, s->q->r, s->process_number, s->thread_number, &s->q->err);

	if (code == 0)
		pl_cursor_want_values(s->c, s->values);
	return code || !s->seq ? code : pl_cursor_seek_seq(s->c, s->seq, &s->q->err);
}

static int open_thread(struct feed *s)
{
	int code = feed_next_thread(s);

	if (code == 0)
		code = bound(s);
	if (code == 0 && s->seq < s->end)
		code = needs_search(s) ? open_search(s) : open_cursor(s);
	s->open = code == 0;
	return code;
}

/* ---- events ---- */

/* The next event, and the gaps before it. */
static int search_on(struct feed *s)
{
	s->gap_count = s->gaps_given = 0;
	int code = pl_search_next(s->s, s->seq, s->end, &s->event, &s->q->err);
	s->has_event = code == 0;
	if (code == 0)
		s->seq = s->event.seq + 1;
	if (code == PL_END && s->gap_count) {
		s->seq = s->end; /* after them, the end */
		return 0;
	}
	return code;
}

static int next_of_search(struct feed *s, struct pl_event *e)
{
	for (;;) {
		if (s->gaps_given < s->gap_count) {
			*e = s->gaps[s->gaps_given++];
			return 0;
		}
		if (s->has_event) {
			*e = s->event;
			s->has_event = false;
			return 0;
		}
		int code = s->seq < s->end ? search_on(s) : PL_END;
		if (code)
			return code;
	}
}

static int next_of_cursor(struct feed *s, struct pl_event *e)
{
	int code = *s->q->stop ? PL_END : pl_cursor_next(s->c, e, &s->q->err);

	return code == 0 && e->seq >= s->end ? PL_END : code;
}

int feed_next(struct feed *s, struct pl_event *e)
{
	for (;;) {
		int code = s->open ? 0 : open_thread(s);
		if (code)
			return code;
		if (*s->q->stop)
			return PL_END;
		code = s->s ? next_of_search(s, e) : s->c ? next_of_cursor(s, e) : PL_END;
		if (code != PL_END)
			return code;
		feed_skip_thread(s);
	}
}
