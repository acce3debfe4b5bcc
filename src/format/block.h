/* A block: a run of one thread's events by themselves. It is the payload of a BLOCK record; in plain:
 *
 *	head      fixed, BLOCK_HEAD_BYTES, never compressed and with a check of its own: who scans for times,
 *	          orders and counts reads no more, and can trust it
 *	codes     count | (code number delta, body number + 1)…    every code that stack and events name, by
 *	          growing number; 0 in place of a body: it could not be described
 *	stack     [greenlet] | depth | (code, place << 1 | linked, value, gen, raised u8, task string [task number])…
 *	          bottom first; the number with BLOCK_TASKS
 *	calls     count | (site, code)…                      with BLOCK_CALLS
 *	resumes   count | (site, code, gen, unit)…           with BLOCK_RESUMES
 *	apart     count | (bytes of events between it and the one before, event as a string)…     with BLOCK_APART: those that
 *	          tell times and switches
 *	events    the rest, as the recorder wrote them (event.h)
 *
 *	 0                     152            160
 *	| struct block_head   | XXH3 of 0…151 | codes, stack and events: one zstd frame of raw_bytes with
 *	|                     |               | BLOCK_COMPRESSED, a part of one with BLOCK_CHAINED, else plain
 *
 * The record's own compression is not used. Everything but the bodies and the strings that it names
 * is in the block, so it decodes by itself once it is unpacked, and code numbers can be dropped with it.
 *
 * Why times stand apart: the events of one pass of a loop are those of the next, but for the times that fall between them. Without
 * those a pass is packed as a repetition, however long it is.
 */
#ifndef PL_FORMAT_BLOCK_H
#define PL_FORMAT_BLOCK_H

#include "base/map.h"
#include "format/chain.h"
#include "format/follow.h"
#include "format/mentions.h"
#include "format/record.h"
#include "format/stack.h"
#include "pathline/event.h"

/* The minor version since which rows can go without an event. */
#define MINOR_WITNESSES 2
/* And that since which a call can be a byte. */
#define MINOR_CALLS 3
/* And that since which a resume can be two, events can stand apart, and blocks be chained. */
#define MINOR_CHAINS 4
/* And that since which a call can be known by a far place. */
#define MINOR_FAR_CALLS 5
/* And that since which a yield can go without an event. */
#define MINOR_SILENT_YIELDS 7

/* And that since which tasks have numbers. */
#define MINOR_TASKS 9

#define BLOCK_HEAD_BYTES 160
#define BLOCK_HEAD_CHECK 152 /* where the check of the bytes before it stands */
#define BLOCK_COMPRESSED 1
#define BLOCK_CONTINUES	 2 /* flag: bytes of the stream are missing before this block */
#define BLOCK_GREENLET                                                                             \
	4 /* flag: the number of the stack's greenlet stands before its depth; else it is 0 */
#define BLOCK_CALLS   8	 /* flag: the calls that are known stand behind the stack */
#define BLOCK_RESUMES 16 /* flag: the resumes that are known stand behind those */
#define BLOCK_APART   32 /* flag: some events stand apart, in front of the others */
#define BLOCK_CHAINED 64 /* flag: it is packed as a block of a chain (chain.h) */
#define BLOCK_FAR_CALLS                                                                            \
	128 /* flag: the calls that are known by far places stand behind those that are by near ones */
#define BLOCK_TASKS                                                                                \
	256 /* flag: each frame of the stack has a task's number, 0 for those that are no task's root */
#define BLOCK_BEFORE(flags)                                                                        \
	((flags) >> 16) /* of a chained one: so many blocks of its chain are in front of it */

struct block_head {
	uint32_t process;
	uint32_t thread;
	uint32_t number; /* in its thread, from 0 */
	uint32_t flags;
	uint64_t first_seq;    /* seq of its first counted event */
	uint64_t stream_bytes; /* position of its first event byte in the thread's stream */
	uint64_t open_ticks;   /* time before its first event */
	uint64_t close_ticks;  /* the last time in it */
	uint64_t order;	       /* number of the last switch of this thread before it; 0: none yet */
	uint32_t events;       /* rows: counted ones, and what goes without one (follow.h) */
	uint32_t event_bytes;  /* of `events` */
	uint32_t raw_bytes;    /* codes + stack + events, plain */
	uint32_t open_depth;
	uint32_t min_depth;
	uint32_t needs_minor;  /* the format's minor version that knows all that is in it */
	uint32_t counts[16];   /* by enum pl_event_kind */
	uint64_t first_switch; /* number of the first switch in it; 0: none */
};
_Static_assert(sizeof(struct block_head) == BLOCK_HEAD_CHECK, "the bytes on disk: no padding");

/* The row that an event becomes; only for what event_counts. */
static inline enum pl_event_kind block_row(enum event_kind kind)
{
	static const uint8_t rows[EVENT_LINE + 1] = {
		[EVENT_ENTER] = PL_EVENT_CALL,
		[EVENT_LINE] = PL_EVENT_LINE,
		[EVENT_LINE_AT] = PL_EVENT_LINE,
		[EVENT_LEAVE] = PL_EVENT_RETURN,
		[EVENT_SUSPEND] = PL_EVENT_YIELD,
		[EVENT_RESUME] = PL_EVENT_RESUME,
		[EVENT_THROW] = PL_EVENT_THROW,
		[EVENT_UNWIND] = PL_EVENT_UNWIND,
		[EVENT_RAISE] = PL_EVENT_RAISE,
		[EVENT_RERAISE] = PL_EVENT_RERAISE,
		[EVENT_HANDLED] = PL_EVENT_HANDLED,
		[EVENT_MARK] = PL_EVENT_MARK,
		[EVENT_AGAIN] = PL_EVENT_AGAIN,
		[EVENT_OUTSIDE] = PL_EVENT_OUTSIDE,
		[EVENT_GAP] = PL_EVENT_GAP,
		[EVENT_STOP] = PL_EVENT_GAP,
	};

	return (enum pl_event_kind)rows[kind];
}

/* Count an event that is in the block: `events` and `counts`. What does not count in seq is passed
 * over. */
static inline void block_count(struct block_head *h, const struct event *e)
{
	if (event_counts(e->kind)) {
		h->events++;
		h->counts[block_row(e->kind)]++;
	}
}

/* Count rows that have no event. */
static inline void block_count_rows(struct block_head *h, const struct follow_rows *rows)
{
	h->events += (uint32_t)follow_rows_sum(rows);
	h->counts[PL_EVENT_LINE] += (uint32_t)rows->lines;
	h->counts[PL_EVENT_RETURN] += (uint32_t)rows->returns;
	h->counts[PL_EVENT_YIELD] += (uint32_t)rows->yields;
}

struct block_source {
	const struct block_head *head; /* event_bytes, raw_bytes, open_depth, needs_minor and
					  the first and last flag: block_write's own */
	const struct stack *stack;     /* as it is before the first event */
	const struct pl_map
		*bodies; /* code number -> body number + 1; a code that is missing gets 0 */
	const struct pl_view *
		parts; /* borrowed: its events, as if they lay side by side; each part has whole ones */
	size_t part_count;
	struct mentions *
		mentions; /* borrowed, of just these events; to which those of the stack are added; NULL: it looks for them */
	struct packer *packer;	    /* borrowed, or NULL */
	struct chain_writer *chain; /* borrowed; NULL: it is packed alone */
};
/* The payload of a BLOCK record. 0, or PL_ERR_FORMAT when the events do not decode. level: as record_compress has it; 0: plain, also
 * with a chain. A block that was not written after all, or not behind the one before, breaks the chain: that is the caller's. */
int block_write(struct pl_buf *out, const struct block_source *b, int level);

/* PL_ERR_FORMAT: too short, a wrong check, or sizes that contradict each other. */
int block_read_head(struct pl_view payload, struct block_head *out);

/* A block opened for decoding; all zero is valid. */
struct block {
	struct block_head head;
	struct pl_map bodies;	   /* code number -> body number + 1, 0: not known; owned */
	struct stack stack;	   /* at its beginning; owned */
	struct pl_view events;	   /* into `room`, `joined`, `chain` or the payload */
	struct pl_buf room;	   /* owned */
	struct pl_buf joined;	   /* owned: events, where some stood apart */
	struct chain_reader chain; /* what was unpacked of a chain */
	uint32_t process, thread, first_number; /* of the chain */
};
/* The number of the first block that must be unpacked, by block_pass, before this one can be opened: from there on one by one up to
 * the one before it. That is its own where none must. */
uint32_t block_needs(const struct block *b, const struct block_head *head);
/* Unpack one for the sake of those behind it. What was open is not any more. As block_open. */
int block_pass(struct block *b, struct pl_view payload);
/* Sizes are bounded before memory is asked for. The payload must live as long as the block.
 * PL_ERR_VERSION: it holds kinds of events that this version does not know. PL_ERR_FORMAT also where block_needs names another. */
int block_open(struct block *b, struct pl_view payload);
/* Body number + 1 of a code; 0: not known. */
static inline uint32_t block_body(const struct block *b, uint32_t code)
{
	const uint64_t *found = map_find(&b->bodies, code);

	return found ? (uint32_t)*found : 0;
}
void block_release(struct block *b);

#endif
