/* The shadow stack: what is not on the hot path. */
#define _GNU_SOURCE
#include "recorder/shadow.h"

#include <sys/mman.h>
#include "base/expect.h"
#include "pathline/event.h"
#include "recorder/compat/python.h"
#include "recorder/thread.h"
#include "recorder/window.h"

#define FRAMES_FIRST 1024

/* mremap moves pages, not bytes. */
static bool frames_grow(struct thread *t, uint32_t room)
{
	void *at = t->frames ? mremap(t->frames, t->room * sizeof *t->frames,
				       room * sizeof *t->frames, MREMAP_MAYMOVE)
			     : mmap(NULL, room * sizeof *t->frames, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	t->frames = at;
	t->room = room;
	return true;
}

bool stack_reserve(struct thread *t, uint32_t more)
{
	uint32_t room = t->room ? t->room : FRAMES_FIRST;

	while (room - t->depth < more)
		room *= 2;
	return room == t->room || frames_grow(t, room);
}

void stack_push(struct thread *t, py_frame *frame)
{
	if (unlikely(t->depth == t->room) && !stack_reserve(t, 1)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return;
	}
	stack_put(t, frame);
}

/* The same for a frame that may be looked into; 0: it was not written. */
uint32_t stack_place(const struct thread *t, py_frame *frame)
{
	uint32_t place = stack_find(t, frame);

	return place && entry_is_true(t->frames[place - 1], frame) ? place : 0;
}
