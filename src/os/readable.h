/* Can this memory be read? For addresses that may not be valid, where trying would end the
 * program. */
#ifndef PL_OS_READABLE_H
#define PL_OS_READABLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Any system call that reads from an address shows it; this one then fails because of its first
 * argument. Sets errno. */
static inline bool readable_word(const void *at)
{
	return syscall(SYS_rt_sigprocmask, ~0, at, NULL, 8) < 0 && errno != EFAULT;
}

/* All of `bytes`, fewer than a page, at a place where an object can lie. */
static inline bool readable_object(const void *at, size_t bytes)
{
	uintptr_t address = (uintptr_t)at;

	if (!at || address >> 47 || address % sizeof(void *))
		return false;
	return readable_word(at) && readable_word((const char *)at + bytes - sizeof(void *));
}

#endif
