/* The commands of a replay as text, one a line: what --plain reads, what --command and the user's
 * file of commands contain, and what the screen runs for a key.
 *
 * One table (commands.h) has all of them: their other names, arguments, help, and what completes
 * them. What they do are operations (operations.h), which know no words.
 */
#ifndef PL_SESSION_WORDS_H
#define PL_SESSION_WORDS_H

#include "session/session.h"

/* Do what the line says. 0: it is done; PL_END: it is refused; or an error that no other command
 * can repair. s->outcome has the code and the data of it, s->why and s->note the texts. */
int session_do(struct session *s, const char *line, struct pl_err *err);

/* In a process that was killed, or still runs: say in the note where its threads were seen last. */
void session_note_seen(struct session *s);
/* If the position's thread was seen after the position: add to the note where, if it does not say
 * so. */
void session_note_here(struct session *s);

/* For commands: this text is the answer, in the place of what answer.h would make. Returns 0. */
int session_tell(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append to the answer. */
void session_tell_more(struct session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* This text is the reason why it was not done: the outcome has its code already, or else it is
 * REFUSAL_NOT_UNDERSTOOD. Returns PL_END. */
int session_refuse(struct session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What the argument of a command can be. */
enum names {
	NAMES_NONE,
	NAMES_PLACES, /* files and functions */
	NAMES_FUNCTIONS,
	NAMES_FILES,
	NAMES_EXCEPTIONS,
	NAMES_THREADS,
	NAMES_TASKS,
	NAMES_PROCESSES,
	NAMES_STOPS,
	NAMES_COMMANDS,
	NAMES_VARIABLES, /* of the selected frame */
	NAMES_EVENTS,	 /* kinds of events, separated by commas */
	NAMES_VIEWS	 /* of the screen */
};

struct session_word {
	const char *word, *argument;
	const char *others; /* other names, of gdb and pdb, separated by commas; NULL: none */
	enum names names;
	enum {
		WORD_TAKES,
		WORD_ALONE,
		WORD_COUNTS
	} how; /* the last two refuse an argument; the last may have a count before it */
	int (*run)(struct session *s, char letter, const char *rest, struct pl_err *err);
	const char *help;
};
/* A row of the table; NULL after the last. */
const struct session_word *session_word(size_t index);
/* The row of the command that begins the line, by any of its names, and its argument; NULL:
 * none. */
const struct session_word *session_find_word(const char *line, const char **rest);

/* The table of commands, for --help. */
#define WORDS_HELP_BYTES 8192
void session_help(char help[WORDS_HELP_BYTES]);

#endif
