/* Completion: what can be at the end of a line that is being typed. */
#ifndef PL_SESSION_COMPLETE_H
#define PL_SESSION_COMPLETE_H

#include "session/words.h"

#define COMPLETE_MAX 1024

/* All zero is empty. */
struct completion {
	char *words[COMPLETE_MAX]; /* owned; sorted, each once */
	size_t count;
	size_t from;   /* bytes of the line before the word that is completed */
	size_t common; /* number of first bytes in which all words are equal */
	bool more;     /* there are more than fit */
};

/* Commands that the front end adds to those of the session. */
struct complete_word {
	const char *word;
	enum names names;
};

/* Fill it with the words that can be there. `own` ends with a NULL word. 0; PL_END: it was
 * interrupted; an error. */
int complete_line(struct session *s, const char *line, const struct complete_word *own,
	struct completion *c, struct pl_err *err);
void completion_release(struct completion *c);

#endif
