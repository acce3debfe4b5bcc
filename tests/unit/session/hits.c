/* How often lines have run up to a position, in steps: from any position to any other, over more
 * events than are counted at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/hits.h"
#include "tests/lib/recording.h"

#define BLOCK_EVENTS 300000u
#define BLOCKS	     8u /* more than two pieces of which counts are kept */
#define EVENTS	     (1 + BLOCKS * BLOCK_EVENTS)
#define LAST_LINE    4

struct made {
	struct maker m;
	struct pl_recording *r;
	const struct pl_code *code;
	struct hits *h;
};

/* main, with lines 2, 3, 4, 2, …: the line of seq s is 2 + (s - 1) % 3. */
static void made_open(struct made *x)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;

	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	struct maker_thread *t = maker_thread(&x->m, 0);
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	for (uint32_t block = 0, i = 0; block < BLOCKS; block++) {
		for (uint32_t n = 0; n < BLOCK_EVENTS; n++)
			maker_line(t, i++ % 3);
		maker_cut(&x->m, t);
	}
	maker_thread_end(&x->m, t);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
	assert_int_equal(pl_cursor_new(&c, x->r, 1, 0, NULL), 0);
	assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	x->code = e.code;
	pl_cursor_free(c);
	x->h = hits_new(x->r, 1, 0);
	assert_non_null(x->h);
}

static void made_release(struct made *x)
{
	hits_free(x->h);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

/* Until the lines up to this event are known. */
static void work(struct made *x, uint64_t seq, uint64_t counts[LAST_LINE + 1])
{
	int code;

	do
		code = hits_work(x->h, seq, NULL);
	while (code == HITS_GOES_ON && !hits_of(x->h, x->code, counts, LAST_LINE));
	assert_true(code == HITS_GOES_ON || code == HITS_READY);
	assert_true(hits_of(x->h, x->code, counts, LAST_LINE));
}

static void up_to(void **state)
{
	const uint64_t seqs[] = {1, 2, EVENTS - 1, 1500000, 1499999, 1500003, 5, 2200000, 1048576};
	uint64_t counts[LAST_LINE + 1];
	struct made x;

	(void)state;
	made_open(&x);
	assert_false(hits_in_all(x.h, x.code, counts, LAST_LINE));
	for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++) {
		work(&x, seqs[i], counts);
		for (uint64_t line = 2; line <= LAST_LINE; line++)
			assert_int_equal(counts[line], (seqs[i] + 4 - line) / 3);
	}
	while (hits_work(x.h, 5, NULL) == HITS_GOES_ON)
		;
	assert_true(hits_in_all(x.h, x.code, counts, LAST_LINE));
	assert_int_equal(counts[2] + counts[3] + counts[4], EVENTS - 1);
	assert_int_equal(counts[1], 0);
	made_release(&x);
}

static void nothing(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	assert_null(hits_new(x.r, 1, 9));
	hits_free(NULL);
	made_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(up_to),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
