/* What each command does: the table of all of them. Each has the form of session_word.run: it moves
 * the position, or answers with session_tell or session_refuse, and returns an error only for what
 * no other command can repair. Only words.c and the table are to use this. */
#ifndef PL_SESSION_COMMANDS_H
#define PL_SESSION_COMMANDS_H

#include "session/words.h"

/* The row after the last has no word. */
extern const struct session_word session_words[];

/* The command `help`. It is about the table, so it is in words.c. */
int words_help(struct session *s, char letter, const char *rest, struct pl_err *err);

#endif
