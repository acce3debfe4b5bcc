/* Fuzz the reader: bytes become the files of a recording in memory; all of it is read, counted, sought and checked.
 *
 *	input: | bytes of meta u16 | meta … | events.000001 … |
 *
 * With random bytes no checksum would match, and nothing after the checks would be fuzzed. So the
 * checksums of records and block heads are made right first. The reader must be safe even so: a
 * checksum protects against damage, not against who writes it.
 */
#include <stddef.h>
#include <stdint.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "pathline/profile.h"
#include "pathline/sources.h"
#include "pathline/times.h"
#include "pathline/values.h"
#include "tests/lib/recording.h"

#define ROWS_MAX 200000 /* a few bytes can claim many rows; time is bounded too */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* The table of the block's sections. */
static void mend_table(uint8_t *table, size_t left)
{
	uint32_t bytes;

	if (left < sizeof bytes)
		return;
	memcpy(&bytes, table, sizeof bytes);
	if (bytes > BLOCK_TABLE_MAX || left < sizeof bytes + bytes + sizeof(uint64_t))
		return;
	const uint64_t check = hash_bytes(table, sizeof bytes + bytes);
	memcpy(table + sizeof bytes + bytes, &check, sizeof check);
}

static void mend_block(uint8_t *payload, size_t stored)
{
	uint32_t flags;

	if (stored < BLOCK_HEAD_BYTES)
		return;
	memcpy(&flags, payload + offsetof(struct block_head, flags), sizeof flags);
	const uint64_t check = hash_bytes(payload, BLOCK_HEAD_CHECK);
	memcpy(payload + BLOCK_HEAD_CHECK, &check, sizeof check);
	if (flags & BLOCK_SECTIONS)
		mend_table(payload + BLOCK_HEAD_BYTES, stored - BLOCK_HEAD_BYTES);
}

/* Make every record's checks right, as far as the lengths lead from one to the next. */
static void mend(struct pl_buf *b)
{
	const uint32_t magic = RECORD_MAGIC;
	size_t at = 0;

	while (b->used - at >= RECORD_HEAD_BYTES) {
		uint8_t *head = b->at + at;
		size_t left = b->used - at - RECORD_HEAD_BYTES;
		uint16_t kind;
		uint32_t stored;
		memcpy(head, &magic, sizeof magic);
		memcpy(&kind, head + 4, sizeof kind);
		memcpy(&stored, head + 8, sizeof stored);
		if (stored > left) {
			stored = (uint32_t)left;
			memcpy(head + 8, &stored, sizeof stored);
		}
		if (!(head[6] & RECORD_COMPRESSED))
			memcpy(head + 12, &stored, sizeof stored);
		if (kind == RECORD_BLOCK)
			mend_block(head + RECORD_HEAD_BYTES, stored);
		const uint64_t head_check = hash_bytes(head + 4, 12);
		const uint64_t payload_check =
			XXH3_64bits_withSeed(head + RECORD_HEAD_BYTES, stored, head_check);
		memcpy(head + 16, &head_check, sizeof head_check);
		memcpy(head + 24, &payload_check, sizeof payload_check);
		at += RECORD_HEAD_BYTES + stored;
	}
}

static void touch(const char *text)
{
	if (text && strlen(text) > 1u << 30)
		abort();
}

static void read_values(struct pl_values rest)
{
	struct pl_value value;
	char text[256];

	while (pl_values_next(&rest, &value) == 0) {
		if (pl_value_text(&value, text, sizeof text) >= sizeof text)
			abort();
		read_values(value.members);
	}
}

static void read_row(struct pl_recording *r, const struct pl_event *e)
{
	struct pl_text text;

	touch(e->type);
	touch(e->task);
	if (!e->code) {
		if (e->kind != PL_EVENT_GAP && e->kind != PL_EVENT_MARK)
			abort();
		return;
	}
	touch(pl_code_file(e->code));
	touch(pl_code_name(e->code));
	read_values(e->values);
	read_values(e->variables);
	struct pl_argument arguments[4];
	if (pl_code_arguments(e->code, arguments, 4) && arguments[0].name.length > 1u << 30)
		abort();
	if (pl_source_line(r, e->code, e->line, &text, NULL) == 0 && text.length)
		touch(text.at[text.length - 1] ? "" : NULL);
}

static void read_rows(struct pl_recording *r, struct pl_cursor *c)
{
	struct pl_frame frames[8];
	struct pl_event e;
	int64_t last[4] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};

	pl_cursor_want_values(c, true);
	uint32_t i = 0;
	for (; i < ROWS_MAX && pl_cursor_next(c, &e, NULL) == 0; i++) {
		read_row(r, &e);
		if (e.position.thread < 4) {
			if (e.time_ns < last[e.position.thread])
				abort();
			last[e.position.thread] = e.time_ns;
		}
		if (i % 16 == 0)
			pl_cursor_stack(c, frames, 8);
	}
	for (i = 0; i < 100 && pl_cursor_possible(c, &e, NULL) == 0; i++)
		read_row(r, &e);
}

/* Rows of sources, in words. */
static void read_sources(struct pl_recording *r)
{
	struct pl_source_rows *rows;
	struct pl_source_row row;
	char text[64];

	for (uint32_t i = 0; pl_event_source(r, i); i++)
		touch(pl_event_source(r, i)->name);
	if (pl_source_rows_new(&rows, r, PL_ANY_PROCESS, NULL))
		return;
	for (uint32_t i = 0; i < ROWS_MAX && pl_source_rows_next(rows, &row, NULL) == 0; i++)
		if (pl_source_row_text(&row, text, sizeof text))
			touch(text);
	pl_source_rows_free(rows);
}

/* What `report` and `record --stat` ask for. */
static void read_times(struct pl_recording *r, uint32_t process)
{
	const struct pl_times_range range = {.process = process};
	struct pl_recorded recorded;
	struct pl_samples *samples;
	struct pl_sample sample;
	struct pl_times *times;

	if (pl_samples_new(&samples, r, process, NULL) == 0) {
		for (uint32_t i = 0; i < ROWS_MAX && pl_samples_next(samples, &sample, NULL) == 0;
			i++)
			touch(pl_code_name(sample.code));
		pl_samples_free(samples);
	}
	if (pl_times_new(&times, r, &range, NULL) == 0) {
		for (size_t i = 0; i < pl_times_count(times); i++) {
			const struct pl_line_time *line = pl_times_line(times, i);
			touch(line->code ? pl_code_name(line->code) : NULL);
		}
		pl_times_free(times);
	}
	for (uint32_t i = 0; i < pl_recording_recorded_count(r); i++)
		if (pl_recording_recorded(r, i, &recorded) && recorded.code)
			touch(pl_code_name(recorded.code));
}

static void read_profile(struct pl_recording *r, uint32_t process)
{
	const struct pl_profile_wanted wanted = {
		.range = {.process = process}, .tasks = true, .exceptions = true, .blocking_ns = 1};
	struct pl_profile *p;

	if (pl_profile_new(&p, r, &wanted, NULL))
		return;
	const struct pl_profile_tables *t = pl_profile_tables(p);
	for (size_t i = 0; i < t->function_count; i++)
		touch(t->functions[i].code ? pl_code_name(t->functions[i].code) : NULL);
	for (size_t i = 0; i < t->block_count; i++)
		touch(t->blocks[i].code ? pl_code_name(t->blocks[i].code) : NULL);
	for (size_t i = 0; i < t->exception_count; i++)
		touch(t->exceptions[i].type);
	for (size_t i = 0; i < t->task_count; i++)
		touch(t->tasks[i].name);
	pl_profile_free(p);
}

static void count(struct pl_recording *r, struct pl_cursor *c, int64_t to_ns)
{
	struct pl_count_table table;
	struct pl_counts *counts;
	uint64_t lines = 0;

	if (pl_counts_new(&counts, r, NULL))
		return;
	pl_cursor_count(c, counts, to_ns, NULL);
	if (pl_counts_table(counts, &table, NULL) == 0) {
		for (size_t i = 0; i < table.count; i++) {
			touch(table.rows[i].code ? pl_code_name(table.rows[i].code) : NULL);
			lines += table.rows[i].kind == PL_EVENT_LINE ? table.rows[i].events : 0;
		}
		if (lines != table.totals[PL_EVENT_LINE])
			abort();
	}
	pl_counts_free(counts);
}

static bool is_odd(void *context, const struct pl_count *row)
{
	(void)context;
	touch(row->code ? pl_code_name(row->code) : NULL);
	return row->line & 1;
}

static void search(struct pl_recording *r, uint32_t process, uint32_t thread)
{
	const struct pl_wanted wanted = {.process = process,
		.thread = thread,
		.kinds = 1u << PL_EVENT_LINE | 1u << PL_EVENT_RAISE,
		.may = is_odd};
	struct pl_search *s;
	struct pl_event e = {0};

	if (pl_search_new(&s, r, &wanted, NULL))
		return;
	for (int i = 0; i < 50 && pl_search_next(s, e.seq + 1, UINT64_MAX, &e, NULL) == 0; i++)
		touch(e.type);
	for (int i = 0; i < 50 && pl_search_previous(s, e.seq, 3, &e, NULL) == 0; i++)
		touch(e.type);
	for (uint32_t frames = 0; frames < 4; frames++) {
		uint64_t from = 5, back = e.seq;
		pl_search_shallow(s, frames, false, &from, NULL);
		pl_search_shallow(s, frames, true, &back, NULL);
	}
	pl_search_free(s);
}

static void read_process(struct pl_recording *r, const struct pl_process *p)
{
	struct pl_cursor *c;
	int64_t soon_ns = p->start_ns < INT64_MAX - 1000 ? p->start_ns + 1000 : p->start_ns;

	if (pl_cursor_new(&c, r, p->number, PL_ALL_THREADS, NULL) == 0) {
		read_rows(r, c);
		pl_cursor_seek_time(c, soon_ns, NULL);
		read_rows(r, c);
		pl_cursor_seek_time(c, 0, NULL);
		count(r, c, soon_ns);
		count(r, c, INT64_MAX);
		pl_cursor_free(c);
	}
	for (uint32_t i = 0; i < p->thread_count && i < 4; i++) {
		const struct pl_position position = {
			.process = p->number, .thread = i, .block = 1, .event = 2};
		if (pl_cursor_new(&c, r, p->number, i, NULL))
			continue;
		pl_cursor_seek_seq(c, 7, NULL);
		read_rows(r, c);
		pl_cursor_seek_position(c, &position, NULL);
		read_rows(r, c);
		pl_cursor_free(c);
		search(r, p->number, i);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct maker m = {.there = {true}};
	struct pl_recording *r;
	size_t meta = n < 2 ? 0 : (size_t)(bytes[0] | bytes[1] << 8);

	if (n < 2)
		return 0;
	bytes += 2;
	n -= 2;
	if (meta > n)
		meta = n;
	buf_put(&m.meta, bytes, meta);
	buf_put(&m.segments[0], bytes + meta, n - meta);
	mend(&m.meta);
	mend(&m.segments[0]);
	if (recording_open_files(&r, maker_files(&m), NULL) == 0) {
		for (uint32_t i = 0; i < pl_recording_process_count(r) && i < 4; i++)
			read_process(r, pl_recording_process(r, i));
		read_sources(r);
		for (uint32_t i = 0; i < pl_recording_process_count(r) && i < 1; i++) {
			read_times(r, pl_recording_process(r, i)->number);
			read_profile(r, pl_recording_process(r, i)->number);
		}
		pl_recording_refresh(r, NULL);
		pl_recording_check(r, NULL, NULL, NULL, NULL);
		pl_recording_close(r);
	}
	maker_release(&m);
	return 0;
}
