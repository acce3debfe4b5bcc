#include "trace/samples.h"

#include <stdlib.h>
#include "pathline/times.h"
#include "trace/code.h"
#include "trace/stream.h"

/* Read the samples of a record into w->rows. */
static int load_samples_record(
	struct samples_walk *w, const struct sample_ref *ref, struct pl_err *err)
{
	struct stream s = {.files = w->r->files,
		.file = ref->file,
		.off = ref->off,
		.size = ref->off + RECORD_HEAD_BYTES + ref->stored};
	struct samples_head head;
	struct record record;
	int code = stream_head(&s, err);

	if (code == 0)
		code = stream_record(&s, &record, err);
	if (code == 0) {
		buf_reset(&w->bytes);
		buf_put(&w->bytes, record.payload.at, record.payload.left);
		code = w->bytes.failed
			       ? PL_ERR_MEMORY
			       : samples_open(buf_view(&w->bytes), &head, &w->room, &w->rows);
	}
	if (code == 0)
		w->ticks = head.open_ticks;
	stream_release(&s);
	return code == PL_END ? PL_ERR_FORMAT : code;
}

/* Find the next record of the process. One that is damaged, or was dropped meanwhile, is
 * skipped. */
static int next_samples_record(struct samples_walk *w, struct pl_err *err)
{
	struct pl_recording *r = w->r;

	if (w->next < r->samples_evicted)
		w->next = r->samples_evicted;
	while (w->next - r->samples_evicted < r->sample_count) {
		struct sample_ref *ref = &r->samples[w->next++ - r->samples_evicted];
		if (ref->head.process != w->process || !ref->head.count)
			continue;
		struct pl_err why = {0};
		int code = load_samples_record(w, ref, &why);
		if (code == 0)
			return 0;
		w->rows = (struct pl_view){0};
		if (code != PL_ERR_FORMAT && code != PL_ERR_NOT_FOUND)
			return recording_failed(err, code, &why);
		if (code == PL_ERR_FORMAT)
			recording_samples_damage(r, ref);
	}
	return PL_END;
}

/* The rest of a record in which a sample cannot be read is left out, and is told as damage once. */
int samples_walk_next(struct samples_walk *w, struct sample *out, struct pl_err *err)
{
	for (;;) {
		if (w->rows.left) {
			if (sample_read(&w->rows, &w->ticks, out) == 0)
				return 0;
			size_t last = (size_t)(w->next - 1 - w->r->samples_evicted);
			w->rows = (struct pl_view){0};
			if (w->next > w->r->samples_evicted && last < w->r->sample_count)
				recording_samples_damage(w->r, &w->r->samples[last]);
		}
		int code = next_samples_record(w, err);
		if (code)
			return code;
	}
}

void samples_walk_release(struct samples_walk *w)
{
	buf_release(&w->bytes);
	buf_release(&w->room);
}

int samples_check(struct pl_recording *r, const struct sample_ref *ref, struct pl_err *err)
{
	struct samples_walk w = {.r = r, .process = ref->head.process};
	struct sample s;
	uint32_t i = 0;
	int code = load_samples_record(&w, ref, err);

	for (; code == 0 && w.rows.left; i++) {
		code = sample_read(&w.rows, &w.ticks, &s);
		if (code == 0 && !map_find(&r->bodies, s.body - 1))
			code = PL_ERR_FORMAT;
	}
	if (code == 0 && i != ref->head.count)
		code = PL_ERR_FORMAT;
	samples_walk_release(&w);
	return code;
}

/* ---- the API ---- */

struct pl_samples {
	struct samples_walk walk;
};

int pl_samples_new(
	struct pl_samples **out, struct pl_recording *r, uint32_t process, struct pl_err *err)
{
	if (!recording_find_process(r, process))
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "there is no process %u", process);
	*out = calloc(1, sizeof **out);
	if (!*out)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for samples");
	(*out)->walk = (struct samples_walk){.r = r, .process = process};
	return 0;
}

int pl_samples_next(struct pl_samples *s, struct pl_sample *sample, struct pl_err *err)
{
	struct pl_recording *r = s->walk.r;
	struct sample row;
	int code = samples_walk_next(&s->walk, &row, err);

	if (code)
		return code;
	const struct pl_code *c = code_open(r, row.body);
	*sample = (struct pl_sample){.process = s->walk.process,
		.thread = row.thread,
		.time_ns = recording_time(r, row.ticks),
		.code = c ? code_first(c) : r->unknown_code,
		.line = c ? flow_line_at(&c->body.graph, row.unit) : 0,
		.offset = row.unit,
		.waiting = row.waiting,
		.weight = row.weight};
	return 0;
}

void pl_samples_free(struct pl_samples *s)
{
	if (!s)
		return;
	samples_walk_release(&s->walk);
	free(s);
}
