/* pathline report: cells that its views share. */
#include <inttypes.h>
#include <stdio.h>
#include "cmd/line_at.h"
#include "cmd/report.h"

/* Of the time of the range, waiting and idle time included, so that the rows add up to what is
 * shown below them. */
struct cell cell_share(const struct report *w, int64_t ns)
{
	return (struct cell){.kind = CELL_SHARE,
		.share = w->t->sum_ns > 0 ? (double)ns / (double)w->t->sum_ns : 0};
}

/* Code may be NULL in all of these: time outside of Python has none. */
struct cell cell_file(const struct pl_code *code)
{
	return cell_text(code ? pl_code_file(code) : NULL);
}

struct cell cell_code(const struct pl_code *code)
{
	return cell_text(code ? pl_code_name(code) : NULL);
}

struct cell cell_code_id(const struct pl_code *code)
{
	struct cell c = {.kind = code ? CELL_ID : CELL_NONE};

	if (code)
		name_code_id(code, c.id);
	return c;
}

struct cell cell_file_id(const struct pl_code *code)
{
	struct cell c = {.kind = code ? CELL_ID : CELL_NONE};

	if (code)
		name_file_id(pl_code_file(code), c.id);
	return c;
}

/* With the text of the line, without its indentation. */
struct cell cell_place(const struct report *w, const struct pl_code *code, int32_t line)
{
	struct cell c = {.kind = CELL_PLACE, .number = line};
	struct pl_text text;

	c.text = code ? pl_code_file(code) : NULL;
	if (!code || pl_source_line(w->r, code, line, &text, NULL))
		return c;
	while (text.length && (*text.at == ' ' || *text.at == '\t')) {
		text.at++;
		text.length--;
	}
	c.source = (struct text){.at = text.at, .length = text.length};
	return c;
}

/* A function is shown at its first line, with its name in the place of a source text. */
struct cell cell_function(const struct pl_code *code)
{
	struct cell c = {.kind = CELL_PLACE};

	if (!code)
		return c;
	c.text = pl_code_file(code);
	c.number = pl_code_first_line(code);
	c.source = text_of(pl_code_name(code));
	return c;
}

/* Whether it slept or computed only looks at the thread can say; stamps give the sum of both. */
struct cell cell_waiting(
	const struct report *w, int64_t waiting_ns, int64_t computing_ns, uint64_t samples)
{
	const bool known = samples || waiting_ns || !computing_ns || w->form != SHEET_TEXT;

	return known ? cell_ns(CELL_NS, waiting_ns) : (struct cell){0};
}

/* 0: no pass was longer than the time stamps can tell. */
struct cell cell_average(int64_t ns, uint64_t count)
{
	return count ? cell_ns(CELL_NS, ns / (int64_t)count) : (struct cell){0};
}

struct cell cell_longest(const struct pl_longest *l, enum longest_column column)
{
	if (!l->ns)
		return (struct cell){0};
	switch (column) {
	case LONGEST_NS:
		return cell_ns(CELL_NS, l->ns);
	case LONGEST_ERROR:
		return cell_ns(CELL_ERROR, l->error_ns);
	case LONGEST_AT:
		return cell_ns(CELL_MOMENT, l->at_ns);
	case LONGEST_THREAD:
		return cell_number(l->thread);
	}
	return (struct cell){0};
}

/* As replay takes it. */
static struct cell cell_seq(const struct report *w, uint32_t thread, uint64_t seq)
{
	const struct pl_process *p = pl_recording_find_process(w->r, w->range.process);
	struct cell c = {.kind = CELL_ID};

	if (w->form != SHEET_TEXT)
		return cell_number(seq < INT64_MAX ? (int64_t)seq : INT64_MAX);
	if (p->thread_count > 1)
		snprintf(c.id, sizeof c.id, "-t %" PRIu32 " #%" PRIu64, thread, seq);
	else
		snprintf(c.id, sizeof c.id, "#%" PRIu64, seq);
	return c;
}

struct cell cell_longest_seq(const struct report *w, size_t row, const struct pl_longest *l,
	const struct pl_code *code, int32_t line)
{
	const struct line_at at = {.process = w->range.process,
		.thread = l->thread,
		.code = code,
		.line = line,
		.from_ns = l->at_ns,
		.to_ns = l->to_ns};
	uint64_t seq;

	if (!w->seqs || !l->ns)
		return (struct cell){0};
	if (!w->seqs[row] && !*w->seq_most)
		return (struct cell){0};
	if (!w->seqs[row] && (*w->seq_most)--)
		w->seqs[row] = line_at_longest(w->r, &at, &seq) ? seq + 1 : UINT64_MAX;
	return w->seqs[row] == UINT64_MAX ? (struct cell){0}
					  : cell_seq(w, l->thread, w->seqs[row] - 1);
}
