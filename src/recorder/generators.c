/* Identity of generators and coroutines: a number for as long as one lives.
 *
 * A generator's frame lies in the generator object and keeps its address over suspensions, so the
 * address is the key. An address that is used again is never mistaken: the new generator announces
 * itself by its start, which overwrites. One that dies without an event leaves its row behind until
 * then; so rows are bounded by addresses ever in use.
 */
#include "recorder/state.h"

static struct pl_map numbers; /* under the GIL */

static uint64_t key(const py_frame *frame)
{
	return (uint64_t)(uintptr_t)frame;
}

uint64_t generator_new(py_frame *frame)
{
	uint64_t *number = map_put(&numbers, key(frame));

	if (number)
		*number = ++root.generators;
	return number ? *number : ++root.generators;
}

uint64_t generator_of(py_frame *frame)
{
	uint64_t *number = map_find(&numbers, key(frame));

	return number ? *number : generator_new(frame);
}

void generator_gone(py_frame *frame)
{
	map_remove(&numbers, key(frame));
}
