/* Where a recording goes: into its own directory, which must be empty. */
#ifndef PL_CMD_PLACE_H
#define PL_CMD_PLACE_H

#include <limits.h>
#include <stdbool.h>

struct place {
	const char *command; /* in: which one makes it, for its messages */
	int directory_fd;    /* owned; -1: none */
	char home[PATH_MAX]; /* the folder that it is in, if that was not given by -o */
	char path[PATH_MAX]; /* as a user would type it */
	char real[PATH_MAX]; /* absolute */
	bool is_default;     /* `latest` in the folder leads to it */
	bool made_home;	     /* there was no .pathline */
	bool made_folder;    /* of a flight recorder, given by -o */
	bool flight_default; /* likewise: its home is the default one */
	int made_parents;    /* for -o new/sub/dir: 2 */
};

/* -o DIR, whose parents are made too, or NULL for .pathline/<YYMMDD-HHMMSS>-<name>/. CMD_GO, or an
 * exit code after saying why. */
int place_make(struct place *p, const char *directory, const char *name);
/* FOLDER/<YYMMDD-HHMMSS>-<name>/, in a folder that exists. */
int place_make_in(struct place *p, const char *folder, const char *name);
/* For a flight recorder: a directory in memory; p->home is the folder of what it writes, DIR or
 * .pathline, absolute, and is made too. CMD_GO, or an exit code after saying why. */
int place_make_flight(struct place *p, const char *folder);
/* There is no recording: remove the directory, if it is still empty, and what was made for it. */
void place_undo(struct place *p);
/* The same for a recording that is written, and in which nothing is. */
void place_remove(struct place *p);
/* Let .pathline/latest lead to this one. Atomic. */
void place_publish(const struct place *p);
/* No Python ran in it: .pathline/latest leads to the one before again. */
void place_withdraw(const struct place *p);
/* What .pathline/latest leads to; false: there is none, or -o gave the place. */
bool place_latest(const struct place *p, char name[PATH_MAX]);

#endif
