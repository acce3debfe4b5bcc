/* The folder .pathline and the recordings in it, by name.
 *
 * A recording's name is that of its directory: 261128-101112-orders. Every command accepts it,
 * wherever the folder is: the nearest .pathline is used, in the current directory or in one above
 * it.
 */
#ifndef PL_CMD_HOME_H
#define PL_CMD_HOME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "os/folder.h"

#define HOME_NAME   ".pathline"
#define HOME_LATEST FOLDER_LATEST /* a link in it */

struct home_entry {
	char *name;	 /* owned */
	int64_t made_ns; /* when it was made; from its name, or from the file system */
	bool has_path;	 /* it has blocks of events */
};

/* The recordings of a folder, the oldest first. All zero: none. */
struct home_list {
	struct home_entry *entries; /* owned */
	size_t count;
};

/* Can a recording have a file of this name: for blocks of events, or for anything? That includes an
 * arena, which is in the directory if /dev/shm has no room. */
bool home_is_block_file(const char *name);
bool home_is_own_file(const char *name);
/* Does the directory have one? Then there is a recording, or there was one. */
bool home_has_own_files(const char *directory);

/* The nearest folder, as a user would type it: ".pathline", "../.pathline"; ".", if recordings and
 * `latest` are right here, as in the directory of a service. false: there is none. */
bool home_find(char path[PATH_MAX]);
/* The folder of recordings that the word names: itself, or its .pathline if it has one; NULL: the
 * nearest. false: there is none. */
bool home_folder(const char *word, char path[PATH_MAX]);
/* 0, or an errno. */
int home_list(const char *folder, struct home_list *list);
void home_list_release(struct home_list *list);

/* Index of the latest recording: the one that the link leads to, else the last one that has a path.
 * false: there is none. */
bool home_latest(const char *folder, const struct home_list *list, size_t *index);
/* The link leads to this entry, which is no longer the latest: let it lead to the newest one before
 * it that has a path, or remove it. */
void home_unset_latest(const char *folder, const char *name);

/* The directory of the recording that the word names: its name, an unambiguous beginning of it,
 * "latest", "latest~1" (the one before), or a path; NULL: the latest. CMD_GO; CMD_USAGE after
 * saying why there is none. `command` is for messages. */
int home_resolve(const char *command, const char *word, char path[PATH_MAX]);

#endif
