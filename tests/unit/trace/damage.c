/* Damage, at random: no crash, no leak, and never a changed path that looks sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <cmocka.h>
#include "tests/lib/random.h"
#include "tests/lib/recording.h"

#define ROUNDS 4000

static void make(struct maker *m)
{
	maker_init(m);
	maker_body(m, 1, "main", 1, 3);
	maker_body(m, 2, "f", 10, 3);
	maker_string(m, 5, "ValueError");
	for (uint32_t n = 0; n < 3; n++)
		maker_thread(m, n);
	uint64_t run = 1;
	for (uint32_t i = 0; i < 24; i++) {
		struct maker_thread *t = &m->threads[i % 3];
		maker_switch(t, run++);
		maker_event1(t, EVENT_TIME, 30 + i);
		maker_enter(t, i < 3 ? EVENT_NO_SITE : MAKER_UNIT(0), i < 3 ? 10 : 20);
		maker_line(t, 0);
		maker_event2(t, EVENT_RAISE, MAKER_UNIT(0), 5);
		maker_event2(t, EVENT_HANDLED, MAKER_UNIT(0), 5);
		maker_line(t, 0);
		if (i % 2)
			maker_cut(m, t);
		if (i == 12)
			maker_next_segment(m);
	}
	for (uint32_t n = 0; n < 3; n++) {
		maker_cut(m, &m->threads[n]);
		maker_thread_end(m, &m->threads[n]);
	}
	maker_process_end(m, PL_PROCESS_EXITED, 0);
	maker_end(m);
}

/* The whole path as text; false: it could not be opened, or says that it is damaged. */
static bool read_all(struct maker *m, struct pl_buf *out)
{
	struct pl_recording *r;
	struct pl_cursor *c;
	struct pl_event e;
	int code = 0;

	buf_reset(out);
	if (recording_open_files(&r, maker_files(m), NULL))
		return false;
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		if (pl_cursor_new(&c, r, pl_recording_process(r, i)->number, PL_ALL_THREADS, NULL))
			continue;
		while ((code = pl_cursor_next(c, &e, NULL)) == 0)
			buf_printf(out, "%u %" PRIu64 " %d %d %u %s %s %" PRId64 "\n",
				e.position.thread, e.seq, (int)e.kind, e.line, e.depth,
				e.code ? pl_code_name(e.code) : "-", e.type ? e.type : "-",
				e.time_ns);
		pl_cursor_free(c);
	}
	bool sound = pl_recording_damage_count(r) == 0 && code == PL_END;
	bool checked = pl_recording_check(r, NULL, NULL, NULL, NULL) == 0;
	/* What a cursor can see, check sees too. */
	assert_true(sound || !checked);
	pl_recording_close(r);
	return sound;
}

static struct pl_buf *any_file(struct maker *m, struct random *random)
{
	uint32_t n = random_below(random, 3);

	return n == 2 ? &m->meta : &m->segments[n];
}

static void damage(struct pl_buf *b, struct random *random)
{
	size_t at = random_below(random, (uint32_t)b->used);
	size_t n = 1 + random_below(random, 40);

	if (n > b->used - at)
		n = b->used - at;
	switch (random_below(random, 5)) {
	case 0:
		b->at[at] ^= (uint8_t)(1 << random_below(random, 8));
		break;
	case 1:
		random_fill(random, b->at + at, n);
		break;
	case 2: /* cut off */
		b->used = at;
		break;
	case 3: /* bytes are gone */
		memmove(b->at + at, b->at + at + n, b->used - at - n);
		b->used -= n;
		break;
	default: /* a piece stands twice */
		if (buf_reserve(b, n)) {
			memmove(b->at + at + n, b->at + at, b->used - at);
			b->used += n;
		}
	}
}

static void test_damage(void **state)
{
	struct maker m;
	struct pl_buf whole = {0}, found = {0};
	struct random random = {.state = 7};
	uint32_t quiet = 0;
	(void)state;

	make(&m);
	assert_true(read_all(&m, &whole));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct pl_buf *b = any_file(&m, &random);
		struct pl_buf before = {0};
		buf_put(&before, b->at, b->used);
		damage(b, &random);
		bool changed = b->used != before.used || memcmp(b->at, before.at, b->used) != 0;
		if (read_all(&m, &found)) {
			quiet += changed;
			if (found.used != whole.used || memcmp(found.at, whole.at, whole.used) != 0)
				fail_msg("round %u: a changed path that looks sound", i);
		}
		buf_reset(b);
		buf_put(b, before.at, before.used);
		buf_release(&before);
	}
	assert_int_equal(quiet, 0); /* every byte is under a check */
	buf_release(&whole);
	buf_release(&found);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
