/* Opening, refreshing and checking: versions, unknown records, what is appended, dropped, cut
 * off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/lib/recording.h"

static struct pl_recording *open_maker(struct maker *m)
{
	struct pl_recording *r;
	struct pl_err err = {0};

	if (recording_open_files(&r, maker_files(m), &err))
		fail_msg("open: %s", pl_err_text(&err));
	return r;
}

/* Blocks of four events each: call or line, and three lines. */
static void put_block(struct maker *m, struct maker_thread *t)
{
	maker_event1(t, EVENT_TIME, 10);
	if (!t->seq) {
		maker_switch(t, 1);
		maker_enter(t, EVENT_NO_SITE, 10);
	} else {
		maker_line(t, 0);
	}
	maker_line(t, 0 + (t->seq != 0));
	maker_line(t, t->seq ? 2 : 1);
	maker_line(t, t->seq ? 0 : 2);
	if (t->seq)
		maker_line(t, 1), maker_line(t, 2);
	maker_cut(m, t);
}

static struct maker_thread *begin(struct maker *m)
{
	maker_init(m);
	maker_body(m, 1, "main", 1, 3);
	return maker_thread(m, 0);
}

static uint64_t count_rows(struct pl_cursor *c, uint64_t *gaps)
{
	struct pl_event e;
	uint64_t n = 0;
	int code;

	*gaps = 0;
	while ((code = pl_cursor_next(c, &e, NULL)) == 0) {
		n++;
		*gaps += e.kind == PL_EVENT_GAP;
	}
	assert_int_equal(code, PL_END);
	return n;
}

static void test_versions(void **state)
{
	struct maker m = {.arena = true};
	struct pl_recording *r;
	struct pl_err err = {0};
	(void)state;

	maker_header(&m, FORMAT_MAJOR + 1, 0);
	assert_int_equal(recording_open_files(&r, maker_files(&m), &err), PL_ERR_VERSION);
	assert_non_null(strstr(pl_err_text(&err), "its format is 2.0"));
	maker_release(&m);
	m = (struct maker){.arena = true};
	maker_header(&m, FORMAT_MAJOR, FORMAT_MINOR + 7);
	r = open_maker(&m);
	struct pl_recording_info info;
	pl_recording_info(r, &info);
	assert_int_equal(info.format_minor, FORMAT_MINOR + 7);
	assert_string_equal(info.command, "python a.py");
	pl_recording_close(r);
	maker_release(&m);
}

static void test_no_recording(void **state)
{
	struct maker m = {.arena = true};
	struct pl_recording *r;
	(void)state;

	assert_int_equal(recording_open_files(&r, maker_files(&m), NULL), PL_ERR_FORMAT);
	for (int i = 0; i < 1000; i++)
		buf_u8(&m.meta, (uint8_t)i);
	assert_int_equal(recording_open_files(&r, maker_files(&m), NULL), PL_ERR_FORMAT);
	maker_release(&m);
	assert_int_equal(pl_recording_open(&r, "/nonexistent/recording", NULL), PL_ERR_NOT_FOUND);
}

static void test_unknown_records(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	const struct pl_size *size;
	uint32_t i = 0;
	(void)state;

	put_block(&m, t);
	MAKER_NUMBERS(&m, 77, "of a later minor version", 1, 2, 3);
	record_write(&m.segments[0], 78, view_of("?", 1), NULL, 0);
	put_block(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	struct pl_recording *r = open_maker(&m);
	while ((size = pl_recording_size(r, i)) && strcmp(size->kind, "unknown") != 0)
		i++;
	assert_non_null(size);
	assert_int_equal(size->records, 2);
	assert_int_equal(pl_recording_damage_count(r), 0);
	assert_int_equal(pl_recording_thread(r, 1, 0)->events, 10);
	pl_recording_close(r);
	maker_release(&m);
}

/* Events that only a later minor version knows: their block is a gap, and no damage. */
static void test_later_events(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	struct pl_cursor *c;
	struct pl_event e;
	(void)state;

	t->head.needs_minor = FORMAT_MINOR + 1;
	put_block(&m, t);
	t->head.needs_minor = 0;
	put_block(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	struct pl_recording *r = open_maker(&m);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	assert_int_equal(e.gap, PL_GAP_UNKNOWN);
	assert_int_equal(e.lost, 4);
	assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	assert_int_equal(e.seq, 4);
	assert_int_equal(pl_recording_check(r, NULL, NULL, NULL, NULL), 0);
	pl_cursor_free(c);
	pl_recording_close(r);
	maker_release(&m);
}

static void test_refresh(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	struct pl_cursor *c;
	uint64_t gaps;
	(void)state;

	put_block(&m, t);
	struct pl_recording *r = open_maker(&m);
	assert_int_equal(pl_cursor_new(&c, r, 1, PL_ALL_THREADS, NULL), 0);
	assert_int_equal(count_rows(c, &gaps), 4);
	assert_int_equal(pl_recording_refresh(r, NULL), PL_END);
	put_block(&m, t);
	maker_next_segment(&m);
	put_block(&m, t);
	/* A record that is being written is not there yet, and no damage. */
	size_t whole = m.segments[1].used;
	put_block(&m, t);
	size_t more = m.segments[1].used;
	m.segments[1].used = whole + 40;
	assert_int_equal(pl_recording_refresh(r, NULL), 0);
	assert_int_equal(count_rows(c, &gaps), 12);
	m.segments[1].used = more;
	assert_int_equal(pl_recording_refresh(r, NULL), 0);
	assert_int_equal(count_rows(c, &gaps), 6);
	struct maker_thread *other = maker_thread(&m, 1);
	put_block(&m, other);
	assert_int_equal(pl_recording_refresh(r, NULL), 0);
	assert_int_equal(count_rows(c, &gaps), 4);
	assert_int_equal(gaps, 0);
	assert_int_equal(pl_recording_damage_count(r), 0);
	pl_cursor_free(c);
	pl_recording_close(r);
	maker_release(&m);
}

static void test_evicted(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	struct pl_cursor *c;
	struct pl_event e;
	(void)state;

	for (int i = 0; i < 6; i++) {
		put_block(&m, t);
		if (i == 1 || i == 3)
			maker_next_segment(&m);
	}
	struct pl_recording *r = open_maker(&m);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	assert_int_equal(e.seq, 4);
	/* Two segments go while the cursor stands in the first. */
	MAKER_NUMBERS(&m, RECORD_EVICTED, NULL, 3);
	m.there[0] = m.there[1] = false;
	assert_int_equal(pl_recording_refresh(r, NULL), 0);
	assert_int_equal(pl_recording_thread(r, 1, 0)->first_seq, 22);
	do
		assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	while (e.kind != PL_EVENT_GAP);
	assert_int_equal(e.gap, PL_GAP_EVICTED);
	assert_int_equal(e.seq, 22);
	assert_int_equal(e.lost, 12);
	assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	assert_int_equal(e.seq, 22);
	pl_cursor_free(c);
	/* From the start the same gap stands in front. */
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	assert_int_equal(e.gap, PL_GAP_EVICTED);
	assert_int_equal(e.lost, 22);
	assert_int_equal(pl_recording_damage_count(r), 0);
	pl_cursor_free(c);
	pl_recording_close(r);
	maker_release(&m);
}

struct heard {
	uint64_t count;
	char last[200];
};

static void hear(void *arg, const struct pl_damage *d)
{
	struct heard *h = arg;

	h->count++;
	snprintf(h->last, sizeof h->last, "%s:%d:%s", d->file, d->offset > 0, d->what);
}

static void expect_damage(struct maker *m, const char *words)
{
	struct pl_recording *r = open_maker(m);
	struct pl_check_result result;
	struct heard heard = {0};

	assert_int_equal(pl_recording_check(r, hear, &heard, &result, NULL), PL_ERR_FORMAT);
	assert_true(heard.count > 0);
	assert_int_equal(result.damaged, heard.count);
	if (!strstr(heard.last, words))
		fail_msg("'%s' does not say '%s'", heard.last, words);
	pl_recording_close(r);
}

static void test_check(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	struct pl_check_result result;
	(void)state;

	put_block(&m, t);
	put_block(&m, t);
	put_block(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	struct pl_recording *r = open_maker(&m);
	assert_int_equal(pl_recording_check(r, NULL, NULL, &result, NULL), 0);
	assert_int_equal(result.blocks, 3);
	assert_int_equal(result.events, 16);
	pl_recording_close(r);
	/* A byte of the second block's payload. */
	size_t at = m.segments[0].used / 2;
	m.segments[0].at[at] ^= 0x10;
	expect_damage(&m, "block");
	m.segments[0].at[at] ^= 0x10;
	/* The last block is cut off. */
	m.segments[0].used -= 10;
	expect_damage(&m, "last blocks are missing");
	m.segments[0].used += 10;
	m.there[0] = false;
	expect_damage(&m, "missing");
	maker_release(&m);
}

/* What is lost with a block of a chain is what is after it there: in front of it, and in the next
 * chain, nothing is. */
static void test_damage_in_a_chain(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	struct pl_cursor *c;
	struct pl_event e;
	size_t ends[5];
	uint64_t seqs[5], rows = 0, lost = 0;
	(void)state;

	m.chains = true;
	for (int i = 0; i < 5; i++) {
		if (i == 4)
			chain_break(&t->chain);
		put_block(&m, t);
		ends[i] = m.segments[0].used;
		seqs[i] = t->seq;
	}
	maker_thread_end(&m, t);
	maker_end(&m);
	struct pl_recording *r = open_maker(&m);
	assert_int_equal(pl_recording_check(r, NULL, NULL, NULL, NULL), 0);
	pl_recording_close(r);
	m.segments[0].at[ends[1] - 1] ^= 0x10;
	expect_damage(&m, "the block is damaged");
	r = open_maker(&m);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	while (pl_cursor_next(c, &e, NULL) == 0) {
		rows += e.kind != PL_EVENT_GAP;
		lost += e.kind == PL_EVENT_GAP ? e.lost : 0;
	}
	assert_int_equal(rows, seqs[0] + seqs[4] - seqs[3]);
	assert_int_equal(lost, seqs[3] - seqs[0]);
	assert_int_equal(pl_recording_damage_count(r), 1);
	pl_cursor_free(c);
	pl_recording_close(r);
	maker_release(&m);
}

static void test_end_missing(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	struct pl_cursor *c;
	uint64_t gaps;
	(void)state;

	put_block(&m, t);
	struct pl_recording *r = open_maker(&m);
	assert_int_equal(
		pl_recording_check(r, NULL, NULL, NULL, NULL), 0); /* it is being written */
	pl_recording_close(r);
	m.arena = false;
	expect_damage(&m, "end is missing");
	r = open_maker(&m);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	assert_int_equal(count_rows(c, &gaps), 5);
	assert_int_equal(gaps, 1); /* killed */
	pl_cursor_free(c);
	pl_recording_close(r);
	maker_release(&m);
}

/* The reason of the gap at the end of a thread's path; -1: it has none. */
static int last_gap(struct pl_recording *r, uint32_t thread)
{
	struct pl_cursor *c;
	struct pl_event e;
	int gap = -1;

	assert_int_equal(pl_cursor_new(&c, r, 1, thread, NULL), 0);
	while (pl_cursor_next(c, &e, NULL) == 0)
		gap = e.kind == PL_EVENT_GAP ? (int)e.gap : -1;
	pl_cursor_free(c);
	return gap;
}

/* A LOSS of a process: thread 0 stands in a frame at its end, thread 1 in none. */
static void test_losses_of_a_process(void **state)
{
	static const struct {
		enum pl_gap_reason reason;
		int gaps[2];
	} losses[] = {{PL_GAP_FULL, {PL_GAP_FULL, -1}},
		{PL_GAP_COLLECTOR, {PL_GAP_COLLECTOR, PL_GAP_COLLECTOR}},
		{PL_GAP_STOPPED, {PL_GAP_STOPPED, PL_GAP_STOPPED}}, {PL_GAP_UNKNOWN, {-1, -1}}};
	(void)state;

	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
		struct maker m;
		struct maker_thread *stands = begin(&m);
		put_block(&m, stands);
		struct maker_thread *empty = maker_thread(&m, 1);
		maker_enter(empty, EVENT_NO_SITE, 10);
		maker_line(empty, 0);
		maker_event1(empty, EVENT_LEAVE, MAKER_UNIT(0));
		maker_cut(&m, empty);
		stands->ticks = empty->ticks = 5000; /* when the process ends */
		maker_thread_end(&m, stands);
		maker_thread_end(&m, empty);
		MAKER_NUMBERS(&m, RECORD_LOSS, "a text", 1, 0, 0, 10, losses[i].reason, 0);
		maker_process_end(&m, PL_PROCESS_EXITED, 0);
		maker_end(&m);
		struct pl_recording *r = open_maker(&m);
		for (uint32_t thread = 0; thread < 2; thread++)
			assert_int_equal(last_gap(r, thread), losses[i].gaps[thread]);
		pl_recording_close(r);
		maker_release(&m);
	}
}

/* Many blocks name the codes of one record that is damaged. */
static void test_check_tells_missing_codes_once(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	struct heard heard = {0};
	(void)state;

	for (int i = 0; i < 5; i++)
		put_block(&m, t);
	maker_code(&m, 10, 2);
	for (int i = 0; i < 3; i++)
		put_block(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	struct pl_recording *r = open_maker(&m);
	assert_int_equal(pl_recording_check(r, hear, &heard, NULL, NULL), PL_ERR_FORMAT);
	assert_int_equal(heard.count, 1);
	assert_string_equal(heard.last,
		"events.000001:1:the block names a code that is missing; in all, 3 blocks name 1 "
		"such code");
	pl_recording_close(r);
	maker_release(&m);
}

/* A byte of END names a segment: what such a byte costs the reader is bounded. */
static void test_end_names_what_never_was(void **state)
{
	struct maker m;
	struct pl_buf b = {0};
	(void)state;

	begin(&m);
	buf_varint(&b, 1000000);
	buf_varint(&b, 0);
	buf_varint(&b, m.meta.used);
	buf_varint(&b, UINT32_MAX - 10); /* the numbers run over */
	for (int i = 0; i < 100000; i++)
		buf_varint(&b, 0);
	maker_meta(&m, RECORD_END, &b);
	m.arena = false;
	struct pl_recording *r = open_maker(&m);
	assert_in_range(pl_recording_damage_count(r), 1, 3);
	pl_recording_close(r);
	maker_release(&m);
}

/* Somebody writes while it is read: names and a block that needs them as the segments are listed,
 * the thread's end and its last block as meta is looked at after that. */
struct writer {
	struct maker m; /* the files are its own */
	struct maker_thread *t;
	int lists, looks;
};

static int list_while_written(struct files *f, struct pl_buf *numbers, struct pl_err *err)
{
	struct writer *w = (struct writer *)f;

	if (w->lists++ == 0) {
		maker_string(&w->m, 5, "LookupError");
		maker_event2(w->t, EVENT_RAISE, MAKER_UNIT(2), 5);
		maker_cut(&w->m, w->t);
	}
	return maker_ops.segments(f, numbers, err);
}

static int size_while_written(struct files *f, uint32_t file, uint64_t *bytes, struct pl_err *err)
{
	struct writer *w = (struct writer *)f;

	if (file == FILE_META && w->looks++ == 1) {
		put_block(&w->m, w->t);
		maker_thread_end(&w->m, w->t);
	}
	return maker_ops.size(f, file, bytes, err);
}

static struct files_ops begin_writer(struct writer *w)
{
	struct files_ops ops = maker_ops;

	*w = (struct writer){.m.arena = true};
	w->t = begin(&w->m);
	put_block(&w->m, w->t);
	ops.segments = list_while_written;
	ops.size = size_while_written;
	return ops;
}

static void test_read_while_it_is_written(void **state)
{
	struct writer w;
	struct files_ops ops = begin_writer(&w);
	struct pl_recording *r;
	struct pl_cursor *c;
	struct pl_event e;
	bool named = false;
	int code;
	(void)state;

	w.m.files.ops = &ops;
	assert_int_equal(recording_open_files(&r, &w.m.files, NULL), 0);
	assert_true(w.lists && w.looks > 1);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	while ((code = pl_cursor_next(c, &e, NULL)) == 0) {
		assert_int_not_equal(e.kind, PL_EVENT_GAP);
		named |= e.kind == PL_EVENT_RAISE && !strcmp(e.type, "LookupError");
	}
	assert_int_equal(code, PL_END);
	assert_true(named);
	pl_cursor_free(c);
	pl_recording_close(r);
	maker_release(&w.m);
}

static void test_check_while_it_is_written(void **state)
{
	struct writer w;
	struct files_ops ops = begin_writer(&w);
	struct pl_recording *r = open_maker(&w.m);
	(void)state;

	w.m.files.ops = &ops;
	assert_int_equal(pl_recording_check(r, NULL, NULL, NULL, NULL), 0);
	assert_true(w.lists && w.looks > 1);
	pl_recording_close(r);
	maker_release(&w.m);
}

/* The collector drops old segments and begins new ones while the recording is read: each step is
 * done before one of the reader's looks at a file, or at a name of the directory.
 *
 *	step      0        1       2     3       4       5 ...
 *	          EVICTED  unlink  grow  EVICTED unlink  grow
 */
struct limiter {
	struct maker m; /* the files are its own */
	struct maker_thread *t;
	uint32_t looks;	       /* so far */
	uint32_t at;	       /* the look before which the first step is done */
	uint32_t every;	       /* looks from one step to the next; 0: all at once */
	uint32_t steps, to_do; /* done so far; in all */
	bool downward;	       /* the directory lists its names so */
};

#define LIMITER_STEPS 9

static void limiter_step(struct limiter *w)
{
	const uint32_t oldest = w->steps / 3;

	switch (w->steps++ % 3) {
	case 0:
		MAKER_NUMBERS(&w->m, RECORD_EVICTED, NULL, oldest + 2, 4 + 6 * oldest);
		break;
	case 1:
		w->m.there[oldest] = false;
		break;
	default:
		maker_next_segment(&w->m);
		put_block(&w->m, w->t);
	}
}

static void limiter_look(struct files *f)
{
	struct limiter *w = (struct limiter *)f;

	for (w->looks++; w->steps < w->to_do && w->looks >= w->at + w->steps * w->every;)
		limiter_step(w);
}

static int list_while_dropped(struct files *f, struct pl_buf *numbers, struct pl_err *err)
{
	const struct limiter *w = (const struct limiter *)f;
	(void)err;

	for (uint32_t i = 1; i <= MAKER_SEGMENTS; i++) {
		const uint32_t file = w->downward ? MAKER_SEGMENTS + 1 - i : i;
		limiter_look(f);
		if (maker_file(f, file))
			buf_u32(numbers, file);
	}
	return 0;
}

static int size_while_dropped(struct files *f, uint32_t file, uint64_t *bytes, struct pl_err *err)
{
	limiter_look(f);
	return maker_ops.size(f, file, bytes, err);
}

static int read_while_dropped(
	struct files *f, struct span span, struct pl_buf *to, struct pl_err *err)
{
	limiter_look(f);
	return maker_ops.read(f, span, to, err);
}

static const struct files_ops dropped_ops = {
	.segments = list_while_dropped,
	.size = size_while_dropped,
	.read = read_while_dropped,
	.exists = maker_exists,
	.close = maker_no_close,
};

/* Read the whole path: what is missing of it was dropped. */
static void expect_evicted(struct pl_recording *r)
{
	struct pl_cursor *c;
	struct pl_event e;
	uint64_t seq = 0;
	int code;

	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	while ((code = pl_cursor_next(c, &e, NULL)) == 0) {
		if (e.kind == PL_EVENT_GAP) {
			assert_int_equal(e.gap, PL_GAP_EVICTED);
			seq += e.lost;
			continue;
		}
		assert_int_equal(e.seq, seq);
		seq++;
	}
	assert_int_equal(code, PL_END);
	pl_cursor_free(c);
}

/* Open, check and read it; false: not all steps were done meanwhile. */
static bool read_dropping(struct limiter *w)
{
	struct pl_recording *r;
	struct pl_err err = {0};

	for (uint32_t i = 0; i < 5; i++) {
		if (i)
			maker_next_segment(&w->m);
		put_block(&w->m, w->t);
	}
	w->m.files.ops = &dropped_ops;
	if (recording_open_files(&r, &w->m.files, &err))
		fail_msg("open, %u: %s", w->at, pl_err_text(&err));
	if (pl_recording_damage_count(r))
		fail_msg("open, %u: %s", w->at, pl_recording_loss(r, 0)->text);
	if (pl_recording_check(r, NULL, NULL, NULL, &err))
		fail_msg("check, %u: %s", w->at, pl_err_text(&err));
	expect_evicted(r);
	assert_int_equal(pl_recording_damage_count(r), 0);
	pl_recording_close(r);
	return w->steps == w->to_do;
}

static void test_dropped_while_it_is_read(void **state)
{
	(void)state;

	for (uint32_t variant = 0; variant < 2 * 4 * LIMITER_STEPS; variant++) {
		bool done = true;
		for (uint32_t at = 1; done; at++) {
			struct limiter w = {.at = at,
				.every = variant / 2 % 4,
				.to_do = 1 + variant / 8,
				.downward = variant % 2};
			w.t = begin(&w.m);
			done = read_dropping(&w);
			maker_release(&w.m);
			assert_true(done || at > 10);
		}
	}
}

static uint64_t bytes_read;
static int (*plain_read)(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err);

static int read_counting(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err)
{
	bytes_read += span.length;
	return plain_read(f, span, to, err);
}

/* A strange byte in front of each record: the way to the next one is short, and not much more is
 * read than that. */
static void test_many_short_damages(void **state)
{
	struct maker m;
	struct pl_recording *r;
	struct files_ops ops;
	struct pl_buf *segment = &m.segments[0];
	(void)state;

	begin(&m);
	for (int i = 0; i < 5000; i++) {
		buf_u8(segment, 'x');
		record_write(segment, 999, (struct pl_view){0}, NULL, 0);
	}
	m.there[0] = true;
	ops = *maker_files(&m)->ops;
	plain_read = ops.read;
	ops.read = read_counting;
	m.files.ops = &ops;
	bytes_read = 0;
	assert_int_equal(recording_open_files(&r, &m.files, NULL), 0);
	assert_int_equal(pl_recording_damage_count(r), 5000);
	assert_in_range(bytes_read, segment->used, 64 * segment->used);
	pl_recording_close(r);
	maker_release(&m);
}

static int read_nothing(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err)
{
	(void)f, (void)span, (void)to;
	return pl_err_cause(err, PL_ERR_IO, "the disk is on fire");
}

/* What the system said reaches the user. */
static void test_reason_of_failure(void **state)
{
	struct maker m;
	struct pl_recording *r;
	struct pl_err err = {0};
	struct files_ops ops;
	(void)state;

	put_block(&m, begin(&m));
	ops = *maker_files(&m)->ops;
	ops.read = read_nothing;
	m.files.ops = &ops;
	assert_int_equal(recording_open_files(&r, &m.files, &err), PL_ERR_IO);
	assert_non_null(strstr(pl_err_text(&err), "the disk is on fire"));
	maker_release(&m);
}

/* The same through a directory. */
static void put_file(const char *directory, const char *name, const struct pl_buf *b)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->at, b->used), b->used);
	close(fd);
}

static void remove_file(const char *directory, const char *name)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", directory, name);
	unlink(path);
}

/* Readers ask for each number up to a process's thread_count, so numbers must be justified by
 * threads that are there: a hundred records of 2^24 - 1 would be 1.6 thousand million questions. A
 * few that are missing are a damage, and stay. */
static void test_numbers_without_threads(void **state)
{
	enum { PROCESSES = 100, FAR = (1 << 24) - 1, MISSING = 5000, NUMBERS_MAX = 1 << 21 };
	struct maker m;
	struct pl_recording *r;
	uint64_t numbers = 0;
	(void)state;

	begin(&m);
	MAKER_NUMBERS(&m, RECORD_THREAD, "honest", 1, MISSING, 77, 10);
	for (uint32_t n = 2; n < PROCESSES + 2; n++) {
		maker_process(&m, n);
		MAKER_NUMBERS(&m, RECORD_THREAD, "far", n, FAR, 77, 10);
		MAKER_NUMBERS(&m, RECORD_THREAD, "farther", n, UINT32_MAX, 77, 10);
	}
	maker_end(&m);
	r = open_maker(&m);
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		numbers += pl_recording_process(r, i)->thread_count;
	assert_true(numbers < NUMBERS_MAX);
	assert_int_equal(pl_recording_damage_count(r), 2 * PROCESSES);
	assert_string_equal(pl_recording_thread(r, 1, MISSING)->name, "honest");
	assert_null(pl_recording_thread(r, 2, FAR));
	pl_recording_close(r);
	maker_release(&m);
}

static void test_directory(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	char directory[] = "/tmp/pathline-test-XXXXXX";
	struct pl_recording *r;
	struct pl_err err = {0};
	struct pl_cursor *c;
	uint64_t gaps;
	(void)state;

	put_block(&m, t);
	maker_next_segment(&m);
	put_block(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	assert_non_null(mkdtemp(directory));
	assert_int_equal(pl_recording_open(&r, directory, &err), PL_ERR_NOT_FOUND);
	put_file(directory, "meta", &m.meta);
	put_file(directory, "events.000001", &m.segments[0]);
	put_file(directory, "events.000002", &m.segments[1]);
	put_file(directory, "events.2", &m.segments[1]); /* no name of ours */
	assert_int_equal(pl_recording_open(&r, directory, NULL), 0);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	assert_int_equal(count_rows(c, &gaps), 10);
	assert_int_equal(pl_recording_check(r, NULL, NULL, NULL, NULL), 0);
	pl_cursor_free(c);
	pl_recording_close(r);
	/* A FIFO in place of a file neither blocks nor is read. */
	remove_file(directory, "events.000002");
	char path[300];
	snprintf(path, sizeof path, "%s/events.000002", directory);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pl_recording_open(&r, directory, NULL), 0);
	assert_true(pl_recording_damage_count(r) > 0);
	pl_recording_close(r);
	remove_file(directory, "meta");
	remove_file(directory, "events.000001");
	remove_file(directory, "events.000002");
	remove_file(directory, "events.2");
	rmdir(directory);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_no_recording),
		cmocka_unit_test(test_unknown_records),
		cmocka_unit_test(test_later_events),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_read_while_it_is_written),
		cmocka_unit_test(test_check_while_it_is_written),
		cmocka_unit_test(test_dropped_while_it_is_read),
		cmocka_unit_test(test_evicted),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_damage_in_a_chain),
		cmocka_unit_test(test_losses_of_a_process),
		cmocka_unit_test(test_check_tells_missing_codes_once),
		cmocka_unit_test(test_end_missing),
		cmocka_unit_test(test_end_names_what_never_was),
		cmocka_unit_test(test_many_short_damages),
		cmocka_unit_test(test_reason_of_failure),
		cmocka_unit_test(test_numbers_without_threads),
		cmocka_unit_test(test_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
