/* Watches and refuses calloc, for programs linked with -Wl,--wrap=calloc. One inclusion a program. */
#ifndef PL_TESTS_ALLOC_H
#define PL_TESTS_ALLOC_H

#include <stddef.h>
#include <stdlib.h>

static size_t alloc_bytes;   /* asked for since it was last set to 0 */
static unsigned alloc_grant; /* how many more calls are granted before one is refused; 0: all */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	alloc_bytes += count * size;
	if (alloc_grant && --alloc_grant == 0)
		return NULL;
	return __real_calloc(count, size);
}

#endif
