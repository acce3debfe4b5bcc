/* Is what a profile counts what a visit to each event counts, and do its times add up?
 *
 *	profiles_compare(&t, r)    NULL: all is the same; else what is not
 *
 * Hits of lines; calls, resumes and throws of functions, and by caller and line, which the stack
 * after each event names. Of each process as a whole, with and without what makes the path be
 * walked otherwise.
 */
#ifndef TEST_PROFILES_H
#define TEST_PROFILES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "pathline/pathline.h"

struct profiles_test {
	struct pl_recording *r;
	uint32_t process;
	struct pl_map lines, functions, calls; /* hash of what it is -> times */
	uint64_t line_sum, function_sum, call_sum;
	struct pl_frame *frames; /* owned */
	size_t room;
	char what[300];
};

static inline void profiles_fail(
	struct profiles_test *t, const char *what, const char *name, uint64_t a, uint64_t b)
{
	if (!t->what[0])
		snprintf(t->what, sizeof t->what,
			"process %" PRIu32 ": %s of %.100s: %" PRIu64 ", not %" PRIu64, t->process,
			what, name, a, b);
}

static inline uint64_t *profiles_place(struct pl_map *m, const struct pl_code *code,
	const struct pl_code *caller, int32_t line, int kind)
{
	const uint64_t words[] = {
		(uintptr_t)code, (uintptr_t)caller, (uint32_t)line, (uint64_t)kind};

	return map_put(m, hash_bytes(words, sizeof words));
}

/* ---- the visit ---- */

static inline const struct pl_frame *profiles_caller(
	struct profiles_test *t, const struct pl_cursor *c, const struct pl_event *e)
{
	size_t depth = pl_cursor_stack(c, NULL, 0);

	if (depth > t->room) {
		t->room = 2 * depth;
		t->frames = realloc(t->frames, t->room * sizeof *t->frames);
	}
	pl_cursor_stack(c, t->frames, t->room);
	return e->depth ? &t->frames[e->depth - 1] : NULL;
}

static inline void profiles_add(
	struct profiles_test *t, const struct pl_cursor *c, const struct pl_event *e)
{
	if (pl_event_is_pass(e->kind)) {
		++*profiles_place(&t->lines, e->code, NULL, e->line, 0);
		t->line_sum++;
	}
	if (e->kind != PL_EVENT_CALL && e->kind != PL_EVENT_RESUME && e->kind != PL_EVENT_THROW)
		return;
	const struct pl_frame *caller = profiles_caller(t, c, e);
	++*profiles_place(&t->functions, e->code, NULL, 0, (int)e->kind);
	++*profiles_place(&t->calls, e->code, caller ? caller->code : NULL,
		caller ? caller->line : 0, (int)e->kind);
	t->function_sum++;
	t->call_sum++;
}

static inline void profiles_visit(struct profiles_test *t, uint32_t thread)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;

	if (pl_cursor_new(&c, t->r, t->process, thread, NULL))
		return;
	while (pl_cursor_next(c, &e, NULL) == 0)
		profiles_add(t, c, &e);
	pl_cursor_free(c);
}

/* ---- against the profile ---- */

static inline uint64_t profiles_three(struct profiles_test *t, struct pl_map *m, const char *what,
	const struct pl_code *code, const struct pl_profile_call *row)
{
	const uint64_t found[] = {row->calls, row->resumes, row->throws};
	const enum pl_event_kind kinds[] = {PL_EVENT_CALL, PL_EVENT_RESUME, PL_EVENT_THROW};
	uint64_t sum = 0;

	for (int i = 0; i < 3; i++) {
		uint64_t wanted = *profiles_place(m, code, row->caller, row->line, (int)kinds[i]);
		if (found[i] != wanted)
			profiles_fail(t, what, code ? pl_code_name(code) : "?", found[i], wanted);
		sum += found[i];
	}
	return sum;
}

static inline void profiles_counts(struct profiles_test *t, const struct pl_profile_tables *p)
{
	uint64_t lines = 0, functions = 0, calls = 0;

	for (size_t i = 0; i < p->line_count; i++) {
		const struct pl_line_time *l = &p->lines[i].time;
		uint64_t wanted = *profiles_place(&t->lines, l->code, NULL, l->line, 0);
		if (l->hits != wanted)
			profiles_fail(t, "hits of a line", l->code ? pl_code_name(l->code) : "?",
				l->hits, wanted);
		lines += l->hits;
	}
	for (size_t i = 0; i < p->function_count; i++) {
		const struct pl_profile_function *f = &p->functions[i];
		const struct pl_profile_call row = {
			.calls = f->calls, .resumes = f->resumes, .throws = f->throws};
		functions += profiles_three(t, &t->functions, "entries", f->code, &row);
	}
	for (size_t i = 0; i < p->call_count; i++)
		calls += profiles_three(
			t, &t->calls, "calls from a line", p->calls[i].callee, &p->calls[i]);
	if (lines != t->line_sum || functions != t->function_sum || calls != t->call_sum)
		profiles_fail(t, "all", "it", lines + functions + calls,
			t->line_sum + t->function_sum + t->call_sum);
}

/* Rounding is a ns a row. */
static inline void profiles_near(
	struct profiles_test *t, const char *what, int64_t a, int64_t b, size_t rows)
{
	int64_t apart = a > b ? a - b : b - a;

	if (apart > (int64_t)rows + 1000 + (a > b ? a : b) / 1000000000)
		profiles_fail(t, what, "all", (uint64_t)a, (uint64_t)b);
}

static inline void profiles_times(struct profiles_test *t, const struct pl_profile_tables *p)
{
	int64_t lines = 0, functions = 0, nodes = 0;
	const int64_t rest = p->idle_ns + p->lost_ns;

	for (size_t i = 0; i < p->line_count; i++) {
		lines += p->lines[i].time.computing_ns + p->lines[i].time.waiting_ns;
		if (p->lines[i].cumulated_ns > p->sum_ns + 1000)
			profiles_fail(t, "time with calls", "a line",
				(uint64_t)p->lines[i].cumulated_ns, (uint64_t)p->sum_ns);
	}
	for (size_t i = 0; i < p->function_count; i++) {
		const struct pl_profile_function *f = &p->functions[i];
		functions += f->computing_ns + f->waiting_ns;
		if (f->cumulated_ns > p->sum_ns + 1000)
			profiles_fail(t, "time with calls", "a function", (uint64_t)f->cumulated_ns,
				(uint64_t)p->sum_ns);
	}
	for (size_t i = 0; i < p->node_count; i++) {
		nodes += p->nodes[i].own_ns;
		if (i && p->nodes[i].parent >= i)
			profiles_fail(t, "parent", "a node", p->nodes[i].parent, i);
	}
	profiles_near(t, "times of lines", lines + rest, p->sum_ns, p->line_count);
	profiles_near(t, "times of functions", functions + rest, p->sum_ns, p->line_count);
	profiles_near(t, "times of contexts", nodes + rest, p->sum_ns, p->node_count);
	profiles_near(
		t, "time of the root", p->nodes[0].cumulated_ns + rest, p->sum_ns, p->node_count);
}

static inline void profiles_one(struct profiles_test *t, const struct pl_profile_wanted *wanted)
{
	struct pl_profile *p = NULL;
	struct pl_err err = {0};

	if (pl_profile_new(&p, t->r, wanted, &err)) {
		profiles_fail(t, "no profile", pl_err_text(&err), 0, 0);
		return;
	}
	/* Of tasks a call has a row each. */
	if (!wanted->tasks)
		profiles_counts(t, pl_profile_tables(p));
	profiles_times(t, pl_profile_tables(p));
	pl_profile_free(p);
}

static inline const char *profiles_compare(struct profiles_test *t, struct pl_recording *r)
{
	*t = (struct profiles_test){.r = r};
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		t->process = p->number;
		for (uint32_t n = 0; n < p->thread_count; n++)
			if (pl_recording_thread(r, p->number, n))
				profiles_visit(t, n);
		struct pl_profile_wanted wanted = {.range = {.process = p->number}};
		profiles_one(t, &wanted);
		wanted.workers = 3;
		profiles_one(t, &wanted);
		wanted.exceptions = true;
		wanted.blocking_ns = 1000;
		profiles_one(t, &wanted);
		wanted.tasks = true;
		profiles_one(t, &wanted);
		map_release(&t->lines);
		map_release(&t->functions);
		map_release(&t->calls);
		t->line_sum = t->function_sum = t->call_sum = 0;
	}
	free(t->frames);
	return t->what[0] ? t->what : NULL;
}

#endif
