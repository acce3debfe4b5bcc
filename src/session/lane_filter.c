#include "session/lane_filter.h"

static bool looks_back(const struct lane_filter *f)
{
	return expr_looks_back(f->expr);
}

uint32_t lane_filter_kinds(const struct lane_filter *f, uint32_t kinds)
{
	if (!f->expr)
		return kinds;
	return kinds & (expr_kinds(f->expr, EXPR_OF_EVENT) | (looks_back(f) ? frames_kinds() : 0));
}

bool lane_filter_may(struct lane_filter *f, const struct pl_count *row)
{
	if (!f->expr || expr_may(f->expr, EXPR_OF_EVENT, row))
		return true;
	if (!looks_back(f) || !(frames_kinds() >> row->kind & 1))
		return false;
	return row->kind == PL_EVENT_GAP || expr_may_code(f->expr, EXPR_OF_EVENT, row->code);
}

/* Put what a frame began with into the frames. That of a generator goes on after its resumption,
 * with the arguments of its call: it is put to sleep between them. */
static int put_begin(
	struct lane_filter *f, const struct pl_event *call, const struct pl_event *resume)
{
	struct pl_event asleep = *call;
	struct expr_subject s = {0};
	int code = frames_put(&f->frames, call, &s);

	asleep.kind = PL_EVENT_YIELD;
	asleep.values = (struct pl_values){0};
	if (code == 0 && resume)
		code = frames_put(&f->frames, &asleep, &s);
	if (code == 0 && resume)
		code = frames_put(&f->frames, resume, &s);
	return code;
}

/* The call of the frame in which the event is. 0, also if it is not there, or an error. */
static int find_begin(struct lane_filter *f, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event *at;
	struct pl_event resume;
	bool resumed = false;
	int code;

	f->path.r = f->r;
	f->path.stop = f->stop;
	frame_path_begin(&f->path, e, e->depth);
	f->path.to_begin = true;
	while ((code = frame_path_back(&f->path, &at, err)) == 0) {
		if (at->kind == PL_EVENT_CALL)
			return put_begin(f, at, resumed ? &resume : NULL);
		if (resumed || !frame_path_enters(at))
			continue;
		resumed = true;
		resume = *at;
		resume.values = resume.variables = (struct pl_values){0};
	}
	return code < 0 ? code : 0;
}

static bool ends(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RETURN || e->kind == PL_EVENT_YIELD ||
	       e->kind == PL_EVENT_UNWIND;
}

/* With what the frames know of its call. */
static int make_subject(
	struct lane_filter *f, const struct pl_event *e, struct expr_subject *s, struct pl_err *err)
{
	int code = frames_put(&f->frames, e, s);

	if (code || !ends(e) || s->duration_ns != EXPR_NO_DURATION)
		return code;
	code = find_begin(f, e, err);
	return code ? code : frames_put(&f->frames, e, s);
}

int lane_filter_ask(struct lane_filter *f, const struct pl_event *e, struct pl_err *err)
{
	struct expr_subject s = {0};
	int code = 0;

	if (!f->expr)
		return 0;
	if (looks_back(f))
		code = make_subject(f, e, &s, err);
	else
		expr_subject_of(&s, e);
	if (code)
		return code;
	s.known |= EXPR_THREAD;
	s.process = pl_recording_find_process(f->r, f->of.process);
	s.thread = pl_recording_thread(f->r, f->of.process, f->of.thread);
	return expr_ask(f->expr, &s) == EXPR_YES ? 0 : PL_END;
}

void lane_filter_jump(struct lane_filter *f)
{
	frames_release(&f->frames);
}

void lane_filter_release(struct lane_filter *f)
{
	frames_release(&f->frames);
	frame_path_release(&f->path);
}
