/* How far a frame has come by its LINEs, for the few loops whose code alone does not say whether a
 * pass fires LINE.
 *
 * By the frame's address, so that it survives suspensions, losses and a fork. If a frame ends
 * without an event, its row stays until the next frame at its address starts.
 */
#include "recorder/passes.h"

#include "base/map.h"
#include "recorder/compat/python.h"

static struct pl_map
	told; /* how far the last LINE reported, or the lower target of a jump since; with the GIL
	       */

static uint64_t passes_key(const py_frame *frame)
{
	return (uint64_t)(uintptr_t)frame;
}

void passes_line(py_frame *frame, uint32_t up_to)
{
	uint64_t *known = map_put(&told, passes_key(frame));

	if (known)
		*known = up_to;
}

bool passes_jump(py_frame *frame, uint32_t unit)
{
	uint64_t *up_to = map_find(&told, passes_key(frame));

	if (!up_to || *up_to <= unit)
		return true;
	*up_to = unit;
	return false;
}

void passes_forget(py_frame *frame)
{
	if (told.used)
		map_remove(&told, passes_key(frame));
}

void passes_forget_all(void)
{
	map_release(&told);
}
