/* What can be seen from the position: the frames, the text of a line, how often it ran. */
#include <stdlib.h>
#include <string.h>
#include "session/operations.h"

struct pl_frame *session_frames(struct session *s, size_t *depth)
{
	struct pl_frame *frames = calloc(FRAMES_MAX, sizeof *frames);

	*depth = frames ? replay_stack(&s->replay, frames, FRAMES_MAX) : 0;
	return frames;
}

struct replay_place session_place(struct session *s)
{
	struct replay_place place = replay_place(&s->replay);
	size_t depth = 0;
	struct pl_frame *frames = s->frame ? session_frames(s, &depth) : NULL;

	if (depth > s->frame && depth - 1 - s->frame < FRAMES_MAX) {
		place.code = frames[depth - 1 - s->frame].code;
		place.line = frames[depth - 1 - s->frame].line;
	}
	free(frames);
	return place;
}

int session_select_frame(struct session *s, bool caller, struct pl_err *err)
{
	size_t depth;
	struct pl_frame *frames = session_frames(s, &depth);

	session_begin(s);
	if (!frames)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the stack");
	if (caller && s->frame + 1 < depth)
		s->frame++;
	else if (!caller && s->frame)
		s->frame--;
	else
		depth = 0;
	size_t index = depth - 1 - s->frame;
	const bool good = depth && index < FRAMES_MAX;
	if (good)
		s->outcome.frame = frames[index];
	free(frames);
	return good ? session_done(s, DONE_FRAME_SELECTED)
		    : session_refused(
			      s, caller ? REFUSAL_OUTERMOST_FRAME : REFUSAL_INNERMOST_FRAME);
}

int session_source(struct session *s, int32_t line)
{
	struct replay_place place = session_place(s);

	session_begin(s);
	if (line)
		place.line = line;
	if (!place.code)
		return session_refused(s, REFUSAL_NO_FILE);
	s->outcome.place = place;
	return pl_source_line(s->replay.r, place.code, place.line, &s->outcome.text,
		       &s->outcome.source_err)
		       ? session_refused(s, REFUSAL_NO_SOURCE)
		       : session_done(s, DONE_SOURCE);
}

/* ---- how often ---- */

/* Kept while the position is in the thread, because counting a long thread takes seconds. */
struct hits *session_hits(struct session *s)
{
	const struct pl_position *at = &s->replay.at.position;

	if (s->hits && s->hits_at.process == at->process && s->hits_at.thread == at->thread)
		return s->hits;
	hits_free(s->hits);
	s->hits = hits_new(s->replay.r, at->process, at->thread);
	s->hits_at = *at;
	return s->hits;
}

/* Does the recording have the passes of loops that stay on a line? */
static bool has_passes(const struct session *s)
{
	struct pl_recording_info info;

	pl_recording_info(s->replay.r, &info);
	return !strcmp(info.passes, "all");
}

/* A line that may have run after the last event has no exact number. */
static int found_hits(struct session *s, const struct replay_place *of, uint64_t so_far,
	uint64_t in_all, struct pl_err *err)
{
	const struct pl_position *at = &s->replay.at.position;
	struct possible possible = {0};
	int code = possible_add(&possible, s->replay.r, at->process, at->thread, err);

	s->outcome.place = *of;
	s->outcome.hits = (struct line_hits){.so_far = so_far,
		.in_all = in_all,
		.maybe_more = code == 0 && possible_has(&possible, of->code, of->line),
		.whole = executed_is_whole(s->replay.r),
		.passes = has_passes(s)};
	possible_release(&possible);
	return code < 0 ? code : session_done(s, DONE_HITS);
}

/* To the end of the counting, where the screen would go on with other things meanwhile. */
static int count_hits(struct session *s, const struct replay_place *of, struct pl_err *err)
{
	struct hits *h = session_hits(s);
	uint64_t *counts = h ? calloc((size_t)of->line + 1, sizeof *counts) : NULL;
	int code = HITS_GOES_ON;

	if (!counts)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for counts of lines");
	while (code == HITS_GOES_ON && !*s->replay.stop)
		code = hits_work(h, s->replay.at.seq, err);
	if (code == HITS_READY && hits_of(h, of->code, counts, of->line)) {
		const uint64_t so_far = counts[of->line];
		hits_in_all(h, of->code, counts, of->line);
		code = found_hits(s, of, so_far, counts[of->line], err);
	} else if (code >= 0) {
		code = session_refused(s, REFUSAL_STOPPED);
	}
	free(counts);
	return code;
}

int session_line_hits(struct session *s, int32_t line, struct pl_err *err)
{
	struct replay_place here = session_place(s);

	session_begin(s);
	if (line)
		here.line = line;
	if (!here.code)
		return session_refused(s, REFUSAL_NO_FILE);
	s->outcome.number = here.line > 0 ? (uint64_t)here.line : 0;
	if (here.line > HITS_LINE_MAX)
		return session_refused(s, REFUSAL_NO_SUCH_LINE);
	here.line = (int32_t)s->outcome.number;
	return count_hits(s, &here, err);
}
