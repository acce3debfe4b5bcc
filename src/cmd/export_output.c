#define _GNU_SOURCE
#include "cmd/export_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a directory ---- */

static int make_directory(struct part_file *f)
{
	struct stat st;

	if (!strcmp(f->path, "-"))
		return part_file_refuse(f, "the format is a directory; --output names it");
	if (lstat(f->path, &st) == 0)
		return part_file_refuse(f, "it exists");
	if (snprintf(f->part, sizeof f->part, "%s.%d.part", f->path, (int)getpid()) >=
		CMD_DIRECTORY_BYTES)
		return part_file_refuse(f, strerror(ENAMETOOLONG));
	if (mkdir(f->part, 0700) == 0)
		return CMD_GO;
	const int number = errno;
	f->part[0] = 0;
	return part_file_refuse(f, strerror(number));
}

/* Only its files, which are ours. */
static void remove_directory(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}

static void note(struct export_output *o, int number)
{
	if (!o->error)
		o->error = number;
}

static void close_file(struct export_output *o)
{
	if (o->out.fd < 0)
		return;
	out_flush(&o->out);
	note(o, o->out.error);
	if (close(o->out.fd) < 0)
		note(o, errno);
	o->out.fd = -1;
}

static bool next_file(void *context, const char *name)
{
	struct export_output *o = context;

	close_file(o);
	const int directory = open(o->file.part, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (directory >= 0)
		o->out.fd = openat(directory, name,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (directory < 0 || o->out.fd < 0)
		note(o, errno);
	if (directory >= 0)
		close(directory);
	return !o->error;
}

static int finish_directory(struct export_output *o)
{
	close_file(o);
	if (!o->error &&
		renameat2(AT_FDCWD, o->file.part, AT_FDCWD, o->file.path, RENAME_NOREPLACE))
		note(o, errno);
	if (o->error)
		remove_directory(o->file.part);
	return o->error;
}

/* ---- both ---- */

static bool put_bytes(void *context, const void *bytes, size_t count)
{
	struct export_output *o = context;

	out_put(&o->out, bytes, count);
	return !o->out.error;
}

struct export_sink export_output_sink(struct export_output *o)
{
	return (struct export_sink){.put = put_bytes, .file = next_file, .context = o};
}

int export_output_open(struct export_output *o, const struct export_format *format)
{
	o->is_directory = format->is_directory;
	o->file.fd = -1;
	int code = o->is_directory ? make_directory(&o->file)
				   : part_file_open(&o->file, format->is_binary);
	if (code != CMD_GO || out_init(&o->out, o->file.fd, false) == 0)
		return code;
	export_output_drop(o);
	part_file_refuse(&o->file, strerror(ENOMEM));
	return CMD_NOT_WRITTEN;
}

/* The reader of a pipe may have gone, a disk may be full. */
int export_output_finish(struct export_output *o)
{
	if (!o->file.part[0])
		return out_release(&o->out);
	if (o->is_directory)
		finish_directory(o);
	else
		out_flush(&o->out);
	note(o, o->out.error);
	o->out.error = 0;
	out_release(&o->out);
	if (!o->error && o->is_directory)
		return CMD_OK;
	if (!o->error)
		return part_file_finish(&o->file) == CMD_GO ? CMD_OK : CMD_NOT_WRITTEN;
	if (!o->is_directory)
		part_file_drop(&o->file);
	part_file_refuse(&o->file, strerror(o->error));
	return CMD_NOT_WRITTEN;
}

void export_output_drop(struct export_output *o)
{
	o->out.used = 0;
	if (o->is_directory && o->file.part[0]) {
		close_file(o);
		remove_directory(o->file.part);
	} else
		part_file_drop(&o->file);
	out_release(&o->out);
}
