/* stat and fstat for the libraries inside a program: as in glibc 2.33, where they became functions,
 * and before it.
 *
 * They ask the kernel, whose struct stat is libc's on these machines. Async-signal-safe.
 */
#ifndef PL_OS_STAT_H
#define PL_OS_STAT_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Both as their namesakes without the `os_`: 0, or -1 with errno. */
static inline int os_fstatat(int dirfd, const char *path, struct stat *out, int flags)
{
	return (int)syscall(SYS_newfstatat, dirfd, path, out, flags);
}

static inline int os_fstat(int fd, struct stat *out)
{
	return (int)syscall(SYS_fstat, fd, out);
}

#endif
