/* A program that gives up rights. A seccomp filter may end it at a system call that it does not
 * make itself, so from then on the recorder makes no system calls on files (recorder/source.c).
 * Filters are preceded by PR_SET_NO_NEW_PRIVS, unless root sets them. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/prctl.h>
#include "preload/preload.h"

PRELOAD_EXPORT int prctl(int option, ...)
{
	unsigned long words[4];
	va_list list;

	/* like libc itself: always passes on four words */
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		atomic_store_explicit(&preload.confined, true, memory_order_relaxed);
	return originals()->prctl(option, words[0], words[1], words[2], words[3]);
}
