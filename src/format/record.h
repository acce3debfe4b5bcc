/* The frame of everything on disk: a record. The files of a recording are sequences of records, and
 * contain nothing else.
 *
 *	 0       4      6       8        12      16             24              32
 *	| magic | kind | flags | stored | raw   | check of     | check of      | payload,
 *	| u32   | u16  | u16   | u32    | u32   | the head u64 | the payload   | `stored` bytes
 *
 * The check of the head is the XXH3 of bytes 4 to 15. That of the payload is the XXH3 of the
 * payload as stored, seeded with the check of the head, so that payloads cannot change places.
 * There are two checks so that a reader can go from head to head without reading payloads. A record
 * with a correct head and a damaged payload is skipped as a whole, so a hostile file full of magics
 * takes no more time than an honest one. The search for the next correct head begins at the magic.
 *
 * A file that was being written ends, at worst, in a record that is cut short. A writer that
 * continues the file cuts that rest off first, because its `stored` would cover what follows.
 *
 *	DIR/meta           HEADER first; then what describes: processes, threads, strings, bodies,
 *	                   sources, clock, END
 *	DIR/events.000001  BLOCKs in the order in which they were written; a new file every SEGMENT
 *	DIR/events.000002  bytes, so that the oldest can be dropped whole
 */
#ifndef PL_FORMAT_RECORD_H
#define PL_FORMAT_RECORD_H

#include "base/buf.h"
#include "base/view.h"

#define FORMAT_MAJOR 1
#define FORMAT_MINOR 15

#define RECORD_MAGIC	  0x0a1c4c50u /* "PL\x1c\n" */
#define RECORD_HEAD_BYTES 32
#define RECORD_STORED_MAX (64u << 20)
#define RECORD_RAW_MAX	  (64u << 20)
#define RECORD_RATIO_MAX  64 /* raw is at most so many times stored: memory is justified by bytes */
/* A reader that follows holds a shared lock (F_OFD_SETLK) on this byte of meta, far after its
 * end. */
#define RECORD_FOLLOWED	  (INT64_MAX - 1)
#define RECORD_COMPRESSED 1 /* flag: the payload is a zstd frame of `raw` bytes */

/* X(constant, number, word for `info`, fields). All integers are varints, all texts strings, unless
 * said.
 *
 * TICKS are absolute values of the recording's clock. Later records of the same number replace
 * earlier ones. */
#define RECORD_KINDS(X)                                                                            \
	X(HEADER, 1, "header", "major u16, minor u16, then pairs (key, value) of strings")         \
	X(PROCESS, 2, "processes",                                                                 \
		"number parent pid how ticks command executable interpreter stdlib_dir directory") \
	X(THREAD, 3, "threads", "process number native_id ticks name")                             \
	X(STRINGS, 4, "strings", "(number string)…")                                               \
	X(BODIES, 5, "code", "(number source+1 body-as-string)…; source 0: not known")             \
	X(SOURCE, 6, "sources", "number file reason text; reason \"\": the text is there")         \
	X(CLOCK, 7, "clock", "ticks mono_ns real_ns error_ns tick_gap_ticks")                      \
	X(PROCESS_END, 8, "processes",                                                             \
		"number ticks end code switches waits codes_left_out codes_unanalysed values_cut " \
		"held_us waited_us began_us")                                                      \
	X(THREAD_END, 9, "threads", "process number ticks seq")                                    \
	X(LOSS, 10, "losses", "process thread seq ticks reason lost text")                         \
	X(END, 11, "end", "ticks recovered meta_bytes first_segment (bytes of each segment)…")     \
	X(EVICTED, 12, "evicted", "first_segment events: the oldest that is kept; dropped so far") \
	X(CODES, 13, "code", "(code body)…: for who goes on writing after a crash")                \
	X(TOLD, 14, "sources", "process source+1 file; source 0: told no more. As CODES")          \
	X(UNITS, 15, "sources", "(unit source+1)…: for who goes on writing after a crash")         \
	X(COSTS, 18, "end",                                                                        \
		"collector_ns kinds (body+1 (recorded events of a kind)…kinds)…: for record "  \
		"--stat")                                                                          \
	X(BLOCK, 20, "events", "see block.h")                                                      \
	X(SAMPLES, 21, "samples", "see samples.h")                                                 \
	X(PACK, 22, "pack", "(file bytes)…: of the files that follow; file 0 is meta")             \
	X(EVENT_SOURCE, 16, "event sources", "number name state text")                             \
	X(EVENT_KIND, 17, "event sources",                                                         \
		"source kind name meaning fields (name type unit names (value zigzag, name)…)…")   \
	X(EVENT_NAMES, 19, "event sources", "source kind field names (value zigzag, name)…")       \
	X(SOURCE_EVENTS, 23, "source events", "see source_events.h")

enum record_kind {
	RECORD_NONE = 0,
#define X(constant, number, word, fields) RECORD_##constant = number,
	RECORD_KINDS(X)
#undef X
};

const char *record_kind_word(uint16_t kind); /* "unknown" for one that this version does not know */

struct record {
	uint16_t kind;
	uint16_t flags;
	uint32_t raw; /* payload bytes once decompressed; == payload.left when not compressed */
	struct pl_view payload; /* as stored: into the bytes read */
};

/* Read one record. 0; PL_END: nothing is left; PL_ERR_FORMAT: no magic, a size over its limit, or a
 * wrong checksum (the view is unchanged; *cut says that the bytes end before the record does, as in
 * a file that is being written). */
int record_read(struct pl_view *v, struct record *out, bool *cut);

/* The head alone, for readers that skip payloads. */
struct record_head {
	uint16_t kind;
	uint16_t flags;
	uint32_t stored; /* payload bytes that follow the head */
	uint32_t raw;
	uint64_t payload_check;
	uint64_t head_check;
};
/* Read the head at the front of v, which needs only RECORD_HEAD_BYTES; the view is unchanged.
 * Results as record_read. */
int record_read_head(struct pl_view v, struct record_head *out, bool *cut);
/* Does the payload have the checksum that the head names? */
bool record_payload_sound(const struct record_head *h, struct pl_view payload);

/* How many bytes to skip where a record could not be read: the whole record if only its payload is
 * damaged, else up to the next valid head (at least 1), or all if there is none. */
size_t record_resync(struct pl_view v);
/* The same where the head is not valid: up to the next valid head, at least 1. */
size_t record_resync_head(struct pl_view v);

/* The tables of zstd, kept between calls because they are large. All zero is valid. */
struct packer {
	struct ZSTD_CCtx_s *zstd; /* owned, or NULL */
};
/* Append `bytes` as one zstd frame to `out` if that is smaller. false: nothing was appended.
 * packer: NULL, or kept. */
bool record_compress(struct packer *packer, struct pl_buf *out, struct pl_view bytes, int level);
void packer_release(struct packer *p);

/* Append a record. With level > 0 zstd compresses the payload if that makes it smaller. packer:
 * NULL, or kept. */
void record_write(struct pl_buf *out, uint16_t kind, struct pl_view payload, struct packer *packer,
	int level);

/* The plain payload: a view of the record's own bytes, or decompressed into *room (which is
 * reset). */
int record_payload(const struct record *r, struct pl_buf *room, struct pl_view *out);

/* Decompress one zstd frame of exactly `raw` bytes into *room (which is reset). PL_ERR_FORMAT,
 * PL_ERR_MEMORY. */
int record_decompress(struct pl_view stored, uint32_t raw, struct pl_buf *room);

#endif
