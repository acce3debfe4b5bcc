#define _GNU_SOURCE
#include "cmd/victim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/home.h"
#include "pathline/pathline.h"

static void look_at_file(struct victim *v, int directory_fd, const char *name)
{
	struct stat st;

	v->is_recording = true;
	if (fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	const uint64_t on_disk = (uint64_t)st.st_blocks * 512, bytes = (uint64_t)st.st_size;
	const int64_t ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	v->bytes += on_disk > bytes ? on_disk : bytes;
	if (ns > v->written_ns)
		v->written_ns = ns;
}

/* What is in the directory: some file of a recording, and another file? 0, or an errno. All of its
 * names are looked at before anything is removed. */
static int look_through(struct victim *v)
{
	int fd = openat(v->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!d) {
		int err = errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (home_is_own_file(e->d_name))
			look_at_file(v, v->fd, e->d_name);
		else
			snprintf(v->other, sizeof v->other, "%s", e->d_name);
	}
	closedir(d);
	return 0;
}

int victim_open(struct victim *v)
{
	v->fd = open(v->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return v->fd < 0 ? errno : look_through(v);
}

void victim_close(struct victim *v)
{
	if (v->fd >= 0)
		close(v->fd);
	v->fd = -1;
}

/* Is its collector alive, or waiting to be replaced? `known`: the answer is certain. */
bool victim_is_written(const char *path, bool *known)
{
	struct pl_recording *r = NULL;
	struct pl_recording_info info = {0};

	*known = pl_recording_open(&r, path, NULL) == 0;
	if (*known)
		pl_recording_info(r, &info);
	*known = *known && (info.finished || *info.arena);
	bool written = *known && !info.finished && access(info.arena, F_OK) == 0;
	pl_recording_close(r);
	return written;
}

/* 0, or an errno. */
static int remove_files(const struct victim *v)
{
	int fd = openat(v->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	int err = d ? 0 : errno;

	while (err == 0 && (e = readdir(d)))
		if (home_is_own_file(e->d_name) && unlinkat(v->fd, e->d_name, 0) < 0 &&
			errno != ENOENT)
			err = errno;
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return err;
}

/* The last part of the path, and the folder that it is in. */
static const char *split_path(const char *path, char folder[PATH_MAX])
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	snprintf(folder, PATH_MAX, "%.*s", (int)n, path);
	char *slash = strrchr(folder, '/');
	const char *name = path + (slash ? slash - folder + 1 : 0);
	if (!slash)
		strcpy(folder, ".");
	else
		slash[slash == folder] = 0;
	return name;
}

/* The files first, then the directory, then `latest` if that named it. */
int victim_remove(struct victim *v)
{
	char folder[PATH_MAX], name[NAME_MAX + 1];
	int err = remove_files(v);

	snprintf(name, sizeof name, "%s", split_path(v->path, folder));
	name[strcspn(name, "/")] = 0;
	if (err == 0 && rmdir(v->path) < 0)
		err = errno;
	if (err == 0)
		home_unset_latest(folder, name);
	return err;
}
