#define _GNU_SOURCE
#include "cmd/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int part_file_refuse(const struct part_file *f, const char *why)
{
	cmd_say("%s: %s cannot be written: %s", f->command, f->path, why);
	return CMD_USAGE;
}

int part_file_open(struct part_file *f, bool is_binary)
{
	struct stat st;

	f->part[0] = 0;
	if (!strcmp(f->path, "-")) {
		f->fd = STDOUT_FILENO;
		return is_binary && isatty(f->fd) ? part_file_refuse(f, "stdout is a terminal")
						  : CMD_GO;
	}
	if (stat(f->path, &st) == 0 && !S_ISREG(st.st_mode))
		return part_file_refuse(f, "it exists, and is not a regular file");
	if (!f->force && lstat(f->path, &st) == 0)
		return part_file_refuse(f, "it exists; --force replaces it");
	if (snprintf(f->part, sizeof f->part, "%s.%d.part", f->path, (int)getpid()) >=
		CMD_DIRECTORY_BYTES)
		return part_file_refuse(f, strerror(ENAMETOOLONG));
	f->fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f->fd >= 0)
		return CMD_GO;
	const int number = errno;
	f->part[0] = 0;
	return part_file_refuse(f, strerror(number));
}

int part_file_finish(struct part_file *f)
{
	int number = 0;

	if (!f->part[0])
		return CMD_GO;
	if (fsync(f->fd) < 0 && errno != EINVAL)
		number = errno;
	if (close(f->fd) < 0 && !number)
		number = errno;
	if (!number && (f->force ? rename(f->part, f->path) : link(f->part, f->path)) < 0)
		number = errno;
	unlink(f->part);
	return number ? part_file_refuse(f, strerror(number)) : CMD_GO;
}

void part_file_drop(struct part_file *f)
{
	if (!f->part[0])
		return;
	close(f->fd);
	unlink(f->part);
}
