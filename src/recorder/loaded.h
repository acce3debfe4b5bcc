/* When a code was compiled, and from which file (loaded.c). */
#ifndef PL_RECORDER_LOADED_H
#define PL_RECORDER_LOADED_H

#include "recorder/compat/python.h"

struct file_stamp;

enum loaded {
	LOADED_NOW,	/* the code was compiled from the file as it is, or as its hash says */
	LOADED_EARLIER, /* the file was changed since */
	LOADED_UNKNOWN,
};
/* When was the code compiled, whose file has this path and stamp? hash: the key of its .pyc's hash
 * and the hash that the file must have; the key is 0 if none is known. */
enum loaded loaded_when(
	PyCodeObject *code, const char *path, const struct file_stamp *stamp, uint64_t hash[2]);

#endif
