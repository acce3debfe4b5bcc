/* A block: a run of one thread's events that can be decoded alone. It is the payload of a BLOCK
 * record. Uncompressed:
 *
 *   head      fixed, BLOCK_HEAD_BYTES, never compressed, with a check of its own: a reader that
 *             looks for times, orders and counts reads only this
 *   codes     count | (code number delta, body number + 1)...   every code that stack and events
 *             name, in order of number; 0 in place of a body: it could not be described
 *   stack     [greenlet] | depth | (code, place << 1 | linked, value, gen, raised u8, task string
 *             [task number])...   the bottom frame first; the task number with BLOCK_TASKS
 *   calls     count | (site, code)...               with BLOCK_CALLS
 *   resumes   count | (site, code, gen, unit)...    with BLOCK_RESUMES
 *   apart     count | (bytes of events since the one before, event as a string)...
 *             with BLOCK_APART: the events that record times and switches
 *   events    the rest, as the recorder wrote them (event.h)
 *
 *    0                     152            160
 *   | struct block_head   | XXH3 of 0..151 | codes, stack and events: one zstd frame of raw_bytes
 *   |                     |                | with BLOCK_COMPRESSED, part of one with BLOCK_CHAINED,
 *   |                     |                | else plain
 *
 * With BLOCK_SECTIONS, between the head and all that follows:
 *
 *   table     bytes u32 | (kind, events, stream bytes, raw, stored)... | XXH3 of the table so far
 *   sections  one for each row of the table, in its order: a zstd frame of `raw` bytes, or these
 *             themselves if `stored` is the same. | (bytes of events since the one before, bytes of
 *             the event as a string)... |
 *
 * The record's own compression is not used. A block contains all that it needs, except the bodies
 * and strings that it names. So it decodes alone once it is decompressed, and code numbers can be
 * dropped with it.
 *
 * Times are stored apart because each pass of a loop has the same events as the one before, except
 * for the times between them. Without the times a pass compresses to a repetition, however long it
 * is.
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

/* The minor version since which rows can be without an event. */
#define MINOR_WITNESSES 2
/* The one since which a call can be a byte. */
#define MINOR_CALLS 3
/* The one since which a resume can be two bytes, events can be stored apart, and blocks can be
 * chained. */
#define MINOR_CHAINS 4
/* The one since which a known call can be at a far place. */
#define MINOR_FAR_CALLS 5
/* The one since which a yield can be without an event. */
#define MINOR_SILENT_YIELDS 7

/* The one since which tasks have numbers. */
#define MINOR_TASKS 9

/* The one since which there are events of further kinds, in sections. */
#define MINOR_SECTIONS 10

/* The one since which passes of loops can be without an event. */
#define MINOR_IMPLIED_PASSES 11

/* The one since which there are events VALUES, and names of arguments. */
#define MINOR_VALUES 12

#define BLOCK_HEAD_BYTES 160
#define BLOCK_HEAD_CHECK 152 /* offset of the check of the bytes before it */
#define BLOCK_COMPRESSED 1
#define BLOCK_CONTINUES	 2 /* flag: bytes of the stream are missing before this block */
#define BLOCK_GREENLET                                                                             \
	4 /* flag: the number of the stack's greenlet is before its depth; else it is 0 */
#define BLOCK_CALLS   8	 /* flag: the known calls are after the stack */
#define BLOCK_RESUMES 16 /* flag: the known resumes are after the calls */
#define BLOCK_APART   32 /* flag: some events are stored apart, before the others */
#define BLOCK_CHAINED 64 /* flag: it is compressed as a block of a chain (chain.h) */
#define BLOCK_FAR_CALLS                                                                            \
	128 /* flag: calls that are known by a far place come after those known by a near one */
#define BLOCK_TASKS                                                                                \
	256 /* flag: each frame of the stack has a task number, 0 if it is not the root of a task */
#define BLOCK_SECTIONS                                                                             \
	512 /* flag: events of further kinds are in sections between the head and the front */
#define BLOCK_BEFORE(flags)                                                                        \
	((flags) >> 16) /* of a chained block: the number of blocks before it in its chain */

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
	uint32_t events;       /* rows: counted events, and rows without an event (follow.h) */
	uint32_t event_bytes;  /* of `events` */
	uint32_t raw_bytes;    /* codes + stack + events, plain */
	uint32_t open_depth;
	uint32_t min_depth;
	uint32_t needs_minor;  /* the format's minor version that knows everything in it */
	uint32_t counts[16];   /* by enum pl_event_kind */
	uint64_t first_switch; /* number of the first switch in it; 0: none */
};
_Static_assert(sizeof(struct block_head) == BLOCK_HEAD_CHECK, "the bytes on disk: no padding");

/* Count an event of the block, in `events` and `counts`. Events that have no seq are ignored. */
static inline void block_count(struct block_head *h, const struct event *e)
{
	if (event_counts(e->kind)) {
		h->events++;
		h->counts[event_row(e->kind)]++;
	}
}

/* Count rows that have no event. */
static inline void block_count_rows(struct block_head *h, const struct follow_rows *rows)
{
	h->events += (uint32_t)follow_rows_sum(rows);
	h->counts[PL_EVENT_LINE] += (uint32_t)rows->lines;
	h->counts[PL_EVENT_AGAIN] += (uint32_t)rows->passes;
	h->counts[PL_EVENT_RETURN] += (uint32_t)rows->returns;
	h->counts[PL_EVENT_YIELD] += (uint32_t)rows->yields;
}

struct block_source {
	/* block_write sets event_bytes, raw_bytes, open_depth, needs_minor, first_switch and the
	 * flags, except the second */
	const struct block_head *head;
	const struct stack *stack;   /* as it is before the block's first event */
	const struct pl_map *bodies; /* code number -> body number + 1; a missing code gets 0 */
	const struct pl_view
		*parts; /* borrowed: the events, in parts that are read as one; no event is split */
	size_t part_count;
	/* borrowed, of exactly these events; those of the stack are added; NULL: block_write finds
	 * them */
	struct mentions *mentions;
	struct packer *packer;	    /* borrowed, or NULL */
	struct chain_writer *chain; /* borrowed; NULL: the block is compressed alone */
};
/* Append the payload of a BLOCK record. 0, or PL_ERR_FORMAT if the events do not decode. level: as
 * in record_compress; 0: plain, also with a chain. If the block is then not written, or not
 * directly after the one before, the caller must break the chain. */
int block_write(struct pl_buf *out, const struct block_source *b, int level);

/* PL_ERR_FORMAT: it is too short, a check is wrong, or sizes contradict each other. */
int block_read_head(struct pl_view payload, struct block_head *out);

/* What the table of a block's sections says, in sum. */
struct block_sections {
	uint64_t unknown;      /* events of kinds that this version does not know */
	uint64_t stream_bytes; /* that all have in the thread's stream; event_bytes is without */
	size_t table, stored;  /* bytes of the table, and of the sections behind it */
	uint64_t values;       /* events VALUES */
	uint64_t variables;    /* events VARIABLES */
};
/* The longest table. */
#define BLOCK_TABLE_MAX (4 + 5 * PL_VARINT_MAX * EVENT_FURTHER_MAX + 8)
/* Read the table at the front of v: what follows the head of a block with BLOCK_SECTIONS.
 * PL_ERR_FORMAT: it is damaged, or cut off. */
int block_read_sections(struct pl_view v, struct block_sections *out);

/* Append the payload of a block without the events in its sections: the rows of the table stay, so
 * that the places in the thread's stream do, and say that there are none. *events: how many there
 * were. 0, also if the block has no sections; PL_ERR_FORMAT: then nothing was appended. */
int block_strip(struct pl_buf *out, struct pl_view payload, uint64_t *events);

/* A block that is open for decoding. All zero is valid. */
struct block {
	struct block_head head;
	struct pl_map bodies; /* code number -> body number + 1, 0: not known; owned */
	struct stack stack;   /* before its first event; owned */
	struct block_sections sections;
	struct pl_view section_bytes;		/* table and sections: into the payload */
	struct pl_view events;			/* into `room`, `joined`, `chain` or the payload */
	struct pl_buf room;			/* owned */
	struct pl_buf joined;			/* owned: the events, if some were stored apart */
	struct chain_reader chain;		/* what was decompressed of a chain */
	uint32_t process, thread, first_number; /* of the chain */
};
/* The number of the first block that must be passed to block_pass before this one can be opened,
 * and then each up to the one before this. Its own number: none. */
uint32_t block_needs(const struct block *b, const struct block_head *head);
/* Decompress a block that later blocks need. The block that was open is closed. Results as
 * block_open. */
int block_pass(struct block *b, struct pl_view payload);
/* Open a block. Sizes are checked before memory is asked for. The payload must stay valid as long
 * as the block. PL_ERR_VERSION: it has kinds of events that this version does not know.
 * PL_ERR_FORMAT, also if block_needs names another block. */
int block_open(struct block *b, struct pl_view payload);
/* Body number + 1 of a code; 0: not known. */
static inline uint32_t block_body(const struct block *b, uint32_t code)
{
	const uint64_t *found = map_find(&b->bodies, code);

	return found ? (uint32_t)*found : 0;
}
void block_release(struct block *b);

/* Events of one further kind, in the order in which they stand among the others. */
struct block_section {
	struct pl_view rows; /* from the next one on */
	size_t at;	     /* bytes of the block's events before the last one that was taken */
};
/* Unpack the section of an open block, into `room`, and check it whole; its rows are valid as long
 * as `room`. 0, also if the block has none: then there are no rows. PL_ERR_FORMAT,
 * PL_ERR_MEMORY. */
int block_open_section(
	const struct block *b, uint32_t kind, struct pl_buf *room, struct block_section *out);
/* Take the next event: its bytes; s->at is its place. false: there are no more. */
bool block_section_next(struct block_section *s, struct pl_view *bytes);

#endif
