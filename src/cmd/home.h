/* The folder .pathline and the recordings in it, by name.
 *
 * A recording's name is that of its directory: 261128-101112-orders. Every command takes it,
 * wherever the folder is: the nearest .pathline, in the current directory or in one above it,
 * counts.
 */
#ifndef PL_CMD_HOME_H
#define PL_CMD_HOME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOME_NAME   ".pathline"
#define HOME_LATEST "latest" /* a link in it */

struct home_entry {
	char *name;	 /* owned */
	int64_t made_ns; /* when it was made; from its name, or from the file system */
	bool has_path;	 /* it has blocks of events */
};

/* The recordings of a folder, the oldest first. All zero is none. */
struct home_list {
	struct home_entry *entries; /* owned */
	size_t count;
};

/* Has a recording files of this name? Blocks of events, or another one; an arena lies in the
 * directory where /dev/shm has no room. */
bool home_is_block_file(const char *name);
bool home_is_own_file(const char *name);
/* Does the directory have one? Then there is a recording, or there was one. */
bool home_has_own_files(const char *directory);

/* The nearest folder, as one would type it: ".pathline", "../.pathline". false: there is none. */
bool home_find(char path[PATH_MAX]);
/* 0, or an errno. */
int home_list(const char *folder, struct home_list *list);
void home_list_release(struct home_list *list);

/* The index in the list of the latest recording: that of the link, else the last one that has a
 * path. false: there is none. */
bool home_latest(const char *folder, const struct home_list *list, size_t *index);
/* The link leads to this entry of the folder from now on, at once. */
void home_set_latest(const char *folder, const char *name);
/* The link leads to this entry, which is no longer wanted as the latest: to the one before that has
 * a path, or nowhere. */
void home_unset_latest(const char *folder, const char *name);

/* The directory of the recording that a person calls this: its name, a beginning that no other has,
 * "latest", "latest~1" (the one before), or a path; NULL: the latest. CMD_GO; CMD_USAGE after
 * saying why it is none. `command` is for what is said. */
int home_resolve(const char *command, const char *word, char path[PATH_MAX]);

#endif
