#define _GNU_SOURCE
#include "cmd/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cmd/cmd.h"

#define NS_PER_S   1000000000
#define LEVELS_MAX 128 /* directories searched above the current one */
#define SHOWN_MAX  5   /* names that a message lists */

/* ---- files of a recording ---- */

bool home_is_block_file(const char *name)
{
	return !strncmp(name, "events.", 7) && name[7] &&
	       strspn(name + 7, "0123456789") == strlen(name + 7);
}

/* Files that a recording consists of, and the arena that a killed collector may have left in it.
 * `rm` removes nothing else. */
bool home_is_own_file(const char *name)
{
	static const char front[] = "pathline-", end[] = ".arena";
	const size_t n = strlen(name);

	return !strcmp(name, "meta") || home_is_block_file(name) ||
	       (!strncmp(name, front, strlen(front)) && n > strlen(end) &&
		       !strcmp(name + n - strlen(end), end));
}

bool home_has_own_files(const char *directory)
{
	DIR *d = opendir(directory);
	const struct dirent *e;
	bool has = false;

	while (d && !has && (e = readdir(d)))
		has = home_is_own_file(e->d_name);
	if (d)
		closedir(d);
	return has;
}

/* ---- the folder ---- */

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Is `path` its own parent? */
static bool is_root(const char *path)
{
	char above[PATH_MAX];
	struct stat here, there;

	snprintf(above, sizeof above, "%.*s..", PATH_MAX - 16, path);
	return stat(*path ? path : ".", &here) < 0 || stat(above, &there) < 0 ||
	       (here.st_dev == there.st_dev && here.st_ino == there.st_ino);
}

/* Is this a folder in which a service keeps its recordings (PATHLINE_DIR)? */
static bool is_in_home(void)
{
	struct stat st;

	return lstat(HOME_LATEST, &st) == 0 && S_ISLNK(st.st_mode) &&
	       home_has_own_files(HOME_LATEST);
}

/* .pathline, ../.pathline, … up to the root, as relative paths: messages show them as the user
 * knows the place. */
bool home_find(char path[PATH_MAX])
{
	char up[PATH_MAX] = "";

	for (size_t level = 0; level < LEVELS_MAX; level++) {
		snprintf(path, PATH_MAX, "%.*s" HOME_NAME, PATH_MAX - 16, up);
		if (is_directory(path))
			return true;
		if (level == 0 && is_in_home()) {
			strcpy(path, ".");
			return true;
		}
		if (is_root(up))
			return false;
		snprintf(up + 3 * level, sizeof up - 3 * level, "../");
	}
	return false;
}

bool home_folder(const char *word, char path[PATH_MAX])
{
	if (!word)
		return home_find(path);
	if (snprintf(path, PATH_MAX, "%s/" HOME_NAME, word) < PATH_MAX && is_directory(path))
		return true;
	return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX;
}

/* ---- its recordings ---- */

/* 261128-101112-… was made at that local time. */
static bool read_stamp(const char *name, int64_t *made_ns)
{
	struct tm local = {.tm_isdst = -1};
	int end = 0;

	if (sscanf(name, "%2d%2d%2d-%2d%2d%2d-%n", &local.tm_year, &local.tm_mon, &local.tm_mday,
		    &local.tm_hour, &local.tm_min, &local.tm_sec, &end) != 6 ||
		end != 14)
		return false;
	local.tm_year += 100;
	local.tm_mon--;
	*made_ns = (int64_t)mktime(&local) * NS_PER_S;
	return true;
}

/* The directory is made just after its name: perhaps in the next second. */
static bool is_soon_after(int64_t made_ns, int64_t named_ns)
{
	return made_ns >= named_ns && made_ns - named_ns < 2 * (int64_t)NS_PER_S;
}

static void read_times(int folder_fd, struct home_entry *e)
{
	struct statx st = {0};
	int64_t seconds_ns;

	if (statx(folder_fd, e->name, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_MTIME, &st) == 0) {
		const struct statx_timestamp *t =
			st.stx_mask & STATX_BTIME ? &st.stx_btime : &st.stx_mtime;
		e->made_ns = (int64_t)t->tv_sec * NS_PER_S + t->tv_nsec;
	}
	/* A copy has a new birth time and the old name. The fraction of the second is kept: two
	 * recordings may begin in the same second. */
	if (read_stamp(e->name, &seconds_ns) && !is_soon_after(e->made_ns, seconds_ns))
		e->made_ns = seconds_ns + e->made_ns % NS_PER_S;
}

/* Does it have a path? A directory without a file of blocks is one in which no Python ran. */
static void read_files(int folder_fd, struct home_entry *e)
{
	int fd = openat(folder_fd, e->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *file;

	while (d && (file = readdir(d)))
		e->has_path |= home_is_block_file(file->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

/* Directories only: `latest` is a link. */
static bool is_candidate(int folder_fd, const struct dirent *d)
{
	struct stat st;

	if (d->d_name[0] == '.')
		return false;
	return fstatat(folder_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int home_add(struct home_list *list, int folder_fd, const char *name)
{
	struct home_entry *more =
		reallocarray(list->entries, list->count + 1, sizeof *list->entries);

	if (!more)
		return ENOMEM;
	list->entries = more;
	struct home_entry *e = &more[list->count];
	*e = (struct home_entry){.name = strdup(name)};
	if (!e->name)
		return ENOMEM;
	list->count++;
	read_times(folder_fd, e);
	read_files(folder_fd, e);
	return 0;
}

static int by_age(const void *a, const void *b)
{
	const struct home_entry *x = a, *y = b;

	if (x->made_ns != y->made_ns)
		return x->made_ns < y->made_ns ? -1 : 1;
	return strverscmp(x->name, y->name);
}

/* Nothing is opened: which of the directories are recordings, the caller finds out. */
int home_list(const char *folder, struct home_list *list)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	int err = d ? 0 : errno;

	*list = (struct home_list){0};
	while (err == 0 && (e = readdir(d)))
		if (is_candidate(dirfd(d), e))
			err = home_add(list, dirfd(d), e->d_name);
	if (d)
		closedir(d);
	if (list->count)
		qsort(list->entries, list->count, sizeof *list->entries, by_age);
	return err;
}

void home_list_release(struct home_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->entries[i].name);
	free(list->entries);
	*list = (struct home_list){0};
}

/* ---- the latest ---- */

/* Where the link leads; false: not into this folder. */
static bool read_latest(const char *folder, char name[NAME_MAX + 1])
{
	char link[PATH_MAX];

	snprintf(link, sizeof link, "%.*s/" HOME_LATEST, PATH_MAX - 16, folder);
	ssize_t n = readlink(link, name, NAME_MAX);
	name[n > 0 ? n : 0] = 0;
	return n > 0 && !strchr(name, '/');
}

static bool find_name(const struct home_list *list, const char *name, size_t *index)
{
	for (*index = 0; *index < list->count; ++*index)
		if (!strcmp(list->entries[*index].name, name))
			return true;
	return false;
}

/* The link says it; if it is gone or leads nowhere, the newest with a path is the latest. */
bool home_latest(const char *folder, const struct home_list *list, size_t *index)
{
	char name[NAME_MAX + 1];

	if (read_latest(folder, name) && find_name(list, name, index))
		return true;
	for (*index = list->count; (*index)--;)
		if (list->entries[*index].has_path)
			return true;
	return false;
}

/* Before the recording is removed: the link then leads to the one before it, or is removed. */
void home_unset_latest(const char *folder, const char *name)
{
	char link[PATH_MAX], latest[NAME_MAX + 1];
	struct home_list list;
	const char *before = NULL;

	if (!read_latest(folder, latest) || strcmp(latest, name) != 0)
		return;
	if (home_list(folder, &list) == 0)
		for (size_t i = 0; i < list.count; i++)
			if (list.entries[i].has_path && strcmp(list.entries[i].name, name) != 0)
				before = list.entries[i].name;
	snprintf(link, sizeof link, "%.*s/" HOME_LATEST, PATH_MAX - 16, folder);
	if (before)
		folder_set_latest(folder, before);
	else
		unlink(link);
	home_list_release(&list);
}

/* ---- names ---- */

/* What a command was given as the name of a recording, and what there is. */
struct naming {
	const char *command, *word;
	char folder[PATH_MAX];
	struct home_list list;
};

static int none_here(const struct naming *n)
{
	cmd_say("%s: there is no recording in this directory or above it; make one with: pathline "
		"record script.py",
		n->command);
	return CMD_USAGE;
}

static int take_named(const struct naming *n, size_t index, char path[PATH_MAX])
{
	const char *name = n->list.entries[index].name;

	if (snprintf(path, PATH_MAX, "%s/%s", n->folder, name) < PATH_MAX)
		return CMD_GO;
	cmd_say("%s: %s/%s: %s", n->command, n->folder, name, strerror(ENAMETOOLONG));
	return CMD_USAGE;
}

/* "latest", "latest~2". Recordings without a path do not count. */
static int take_latest(const struct naming *n, unsigned long back, char path[PATH_MAX])
{
	unsigned long before = 0;
	size_t index;

	if (!n->list.count)
		return none_here(n);
	if (!home_latest(n->folder, &n->list, &index)) {
		cmd_say("%s: no recording in %s has a path: no Python ran; `pathline ls` lists "
			"them",
			n->command, n->folder);
		return CMD_USAGE;
	}
	while (before < back && index > 0)
		before += n->list.entries[--index].has_path;
	if (before == back)
		return take_named(n, index, path);
	cmd_say("%s: there are only %lu recordings before the latest one in %s; `pathline ls` "
		"lists "
		"them",
		n->command, before, n->folder);
	return CMD_USAGE;
}

/* Is the word "latest" or "latest~N"? */
static bool read_back(const char *word, unsigned long *back)
{
	size_t n = strlen(HOME_LATEST);
	char *end = NULL;

	*back = 0;
	if (strncmp(word, HOME_LATEST, n) != 0 || (word[n] && word[n] != '~'))
		return false;
	if (!word[n])
		return true;
	if (!word[n + 1]) /* git's latest~ */
		*back = 1;
	else if (word[n + 1] >= '0' && word[n + 1] <= '9')
		*back = strtoul(word + n + 1, &end, 10);
	else
		return false;
	return !end || !*end;
}

static int ambiguous(const struct naming *n, size_t count)
{
	char names[SHOWN_MAX * 80] = "";
	size_t used = 0, shown = 0, length = strlen(n->word);

	for (size_t i = 0; i < n->list.count && shown < SHOWN_MAX; i++) {
		const char *name = n->list.entries[i].name;
		if (strncmp(name, n->word, length) != 0)
			continue;
		used += (size_t)snprintf(
			names + used, sizeof names - used, "%s%.70s", shown ? ", " : "", name);
		shown++;
	}
	cmd_say("%s: '%s' is the beginning of %zu recordings: %s%s; type more of the name",
		n->command, n->word, count, names, count > shown ? ", …" : "");
	return CMD_USAGE;
}

static int unknown(const struct naming *n)
{
	cmd_say("%s: there is no recording '%s' in %s; `pathline ls` lists them", n->command,
		n->word, n->folder);
	return CMD_USAGE;
}

static int take_name(const struct naming *n, char path[PATH_MAX])
{
	size_t index, found = 0, count = 0;

	if (find_name(&n->list, n->word, &index))
		return take_named(n, index, path);
	for (size_t i = 0; i < n->list.count; i++)
		if (*n->word && !strncmp(n->list.entries[i].name, n->word, strlen(n->word))) {
			found = i;
			count++;
		}
	if (count > 1)
		return ambiguous(n, count);
	return count ? take_named(n, found, path) : unknown(n);
}

static int take_path(const struct naming *n, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s", n->word) < PATH_MAX && *path && access(path, F_OK) == 0)
		return CMD_GO;
	cmd_say("%s: there is no recording '%s': %s", n->command, n->word,
		strerror(*n->word ? errno : ENOENT));
	return CMD_USAGE;
}

/* A path that exists comes after known names, and before abbreviated names. */
static int resolve_name(const struct naming *n, char path[PATH_MAX])
{
	unsigned long back;
	size_t index;

	if (!n->word)
		return take_latest(n, 0, path);
	if (strchr(n->word, '/'))
		return take_path(n, path);
	if (read_back(n->word, &back))
		return take_latest(n, back, path);
	if (!find_name(&n->list, n->word, &index) && access(n->word, F_OK) == 0)
		return take_path(n, path);
	return n->list.count ? take_name(n, path) : take_path(n, path);
}

/* A word with a slash is a path, and no folder is looked for. */
int home_resolve(const char *command, const char *word, char path[PATH_MAX])
{
	struct naming n = {.command = command, .word = word};
	bool is_path = word && strchr(word, '/');
	int code = CMD_GO, err = 0;

	if (!is_path && home_find(n.folder))
		err = home_list(n.folder, &n.list);
	if (err) {
		cmd_say("%s: the recordings in %s cannot be listed: %s", command, n.folder,
			strerror(err));
		code = CMD_USAGE;
	}
	if (code == CMD_GO)
		code = resolve_name(&n, path);
	home_list_release(&n.list);
	return code;
}
