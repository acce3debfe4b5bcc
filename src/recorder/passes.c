/* How far a frame's LINEs have told of it, for the few loops of which the code alone does not say
 * whether a pass fires LINE.
 *
 * By the frame's address, so that it outlives suspensions, losses and a fork. A frame that ends
 * without an event leaves its row to the next one at its address, whose start forgets it.
 */
#include "recorder/state.h"

static struct pl_map
	told; /* the unit of the last LINE + 1, or the lower target of a jump since; under the GIL */

static uint64_t key(const py_frame *frame)
{
	return (uint64_t)(uintptr_t)frame;
}

void passes_line(py_frame *frame, uint32_t unit)
{
	uint64_t *up_to = map_put(&told, key(frame));

	if (up_to)
		*up_to = (uint64_t)unit + 1;
}

bool passes_jump(py_frame *frame, uint32_t unit)
{
	uint64_t *up_to = map_find(&told, key(frame));

	if (!up_to || *up_to <= unit)
		return true;
	*up_to = unit;
	return false;
}

void passes_forget(py_frame *frame)
{
	if (told.used)
		map_remove(&told, key(frame));
}
