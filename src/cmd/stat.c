#define _GNU_SOURCE
#include "cmd/stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "base/units.h"
#include "cmd/calibrate.h"

#define FUNCTIONS_SAID 8
#define SHARE_SAID     0.01 /* of the whole cost: a smaller share gets no line */

struct cost {
	struct pl_recorded row;
	double ns;
	uint64_t events;
};

struct estimate {
	struct cost *all; /* owned; after estimate_make the most expensive first */
	size_t count;
	double ns;
	uint64_t events;
	double first_ns; /* first runs' part of it */
	double value_ns; /* that of values */
	uint64_t values; /* events that have some */
	double kind_ns[PL_EVENT_KIND_COUNT];
	uint64_t kind_events[PL_EVENT_KIND_COUNT];
};

void stat_usage_take(struct stat_usage *u)
{
	struct rusage r;

	if (getrusage(RUSAGE_CHILDREN, &r) == 0)
		u->cpu_s = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
			   (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static int by_code(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;
	const uintptr_t i = (uintptr_t)x->row.code, j = (uintptr_t)y->row.code;

	return (i > j) - (i < j);
}

/* A function that was reoptimized has several rows. */
static void merge(struct estimate *e)
{
	size_t count = 0;

	if (e->count)
		qsort(e->all, e->count, sizeof *e->all, by_code);
	for (size_t i = 0; i < e->count; i++) {
		if (count && e->all[count - 1].row.code == e->all[i].row.code) {
			e->all[count - 1].ns += e->all[i].ns;
			e->all[count - 1].events += e->all[i].events;
		} else {
			e->all[count++] = e->all[i];
		}
	}
	e->count = count;
}

/* By cost; without a calibration (all costs 0) by the number of events. */
static int dearer(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->events < y->events) - (x->events > y->events);
}

/* At a code's first run its graph is made, which takes longer the more lines it has. */
static void add_first_runs(struct estimate *e, const struct calibration *k)
{
	for (size_t i = 0; i < e->count; i++) {
		double ns = k->first_line_ns * (double)pl_code_lines(e->all[i].row.code, NULL, 0);
		e->all[i].ns += ns;
		e->first_ns += ns;
	}
	e->ns += e->first_ns;
}

/* Values of all functions together: the collector counts events alone by function. */
static void add_values(struct estimate *e, const struct pl_recording *r, double each_ns)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	e->values = info.value_events;
	e->value_ns = each_ns * (double)info.value_events;
	e->ns += e->value_ns;
}

/* The number of each kind of event in each code, times what such an event costs on this machine. */
static bool estimate_make(struct estimate *e, struct pl_recording *r, const struct calibration *k)
{
	e->count = pl_recording_recorded_count(r);
	e->all = calloc(e->count + 1, sizeof *e->all);
	if (!e->all)
		return false;
	for (uint32_t i = 0; i < e->count; i++) {
		struct cost *c = &e->all[i];
		pl_recording_recorded(r, i, &c->row);
		for (int kind = 0; kind < PL_EVENT_KIND_COUNT; kind++) {
			double ns = (double)c->row.counts[kind] * k->ns[kind];
			c->ns += ns;
			c->events += c->row.counts[kind];
			e->kind_ns[kind] += ns;
			e->kind_events[kind] += c->row.counts[kind];
		}
		e->ns += c->ns;
		e->events += c->events;
	}
	merge(e);
	add_first_runs(e, k);
	add_values(e, r, k->value_ns);
	qsort(e->all, e->count, sizeof *e->all, dearer);
	return true;
}

/* ---- what is said ---- */

/* An estimate in the notation of all durations. */
static const char *span(double ns, char text[UNITS_BYTES])
{
	units_duration(text, ns < 9e18 ? (int64_t)(ns + 0.5) : INT64_MAX);
	return text;
}

/* The CPU time of the program, measured, has the cost in it: the rest is what it would take alone,
 * and both percentages are of that. */
static void say_whole(const struct estimate *e, const struct stat_usage *u, uint64_t collector_ns)
{
	const double whole_ns = u->cpu_s * 1e9, alone_ns = whole_ns - e->ns;
	char cost[UNITS_BYTES], whole[UNITS_BYTES], alone[UNITS_BYTES], beside[UNITS_BYTES];

	span(whole_ns, whole);
	span((double)collector_ns, beside);
	/* An estimate that leaves almost nothing for the program is useless. */
	if (!(alone_ns > whole_ns / 10)) {
		cmd_say("stat: recording cost most of the program's %s of CPU time", whole);
		cmd_say("stat: the collector took %s beside it", beside);
		return;
	}
	cmd_say("stat: recording cost about %s of the program's %s of CPU time, estimated; alone "
		"it takes about %s: +%.0f%%",
		span(e->ns, cost), whole, span(alone_ns, alone), 100 * e->ns / alone_ns);
	cmd_say("stat: the collector took %s beside it: +%.0f%%", beside,
		100 * (double)collector_ns / alone_ns);
}

/* The cost of an event, in a column; µ is two bytes in one column. */
static void say_kind(uint64_t count, const char *name, double each_ns, double part)
{
	char each[UNITS_BYTES], digits[UNITS_BYTES];

	units_count(digits, count);
	span(each_ns, each);
	cmd_say("stat: %14s %-9s of %*s %5.1f%%", digits, name, strstr(each, "µ") ? 9 : 8, each,
		100 * part);
}

static void say_kinds(const struct estimate *e, const struct calibration *k)
{
	for (int kind = 0; kind < PL_EVENT_KIND_COUNT; kind++)
		if (e->kind_events[kind] && e->kind_ns[kind] >= e->ns * SHARE_SAID)
			say_kind(e->kind_events[kind], pl_event_kind_name((enum pl_event_kind)kind),
				k->ns[kind], e->ns > 0 ? e->kind_ns[kind] / e->ns : 0);
	if (e->values)
		say_kind(e->values, "values", k->value_ns, e->ns > 0 ? e->value_ns / e->ns : 0);
	if (e->count && e->first_ns >= e->ns * SHARE_SAID)
		say_kind(
			e->count, "first run", e->first_ns / (double)e->count, e->first_ns / e->ns);
}

/* Of what is known by function, which values are not. */
static double share(const struct estimate *e, const struct cost *c)
{
	if (e->ns > e->value_ns)
		return c->ns / (e->ns - e->value_ns);
	return e->events ? (double)c->events / (double)e->events : 0;
}

/* The most expensive file that a command line can name: a code without a file ("<string>") cannot
 * be left out by its name. */
static const char *dearest_file(const struct estimate *e)
{
	for (size_t i = 0; i < e->count && i < FUNCTIONS_SAID; i++) {
		const char *file = pl_code_file(e->all[i].row.code);
		if (file[0] != '<' && file[0] != '?')
			return file;
	}
	return NULL;
}

static void say_functions(const struct estimate *e)
{
	cmd_say("stat: what cost most to record:");
	for (size_t i = 0; i < e->count && i < FUNCTIONS_SAID; i++) {
		const struct cost *c = &e->all[i];
		if (i && share(e, c) < SHARE_SAID)
			break;
		char events[UNITS_BYTES];
		units_count(events, c->events);
		cmd_say("stat: %5.1f%% %14s events  %s  %s:%d", 100 * share(e, c), events,
			pl_code_name(c->row.code), pl_code_file(c->row.code),
			pl_code_first_line(c->row.code));
	}
	const char *file = dearest_file(e);
	if (file)
		cmd_say("stat: to leave out a file, a module or the library: --exclude %s, "
			"--exclude stdlib",
			file);
}

static void say_estimate(struct pl_recording *r, const struct stat_usage *u,
	const struct calibration *k, const char *why)
{
	struct estimate e = {0};

	if (!estimate_make(&e, r, k))
		return;
	if (why)
		cmd_say("stat: what an event costs here could not be measured: %s", why);
	else
		say_whole(&e, u, pl_recording_collector_ns(r));
	if (!why)
		say_kinds(&e, k);
	if (e.count)
		say_functions(&e);
	free(e.all);
}

void stat_say(
	struct cmd *c, const char *directory, const struct stat_usage *u, stat_recorder *record)
{
	struct pl_recording *r = NULL;
	struct pl_err e = {0};
	struct calibration k;

	if (pl_recording_open(&r, directory, &e) < 0) {
		cmd_say("stat: %s", pl_err_text(&e));
		return;
	}
	const char *why = "no interpreter was recorded";
	if (pl_recording_process_count(r))
		why = calibrate(c, pl_recording_process(r, 0)->executable, record, &k);
	else
		k = (struct calibration){0};
	say_estimate(r, u, &k, why);
	pl_recording_close(r);
}
