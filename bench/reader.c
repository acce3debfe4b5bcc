/* bench-reader DIR [count | visit | search | back]: open a recording, seek to times spread over it,
 * and count its events, by pl_cursor_count or one by one. Prints a JSON object; times in seconds,
 * memory_kib the most that was resident. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "pathline/pathline.h"

#define SEEKS 20

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fail(const struct pl_err *e)
{
	fprintf(stderr, "bench-reader: %s\n", pl_err_text(e));
	return 3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int count_all(struct pl_recording *r, uint64_t counts[PL_EVENT_KIND_COUNT], struct pl_err *e)
{
	struct pl_count_table table = {0};
	struct pl_counts *all = NULL;
	int err = pl_counts_new(&all, r, e);

	for (uint32_t i = 0; i < pl_recording_process_count(r) && err == 0; i++) {
		struct pl_cursor *c = NULL;
		err = pl_cursor_new(&c, r, pl_recording_process(r, i)->number, PL_ALL_THREADS, e);
		if (err == 0)
			err = pl_cursor_count(c, all, INT64_MAX, e);
		pl_cursor_free(c);
	}
	if (err == 0)
		err = pl_counts_table(all, &table, e);
	memcpy(counts, table.totals, sizeof table.totals);
	pl_counts_free(all);
	return err;
}

/* Every event of every process, in order. */
static int visit_all(struct pl_recording *r, uint64_t counts[PL_EVENT_KIND_COUNT], struct pl_err *e)
{
	int err = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(r) && err >= 0; i++) {
		struct pl_cursor *c = NULL;
		struct pl_event event;
		err = pl_cursor_new(&c, r, pl_recording_process(r, i)->number, PL_ALL_THREADS, e);
		while (err == 0 && (err = pl_cursor_next(c, &event, e)) == 0)
			counts[event.kind]++;
		pl_cursor_free(c);
	}
	return err;
}

static bool never(void *context, const struct pl_count *row)
{
	(void)context;
	(void)row;
	return false;
}

/* For a line that does not come, through each thread: what a continue does that finds no stop. */
static int search_all(struct pl_recording *r, bool back, uint64_t counts[PL_EVENT_KIND_COUNT], struct pl_err *e)
{
	int err = PL_END;

	for (uint32_t i = 0; i < pl_recording_process_count(r) && err == PL_END; i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; n < p->thread_count && err == PL_END; n++) {
			const struct pl_thread *t = pl_recording_thread(r, p->number, n);
			const struct pl_wanted wanted = {.process = p->number, .thread = n,
				.kinds = 1u << PL_EVENT_LINE, .may = never};
			struct pl_search *s = NULL;
			struct pl_event event;
			err = pl_search_new(&s, r, &wanted, e);
			if (err == 0)
				err = back ? pl_search_previous(s, UINT64_MAX, 0, &event, e)
					   : pl_search_next(s, 0, UINT64_MAX, &event, e);
			counts[PL_EVENT_LINE] += t->counts[PL_EVENT_LINE];
			pl_search_free(s);
		}
	}
	return err == PL_END ? 0 : err;
}

static int seek_all(struct pl_recording *r, double took[SEEKS], struct pl_err *e)
{
	struct pl_recording_info info;
	struct pl_cursor *c = NULL;
	struct pl_event event;
	int err;

	pl_recording_info(r, &info);
	err = pl_cursor_new(&c, r, pl_recording_process(r, 0)->number, PL_ALL_THREADS, e);
	for (int i = 0; i < SEEKS && err >= 0; i++) {
		int64_t span_ns = info.end_ns - info.start_ns;
		double start = seconds(CLOCK_MONOTONIC);
		/* 7 is no divisor: neighbours are not asked one after the other */
		err = pl_cursor_seek_time(c, info.start_ns + span_ns / SEEKS * (i * 7 % SEEKS), e);
		if (err >= 0)
			err = pl_cursor_next(c, &event, e);
		took[i] = seconds(CLOCK_MONOTONIC) - start;
	}
	pl_cursor_free(c);
	return err;
}

int main(int argc, char **argv)
{
	struct pl_err e = {0};
	struct pl_recording *r = NULL;
	uint64_t counts[PL_EVENT_KIND_COUNT] = {0}, events = 0;
	double took[SEEKS] = {0};
	struct rusage usage;

	bool count = argc == 3 && !strcmp(argv[2], "count");
	bool visit = argc == 3 && !strcmp(argv[2], "visit");
	bool back = argc == 3 && !strcmp(argv[2], "back");
	bool search = back || (argc == 3 && !strcmp(argv[2], "search"));
	if (argc != 2 && !count && !visit && !search) {
		fprintf(stderr, "usage: bench-reader DIR [count | visit | search | back]\n");
		return 2;
	}
	double start = seconds(CLOCK_MONOTONIC);
	if (pl_recording_open(&r, argv[1], &e) < 0)
		return fail(&e);
	double open_s = seconds(CLOCK_MONOTONIC) - start;
	if (!pl_recording_process_count(r) || seek_all(r, took, &e) < 0)
		return fail(&e);
	qsort(took, SEEKS, sizeof *took, compare);
	start = seconds(CLOCK_PROCESS_CPUTIME_ID);
	if ((count && count_all(r, counts, &e) < 0) || (visit && visit_all(r, counts, &e) < 0) ||
		(search && search_all(r, back, counts, &e) < 0))
		return fail(&e);
	double count_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		events += counts[k];
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"open_s\": %.6f, \"seek_s\": %.6f, \"seek_worst_s\": %.6f, \"count_s\": %.6f, "
	       "\"events\": %" PRIu64 ", \"lines\": %" PRIu64 ", \"memory_kib\": %ld}\n",
		open_s, took[SEEKS / 2], took[SEEKS - 1], count_s, events, counts[PL_EVENT_LINE],
		usage.ru_maxrss);
	pl_recording_close(r);
	return 0;
}
