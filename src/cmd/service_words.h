/* The settings of a service that is always recorded, which are variables of its environment:
 * PATHLINE_LIMIT=2G is --limit 2G, PATHLINE_VALUES_OF="shop stock" is --values-of shop --values-of
 * stock, PATHLINE_ONLY_MINE=1 is --only-mine. Empty ones are not there. */
#ifndef PL_CMD_SERVICE_WORDS_H
#define PL_CMD_SERVICE_WORDS_H

#include <stdbool.h>

#define SERVICE_DIR_VARIABLE "PATHLINE_DIR"
#define SERVICE_WORDS_MAX    64

/* All zero: none. */
struct service_words {
	char *words[SERVICE_WORDS_MAX + 2]; /* owned; NULL after them */
	int count;
	char unknown[64]; /* a variable that looks like a setting, and is none; "": none */
};

/* false: there is no memory, or there are too many. Release in either case. */
bool service_words_read(struct service_words *w, char *const *environment);
void service_words_release(struct service_words *w);

#endif
