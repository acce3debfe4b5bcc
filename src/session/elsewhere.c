#include "session/elsewhere.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"

/* More than that are not counted. */
#define COUNT_MAX 1000u
#define NAMES_MAX 4 /* threads and processes that are named */

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
	return ++c->found >= COUNT_MAX ? 0 : PL_END;
}

/* The number of stops of one thread in these seqs: COUNT_MAX, if there are as many or more. A stop
 * that counts hits is at one place of a thread at most. */
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
	int code;

	stops_begin(&p->stops, in->from);
	code = stops_hit(&p->stops, path, in, &hit, err);
	if (code == 0)
		code = pl_search_new(&search, p->r, &wanted, err);
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
	for (uint32_t n = 0; n < process->thread_count && code == 0 && *count < COUNT_MAX; n++) {
		struct path path = {
			.r = p->r, .process = process->number, .thread = n, .stop = p->stop};
		uint64_t more;
		code = count_stops(p, &path, &(struct seqs){.to = UINT64_MAX}, &more, err);
		*count += code == 0 ? more : 0;
		path_release(&path);
	}
	return code;
}

/* The message: "; 4 in pricing_1, 2 in process 2", and the keys that lead there. */
struct told {
	char *text;
	size_t used;
	int names;
	bool threads, processes, other_way;
};

static void tell_elsewhere(struct told *t, uint64_t count, const char *where)
{
	char number[UNITS_BYTES];

	if (!count)
		return;
	units_count(number, count < COUNT_MAX ? count : COUNT_MAX);
	if (t->names < NAMES_MAX && t->used < ELSEWHERE_BYTES)
		t->used += (size_t)snprintf(t->text + t->used, ELSEWHERE_BYTES - t->used,
			"%s%s%s %s", t->names ? ", " : "; ", number, count < COUNT_MAX ? "" : "+",
			where);
	else if (t->names == NAMES_MAX && t->used < ELSEWHERE_BYTES)
		t->used += (size_t)snprintf(
			t->text + t->used, ELSEWHERE_BYTES - t->used, ", more in others");
	t->names++;
}

/* Only if they were left out of the search (a). */
static int tell_threads(struct replay *p, bool back, struct told *t, struct pl_err *err)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	int code = 0;

	for (uint32_t n = 0; p->only_here && process && n < process->thread_count && code == 0;
		n++) {
		const struct pl_thread *thread = pl_recording_thread(p->r, process->number, n);
		char where[160];
		uint64_t count = 0;
		if (n == p->at.position.thread)
			continue;
		code = count_in_thread(p, n, back, &count, err);
		if (thread && thread->name && *thread->name)
			snprintf(where, sizeof where, "in %s", thread->name);
		else
			snprintf(where, sizeof where, "in thread %" PRIu32, n);
		if (code == 0)
			tell_elsewhere(t, count, where);
		t->threads |= count > 0;
	}
	return code;
}

/* Those in the other direction, in the threads that count. */
static int tell_other_way(struct replay *p, bool back, struct told *t, struct pl_err *err)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	uint64_t all = 0;
	int code = 0;

	for (uint32_t n = 0; process && n < process->thread_count && code == 0; n++) {
		uint64_t count = 0;
		if (p->only_here && n != p->at.position.thread)
			continue;
		code = count_in_thread(p, n, !back, &count, err);
		all += count;
	}
	tell_elsewhere(t, all, back ? "later" : "earlier");
	t->other_way = all > 0;
	return code;
}

static int tell_processes(struct replay *p, struct told *t, struct pl_err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(p->r) && code == 0; i++) {
		const struct pl_process *process = pl_recording_process(p->r, i);
		char where[32];
		uint64_t count;
		if (process->number == p->at.position.process)
			continue;
		code = count_in_process(p, process, &count, err);
		snprintf(where, sizeof where, "in process %" PRIu32, process->number);
		if (code)
			break;
		tell_elsewhere(t, count, where);
		t->processes |= count > 0;
	}
	return code;
}

static void tell_keys(struct told *t, bool back)
{
	const char *const keys[] = {t->threads ? "a: all threads" : NULL,
		t->processes ? "P: processes" : NULL,
		t->other_way ? (back ? "c: forward" : "C: back") : NULL};
	const char *before = " (";

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i] && t->used < ELSEWHERE_BYTES) {
			t->used += (size_t)snprintf(t->text + t->used, ELSEWHERE_BYTES - t->used,
				"%s%s", before, keys[i]);
			before = ", ";
		}
	if (*before == ',' && t->used < ELSEWHERE_BYTES)
		snprintf(t->text + t->used, ELSEWHERE_BYTES - t->used, ")");
}

int elsewhere_tell(struct replay *p, bool back, char text[ELSEWHERE_BYTES], struct pl_err *err)
{
	struct told t = {.text = text};

	t.used = (size_t)snprintf(text, ELSEWHERE_BYTES, "no %s stop in %s",
		back ? "earlier" : "later", p->only_here ? "this thread" : "this process");
	int code = tell_threads(p, back, &t, err);
	if (code == 0)
		code = tell_processes(p, &t, err);
	if (code == 0)
		code = tell_other_way(p, back, &t, err);
	tell_keys(&t, back);
	return code;
}
