/* Identity of generators and coroutines: a number as long as each lives.
 *
 * The frame of a generator is in the generator object and keeps its address while it is suspended,
 * so the address is the key. An address that is used again is not mistaken: the start of the new
 * generator overwrites the number. If a generator ends without an event its row stays until then,
 * so the number of rows is bounded by that of addresses ever used.
 */
#include "recorder/generators.h"

#include "base/map.h"
#include "recorder/compat/python.h"
#include "recorder/root.h"

static struct pl_map numbers; /* under the GIL */

static uint64_t generator_key(const py_frame *frame)
{
	return (uint64_t)(uintptr_t)frame;
}

uint64_t generator_new(py_frame *frame)
{
	uint64_t *number = map_put(&numbers, generator_key(frame));

	if (number)
		*number = ++root.generators;
	return number ? *number : ++root.generators;
}

uint64_t generator_of(py_frame *frame)
{
	uint64_t *number = map_find(&numbers, generator_key(frame));

	return number ? *number : generator_new(frame);
}

void generators_forget(void)
{
	map_release(&numbers);
	root.generators = 0;
}

void generator_gone(py_frame *frame)
{
	map_remove(&numbers, generator_key(frame));
}
