/* A recording that is to be removed, by `rm` or by `prune`: what is in its directory, whether it is
 * being written, and its removal.
 *
 * Only files that have names of a recording's files are removed, and the directory only if it is
 * then empty. No link is followed.
 */
#ifndef PL_CMD_VICTIM_H
#define PL_CMD_VICTIM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct victim {
	char path[PATH_MAX];
	int fd;			  /* of the directory; owned; -1: none */
	char other[NAME_MAX + 1]; /* a file in it that is not a recording's; "": none */
	bool is_recording;	  /* it has some files of a recording */
	uint64_t bytes;		  /* that its files take on disk */
	int64_t written_ns;	  /* when one of them was last written; 0: there is none */
};

/* Open the directory at v->path and look at all of its names. 0, or an errno: ELOOP or ENOTDIR when
 * it is a link or a file. Close in either case. */
int victim_open(struct victim *v);
void victim_close(struct victim *v);
/* Is its collector alive, or waiting to be replaced? `known`: the answer is certain. */
bool victim_is_written(const char *path, bool *known);
/* The files first, then the directory, then `latest` if that named it. 0, or an errno. */
int victim_remove(struct victim *v);

#endif
