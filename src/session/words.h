/* The commands of a replay as text, one a line: what --plain reads, what --command and the user's file of commands give, and
 * what the screen does for a key.
 *
 * One table has all of them: their other names, their arguments, their help, and what completes them.
 */
#ifndef PL_SESSION_WORDS_H
#define PL_SESSION_WORDS_H

#include "session/executed.h"
#include "session/hits.h"
#include "session/replay.h"

#define WHY_MAX	      4096
#define SESSION_TYPES 256 /* of exceptions, that are known by name */

/* All zero but replay.r and replay.stop is ready, once replay_start was called. */
struct session {
	struct replay replay;
	size_t frame; /* selected by u and d: so many above the innermost one, outwards */
	regex_t regex;
	bool has_regex, regex_back;
	struct executed executed; /* known_executed, or the screen, counts it */
	const char *types
		[SESSION_TYPES]; /* of exceptions that were raised; the recording's; by known_types */
	size_t type_count;
	bool has_types;
	struct hits *hits; /* owned: of the thread where hits_at is; by session_hits */
	struct pl_position hits_at;
	bool quit;
	/* of the last command */
	char why[WHY_MAX]; /* said instead of a row; "": the position is the answer */
	bool refused; /* why says why nothing was done; else what was done, or what was asked for */
	char note[512]; /* said beside the row; "": nothing */
};

/* Do what the line says. 0, also where it is refused: `why` says so; an error that no other command can mend. */
int session_do(struct session *s, const char *line, struct pl_err *err);
void session_release(struct session *s);
/* The hits of the thread where the position is, on which hits_work goes on. The session's; NULL: no memory. */
struct hits *session_hits(struct session *s);

/* For commands: the answer is this text. 0. */
int session_tell(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
int session_refuse(struct session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What can be the argument of a command. */
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
	NAMES_EVENTS, /* kinds of events, as a list with commas */
	NAMES_VIEWS   /* of the screen */
};

struct session_word {
	const char *word, *argument;
	const char *
		others; /* other names of it: those of gdb and pdb, separated by commas; NULL: none */
	enum names names;
	enum {
		WORD_TAKES,
		WORD_ALONE,
		WORD_COUNTS
	} how; /* an argument is refused by the latter two; the last may have a count before it */
	int (*run)(struct session *s, char letter, const char *rest, struct pl_err *err);
	const char *help;
};
/* The row of the table; NULL after the last. */
const struct session_word *session_word(size_t index);
/* The row of the command that begins the line, by any of its names, and its argument; NULL: there is none. */
const struct session_word *session_find_word(const char *line, const char **rest);

/* The table of commands, for --help. */
#define WORDS_HELP_BYTES 8192
void session_help(char help[WORDS_HELP_BYTES]);

#endif
