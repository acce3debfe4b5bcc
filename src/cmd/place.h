/* Where a recording goes: a directory of its own, never one that holds anything. */
#ifndef PL_CMD_PLACE_H
#define PL_CMD_PLACE_H

#include <limits.h>

struct place {
	int directory_fd;    /* owned; -1: none */
	char path[PATH_MAX]; /* as a user types it */
	char real[PATH_MAX]; /* absolute */
	int is_default;	     /* .pathline/latest leads to it */
};

/* -o DIR, or NULL for .pathline/<YYMMDD-HHMMSS>-<name>/. CMD_GO, or an exit code after saying why.
 */
int place_make(struct place *p, const char *directory, const char *name);
/* Nothing came of it: remove the directory, if it is still empty, and what was made for it. */
void place_undo(struct place *p);
/* .pathline/latest becomes this one, at once. */
void place_publish(const struct place *p);

#endif
