#define _GNU_SOURCE
#include "cmd/running.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "attach/target.h"
#include "base/buf.h"
#include "collector/collector.h"
#include "os/file.h"

#define COMMAND_BYTES_MAX 4096
#define STAT_BYTES	  1024

/* bob:x:1000:1000:… The libc's own way would load libraries. */
static void find_user(struct running *p)
{
	FILE *f = fopen("/etc/passwd", "re");
	char *line = NULL, name[sizeof p->user];
	size_t room = 0;
	unsigned uid;
	bool found = false;

	while (f && !found && getline(&line, &room, f) > 0)
		found = sscanf(line, "%63[^:]:%*[^:]:%u:", name, &uid) == 2 && uid == p->uid;
	snprintf(p->user, sizeof p->user, "%u", p->uid);
	if (found)
		snprintf(p->user, sizeof p->user, "%s", name);
	free(line);
	if (f)
		fclose(f);
}

/* The 22nd word of /proc/PID/stat, the 20th after the name in parentheses: ticks since the system
 * began. */
static int64_t age_ns(int pid)
{
	char text[STAT_BYTES];
	struct timespec now;
	unsigned long long started = 0;
	const char *at = proc_text(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;

	for (int i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%llu", &started) != 1)
		return 0;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec -
	       (int64_t)started * (1000000000 / sysconf(_SC_CLK_TCK));
}

/* Its words, with blanks between them. NULL: no memory. */
static char *read_command(int pid)
{
	char path[64], *text = malloc(COMMAND_BYTES_MAX);

	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	int fd = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd < 0 ? 0 : read(fd, text, COMMAND_BYTES_MAX - 1);
	if (fd >= 0)
		close(fd);
	while (n > 0 && !text[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	if (text)
		text[n > 0 ? n : 0] = 0;
	return text;
}

/* The memory that it shares with a collector names the directory. NULL: it cannot be read. */
static char *find_directory(const struct target *t)
{
	char path[sizeof t->arena + 64];
	struct arena_head *h = malloc(sizeof *h);
	char *directory = NULL;

	snprintf(path, sizeof path, "/proc/%d/root%s", t->pid, t->arena);
	int fd = h ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	if (fd >= 0 && pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h &&
		h->magic == ARENA_MAGIC && h->abi == ARENA_ABI &&
		memchr(h->directory, 0, sizeof h->directory))
		directory = strdup(h->directory);
	if (fd >= 0)
		close(fd);
	free(h);
	return directory;
}

/* By its name: what cannot be looked into, and is older than 3.11. */
static bool is_called_python(int pid)
{
	char path[64], link[PATH_MAX], name[64];
	const char *called = name;

	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	ssize_t n = readlink(path, link, sizeof link - 1);
	link[n > 0 ? n : 0] = 0;
	if (n > 0)
		called = strrchr(link, '/') ? strrchr(link, '/') + 1 : link;
	else if (errno == ENOENT || !proc_text(pid, "comm", name, sizeof name))
		return false;
	return !strncmp(called, "python", 6) || !strncmp(called, "pypy", 4);
}

bool running_look(struct running *p, int pid)
{
	static struct target t;
	char why[ATTACH_WHY_BYTES];
	int refused = target_look(&t, pid, why);

	if (!t.version[0] && !is_called_python(pid))
		return false;
	*p = (struct running){.pid = pid,
		.uid = t.uid,
		.runs_ns = age_ns(pid),
		.recorded = t.arena[0] != 0,
		.command = read_command(pid)};
	snprintf(p->release, sizeof p->release, "%s", t.release);
	find_user(p);
	if (p->recorded)
		p->directory = find_directory(&t);
	else if (refused)
		p->why = strdup(why);
	const char *note = p->directory ? p->directory : p->why;
	if (note && asprintf(&p->note, "(%s)", note) < 0)
		p->note = NULL;
	return true;
}

const char *running_state(const struct running *p)
{
	return p->recorded ? "recorded" : p->why ? "no" : "attachable";
}

void running_release(struct running *p)
{
	free(p->command);
	free(p->directory);
	free(p->why);
	free(p->note);
	*p = (struct running){0};
}
