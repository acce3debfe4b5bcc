/* The shell with our variables handed on: what system() and popen() are made of. */
#ifndef PL_PRELOAD_SPAWN_H
#define PL_PRELOAD_SPAWN_H

#include <spawn.h>

#define SPAWN_SHELL "/bin/sh"

/* As posix_spawn, with this process's environment. */
int spawn_shell(pid_t *pid, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[]);

#endif
