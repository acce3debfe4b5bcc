/* Bytes that are stored as they were written, with sound checks, and that no decoder understands: a
 * path never just ends there. It has a gap with its reason, and the check fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/samples.h"
#include "tests/lib/recording.h"

#define NONSENSE_BYTES 12 /* a varint has at most ten */

/* Bytes that end in the middle of a varint, whatever is read first. */
static struct pl_view nonsense(void)
{
	static uint8_t bytes[NONSENSE_BYTES];

	memset(bytes, 0xff, sizeof bytes);
	return view_of(bytes, sizeof bytes);
}

static struct maker_thread *begin(struct maker *m)
{
	maker_init(m);
	maker_body(m, 1, "main", 1, 3);
	struct maker_thread *t = maker_thread(m, 0);
	maker_event1(t, EVENT_TIME, 10);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	return t;
}

/* The block of the thread's events, with these after them, that need not be events. */
static void cut_with(struct maker *m, struct maker_thread *t, const void *bytes, size_t n)
{
	struct mentions mentions = {0};
	struct pl_buf payload = {0};

	maker_head(t);
	buf_put(&t->events, bytes, n);
	t->position += n;
	const struct pl_view events = buf_view(&t->events);
	mentions_add_code(&mentions, 10);
	const struct block_source source = {.head = &t->head,
		.stack = &t->opening,
		.bodies = &m->bodies,
		.mentions = &mentions,
		.parts = &events,
		.part_count = 1};
	assert_int_equal(block_write(&payload, &source, 1), 0);
	record_write(&m->segments[0], RECORD_BLOCK, buf_view(&payload), NULL, 0);
	buf_release(&payload);
	mentions_release(&mentions);
	buf_reset(&t->events);
	assert_int_equal(stack_copy(&t->opening, &t->stack), 0);
	t->head.number++;
}

static void end(struct maker *m, const struct maker_thread *t)
{
	maker_thread_end(m, t);
	maker_process_end(m, PL_PROCESS_EXITED, 0);
	maker_end(m);
}

/* Opened, checked and walked. *gap: the reason of the path's last gap, or -1; gives the rows that
 * are none. */
static uint64_t look(struct maker *m, bool sound, int *gap)
{
	struct pl_recording *r;
	struct pl_cursor *c;
	struct pl_event e;
	uint64_t rows = 0;
	int code;

	*gap = -1;
	assert_int_equal(recording_open_files(&r, maker_files(m), NULL), 0);
	code = pl_recording_check(r, NULL, NULL, NULL, NULL);
	assert_int_equal(code, sound ? 0 : PL_ERR_FORMAT);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	while ((code = pl_cursor_next(c, &e, NULL)) == 0)
		if (e.kind == PL_EVENT_GAP)
			*gap = (int)e.gap;
		else
			rows++;
	assert_int_equal(code, PL_END);
	pl_cursor_free(c);
	pl_recording_close(r);
	return rows;
}

/* Each first byte of an event, with bytes after it that none of its fields can be. */
static void test_events(void **state)
{
	struct event_calls calls = {0};
	unsigned refused = 0;
	(void)state;

	for (unsigned first = 0; first <= UINT8_MAX; first++) {
		uint8_t bytes[1 + NONSENSE_BYTES];
		struct pl_view v = view_of(bytes, sizeof bytes);
		struct maker m;
		struct event e;
		int gap;
		bytes[0] = (uint8_t)first;
		memcpy(bytes + 1, nonsense().at, NONSENSE_BYTES);
		if (event_read(&v, &calls, &e) == 0)
			continue;
		struct maker_thread *t = begin(&m);
		cut_with(&m, t, bytes, sizeof bytes);
		end(&m, t);
		assert_int_equal(look(&m, false, &gap), 2);
		assert_int_equal(gap, PL_GAP_DAMAGED);
		maker_release(&m);
		refused++;
	}
	assert_true(refused > 50);
}

/* The event decodes, but what it names is not there: the line that ran is not known. */
static void test_line_start(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	int gap;
	(void)state;

	maker_line(t, 3);
	maker_cut(&m, t);
	end(&m, t);
	assert_int_equal(look(&m, false, &gap), 3);
	assert_int_equal(gap, PL_GAP_DAMAGED);
	maker_release(&m);
}

static void test_body(void **state)
{
	struct maker m;
	struct pl_buf b = {0};
	int gap;
	(void)state;

	maker_init(&m);
	buf_varint(&b, 1);
	buf_varint(&b, 0);
	buf_string(&b, nonsense().at, nonsense().left);
	maker_meta(&m, RECORD_BODIES, &b);
	maker_code(&m, 10, 1);
	struct maker_thread *t = maker_thread(&m, 0);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_cut(&m, t);
	end(&m, t);
	assert_int_equal(look(&m, false, &gap), 1);
	assert_int_equal(gap, PL_GAP_CODE);
	maker_release(&m);
}

/* Each kind of record that meta can have. */
static void test_meta(void **state)
{
	static const enum record_kind kinds[] = {RECORD_PROCESS, RECORD_THREAD, RECORD_STRINGS,
		RECORD_BODIES, RECORD_SOURCE, RECORD_CLOCK, RECORD_PROCESS_END, RECORD_THREAD_END,
		RECORD_LOSS, RECORD_EVICTED, RECORD_COSTS};
	(void)state;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct maker m;
		struct pl_buf b = {0};
		int gap;
		struct maker_thread *t = begin(&m);
		maker_cut(&m, t);
		buf_put(&b, nonsense().at, nonsense().left);
		maker_meta(&m, (uint16_t)kinds[i], &b);
		end(&m, t);
		look(&m, false, &gap);
		maker_release(&m);
	}
}

/* What the collector could not decode is in no block; it says so by a LOSS. */
static void test_loss(void **state)
{
	static const struct {
		enum pl_gap_reason reason;
		uint32_t thread;
		bool at_end;
		int gap;
	} losses[] = {{PL_GAP_DAMAGED, 0, true, PL_GAP_DAMAGED}, {PL_GAP_DAMAGED, 0, false, -1},
		{PL_GAP_DAMAGED, 1, true, -1}, {PL_GAP_FULL, 0, true, -1}};
	(void)state;

	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
		struct maker m;
		int gap;
		struct maker_thread *t = begin(&m);
		maker_cut(&m, t);
		MAKER_NUMBERS(&m, RECORD_LOSS, "bytes", 1, losses[i].thread,
			t->seq - !losses[i].at_end, 10, losses[i].reason, 0);
		end(&m, t);
		assert_int_equal(look(&m, losses[i].reason != PL_GAP_DAMAGED, &gap), 2);
		assert_int_equal(gap, losses[i].gap);
		maker_release(&m);
	}
}

/* Where bytes are missing and the stream goes on, the reason is that of the loss. */
static void test_loss_in_the_middle(void **state)
{
	struct maker m;
	struct maker_thread *t = begin(&m);
	int gap;
	(void)state;

	maker_cut(&m, t);
	MAKER_NUMBERS(&m, RECORD_LOSS, "bytes", 1, 0, t->seq, 10, PL_GAP_DAMAGED, 0);
	t->head.flags = BLOCK_CONTINUES;
	maker_line(t, 1);
	maker_cut(&m, t);
	end(&m, t);
	assert_int_equal(look(&m, false, &gap), 3);
	assert_int_equal(gap, PL_GAP_DAMAGED);
	maker_release(&m);
}

static void put_samples(struct maker *m, uint32_t count, struct pl_view rows)
{
	const struct samples_head head = {
		.process = 1, .count = count, .open_ticks = 10, .close_ticks = 20};
	struct pl_buf payload = {0};

	samples_write(&payload, &head, rows);
	record_write(&m->segments[0], RECORD_SAMPLES, buf_view(&payload), NULL, 0);
	buf_release(&payload);
}

static void test_samples(void **state)
{
	const struct sample sample = {.weight = 1, .ticks = 10, .body = 2};
	struct pl_buf rows = {0};
	int gap;
	(void)state;

	sample_write(&rows, &sample, 10);
	for (uint32_t count = 0; count < 3; count++)
		for (int other = 0; other < 2; other++) {
			struct maker m;
			struct maker_thread *t = begin(&m);
			put_samples(&m, count, other ? nonsense() : buf_view(&rows));
			maker_cut(&m, t);
			end(&m, t);
			look(&m, count == 1 && !other, &gap);
			maker_release(&m);
		}
	buf_release(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_line_start),
		cmocka_unit_test(test_body),
		cmocka_unit_test(test_meta),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_loss_in_the_middle),
		cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
