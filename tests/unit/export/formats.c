/* Every format on recordings that earlier versions made, under the sanitizers; and the rules of
 * export.h about slices, with a format of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "export/path.h"

static int golden_count;
static char **goldens;

/* ---- a sink ---- */

struct sink {
	size_t bytes, most;
	unsigned files;
};

static bool sink_put(void *context, const void *bytes, size_t count)
{
	struct sink *s = context;

	assert_non_null(bytes);
	s->bytes += count;
	return s->bytes <= s->most;
}

static bool sink_file(void *context, const char *name)
{
	struct sink *s = context;

	assert_null(strchr(name, '/'));
	s->files++;
	return true;
}

/* ---- a recording, in one format ---- */

static int export_thread(struct export_path *path, const struct pl_process *p, uint32_t number)
{
	const struct pl_thread *t = pl_recording_thread(path->x->r, p->number, number);
	struct pl_cursor *c;

	assert_int_equal(pl_cursor_new(&c, path->x->r, p->number, number, NULL), 0);
	pl_cursor_want_values(c, true);
	const int code = export_path_thread(path, c, p, t, NULL);
	pl_cursor_free(c);
	return code;
}

static int export_threads(struct export_path *path, const struct pl_process *p)
{
	struct export *x = path->x;
	int code = x->format->process ? x->format->process(x, p) : 0;

	for (uint32_t n = 0; n < p->thread_count && code == 0; n++)
		code = export_thread(path, p, n);
	return code;
}

static int export_profile(struct export *x, const struct pl_process *p, struct pl_profile **profile)
{
	const struct pl_profile_wanted wanted = {.range = {.process = p->number}, .workers = 1};

	assert_int_equal(pl_profile_new(profile, x->r, &wanted, NULL), 0);
	return x->format->profile(x, p, pl_profile_tables(*profile));
}

/* The profiles are used until the end. */
static int export_golden(
	const char *golden, const struct export_format *format, struct sink *sink, bool lines)
{
	struct export x = {.format = format, .sink = {sink_put, sink_file, sink}};
	struct export_path path = {.x = &x, .lines = lines};
	struct pl_profile *profiles[16] = {NULL};

	assert_int_equal(pl_recording_open(&x.r, golden, NULL), 0);
	int code = export_begin(&x);
	for (uint32_t i = 0; i < pl_recording_process_count(x.r) && code == 0; i++) {
		const struct pl_process *p = pl_recording_process(x.r, i);
		assert_true(i < 16);
		code = format->takes == EXPORT_PATH ? export_threads(&path, p)
						    : export_profile(&x, p, &profiles[i]);
	}
	if (code == 0)
		code = export_end(&x);
	export_release(&x);
	for (unsigned i = 0; i < 16; i++)
		pl_profile_free(profiles[i]);
	pl_recording_close(x.r);
	return code;
}

static void each_format_writes_each_recording(void **state)
{
	const struct export_format *f;

	(void)state;
	for (int i = 0; i < golden_count; i++)
		for (size_t k = 0; (f = export_format(k)); k++) {
			struct sink sink = {.most = SIZE_MAX};
			assert_int_equal(export_golden(goldens[i], f, &sink, true), 0);
			assert_true(sink.bytes > 0);
			assert_int_equal(sink.files > 0, f->is_directory);
		}
}

static void a_sink_that_wants_no_more_ends_it(void **state)
{
	const struct export_format *f;

	(void)state;
	for (size_t k = 0; (f = export_format(k)); k++) {
		struct sink sink = {.most = 10};
		assert_int_equal(export_golden(goldens[0], f, &sink, false), PL_END);
	}
}

/* ---- the rules ---- */

#define DEPTH_MAX 1000

struct track {
	uint64_t open[DEPTH_MAX]; /* numbers of slices */
	size_t depth;
	int64_t last_ns;
};
struct rules {
	struct track tracks[64]; /* by number */
	uint64_t slices;
};

static struct track *track_of(struct export *x, const struct export_track *t)
{
	assert_in_range(t->number, 1, 63);
	return &((struct rules *)x->state)->tracks[t->number];
}

static int rules_begin(struct export *x, const struct export_slice *s, const char *task)
{
	struct rules *rules = x->state;
	struct track *t = track_of(x, s->track);

	(void)task;
	assert_int_equal(s->parent, t->depth ? t->open[t->depth - 1] : 0);
	assert_int_equal(s->root, t->depth ? t->open[0] : s->number);
	assert_true(s->begin_ns >= t->last_ns);
	assert_int_equal(s->number, ++rules->slices);
	assert_true(t->depth < DEPTH_MAX);
	t->open[t->depth++] = s->number;
	t->last_ns = s->begin_ns;
	return 0;
}

static int rules_end(struct export *x, const struct export_slice *s, const struct pl_event *e)
{
	struct track *t = track_of(x, s->track);

	assert_true(t->depth > 0);
	assert_int_equal(s->number, t->open[--t->depth]);
	assert_true(s->end_ns >= s->begin_ns && s->end_ns >= t->last_ns);
	assert_true(!e || e->code == s->code);
	t->last_ns = s->end_ns;
	return 0;
}

static int rules_track_end(struct export *x, const struct export_track *t, int64_t end_ns)
{
	assert_int_equal(track_of(x, t)->depth, 0);
	assert_true(end_ns >= track_of(x, t)->last_ns);
	return 0;
}

static int rules_done(struct export *x)
{
	assert_true(((struct rules *)x->state)->slices > 0);
	buf_u8(&x->bytes, 1);
	return 0;
}

static void slices_of_a_track_lie_within_each_other(void **state)
{
	static const struct export_format rules = {.name = "rules",
		.takes = EXPORT_PATH,
		.state_bytes = sizeof(struct rules),
		.end = rules_done,
		.slice_begin = rules_begin,
		.slice_end = rules_end,
		.track_end = rules_track_end};

	(void)state;
	for (int i = 0; i < 2 * golden_count; i++) {
		struct sink sink = {.most = SIZE_MAX};
		assert_int_equal(export_golden(goldens[i / 2], &rules, &sink, i % 2), 0);
	}
}

static void formats_have_names(void **state)
{
	const struct export_format *f;

	(void)state;
	for (size_t k = 0; (f = export_format(k)); k++) {
		assert_ptr_equal(export_find(f->name), f);
		assert_true(strlen(f->about) <= 60);
		assert_true(!k || strcmp(export_format(k - 1)->name, f->name) < 0);
	}
	assert_null(export_find("chrom"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_format_writes_each_recording),
		cmocka_unit_test(a_sink_that_wants_no_more_ends_it),
		cmocka_unit_test(slices_of_a_track_lie_within_each_other),
		cmocka_unit_test(formats_have_names),
	};

	golden_count = argc - 1;
	goldens = argv + 1;
	return golden_count ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
