/* The words with which a running program was started, and its current directory: what `--only-mine`
 * and `--values-of mine` mean there. */
#ifndef PL_CMD_ATTACH_WORDS_H
#define PL_CMD_ATTACH_WORDS_H

#include <limits.h>
#include <stddef.h>

#define ATTACH_WORDS_MAX 16

/* All zero: none. */
struct attach_words {
	char *words[ATTACH_WORDS_MAX + 1]; /* after that of Python; owned, NULL after them */
	char here[PATH_MAX];		   /* "": not known */
};

/* What cannot be read is left out. */
void attach_words_read(struct attach_words *w, int pid);
/* Its whole command line, quoted as for a shell; "": it cannot be read. */
void attach_words_line(int pid, char *text, size_t max);
void attach_words_release(struct attach_words *w);

#endif
