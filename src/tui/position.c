/* What the screen shows of the session's position: the source there, with the counts beside it. */
#include <stdlib.h>
#include <time.h>
#include "session/operations.h"
#include "tui/state.h"

/* Of a deeper stack, the innermost frames cannot be selected. */
#define FRAMES_MAX 4096
#define BUDGET_NS  10000000 /* for counting before the screen is drawn */

/* session.frame counts from the innermost frame, as u and d do; replay_stack fills in the outermost
 * one first. */
int tui_frame(struct tui *t, struct pl_frame *frame)
{
	struct pl_frame *frames = calloc(FRAMES_MAX, sizeof *frames);
	size_t depth = frames ? replay_stack(&t->s->replay, frames, FRAMES_MAX) : 0;
	int code = PL_END;

	if (depth > t->s->frame && depth - 1 - t->s->frame < FRAMES_MAX) {
		*frame = frames[depth - 1 - t->s->frame];
		code = 0;
	}
	free(frames);
	return code;
}

/* Two codes of one text (a module and a function in it) are
 * the same file here. */
void position_show_file(struct tui *t, const struct pl_code *code)
{
	if (pl_code_same_text(t->source.code, code))
		return;
	if (listing_show(&t->source, t->s->replay.r, code, &t->s->executed) < 0)
		tui_say(t, "no memory for the lines of %s", pl_code_file(code));
	t->cursor = 1;
	t->left = 0;
	t->hits_ready = false;
}

/* The counts of hits are those before
 * the position in its thread: if either has changed they are counted again, and are not shown until
 * then. */
void position_show(struct tui *t)
{
	const struct pl_event *at = &t->s->replay.at;
	struct replay_place place = replay_place(&t->s->replay);
	struct pl_frame frame;

	if (t->s->frame && tui_frame(t, &frame) == 0) {
		place.code = frame.code;
		place.line = frame.line;
	}
	if (place.code)
		position_show_file(t, place.code);
	if (place.line > 0 && place.line <= t->source.lines) {
		if (place.line != t->cursor)
			t->left = 0;
		t->cursor = place.line;
	}
	if (t->hits_seq != at->seq || t->hits_of.process != at->position.process ||
		t->hits_of.thread != at->position.thread)
		t->hits_ready = t->source.has_hits = false;
	t->hits_seq = at->seq;
	t->hits_of = at->position;
	view_moved(t);
}

/* ---- counts ---- */

int64_t tui_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Hits of the shown file come first,
 * since the user looks at them; the lines that ran in the whole recording ("never" at a line, names
 * that Tab completes) come when those are ready. An error ends the counting, and the screen is
 * without the counts: an error there is not a reason to stop. */
bool counting_piece(struct tui *t)
{
	struct hits *h = t->hits_ready ? NULL : session_hits(t->s);
	uint64_t seq = t->s->replay.at.seq;

	if (!t->hits_ready) {
		int code = h ? hits_work(h, seq, NULL) : PL_ERR_MEMORY;
		if (!t->source.has_hits && code >= 0 && t->source.hits)
			t->source.has_hits =
				hits_of(h, t->source.code, t->source.hits, t->source.lines);
		t->hits_ready = code != HITS_GOES_ON;
		return true;
	}
	if (t->s->executed.done)
		return false;
	if (executed_work(&t->s->executed, NULL) < 0)
		t->s->executed.done = true; /* then nothing is known */
	if (t->s->executed.done)
		listing_learn(&t->source, &t->s->executed);
	return !t->s->executed.done;
}

void counting_some(struct tui *t)
{
	const int64_t end = tui_now_ns() + BUDGET_NS;

	while (counting_piece(t) && tui_now_ns() < end)
		;
}

bool counting_all(struct tui *t)
{
	*t->o->interrupted = 0;
	while (!t->s->executed.done && !*t->o->interrupted)
		if (executed_work(&t->s->executed, NULL) < 0)
			return false;
	listing_learn(&t->source, &t->s->executed);
	return t->s->executed.done;
}
