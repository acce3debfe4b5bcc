/* --include, --exclude, --only-mine and --values-of of `record` and `attach`: from words to the
 * rules of src/filter. */
#ifndef PL_CMD_CHOOSE_H
#define PL_CMD_CHOOSE_H

#include <stdbool.h>
#include "base/buf.h"
#include "cmd/cmd.h"

struct choose {
	const char *command; /* for messages */
	struct pl_buf rules; /* as filter_read takes them, in the order of the options */
	struct pl_buf text;  /* the options, or their arguments, quoted for a shell */
	bool mine;	     /* the project's own tree is one of the patterns */
	const char *here;    /* the program's current directory; NULL: ours */
	bool failed;	     /* an option is wrong, and a message said so */
};

/* For cmd_option.take: text NULL for --only-mine. */
void choose_take(void *choose, const char *word, const char *text);
/* The argument of --values-of that means what --only-mine means. */
#define CHOOSE_MINE "mine"
/* Likewise, for an option that only includes, and keeps of `text` the arguments alone. */
void choose_take_of(void *choose, const char *word, const char *text);
/* After the options. words: what is run, with NULL after them; the directory of a script among them
 * is a tree of the project. options: for a message. CMD_GO, or an exit code after saying why. */
int choose_end(struct choose *c, char *const *words, const char *options);
/* Say "OPTION 'pattern' matched no WHAT" of each include that did not. matched: bit i is set if
 * rule i matched. */
void choose_say_unmatched(
	const struct choose *c, const char *option, const char *what, uint64_t matched);
void choose_release(struct choose *c);

#endif
