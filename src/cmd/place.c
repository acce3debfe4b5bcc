#define _GNU_SOURCE
#include "cmd/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/home.h"
#include "os/folder.h"

static int place_failed(const struct place *p, const char *path, int err)
{
	cmd_say("%s: the directory '%s' cannot be made: %s", p->command, path, strerror(err));
	return CMD_RECORD_FAILED;
}

/* Recordings do not belong in the program's repository. A user who wants them there can change the
 * file's content. */
static void make_ignored(void)
{
	int fd = open(HOME_NAME "/.gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		0600);

	if (fd < 0)
		return;
	if (write(fd, "*\n", 2) < 0) {
		/* git shows the folder: not worth a message */
	}
	close(fd);
}

static int make_named(struct place *p, const char *name)
{
	int err = folder_make_named(p->home, name, p->path);

	return err ? place_failed(p, err == ENAMETOOLONG ? p->home : p->path, err) : CMD_GO;
}

static int make_home(struct place *p)
{
	strcpy(p->home, HOME_NAME);
	p->made_home = folder_make_private(HOME_NAME);
	if (!p->made_home && errno != EEXIST)
		return place_failed(p, HOME_NAME, errno);
	make_ignored();
	return CMD_GO;
}

static int make_default(struct place *p, const char *name)
{
	int code = make_home(p);

	return code == CMD_GO ? make_named(p, name) : code;
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	bool empty = d != NULL;

	while (d && empty && (e = readdir(d)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return empty;
}

/* new/sub/dir: new, and new/sub. If one cannot be made, the mkdir of the whole path reports it. */
static void make_parents(struct place *p)
{
	for (char *slash = strchr(p->path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		p->made_parents += mkdir(p->path, 0777) == 0;
		*slash = '/';
	}
}

static int make_given(struct place *p, const char *directory)
{
	if (!*directory ||
		snprintf(p->path, sizeof p->path, "%s", directory) >= (int)sizeof p->path)
		return place_failed(p, directory, *directory ? ENAMETOOLONG : ENOENT);
	make_parents(p);
	if (folder_make_private(directory))
		return CMD_GO;
	if (errno != EEXIST)
		return place_failed(p, directory, errno);
	if (is_empty(directory))
		return CMD_GO;
	cmd_say("%s: %s is not an empty directory; give -o a new or an empty one", p->command,
		directory);
	return CMD_RECORD_FAILED;
}

static int place_open(struct place *p)
{
	p->directory_fd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->directory_fd < 0 || !realpath(p->path, p->real))
		return place_failed(p, p->path, errno);
	return CMD_GO;
}

int place_make(struct place *p, const char *directory, const char *name)
{
	*p = (struct place){.command = p->command, .directory_fd = -1, .is_default = !directory};
	int code = directory ? make_given(p, directory) : make_default(p, name);

	return code == CMD_GO ? place_open(p) : code;
}

int place_make_in(struct place *p, const char *folder, const char *name)
{
	*p = (struct place){.command = p->command, .directory_fd = -1, .is_default = true};
	snprintf(p->home, sizeof p->home, "%s", folder);
	int code = make_named(p, name);

	return code == CMD_GO ? place_open(p) : code;
}

/* The folder that was given, or the default one. What it is given to write comes later, so that it
 * can be written to is asked now. */
static int make_folder(struct place *p, const char *folder)
{
	char real[PATH_MAX];
	int code = CMD_GO;

	if (!folder)
		code = make_home(p);
	else if (!*folder || snprintf(p->home, sizeof p->home, "%s", folder) >= (int)sizeof p->home)
		return place_failed(p, folder, *folder ? ENAMETOOLONG : ENOENT);
	else if (folder_make_private(folder))
		p->made_folder = true;
	else if (errno != EEXIST)
		return place_failed(p, folder, errno);
	if (code != CMD_GO)
		return code;
	if (!realpath(p->home, real) || access(real, W_OK | X_OK) < 0) {
		cmd_say("%s: recordings cannot be written to '%s': %s", p->command, p->home,
			strerror(errno));
		return CMD_RECORD_FAILED;
	}
	strcpy(p->home, real);
	return CMD_GO;
}

int place_make_flight(struct place *p, const char *folder)
{
	*p = (struct place){.command = p->command, .directory_fd = -1, .flight_default = !folder};
	int code = make_folder(p, folder);

	if (code != CMD_GO)
		return code;
	const int err = folder_make_in_memory("flight", p->path);
	return err ? place_failed(p, p->path, err) : place_open(p);
}

/* Remove the last part. */
static bool strip(char *path)
{
	char *slash;

	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/';)
		path[--n] = 0;
	slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	return slash && slash > path;
}

static void undo_home(void)
{
	unlink(HOME_NAME "/.gitignore");
	if (rmdir(HOME_NAME) < 0) /* another recording began in it */
		make_ignored();
}

/* Only what was made here, and only if it is empty: rmdir fails otherwise, and that is right. */
void place_undo(struct place *p)
{
	char path[PATH_MAX];

	if (p->directory_fd >= 0)
		unlinkat(p->directory_fd, "meta", 0);
	if (p->path[0])
		rmdir(p->path);
	snprintf(path, sizeof path, "%s", p->path);
	for (int n = p->made_parents; n > 0 && strip(path); n--)
		rmdir(path);
	if (p->made_home)
		undo_home();
	if (p->made_folder)
		rmdir(p->home);
}

void place_remove(struct place *p)
{
	int fd = openat(p->directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (home_is_own_file(e->d_name))
			unlinkat(p->directory_fd, e->d_name, 0);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	place_undo(p);
}

static const char *name_of(const struct place *p)
{
	return p->path + strlen(p->home) + 1;
}

/* A recording with -o is not `latest`: that link is in a folder, and names what is there. */
void place_publish(const struct place *p)
{
	if (p->is_default)
		folder_set_latest(p->home, name_of(p));
}

void place_withdraw(const struct place *p)
{
	if (p->is_default)
		home_unset_latest(p->home, name_of(p));
}

bool place_latest(const struct place *p, char name[PATH_MAX])
{
	char link[PATH_MAX];
	ssize_t n = -1;

	if (p->is_default &&
		snprintf(link, sizeof link, "%s/" HOME_LATEST, p->home) < (int)sizeof link)
		n = readlink(link, name, PATH_MAX - 1);
	name[n > 0 ? n : 0] = 0;
	return n > 0;
}
