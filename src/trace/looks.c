#include "trace/looks.h"

static int read_next(struct looks *l, struct pl_err *err)
{
	int code;

	do
		code = samples_walk_next(&l->walk, &l->next, err);
	while (code == 0 && l->next.thread != l->thread);
	l->has_next = code == 0;
	return code == PL_END ? 0 : code;
}

int looks_begin(struct looks *l, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err)
{
	*l = (struct looks){.walk = {.r = r, .process = process}, .thread = thread};
	int code = read_next(l, err);

	return code ? code : looks_next(l, err);
}

int looks_next(struct looks *l, struct pl_err *err)
{
	if (l->has_sample) {
		l->before = l->sample.ticks;
		l->rare = l->sample.weight > 1;
	}
	l->has_sample = l->has_next;
	l->sample = l->next;
	return l->has_next ? read_next(l, err) : 0;
}

void looks_release(struct looks *l)
{
	samples_walk_release(&l->walk);
}

static uint64_t least_time(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most_time(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The order of times in a file is not certain. */
static uint64_t time_between(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

bool looks_is_first(const struct looks *l, uint64_t from)
{
	return !l->before || l->before < from;
}

bool looks_is_last(const struct looks *l, uint64_t to)
{
	return !l->has_next || l->next.ticks >= to;
}

uint64_t looks_before(const struct looks *l)
{
	return l->before ? time_between(l->before, l->sample.ticks) : 0;
}

uint64_t looks_after(const struct looks *l)
{
	return l->has_next ? time_between(l->sample.ticks, l->next.ticks) : 0;
}

uint64_t looks_part(const struct looks *l, uint64_t from, uint64_t to)
{
	const uint64_t at = l->sample.ticks;
	uint64_t before = looks_before(l), after = looks_after(l);
	const uint64_t half = least_time(before, after) / 2;

	before = looks_is_first(l, from) ? most_time(time_between(from, at), half) : before / 2;
	after = looks_is_last(l, to) ? most_time(time_between(at, to), half) : after / 2;
	return before + after;
}
