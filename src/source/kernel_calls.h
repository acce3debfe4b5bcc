/* Which arguments of system calls are told, and what they name: a row for each call of which more
 * than name and result is known.
 *
 *	X(name, what is named, by which argument from 0, words for the arguments)
 *
 * Words stand for the arguments in their order: a point is one that is not told, a word with an x
 * before it is written in base 16.
 */
#ifndef PL_SOURCE_KERNEL_CALLS_H
#define PL_SOURCE_KERNEL_CALLS_H

#define KERNEL_CALL_ROWS(X)                                                                        \
	X(read, FILE, 0, "fd . bytes")                                                             \
	X(write, FILE, 0, "fd . bytes")                                                            \
	X(pread64, FILE, 0, "fd . bytes offset")                                                   \
	X(pwrite64, FILE, 0, "fd . bytes offset")                                                  \
	X(readv, FILE, 0, "fd . vectors")                                                          \
	X(writev, FILE, 0, "fd . vectors")                                                         \
	X(close, NOTHING, 0, "fd")                                                                 \
	X(openat, PATH, 1, ". . xflags")                                                           \
	X(openat2, PATH, 1, "")                                                                    \
	X(newfstatat, PATH, 1, "")                                                                 \
	X(statx, PATH, 1, "")                                                                      \
	X(fstat, FILE, 0, "fd")                                                                    \
	X(lseek, FILE, 0, "fd offset whence")                                                      \
	X(fsync, FILE, 0, "fd")                                                                    \
	X(fdatasync, FILE, 0, "fd")                                                                \
	X(ftruncate, FILE, 0, "fd bytes")                                                          \
	X(fallocate, FILE, 0, "fd . offset bytes")                                                 \
	X(getdents64, FILE, 0, "fd . bytes")                                                       \
	X(ioctl, FILE, 0, "fd xrequest")                                                           \
	X(fcntl, FILE, 0, "fd command")                                                            \
	X(flock, FILE, 0, "fd operation")                                                          \
	X(sendfile, FILE, 0, "to from . bytes")                                                    \
	X(unlinkat, PATH, 1, "")                                                                   \
	X(mkdirat, PATH, 1, "")                                                                    \
	X(renameat2, PATH, 1, "")                                                                  \
	X(faccessat, PATH, 1, "")                                                                  \
	X(faccessat2, PATH, 1, "")                                                                 \
	X(readlinkat, PATH, 1, "")                                                                 \
	X(chdir, PATH, 0, "")                                                                      \
	X(execve, PROGRAM, 0, "")                                                                  \
	X(execveat, PROGRAM, 1, "")                                                                \
	X(connect, ADDRESS, 1, "fd")                                                               \
	X(bind, ADDRESS, 1, "fd")                                                                  \
	X(accept4, FILE, 0, "fd")                                                                  \
	X(accept, FILE, 0, "fd")                                                                   \
	X(sendto, FILE, 0, "fd . bytes")                                                           \
	X(recvfrom, FILE, 0, "fd . bytes")                                                         \
	X(sendmsg, FILE, 0, "fd")                                                                  \
	X(recvmsg, FILE, 0, "fd")                                                                  \
	X(socket, NOTHING, 0, "family type protocol")                                              \
	X(setsockopt, FILE, 0, "fd level option")                                                  \
	X(getsockopt, FILE, 0, "fd level option")                                                  \
	X(listen, FILE, 0, "fd backlog")                                                           \
	X(shutdown, FILE, 0, "fd how")                                                             \
	X(epoll_wait, NOTHING, 0, "fd . events timeout")                                           \
	X(epoll_pwait, NOTHING, 0, "fd . events timeout")                                          \
	X(ppoll, NOTHING, 0, ". fds")                                                              \
	X(mmap, NOTHING, 0, ". bytes xprotection xflags fd")                                       \
	X(munmap, NOTHING, 0, "xaddress bytes")                                                    \
	X(madvise, NOTHING, 0, "xaddress bytes advice")                                            \
	X(futex, NOTHING, 0, "xaddress xoperation value")                                          \
	X(kill, NOTHING, 0, "pid signal")                                                          \
	X(tgkill, NOTHING, 0, "pid tid signal")                                                    \
	X(wait4, NOTHING, 0, "pid")                                                                \
	X(exit, NOTHING, 0, "code")                                                                \
	X(exit_group, NOTHING, 0, "code")                                                          \
	KERNEL_CALL_ROWS_OLD(X)

/* Calls that newer architectures do not have. */
#if defined(__x86_64__)
#define KERNEL_CALL_ROWS_OLD(X)                                                                    \
	X(open, PATH, 0, ". xflags")                                                               \
	X(stat, PATH, 0, "")                                                                       \
	X(lstat, PATH, 0, "")                                                                      \
	X(access, PATH, 0, "")                                                                     \
	X(readlink, PATH, 0, "")                                                                   \
	X(unlink, PATH, 0, "")                                                                     \
	X(mkdir, PATH, 0, "")                                                                      \
	X(rmdir, PATH, 0, "")                                                                      \
	X(rename, PATH, 0, "")                                                                     \
	X(poll, NOTHING, 0, ". fds timeout")                                                       \
	X(select, NOTHING, 0, "fds")
#else
#define KERNEL_CALL_ROWS_OLD(X)
#endif

#endif
