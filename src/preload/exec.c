/* The exec family. All of it ends in four original functions, as in libc.
 *
 * It is called between fork and exec, after vfork, and in signal handlers. So it uses no memory
 * except the stack, no lock and no printf. The slot says SLOT_END_EXEC before the call, because
 * nothing of this program runs after it. If the call returns it has failed, and that word is taken
 * back.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>
#include "preload/env.h"
#include "preload/preload.h"
#include "preload/slot.h"
#include "preload/target.h"

static int exec_path(const char *path, char *const argv[], char *const envp[])
{
	struct env_plan plan;

	if (env_plan(&plan, envp) && target_at(AT_FDCWD, path, 0))
		envp = env_build(&plan, alloca(plan.bytes));
	struct process_slot *slot = slot_exec();
	int result = originals()->execve(path, argv, envp);
	slot_exec_failed(slot);
	return result;
}

static int exec_file(const char *file, char *const argv[], char *const envp[])
{
	struct env_plan plan;

	if (env_plan(&plan, envp) && target_in_path(file))
		envp = env_build(&plan, alloca(plan.bytes));
	struct process_slot *slot = slot_exec();
	int result = originals()->execvpe(file, argv, envp);
	slot_exec_failed(slot);
	return result;
}

PRELOAD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return exec_path(path, argv, envp);
}

PRELOAD_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return exec_file(file, argv, envp);
}

/* It alone refuses an environment that is NULL. */
PRELOAD_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	char *const *given = envp;
	struct env_plan plan;

	if (given && env_plan(&plan, envp) && target_at(fd, "", AT_EMPTY_PATH))
		envp = env_build(&plan, alloca(plan.bytes));
	struct process_slot *slot = slot_exec();
	int result = originals()->fexecve(fd, argv, envp);
	slot_exec_failed(slot);
	return result;
}

PRELOAD_EXPORT int execveat(
	int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct env_plan plan;

	if (env_plan(&plan, envp) && target_at(dirfd, path, flags))
		envp = env_build(&plan, alloca(plan.bytes));
	struct process_slot *slot = slot_exec();
	int result = originals()->execveat(dirfd, path, argv, envp, flags);
	slot_exec_failed(slot);
	return result;
}

PRELOAD_EXPORT int execv(const char *path, char *const argv[])
{
	return exec_path(path, argv, environ);
}

PRELOAD_EXPORT int execvp(const char *file, char *const argv[])
{
	return exec_file(file, argv, environ);
}

/* Arguments up to the NULL, which is not counted. */
static size_t count_arguments(va_list from)
{
	va_list args;
	size_t n = 0;

	va_copy(args, from);
	while (va_arg(args, char *))
		n++;
	va_end(args);
	return n;
}

/* argv with its NULL, from `first` on; afterwards `args` is after the NULL. */
#define GATHER(argv, args, first)                                                                  \
	do {                                                                                       \
		size_t others = count_arguments(args);                                             \
		(argv) = alloca((others + 2) * sizeof *(argv));                                    \
		(argv)[0] = (char *)(first);                                                       \
		for (size_t i = 1; i <= others + 1; i++)                                           \
			(argv)[i] = va_arg(args, char *);                                          \
	} while (0)

PRELOAD_EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list args;
	char **argv;

	va_start(args, arg);
	GATHER(argv, args, arg);
	va_end(args);
	return exec_path(path, argv, environ);
}

PRELOAD_EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list args;
	char **argv;

	va_start(args, arg);
	GATHER(argv, args, arg);
	va_end(args);
	return exec_file(file, argv, environ);
}

PRELOAD_EXPORT int execle(const char *path, const char *arg, ...)
{
	va_list args;
	char **argv;

	va_start(args, arg);
	GATHER(argv, args, arg);
	char *const *envp = va_arg(args, char *const *);
	va_end(args);
	return exec_path(path, argv, envp);
}
