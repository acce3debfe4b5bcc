/* --include, --exclude and --only-mine of `record`: from words to the rules of src/filter. */
#ifndef PL_CMD_CHOOSE_H
#define PL_CMD_CHOOSE_H

#include <stdbool.h>
#include "base/buf.h"
#include "cmd/cmd.h"

struct choose {
	struct pl_buf rules; /* as filter_read takes them, in the order of the options */
	struct pl_buf text;  /* the options, quoted for a shell */
	bool mine;	     /* --only-mine was given */
	bool failed;	     /* an option is wrong, and a message said so */
};

/* For cmd_option.take: text NULL for --only-mine. */
void choose_take(void *choose, const char *word, const char *text);
/* After the options. what: the first word of what is run; a script's directory is a tree of the
 * project. CMD_GO, or an exit code after saying why. */
int choose_end(struct choose *c, const char *what);
/* Say which includes matched nothing that ran. matched: bit i is set if rule i matched. */
void choose_say_unmatched(const struct choose *c, uint64_t matched);
void choose_release(struct choose *c);

#endif
