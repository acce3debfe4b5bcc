#include "session/executed.h"

#include <stdlib.h>
#include <string.h>

/* A process is counted in so many slices of its time, so that a caller can do something else
 * between them. Slices of time, because all threads are counted along together. */
#define SLICES 512

/* The table is sorted by file first, so the codes of a file stand together, and the first of them
 * names it. */
static int executed_finish(struct executed *e, struct pl_err *err)
{
	const char *last = "";
	int code = pl_counts_table(e->counts, &e->table, err);

	for (uint32_t i = 0; code == 0 && i < pl_recording_process_count(e->r); i++)
		code = possible_add(&e->possible, e->r, pl_recording_process(e->r, i)->number,
			PL_ALL_THREADS, err);
	if (code)
		return code;
	e->files = calloc(e->table.count + 1, sizeof *e->files);
	if (!e->files)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the names of files");
	for (size_t i = 0; i < e->table.count; i++) {
		const struct pl_code *code_of = e->table.rows[i].code;
		if (!code_of || (e->file_count && !strcmp(pl_code_file(code_of), last)))
			continue;
		last = pl_code_file(code_of);
		e->files[e->file_count++] = code_of;
	}
	e->done = true;
	return 0;
}

/* The time at which the next slice of the process ends. */
static int64_t slice_end(const struct executed *e, const struct pl_process *p)
{
	int64_t end = p->start_ns;

	for (uint32_t n = 0; n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(e->r, p->number, n);
		if (t && t->end_ns > end)
			end = t->end_ns;
	}
	if (e->slice >= SLICES || end <= p->start_ns)
		return INT64_MAX;
	return p->start_ns + (end - p->start_ns) / SLICES * e->slice;
}

int executed_work(struct executed *e, struct pl_err *err)
{
	const struct pl_process *p = pl_recording_process(e->r, e->process);
	int code = 0;

	if (e->done)
		return 0;
	if (!e->counts)
		code = pl_counts_new(&e->counts, e->r, err);
	if (code == 0 && !p)
		return executed_finish(e, err);
	if (code == 0 && !e->cursor)
		code = pl_cursor_new(&e->cursor, e->r, p->number, PL_ALL_THREADS, err);
	e->slice++;
	int64_t to_ns = code ? 0 : slice_end(e, p);
	if (code == 0)
		code = pl_cursor_count(e->cursor, e->counts, to_ns, err);
	if (code == 0 && to_ns == INT64_MAX) {
		pl_cursor_free(e->cursor);
		e->cursor = NULL;
		e->process++;
		e->slice = 0;
	}
	return code;
}

void executed_release(struct executed *e)
{
	struct pl_recording *r = e->r;

	free(e->files);
	possible_release(&e->possible);
	pl_cursor_free(e->cursor);
	pl_counts_free(e->counts);
	*e = (struct executed){.r = r};
}

/* What a loss with this reason says is not of the path, or is where the path ends. */
static bool is_outside(const struct pl_loss *l)
{
	return l->reason == PL_GAP_SIGNAL || l->reason == PL_GAP_REFUSED ||
	       l->reason == PL_GAP_LEFT_OUT || l->reason == PL_GAP_LIVE ||
	       (l->reason == PL_GAP_FULL && !l->process);
}

bool executed_ran_before(const struct pl_recording_info *i)
{
	static const char word[] = " (attached)";
	const size_t n = i->command ? strlen(i->command) : 0;

	return n >= sizeof word - 1 && !strcmp(i->command + n - (sizeof word - 1), word);
}

/* "Never ran" is a claim about everything that ran, so any loss of events takes it away. */
bool executed_is_whole(const struct pl_recording *r)
{
	struct pl_recording_info info;
	const struct pl_loss *l;

	pl_recording_info(r, &info);
	if (executed_ran_before(&info))
		return false;
	for (uint32_t i = 0; (l = pl_recording_loss(r, i)); i++)
		if (!is_outside(l))
			return false;
	return !pl_recording_damage_count(r);
}
