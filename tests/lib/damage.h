/* Damage to a recording in memory: what is read of it afterwards is the whole path, or it is said
 * to be damaged.
 *
 * Needs cmocka.h and its headers before it.
 */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <inttypes.h>
#include "pathline/sources.h"
#include "pathline/values.h"
#include "tests/lib/random.h"
#include "tests/lib/recording.h"

static inline void damage_put_values(struct pl_buf *out, struct pl_values values)
{
	struct pl_value value;
	char text[4096];

	while (pl_values_next(&values, &value) == 0) {
		pl_value_text(&value, text, sizeof text);
		buf_printf(out, " %.*s=%s", (int)value.name.length, value.name.at, text);
	}
}

static inline void damage_put_row(struct pl_buf *out, const struct pl_event *e)
{
	buf_printf(out, "%u %" PRIu64 " %d %d %u %s %s %" PRId64, e->position.thread, e->seq,
		(int)e->kind, e->line, e->depth, e->code ? pl_code_name(e->code) : "-",
		e->type ? e->type : "-", e->time_ns);
	if (e->values.bytes)
		damage_put_values(out, e->values);
	if (e->variables.bytes)
		damage_put_values(out, e->variables);
	buf_put(out, "\n", 1);
}

/* Of all sources beside the recorder. */
static inline void damage_put_sources(struct pl_buf *out, struct pl_recording *r)
{
	struct pl_source_rows *rows;
	struct pl_source_row row;
	char text[4096];

	if (pl_source_rows_new(&rows, r, PL_ANY_PROCESS, NULL))
		return;
	while (pl_source_rows_next(rows, &row, NULL) == 0) {
		pl_source_row_text(&row, text, sizeof text);
		buf_printf(out, "%u %u %" PRId64 " %s\n", row.process, row.native_id, row.time_ns,
			text);
	}
	pl_source_rows_free(rows);
}

/* The whole path as text, with values if they are wanted; false: it could not be opened, or says
 * that it is damaged. *seen: that, or check says so: what is beside the path, as samples, no cursor
 * reads. */
static inline bool damage_read_rows(struct maker *m, struct pl_buf *out, bool values, bool *seen)
{
	struct pl_recording *r;
	struct pl_cursor *c;
	struct pl_event e;
	int code = 0;

	buf_reset(out);
	*seen = true;
	if (recording_open_files(&r, maker_files(m), NULL))
		return false;
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		if (pl_cursor_new(&c, r, pl_recording_process(r, i)->number, PL_ALL_THREADS, NULL))
			continue;
		pl_cursor_want_values(c, values);
		while ((code = pl_cursor_next(c, &e, NULL)) == 0)
			damage_put_row(out, &e);
		pl_cursor_free(c);
	}
	damage_put_sources(out, r);
	bool sound = pl_recording_damage_count(r) == 0 && code == PL_END;
	bool checked = pl_recording_check(r, NULL, NULL, NULL, NULL) == 0;
	/* What a cursor can see, check sees too. */
	if (!sound && checked)
		fail_msg("a cursor found what check did not");
	pl_recording_close(r);
	*seen = !checked;
	return sound;
}

static inline bool damage_read(struct maker *m, struct pl_buf *out, bool *seen)
{
	return damage_read_rows(m, out, true, seen);
}

static inline void damage_bytes(struct pl_buf *b, struct random *random)
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

static inline struct pl_buf *damage_any_file(struct maker *m, struct random *random)
{
	uint32_t n = 0;

	while (n < MAKER_SEGMENTS && m->there[n])
		n++;
	n = random_below(random, n + 1);
	return n ? &m->segments[n - 1] : &m->meta;
}

/* So many damages, one at a time, of recordings that are put right again in between. Every byte is
 * under a check: none may go unseen, and none may change the path and look sound. */
static inline void damage_rounds(struct maker *m, uint32_t rounds, uint64_t seed)
{
	struct pl_buf whole = {0}, found = {0}, before = {0};
	struct random random = {.state = seed};

	bool seen;

	assert_true(damage_read(m, &whole, &seen) && !seen);
	for (uint32_t i = 0; i < rounds; i++) {
		struct pl_buf *b = damage_any_file(m, &random);
		buf_reset(&before);
		buf_put(&before, b->at, b->used);
		damage_bytes(b, &random);
		bool changed = b->used != before.used || memcmp(b->at, before.at, b->used) != 0;
		if (damage_read(m, &found, &seen) &&
			(found.used != whole.used || memcmp(found.at, whole.at, whole.used) != 0))
			fail_msg("round %u: a changed path that looks sound", i);
		if (changed && !seen)
			fail_msg("round %u: a damage that nobody saw", i);
		buf_reset(b);
		buf_put(b, before.at, before.used);
	}
	buf_release(&before);
	buf_release(&whole);
	buf_release(&found);
}

#endif
