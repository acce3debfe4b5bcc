/* There are two counts, each with a cursor of its own. One goes once over the whole thread, and
 * keeps a tally at the end of each piece. The other goes from the last tally before the position to
 * the position:
 *
 *	first                                                                  end
 *	|----------|----------|----------|----------|----------|----------|----|
 *	           kept[0]    kept[1]    kept[2]    kept[3]        ^ whole_at
 *	                                 |.........^ seq
 *	                                 since, up to near_at
 *
 * Lines up to the position: kept[2] + since. In all: the whole count, when whole_at is at the end.
 * When the position moves forward, the near count goes on from where it is; when it moves back, or
 * to another piece, the count begins again at a tally.
 */
#include "session/hits.h"

#include <stdlib.h>
#include <string.h>

#define PIECES	     64u
#define PIECE_EVENTS (1u << 20) /* smaller pieces are not worth keeping */
#define HITS_ROWS    (1u << 20)
#define STEP_EVENTS  (1u << 20) /* counted at once: some milliseconds */

/* The lines that ran up to some seq. */
struct tally {
	uint64_t seq;
	struct pl_count *rows; /* owned */
	size_t count;
};

struct hits {
	struct pl_recording *r; /* not owned */
	uint32_t process, thread;
	uint64_t first, end; /* of the thread's seqs, as it was when counting began */
	uint64_t piece;
	struct tally kept[PIECES + 1]; /* each is one piece further, from the end of the first */
	size_t kept_count, kept_rows;
	/* from the thread's start on */
	struct pl_counts *all;
	struct pl_cursor *whole;
	uint64_t whole_at;
	/* from a kept tally to the position */
	struct pl_counts *since;
	struct pl_cursor *near;
	size_t base; /* number of the tally from which it began, + 1; 0: the thread's start */
	uint64_t near_at;
	bool ready;
};

struct hits *hits_new(struct pl_recording *r, uint32_t process, uint32_t thread)
{
	const struct pl_thread *t = pl_recording_thread(r, process, thread);
	struct hits *h = t ? calloc(1, sizeof *h) : NULL;

	if (!h)
		return NULL;
	h->r = r;
	h->process = process;
	h->thread = thread;
	h->first = h->whole_at = t->first_seq;
	h->end = h->first + t->events;
	h->piece = t->events / PIECES + 1;
	if (h->piece < PIECE_EVENTS)
		h->piece = PIECE_EVENTS;
	return h;
}

/* The next count_near begins again from a tally. */
static void forget_near(struct hits *h)
{
	pl_counts_free(h->since);
	pl_cursor_free(h->near);
	h->since = NULL;
	h->near = NULL;
}

void hits_free(struct hits *h)
{
	if (!h)
		return;
	forget_near(h);
	pl_counts_free(h->all);
	pl_cursor_free(h->whole);
	for (size_t i = 0; i < h->kept_count; i++)
		free(h->kept[i].rows);
	free(h);
}

/* A new count, and a cursor that stands at its beginning. */
static int open(struct hits *h, struct pl_counts **counts, struct pl_cursor **cursor, uint64_t seq,
	struct pl_err *err)
{
	int code = pl_counts_new(counts, h->r, err);

	if (code == 0)
		code = pl_cursor_new(cursor, h->r, h->process, h->thread, err);
	return code ? code : pl_cursor_seek_seq(*cursor, seq, err);
}

/* ---- the whole thread ---- */

/* Keep the counts of lines as they are at whole_at. Without room for more rows nothing is kept, and
 * the near count has a longer way. */
static int keep_hits(struct hits *h, struct pl_err *err)
{
	struct pl_count_table table;
	struct tally *to = &h->kept[h->kept_count];
	int code = pl_counts_table(h->all, &table, err);

	if (code || h->kept_rows + table.count > HITS_ROWS)
		return code;
	to->rows = malloc((table.count + 1) * sizeof *to->rows);
	if (!to->rows)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for counts of lines");
	to->count = 0;
	to->seq = h->whole_at;
	for (size_t i = 0; i < table.count; i++)
		if (pl_event_is_pass(table.rows[i].kind) && table.rows[i].code)
			to->rows[to->count++] = table.rows[i];
	h->kept_rows += to->count;
	h->kept_count++;
	return 0;
}

/* Where the next tally to be kept ends. */
static uint64_t piece_end(const struct hits *h)
{
	const uint64_t done = (h->whole_at - h->first) / h->piece * h->piece;

	return h->end - h->first - done > h->piece ? h->first + done + h->piece : h->end;
}

/* One step of the whole count, at most up to the end of the piece. */
static int count_on(struct hits *h, struct pl_err *err)
{
	const uint64_t end = piece_end(h);
	const uint64_t to = end - h->whole_at > STEP_EVENTS ? h->whole_at + STEP_EVENTS : end;
	int code = h->whole ? 0 : open(h, &h->all, &h->whole, h->first, err);

	if (code == 0)
		code = pl_cursor_count_to_seq(h->whole, h->all, to, err);
	if (code)
		return code;
	h->whole_at = to;
	return to == end && to < h->end && h->kept_count < PIECES ? keep_hits(h, err) : 0;
}

/* ---- near the position ---- */

/* The number of the last tally that is not after seq, + 1; 0: there is none. */
static size_t base_of(const struct hits *h, uint64_t seq)
{
	size_t i = h->kept_count;

	while (i && h->kept[i - 1].seq > seq)
		i--;
	return i;
}

/* One step of the near count. It includes the event at seq itself, hence seq + 1. */
static int count_near(struct hits *h, uint64_t seq, struct pl_err *err)
{
	const size_t base = base_of(h, seq);
	const uint64_t from = base ? h->kept[base - 1].seq : h->first;
	int code = 0;

	if (!h->near || h->base != base || h->near_at > seq + 1) {
		forget_near(h);
		h->base = base;
		h->near_at = from;
		code = open(h, &h->since, &h->near, from, err);
	}
	const uint64_t to = seq + 1 - h->near_at > STEP_EVENTS ? h->near_at + STEP_EVENTS : seq + 1;
	if (code == 0 && h->near_at < to)
		code = pl_cursor_count_to_seq(h->near, h->since, to, err);
	h->near_at = to;
	if (code)
		forget_near(h);
	return code;
}

/* Most urgent first. If the position is more than a piece beyond the whole count, that one goes on
 * until it has a tally near it: the way is the same, and the tally remains. Then come the counts at
 * the position, and at last the rest of the thread, while nothing else is to do. */
int hits_work(struct hits *h, uint64_t seq, struct pl_err *err)
{
	bool known = h->near && h->near_at == seq + 1 && h->ready;
	int code;

	if (!known && h->whole_at + h->piece < seq && h->whole_at < h->end) {
		h->ready = false;
		code = count_on(h, err);
		return code ? code : HITS_GOES_ON;
	}
	if (!known) {
		code = count_near(h, seq, err);
		h->ready = code == 0 && h->near_at == seq + 1;
		return code ? code : !h->ready || h->whole_at < h->end ? HITS_GOES_ON : HITS_READY;
	}
	if (h->whole_at >= h->end)
		return HITS_READY;
	code = count_on(h, err);
	return code ? code : h->whole_at < h->end ? HITS_GOES_ON : HITS_READY;
}

/* ---- results ---- */

/* Add the rows of one tally to counts by line. Several codes can be compiled from one text, such as
 * a module and its functions, and each text can be loaded more than once. Rows of one code come
 * together, so the texts are compared once for each. */
static void hits_add(const struct pl_count *rows, size_t count, const struct pl_code *of,
	uint64_t *counts, int32_t max)
{
	const struct pl_code *code = NULL;
	bool same = false;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].code != code) {
			code = rows[i].code;
			same = pl_code_same_text(code, of);
		}
		if (same && pl_event_is_pass(rows[i].kind) && rows[i].line >= 0 &&
			rows[i].line <= max)
			counts[rows[i].line] += rows[i].events;
	}
}

static bool add_table(
	struct pl_counts *from, const struct pl_code *of, uint64_t *counts, int32_t max)
{
	struct pl_count_table table;

	if (!from || pl_counts_table(from, &table, NULL))
		return false;
	hits_add(table.rows, table.count, of, counts, max);
	return true;
}

bool hits_of(const struct hits *h, const struct pl_code *of, uint64_t *counts, int32_t max)
{
	memset(counts, 0, ((size_t)max + 1) * sizeof *counts);
	if (!h->ready)
		return false;
	if (h->base)
		hits_add(h->kept[h->base - 1].rows, h->kept[h->base - 1].count, of, counts, max);
	return add_table(h->since, of, counts, max);
}

bool hits_in_all(const struct hits *h, const struct pl_code *of, uint64_t *counts, int32_t max)
{
	memset(counts, 0, ((size_t)max + 1) * sizeof *counts);
	return h->whole_at >= h->end && add_table(h->all, of, counts, max);
}
