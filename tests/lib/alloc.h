/* Watches and refuses calloc and malloc, for programs linked with -Wl,--wrap=calloc,--wrap=malloc.
 * One inclusion a program. */
#ifndef PL_TESTS_ALLOC_H
#define PL_TESTS_ALLOC_H

#include <stddef.h>
#include <stdlib.h>

static size_t alloc_bytes;   /* asked for since it was last set to 0 */
static unsigned alloc_grant; /* how many more calls are granted before one is refused; 0: all */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static int alloc_is_granted(size_t bytes)
{
	alloc_bytes += bytes;
	return !alloc_grant || --alloc_grant;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return alloc_is_granted(count * size) ? __real_calloc(count, size) : NULL;
}

void *__wrap_malloc(size_t size)
{
	return alloc_is_granted(size) ? __real_malloc(size) : NULL;
}

#endif
