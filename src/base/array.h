/* An array that grows: its owner keeps the items, their number, and how many there is room for.
 *
 *	struct row *rows = array_room(t->rows, t->count, &t->room, sizeof *rows);
 *	if (!rows)
 *		return PL_ERR_MEMORY;
 *	t->rows = rows;
 *	t->rows[t->count++] = row;
 *
 * The owner assigns the pointer, so that the compiler sees its type.
 */
#ifndef PL_BASE_ARRAY_H
#define PL_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_FIRST 16 /* items */

/* The same items, or a larger copy with room for one more than `count`. NULL: there is no memory;
 * the items are as they were. All zero is an empty array. */
static inline void *array_room(void *items, size_t count, size_t *room, size_t item_bytes)
{
	if (count < *room)
		return items;
	if (*room > SIZE_MAX / 2 / item_bytes)
		return NULL;
	const size_t more = *room ? 2 * *room : ARRAY_FIRST;
	void *larger = realloc(items, more * item_bytes);
	if (larger)
		*room = more;
	return larger;
}

#endif
