/* What came of an operation (operations.h): a code, and the data that belong to it. No prose:
 * answer.h makes the texts of it, and an editor's protocol its own objects.
 *
 * An operation returns 0 (done: `done` says what), PL_END (refused, and nothing has changed:
 * `refusal` says why), or an error.
 */
#ifndef PL_SESSION_OUTCOME_H
#define PL_SESSION_OUTCOME_H

#include "expr/nothing.h"
#include "session/elsewhere.h"
#include "session/replay.h"
#include "session/value_question.h"
#include "session/writes.h"

/* Each with its name, as --json has it. */
#define DONE_CODES(X)                                                                              \
	X(DONE_MOVED, "moved") /* the position is the answer */                                    \
	X(DONE_TOLD, "told")   /* the text is the answer: of commands that are no operations */    \
	X(DONE_QUIT, "quit")                                                                       \
	X(DONE_HELP, "help")                                                                       \
	X(DONE_SCOPE, "scope")			 /* replay.only_here has changed */                \
	X(DONE_STOP_SET, "stop-set")		 /* stop */                                        \
	X(DONE_STOP_REMOVED, "stop-removed")	 /* stop: as it was */                             \
	X(DONE_STOPS_REMOVED, "stops-removed")	 /* count */                                       \
	X(DONE_MARKED, "marked")		 /* letter */                                      \
	X(DONE_HERE, "here")			 /* the thread or process is the position's own */ \
	X(DONE_FRAME_SELECTED, "frame-selected") /* session.frame; frame */                        \
	X(DONE_SOURCE, "source")		 /* place, text */                                 \
	X(DONE_HITS, "hits")			 /* place, hits */                                 \
	/* lists, which the functions of operations.h give */                                      \
	X(DONE_STOPS, "stops")                                                                     \
	X(DONE_STACK, "stack")                                                                     \
	X(DONE_THREADS, "threads")                                                                 \
	X(DONE_PROCESSES, "processes")                                                             \
	X(DONE_TASKS, "tasks")                                                                     \
	X(DONE_VARIABLES, "variables") /* session_variables gives them */                          \
	X(DONE_VALUE, "value")	       /* question */

#define REFUSAL_CODES(X)                                                                           \
	X(REFUSAL_NONE, "")                                                                        \
	X(REFUSAL_NOT_UNDERSTOOD, "not-understood")	/* the words are no command */             \
	X(REFUSAL_STOPPED, "stopped")			/* the user interrupted it */              \
	X(REFUSAL_NOT_POSSIBLE, "not-possible")		/* no replay does that */                  \
	X(REFUSAL_NO_VALUES, "no-values")		/* the recording has none */               \
	X(REFUSAL_NO_LINE, "no-line")			/* back; perhaps NOTE_SEEN */              \
	X(REFUSAL_NO_LINE_OF_FRAME, "no-line-of-frame") /* step, back: others follow */            \
	X(REFUSAL_NO_STOP_SET, "no-stop-set")                                                      \
	X(REFUSAL_NO_LATER_STOP, "no-later-stop")     /* back; elsewhere; never */                 \
	X(REFUSAL_BAD_CONDITION, "bad-condition")     /* fault */                                  \
	X(REFUSAL_NO_SUCH_STOP, "no-such-stop")	      /* number */                                 \
	X(REFUSAL_TOO_MANY_STOPS, "too-many-stops")   /* or too long a name */                     \
	X(REFUSAL_NEVER_RAN, "never-ran")	      /* stop: the line, near */                   \
	X(REFUSAL_NEVER_CALLED, "never-called")	      /* stop: the function, near */               \
	X(REFUSAL_NEVER_RAISED, "never-raised")	      /* stop: the exception, near */              \
	X(REFUSAL_NO_LATER_SWITCH, "no-later-switch") /* back */                                   \
	X(REFUSAL_NO_LATER_PLACE, "no-later-place")   /* back: of the history */                   \
	X(REFUSAL_NO_SUCH_MARK, "no-such-mark")	      /* letter */                                 \
	X(REFUSAL_BAD_PATTERN, "bad-pattern")	      /* no regular expression */                  \
	X(REFUSAL_NO_SEARCH, "no-search")	      /* there was none to repeat */               \
	X(REFUSAL_NOT_FOUND, "not-found")	      /* back */                                   \
	X(REFUSAL_NO_EVENTS, "no-events")	      /* nothing of it was recorded */             \
	X(REFUSAL_NO_SUCH_THREAD, "no-such-thread")   /* number */                                 \
	X(REFUSAL_NO_SUCH_PROCESS, "no-such-process") /* number */                                 \
	X(REFUSAL_NO_SUCH_TASK, "no-such-task")                                                    \
	X(REFUSAL_NO_TASKS, "no-tasks")                                                            \
	X(REFUSAL_NO_LATER_PART, "no-later-part") /* of the position's own task */                 \
	X(REFUSAL_NO_FRAME, "no-frame")                                                            \
	X(REFUSAL_OUTERMOST_FRAME, "outermost-frame")                                              \
	X(REFUSAL_INNERMOST_FRAME, "innermost-frame")                                              \
	X(REFUSAL_NO_FILE, "no-file") /* there is no frame that has one */                         \
	X(REFUSAL_NO_LINE_HERE, "no-line-here")                                                    \
	X(REFUSAL_NO_SUCH_LINE, "no-such-line") /* number */                                       \
	X(REFUSAL_NO_SOURCE, "no-source")	/* place; source_err */                            \
	X(REFUSAL_NO_NAME, "no-name")		/* of a variable: none was given */                \
	X(REFUSAL_NOT_A_NAME, "not-a-name")	/* of a variable */                                \
	X(REFUSAL_NOT_A_VALUE, "not-a-value")	/* nothing that can be asked of what was kept */   \
	X(REFUSAL_NO_LINES_KEPT, "no-values-of-lines")                                             \
	/* question */                                                                             \
	X(REFUSAL_NO_SUCH_VARIABLE, "no-such-variable")                                            \
	X(REFUSAL_UNSET, "unset")                                                                  \
	X(REFUSAL_NO_SUCH_PART, "no-such-part")                                                    \
	X(REFUSAL_NOT_KEPT, "not-kept")                                                            \
	X(REFUSAL_NO_LENGTH, "no-length")                                                          \
	X(REFUSAL_NEVER_BOUND, "never-bound")                                                      \
	X(REFUSAL_NO_LATER_WRITE, "no-later-write")                                                \
	X(REFUSAL_NO_EARLIER_WRITE, "no-earlier-write")

#define CODE_AS_ENUM(code, name) code,
enum done { DONE_CODES(CODE_AS_ENUM) };
enum refusal { REFUSAL_CODES(CODE_AS_ENUM) };
#undef CODE_AS_ENUM

/* What is said beside the answer. */
enum outcome_note {
	NOTE_NONE,
	NOTE_OFF,	   /* off_ns: how far the event is from the time that was asked for */
	NOTE_OTHER_SEQ,	   /* seq: was asked for, and does not exist */
	NOTE_BEGINS_LATER, /* the thread that one went to had not begun */
	NOTE_IS_OVER,	   /* it had ended before */
	NOTE_LAST_PART,	   /* of the task: no later one has a line */
	NOTE_RUNS_HERE,	   /* from: who ran where one came from */
	NOTE_SEEN,	   /* seen: where the position's thread was seen last */
	NOTE_SEEN_ALL,	   /* session_seen_threads has where they were */
	NOTE_WRITTEN,	   /* session.variable: written */
};

/* Who ran at a place that one went to, or came from. */
struct runner {
	struct pl_position at;
	struct task_name task;
};

/* What is near to something that a stop was asked for, and that is not in the recording. */
struct near_names {
	int32_t before, after; /* the nearest lines of the file that ran; 0: none */
	const char *name;      /* the name that may have been meant, the recording's; NULL: none */
	/* it did not run; it may have, at the end; it is not known */
	enum { NEAR_NEVER, NEAR_MAYBE, NEAR_NOT_WHOLE } known;
	bool missing; /* a part of the recording is missing */
	bool none;    /* no exception was raised at all */
};

/* How often a line ran in the position's thread. */
struct line_hits {
	uint64_t so_far, in_all;
	bool maybe_more; /* the path breaks off before or in it */
	bool whole;	 /* nothing of the recording is missing */
	bool passes;	 /* passes of one-line loops are counted */
};

/* All zero: the position is the answer. The codes say which of the data belong to them; the others
 * are zero. All of them are valid until the session's next operation. */
struct outcome {
	enum done done;
	enum refusal refusal;
	enum outcome_note note;
	/* of a counted command that was refused after some times: how often it was done, and why no
	 * more; else 0 */
	uint64_t times;
	enum refusal ended_by;
	bool back;
	char letter;
	enum step step;
	uint64_t number, seq;
	size_t count;
	int64_t off_ns;
	struct stop stop;
	struct near_names near;
	struct expr_fault fault;
	struct elsewhere elsewhere;
	struct {
		uint32_t number; /* of a stop whose condition is true nowhere; 0: none */
		char why[EXPR_NOTHING_BYTES];
	} never;
	struct pl_frame frame;
	struct replay_place place;
	struct pl_text text; /* the recording's */
	struct pl_err source_err;
	struct line_hits hits;
	struct runner from;
	struct seen seen;
	struct value_question question;
	struct write_found written;
};

/* The names of the codes: "no-line"; lower-case words with hyphens, which do not change. */
const char *done_name(enum done done);
const char *refusal_name(enum refusal refusal);

#endif
