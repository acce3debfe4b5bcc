#include "session/elsewhere.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"

struct count {
	struct stops *stops;
	struct path *path;
	uint64_t found;
	struct pl_err *err;
};

static bool may_be_elsewhere(void *context, const struct pl_count *row)
{
	return stops_may(((struct count *)context)->stops, row);
}

/* 0 ends the search: there are enough. */
static int is_elsewhere(void *context, const struct pl_event *e)
{
	struct count *c = context;
	int code = stops_match(c->stops, c->path, e, c->err);

	if (code)
		return code;
	return ++c->found >= ELSEWHERE_MAX ? 0 : PL_END;
}

/* The number of stops of one thread in these seqs: ELSEWHERE_MAX, if there are as many or more. A
 * stop that counts hits is at one place of a thread at most. */
static int count_stops(struct replay *p, struct path *path, const struct seqs *in, uint64_t *count,
	struct pl_err *err)
{
	struct count c = {.stops = &p->stops, .path = path, .err = err};
	const struct pl_wanted wanted = {.process = path->process,
		.thread = path->thread,
		.kinds = stops_kinds(&p->stops),
		.may = may_be_elsewhere,
		.is = is_elsewhere,
		.context = &c,
		.stop = p->stop};
	struct pl_search *search = NULL;
	struct pl_event e;
	uint64_t hit;
	int code = stops_begin(&p->stops, path, in->from);

	if (code)
		return pl_err_cause(err, code, "no memory for conditions");
	code = stops_hit(&p->stops, path, in, &hit, err);
	if (code == 0)
		code = pl_search_new(&search, p->r, &wanted, err);
	if (search)
		pl_search_want_values(search, stops_need_values(&p->stops));
	if (code == 0 && wanted.kinds)
		code = pl_search_next(search, in->from, in->to, &e, err);
	pl_search_free(search);
	*count = c.found + (code >= 0 && hit != UINT64_MAX);
	return code < 0 ? code : 0;
}

/* In a thread of this process: those after the position, or before it. */
static int count_in_thread(
	struct replay *p, uint32_t thread, bool back, uint64_t *count, struct pl_err *err)
{
	struct path path = {
		.r = p->r, .process = p->at.position.process, .thread = thread, .stop = p->stop};
	uint64_t seq;
	int code = replay_seq_in(p, &path, &seq, err);

	if (code == 0 && thread == p->at.position.thread)
		seq = p->at.seq + !back;
	const struct seqs in = {.from = back ? 0 : seq, .to = back ? seq : UINT64_MAX};
	if (code == 0)
		code = count_stops(p, &path, &in, count, err);
	path_release(&path);
	return code;
}

static int count_in_process(
	struct replay *p, const struct pl_process *process, uint64_t *count, struct pl_err *err)
{
	int code = 0;

	*count = 0;
	for (uint32_t n = 0; n < process->thread_count && code == 0 && *count < ELSEWHERE_MAX;
		n++) {
		struct path path = {
			.r = p->r, .process = process->number, .thread = n, .stop = p->stop};
		uint64_t more;
		code = count_stops(p, &path, &(struct seqs){.to = UINT64_MAX}, &more, err);
		*count += code == 0 ? more : 0;
		path_release(&path);
	}
	return code;
}

static void add_row(struct elsewhere *e, const struct elsewhere_row *row)
{
	if (!row->count)
		return;
	if (e->count == ELSEWHERE_ROWS) {
		e->more = true;
		return;
	}
	e->rows[e->count] = *row;
	if (row->count > ELSEWHERE_MAX)
		e->rows[e->count].count = ELSEWHERE_MAX;
	e->count++;
}

/* Only if they were left out of the search (a). */
static int add_threads(struct replay *p, bool back, struct elsewhere *e, struct pl_err *err)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	int code = 0;

	for (uint32_t n = 0; p->only_here && process && n < process->thread_count && code == 0;
		n++) {
		struct elsewhere_row row = {.of = ELSEWHERE_THREAD, .number = n};
		if (n == p->at.position.thread)
			continue;
		code = count_in_thread(p, n, back, &row.count, err);
		if (code == 0)
			add_row(e, &row);
		e->threads |= row.count > 0;
	}
	return code;
}

/* Those in the other direction, in the threads that count. */
static int add_other_way(struct replay *p, bool back, struct elsewhere *e, struct pl_err *err)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	struct elsewhere_row all = {.of = ELSEWHERE_OTHER_WAY};
	int code = 0;

	for (uint32_t n = 0; process && n < process->thread_count && code == 0; n++) {
		uint64_t count = 0;
		if (p->only_here && n != p->at.position.thread)
			continue;
		code = count_in_thread(p, n, !back, &count, err);
		all.count += count;
	}
	add_row(e, &all);
	e->other_way = all.count > 0;
	return code;
}

static int add_processes(struct replay *p, struct elsewhere *e, struct pl_err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(p->r) && code == 0; i++) {
		const struct pl_process *process = pl_recording_process(p->r, i);
		struct elsewhere_row row = {.of = ELSEWHERE_PROCESS, .number = process->number};
		if (process->number == p->at.position.process)
			continue;
		code = count_in_process(p, process, &row.count, err);
		if (code)
			break;
		add_row(e, &row);
		e->processes |= row.count > 0;
	}
	return code;
}

int elsewhere_find(struct replay *p, bool back, struct elsewhere *e, struct pl_err *err)
{
	*e = (struct elsewhere){.count = 0};
	int code = add_threads(p, back, e, err);

	if (code == 0)
		code = add_processes(p, e, err);
	if (code == 0)
		code = add_other_way(p, back, e, err);
	return code;
}

/* ---- as text ---- */

/* The message: "; 4 in pricing_1, 2 in process 2", and the keys that lead there. */
struct told {
	char *text;
	size_t used;
};

static void __attribute__((format(printf, 2, 3))) tell(struct told *t, const char *format, ...)
{
	va_list arguments;

	if (t->used >= ELSEWHERE_BYTES)
		return;
	va_start(arguments, format);
	t->used +=
		(size_t)vsnprintf(t->text + t->used, ELSEWHERE_BYTES - t->used, format, arguments);
	va_end(arguments);
}

/* "in pricing_1", "in process 2", "earlier". */
static void tell_where(
	const struct replay *p, bool back, const struct elsewhere_row *row, struct told *t)
{
	const struct pl_thread *thread =
		row->of == ELSEWHERE_THREAD
			? pl_recording_thread(p->r, p->at.position.process, row->number)
			: NULL;

	if (row->of == ELSEWHERE_OTHER_WAY)
		tell(t, back ? " later" : " earlier");
	else if (thread && thread->name && *thread->name)
		tell(t, " in %.156s", thread->name);
	else
		tell(t,
			row->of == ELSEWHERE_THREAD ? " in thread %" PRIu32
						    : " in process %" PRIu32,
			row->number);
}

static void tell_keys(const struct elsewhere *e, bool back, struct told *t)
{
	const char *const keys[] = {e->threads ? "a: all threads" : NULL,
		e->processes ? "P: processes" : NULL,
		e->other_way ? (back ? "c: forward" : "C: back") : NULL};
	const char *before = " (";

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i]) {
			tell(t, "%s%s", before, keys[i]);
			before = ", ";
		}
	if (*before == ',')
		tell(t, ")");
}

void elsewhere_text(
	const struct replay *p, bool back, const struct elsewhere *e, char text[ELSEWHERE_BYTES])
{
	struct told t = {.text = text};
	char number[UNITS_BYTES];

	tell(&t, "no %s stop in %s", back ? "earlier" : "later",
		p->only_here ? "this thread" : "this process");
	for (size_t i = 0; i < e->count; i++) {
		const struct elsewhere_row *row = &e->rows[i];
		units_count(number, row->count);
		tell(&t, "%s%s%s", i ? ", " : "; ", number, row->count < ELSEWHERE_MAX ? "" : "+");
		tell_where(p, back, row, &t);
	}
	if (e->more)
		tell(&t, ", more in others");
	tell_keys(e, back, &t);
}
