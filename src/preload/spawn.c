/* posix_spawn and posix_spawnp; libc's own calls of them (system, popen) pass us by, see shell.c.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <unistd.h>
#include "preload/env.h"
#include "preload/preload.h"
#include "preload/spawn.h"
#include "preload/target.h"

int spawn_shell(pid_t *pid, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[])
{
	char *const *envp = environ;
	struct env_plan plan;

	if (env_plan(&plan, envp) && target_at(AT_FDCWD, SPAWN_SHELL, 0))
		envp = env_build(&plan, alloca(plan.bytes));
	return originals()->posix_spawn(pid, SPAWN_SHELL, actions, attributes, argv, envp);
}

PRELOAD_EXPORT int posix_spawn(pid_t *pid, const char *path,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
	char *const argv[], char *const envp[])
{
	struct env_plan plan;

	if (env_plan(&plan, envp) && target_at(AT_FDCWD, path, 0))
		envp = env_build(&plan, alloca(plan.bytes));
	return originals()->posix_spawn(pid, path, actions, attributes, argv, envp);
}

PRELOAD_EXPORT int posix_spawnp(pid_t *pid, const char *file,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
	char *const argv[], char *const envp[])
{
	struct env_plan plan;

	if (env_plan(&plan, envp) && target_in_path(file))
		envp = env_build(&plan, alloca(plan.bytes));
	return originals()->posix_spawnp(pid, file, actions, attributes, argv, envp);
}
