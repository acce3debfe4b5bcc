/* Messages: what a recorder tells the collector besides events, over its process's own stream in
 * the arena.
 *
 *	| bytes u32 | kind u8 | fields ... |        `bytes` counts what follows it
 *
 * A message is written before the first event that needs it. So a reader that has read all messages
 * of a process up to now can understand all events that it read before.
 */
#ifndef PL_FORMAT_MESSAGE_H
#define PL_FORMAT_MESSAGE_H

#include <stdint.h>

#define MESSAGE_BYTES_MAX (48u << 20)

/* X(constant, number, fields): integers are varints, texts strings (base/buf.h). */
#define MESSAGE_KINDS(X)                                                                           \
	X(PROCESS, 1, "number parent pid how ticks command executable interpreter stdlib_dir")     \
	X(THREAD, 2, "number native_id ticks name; again when the name changed")                   \
	X(THREAD_END, 3, "number ticks seq")                                                       \
	X(STRING, 4, "number text")                                                                \
	X(CODE, 5, "number body-as-string left_out unit; unit 0: it has no text")                  \
	X(NOTE, 7,                                                                                 \
		"reason text: something went wrong in the recorder; reason: enum pl_gap_reason")   \
	X(CODE_RAW, 8, "as format/raw_code.h has them: a code whose body is yet to be made")       \
	X(CODE_FREE, 9, "number: no later event of any process names this code")                   \
	X(TEXT, 10, "as format/code_text.h has them: the text of a unit, before its first code")

enum message_kind {
#define X(constant, number, fields) MESSAGE_##constant = number,
	MESSAGE_KINDS(X)
#undef X
};

/* How a process came to be recorded. */
enum message_how { HOW_START = 0, HOW_FORK = 1, HOW_EXEC = 2 };

#endif
