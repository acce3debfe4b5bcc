/* Calls one of the functions that start a program, by name:
 *
 *	preload-call FUNCTION ENVIRONMENT PROGRAM [ARGUMENT]...
 *
 * ENVIRONMENT, for those that take one: own, empty, null, or user (a variable, LD_PRELOAD as
 *USER_PRELOAD says, and another variable). Those that run a command take PROGRAM for it. Ends as
 *what it started.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct call {
	char **env;
	char **argv; /* argv[0] is the program */
};

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int spawned(int err, pid_t pid)
{
	int status = 0;

	if (err)
		return 126;
	waitpid(pid, &status, 0);
	return status_of(status);
}

static int do_execve(struct call *c)
{
	return execve(c->argv[0], c->argv, c->env);
}

static int do_execv(struct call *c)
{
	return execv(c->argv[0], c->argv);
}

static int do_execvp(struct call *c)
{
	return execvp(c->argv[0], c->argv);
}

static int do_execvpe(struct call *c)
{
	return execvpe(c->argv[0], c->argv, c->env);
}

static int do_execl(struct call *c)
{
	return execl(c->argv[0], c->argv[0], c->argv[1], c->argv[2], c->argv[3], c->argv[4], NULL);
}

static int do_execlp(struct call *c)
{
	return execlp(c->argv[0], c->argv[0], c->argv[1], c->argv[2], c->argv[3], c->argv[4], NULL);
}

static int do_execle(struct call *c)
{
	if (!c->argv[3])
		return execle(c->argv[0], c->argv[0], c->argv[1], c->argv[2], NULL, c->env);
	return execle(c->argv[0], c->argv[0], c->argv[1], c->argv[2], c->argv[3], NULL, c->env);
}

static int do_fexecve(struct call *c)
{
	return fexecve(open(c->argv[0], O_RDONLY | O_CLOEXEC), c->argv, c->env);
}

static int do_execveat(struct call *c)
{
	const char *slash = strrchr(c->argv[0], '/');
	char *directory = strndup(c->argv[0], (size_t)(slash - c->argv[0]));

	return execveat(open(directory, O_PATH | O_CLOEXEC), slash + 1, c->argv, c->env, 0);
}

static int do_execveat_fd(struct call *c)
{
	return execveat(open(c->argv[0], O_PATH | O_CLOEXEC), "", c->argv, c->env, AT_EMPTY_PATH);
}

static int do_posix_spawn(struct call *c)
{
	pid_t pid = 0;

	return spawned(posix_spawn(&pid, c->argv[0], NULL, NULL, c->argv, c->env), pid);
}

static int do_posix_spawnp(struct call *c)
{
	pid_t pid = 0;

	return spawned(posix_spawnp(&pid, c->argv[0], NULL, NULL, c->argv, c->env), pid);
}

static int do_system(struct call *c)
{
	return status_of(system(c->argv[0]));
}

static int do_popen_r(struct call *c)
{
	FILE *file = popen(c->argv[0], "r");
	char bytes[512];
	size_t n;

	if (!file)
		return 126;
	while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
		fwrite(bytes, 1, n, stdout);
	return status_of(pclose(file));
}

static int do_popen_w(struct call *c)
{
	FILE *file = popen(c->argv[0], "we");

	if (!file)
		return 126;
	fputs("from the parent\n", file);
	return status_of(pclose(file));
}

/* Two writers at once: the first one ends only if the second command does not hold its pipe. */
static int do_popen_two(struct call *c)
{
	FILE *one = popen(c->argv[0], "w");
	FILE *two = popen(c->argv[0], "w");

	if (!one || !two)
		return 126;
	fputs("one\n", one);
	int first = status_of(pclose(one));
	fputs("two\n", two);
	int second = status_of(pclose(two));
	return first ? first : second;
}

static int do_vfork(struct call *c)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(c->argv[0], c->argv, c->env);
		_exit(126);
	}
	return spawned(0, pid);
}

/* A failing exec first: then it goes on. */
static int do_exec_again(struct call *c)
{
	execve("/nowhere/to/be/found", c->argv, c->env);
	perror("execve");
	return execv(c->argv[0], c->argv);
}

static const struct {
	const char *name;
	int (*run)(struct call *c);
} calls[] = {
	{"execve", do_execve},
	{"execv", do_execv},
	{"execvp", do_execvp},
	{"execvpe", do_execvpe},
	{"execl", do_execl},
	{"execlp", do_execlp},
	{"execle", do_execle},
	{"fexecve", do_fexecve},
	{"execveat", do_execveat},
	{"execveat_fd", do_execveat_fd},
	{"posix_spawn", do_posix_spawn},
	{"posix_spawnp", do_posix_spawnp},
	{"system", do_system},
	{"popen_r", do_popen_r},
	{"popen_w", do_popen_w},
	{"popen_two", do_popen_two},
	{"vfork", do_vfork},
	{"exec_again", do_exec_again},
};

static char **environment(const char *kind)
{
	static char preload[8192];
	static char *user[] = {"A=1", preload, "B=2", NULL};
	static char *empty[] = {NULL};

	if (strcmp(kind, "own") == 0)
		return environ;
	if (strcmp(kind, "user") == 0) {
		snprintf(preload, sizeof preload, "LD_PRELOAD=%s", getenv("USER_PRELOAD"));
		return user;
	}
	return strcmp(kind, "empty") == 0 ? empty : NULL;
}

int main(int argc, char **argv)
{
	struct call c = {argc > 3 ? environment(argv[2]) : NULL, argv + 3};

	for (size_t i = 0; argc > 3 && i < sizeof calls / sizeof *calls; i++) {
		if (strcmp(calls[i].name, argv[1]) == 0) {
			int result = calls[i].run(&c);
			if (result < 0)
				perror(argv[1]);
			return result < 0 ? 125 : result;
		}
	}
	return 2;
}
