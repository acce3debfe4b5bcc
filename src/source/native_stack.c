#include "source/native_stack.h"

#include <stdlib.h>

#define LOW(word, bits) ((word) & ((UINT64_C(1) << (bits)) - 1))

/* The number nearest to `near` that has these low bits. */
static uint64_t widen(uint64_t low, uint32_t bits, uint64_t near)
{
	const uint64_t half = UINT64_C(1) << (bits - 1);

	return near - half + LOW(low - (near - half), bits);
}

void native_event_read(const struct native_event *e, const struct native_stack *last,
	uint64_t now_ticks, struct native_word *out)
{
	*out = (struct native_word){.address = LOW(e->what, NATIVE_ADDRESS_BITS)};
	if (!out->address) {
		out->lost = e->when;
		return;
	}
	out->exit = e->what & NATIVE_EXIT;
	out->code = (uint32_t)LOW(e->what >> NATIVE_ADDRESS_BITS, NATIVE_CODE_BITS);
	out->site = (uint32_t)LOW(
		e->what >> (NATIVE_ADDRESS_BITS + NATIVE_CODE_BITS), NATIVE_SITE_BITS);
	out->jumped = out->exit && out->site & NATIVE_JUMPED;
	out->stack = widen(LOW(e->when, NATIVE_STACK_BITS), NATIVE_STACK_BITS, last->stack);
	/* It was before now, by less than the bits can say. */
	out->ticks = now_ticks - LOW(now_ticks - (e->when >> NATIVE_STACK_BITS), NATIVE_TICK_BITS);
	if (out->ticks < last->ticks)
		out->ticks = last->ticks;
}

/* ---- steps ---- */

static void step_gap(
	struct native_step *out, const struct native_stack *s, enum native_gap gap, uint64_t count)
{
	*out = (struct native_step){.kind = NATIVE_STEP_GAP,
		.ticks = s->ticks,
		.depth = s->depth,
		.gap = gap,
		.count = count};
}

/* The frames from `depth` on were left. Returns the number of steps. */
static uint32_t leave_frames(struct native_stack *s, uint32_t depth, struct native_step *out)
{
	const uint32_t left = s->depth - depth;

	if (!left)
		return 0;
	s->depth = depth;
	step_gap(out, s, NATIVE_GAP_LEFT, left);
	out->address = s->frames[depth].address;
	return 1;
}

static bool has_frame_room(struct native_stack *s)
{
	if (s->depth < s->room)
		return true;
	const uint32_t room = s->room ? s->room * 2 : 64;
	struct native_frame *frames =
		room > NATIVE_DEPTH_MAX ? NULL : realloc(s->frames, room * sizeof *frames);
	if (!frames)
		return false;
	s->frames = frames;
	s->room = room;
	return true;
}

/* Is this function compiled into the one on top, rather than called in its place? */
static bool is_within(const struct native_frame *top, const struct native_word *w)
{
	return top->stack == w->stack && top->site == w->site &&
	       !(top->address == w->address && top->code == w->code);
}

static uint32_t take_entry(
	struct native_stack *s, const struct native_word *w, struct native_step *out)
{
	uint32_t depth = s->depth, n = 0;

	/* stacks grow downwards */
	while (depth && s->frames[depth - 1].stack < w->stack)
		depth--;
	if (depth && s->frames[depth - 1].stack == w->stack && !is_within(&s->frames[depth - 1], w))
		while (depth && s->frames[depth - 1].stack == w->stack)
			depth--;
	n = leave_frames(s, depth, out);
	if (!has_frame_room(s)) {
		s->depth = 0;
		step_gap(&out[n], s, NATIVE_GAP_TOO_DEEP, depth);
		return n + 1;
	}
	out[n] = (struct native_step){.kind = NATIVE_STEP_ENTER,
		.address = w->address,
		.ticks = w->ticks,
		.depth = depth};
	s->frames[s->depth++] = (struct native_frame){.address = w->address,
		.ticks = w->ticks,
		.stack = w->stack,
		.code = w->code,
		.site = w->site};
	return n + 1;
}

/* The frame of an exit, plus 1; 0: there is none. A hook that was jumped to is called when the
 * frame is gone, at a stack pointer above it: then it is the outermost one that is gone.
 * Otherwise it is the innermost one that is there, or, with room taken on the stack meanwhile,
 * above it. */
static uint32_t frame_of_exit(const struct native_stack *s, const struct native_word *w)
{
	uint32_t found = 0;

	for (uint32_t depth = s->depth; depth; depth--) {
		const struct native_frame *f = &s->frames[depth - 1];
		if (w->jumped && f->stack >= w->stack)
			break;
		if (f->address != w->address || (!w->jumped && f->stack < w->stack))
			continue;
		found = depth;
		if (!w->jumped)
			break;
	}
	return found;
}

static uint32_t take_exit(
	struct native_stack *s, const struct native_word *w, struct native_step *out)
{
	const uint32_t depth = frame_of_exit(s, w);
	uint32_t n = 0;

	if (!depth) {
		step_gap(&out[n], s, NATIVE_GAP_NO_ENTRY, 1);
		out[n].address = w->address;
		return 1;
	}
	n = leave_frames(s, depth, out);
	s->depth = depth - 1;
	out[n] = (struct native_step){.kind = NATIVE_STEP_EXIT,
		.address = w->address,
		.ticks = w->ticks,
		.depth = depth - 1,
		.duration_ticks = w->ticks - s->frames[depth - 1].ticks};
	return n + 1;
}

uint32_t native_stack_take(struct native_stack *s, const struct native_word *w,
	struct native_step out[NATIVE_STEPS_MAX])
{
	if (!w->address) {
		/* Where the thread is now nobody knows. */
		s->depth = 0;
		step_gap(out, s, NATIVE_GAP_LOST, w->lost);
		return 1;
	}
	s->ticks = w->ticks;
	s->stack = w->stack;
	return w->exit ? take_exit(s, w, out) : take_entry(s, w, out);
}

void native_stack_release(struct native_stack *s)
{
	free(s->frames);
	*s = (struct native_stack){0};
}
