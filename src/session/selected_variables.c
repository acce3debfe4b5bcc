#include "session/selected_variables.h"

#include <stdlib.h>
#include "session/operations.h"

/* A screen shows the line that wrote a value only if it is not farther away than this. */
#define EVENTS_OF_PATIENCE 20000
#define SEEN_FRAMES_MAX	   4096

void selected_variables_forget(struct selected_variables *v)
{
	v->known = false;
}

/* A thread that was seen after its last event can be in fewer frames than at that event. */
static size_t depth_of_seen(struct session *s)
{
	struct pl_frame *frames = calloc(SEEN_FRAMES_MAX, sizeof *frames);
	const size_t depth = frames ? replay_stack(&s->replay, frames, SEEN_FRAMES_MAX) : 0;

	free(frames);
	return depth;
}

bool session_frame_depth(struct session *s, uint32_t *depth)
{
	const struct pl_event *at = &s->replay.at;
	const size_t frames = !at->code			? 0
			      : replay_seen(&s->replay) ? depth_of_seen(s)
							: (size_t)at->depth + 1;

	if (s->frame >= frames)
		return false;
	*depth = (uint32_t)(frames - 1 - s->frame);
	return true;
}

static bool are_kept(const struct session *s)
{
	const struct selected_variables *v = &s->variables;
	const struct pl_event *at = &s->replay.at;

	return v->known && v->frame == s->frame && v->seq == at->seq &&
	       v->of.process == at->position.process && v->of.thread == at->position.thread;
}

int session_variables(struct session *s, const struct variables **out, struct pl_err *err)
{
	struct selected_variables *v = &s->variables;
	uint32_t depth;
	int code = 0;

	if (!session_frame_depth(s, &depth))
		return PL_END;
	if (!are_kept(s)) {
		v->v.r = s->replay.r;
		v->v.stop = s->replay.stop;
		v->v.patience = EVENTS_OF_PATIENCE;
		code = variables_at(&v->v, &s->replay.at, depth, err);
		v->of = s->replay.at.position;
		v->seq = s->replay.at.seq;
		v->frame = s->frame;
		v->known = code == 0;
	}
	*out = &v->v;
	return code;
}
