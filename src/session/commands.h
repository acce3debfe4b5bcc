/* The commands as words: each reads its argument, and has an operation (operations.h) do it. The
 * table has all of them. Only words.c and the files of commands are to use this.
 *
 * Each has the form of session_word.run, and returns what the operation returned. The outcome
 * becomes text afterwards (answer.h), unless the command has told it by session_tell, or has
 * refused its argument by session_refuse.
 */
#ifndef PL_SESSION_COMMANDS_H
#define PL_SESSION_COMMANDS_H

#include "session/words.h"

#define NO_VALUES "this recording has the path, not the values of variables"

/* The row after the last has no word. */
extern const struct session_word session_words[];

/* Is the whole text a number from 1 on? */
bool command_number(const char *text, uint64_t *n);

/* stop_commands.c */
int command_break(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_entries(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_raised(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_stops(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_clear(struct session *s, char letter, const char *rest, struct pl_err *err);
/* list_commands.c */
int command_stack(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_thread(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_process(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_task(struct session *s, char letter, const char *rest, struct pl_err *err);
/* variable_commands.c */
#define VARIABLE_TEXT_BYTES 1024
int command_variables(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_print(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_write(struct session *s, char letter, const char *rest, struct pl_err *err);
int command_watch(struct session *s, char letter, const char *rest, struct pl_err *err);
/* The command `help`. It is about the table, so it is in words.c. */
int words_help(struct session *s, char letter, const char *rest, struct pl_err *err);

#endif
