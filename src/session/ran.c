#include "session/ran.h"

#include "base/buf.h"
#include "base/map.h"

/* The rows before the event that are searched: first few, then more, if the frame does not begin
 * within them. */
static const uint64_t REACH[] = {1u << 14, 1u << 20, 1u << 26};

struct ran_search {
	const struct pl_event *at;
	struct pl_buf lines;  /* of ran_line, in the order in which they ran first */
	struct pl_map places; /* line -> index in `lines`, + 1 */
	bool begun;	      /* the frame's begin was seen */
};

bool ran_in_one_frame(const struct pl_event *a, const struct pl_event *b)
{
	if (a->code != b->code)
		return false;
	if (a->generator || b->generator)
		return a->generator == b->generator;
	return a->depth == b->depth && a->greenlet == b->greenlet;
}

static bool ran_may(void *context, const struct pl_count *row)
{
	const struct ran_search *s = context;

	return row->code == s->at->code;
}

static void forget_lines(struct ran_search *s)
{
	buf_reset(&s->lines);
	map_release(&s->places);
	s->places = (struct pl_map){0};
}

/* A pl_wanted's `is`, which goes on to the end. A call begins another frame at this depth. */
static int ran_note(void *context, const struct pl_event *e)
{
	struct ran_search *s = context;

	if (!ran_in_one_frame(e, s->at))
		return PL_END;
	if (e->kind == PL_EVENT_CALL) {
		forget_lines(s);
		s->begun = true;
		return PL_END;
	}
	uint64_t *place = map_put(&s->places, (uint32_t)e->line);
	if (!place)
		return PL_ERR_MEMORY;
	if (!*place) {
		const struct ran_line line = {.line = e->line};
		buf_put(&s->lines, &line, sizeof line);
		if (s->lines.failed)
			return PL_ERR_MEMORY;
		*place = s->lines.used / sizeof line;
	}
	struct ran_line *line =
		(struct ran_line *)(void *)(s->lines.at + (*place - 1) * sizeof *line);
	line->passes++;
	line->seq = e->seq;
	return PL_END;
}

static int ran_search_from(
	struct ran_search *s, struct pl_recording *r, uint64_t from, const struct pl_wanted *wanted)
{
	struct pl_search *search = NULL;
	struct pl_event e;
	int code = pl_search_new(&search, r, wanted, NULL);

	if (code == 0)
		code = pl_search_next(search, from, s->at->seq + 1, &e, NULL);
	pl_search_free(search);
	return code < 0 ? code : 0;
}

/* Those that ran last, in that order. */
static void ran_take(const struct ran_search *s, struct ran *out)
{
	const struct ran_line *all = (const struct ran_line *)(const void *)s->lines.at;
	const size_t count = s->lines.used / sizeof *all;
	uint64_t before = UINT64_MAX;

	while (out->count < RAN_LINES) {
		const struct ran_line *last = NULL;
		for (size_t i = 0; i < count; i++)
			if (all[i].seq < before && (!last || all[i].seq > last->seq))
				last = &all[i];
		if (!last)
			break;
		out->lines[out->count++] = *last;
		before = last->seq;
	}
	for (size_t i = 0; i < out->count / 2; i++) {
		const struct ran_line line = out->lines[i];
		out->lines[i] = out->lines[out->count - 1 - i];
		out->lines[out->count - 1 - i] = line;
	}
	out->less = !s->begun;
}

int ran_before(struct pl_recording *r, const struct pl_event *at, const volatile sig_atomic_t *stop,
	struct ran *out, struct pl_err *err)
{
	struct ran_search s = {.at = at};
	const struct pl_wanted wanted = {.process = at->position.process,
		.thread = at->position.thread,
		.kinds = 1u << PL_EVENT_CALL | 1u << PL_EVENT_LINE | 1u << PL_EVENT_AGAIN,
		.may = ran_may,
		.is = ran_note,
		.context = &s,
		.stop = stop};
	int code = 0;

	*out = (struct ran){0};
	for (size_t i = 0; code == 0 && !s.begun && i < sizeof REACH / sizeof *REACH; i++) {
		if (i && (REACH[i - 1] > at->seq ||
				 s.lines.used / sizeof(struct ran_line) >= RAN_LINES))
			break;
		forget_lines(&s);
		code = ran_search_from(&s, r, at->seq > REACH[i] ? at->seq - REACH[i] : 0, &wanted);
		s.begun |= at->seq <= REACH[i];
	}
	if (code == 0)
		ran_take(&s, out);
	else if (err)
		pl_err_cause(err, code, "the lines of a frame");
	buf_release(&s.lines);
	map_release(&s.places);
	return code;
}
