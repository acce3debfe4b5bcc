/* The commands of a replay as text, one a line: what --plain reads, what --command and the user's
 * file of commands contain, and what the screen runs for a key.
 *
 * One table (commands.h) has all of them: their other names, arguments, help, and what completes
 * them.
 */
#ifndef PL_SESSION_WORDS_H
#define PL_SESSION_WORDS_H

#include "session/executed.h"
#include "session/hits.h"
#include "session/replay.h"

#define WHY_MAX	      4096
#define SESSION_TYPES 256 /* types of exceptions that are known by name */

/* Ready if all zero except replay.r and replay.stop, once replay_start was called. */
struct session {
	struct replay replay;
	size_t frame; /* selected by u and d: its distance from the innermost frame */
	regex_t regex;
	bool has_regex, regex_back;
	struct executed executed; /* counted by known_executed, or by the screen */
	const char
		*types[SESSION_TYPES]; /* of raised exceptions; the recording's; by known_types */
	size_t type_count;
	bool has_types;
	struct hits *hits; /* owned: of the thread of hits_at; by session_hits */
	struct pl_position hits_at;
	bool quit;
	/* of the last command */
	char why[WHY_MAX]; /* shown instead of a row; "": the position is the answer */
	bool refused;	   /* `why` is the reason of a refusal; else the result, or the answer */
	char note[512];	   /* shown beside the row; "": nothing */
	bool seen_noted;   /* the note says where a thread was seen last */
};

/* Do what the line says. 0, also if it is refused: then `why` is the reason; or an error that no
 * other command can repair. */
int session_do(struct session *s, const char *line, struct pl_err *err);
void session_release(struct session *s);
/* The hits of the thread of the position, which hits_work continues to count. They belong to the
 * session; NULL: no memory. */
struct hits *session_hits(struct session *s);

/* The part of the thread's time that has passed at the position, in percent: as in `j 42%`; 100
 * at its last event. */
int session_percent(struct session *s);

/* In a process that was killed, or still runs: say in the note where its threads were seen last. */
void session_note_seen(struct session *s);
/* If the position's thread was seen after the position: add to the note where, if it does not say
 * so. */
void session_note_here(struct session *s);

/* For commands: this text is the answer. Returns 0. */
int session_tell(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append to the answer. */
void session_tell_more(struct session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* This text is the reason why it was not done. Returns 0. */
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
	NAMES_EVENTS, /* kinds of events, separated by commas */
	NAMES_VIEWS   /* of the screen */
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
