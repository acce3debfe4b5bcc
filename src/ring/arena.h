/* The arena: the memory that recorders and the collector share. One file on tmpfs a recording.
 *
 *   +-------------------------------+---------+---------+---------+---+-------------+
 *   | struct arena_head, with slots | chunk 0 | chunk 1 | chunk 2 | … | chunk max-1 |
 *   +-------------------------------+---------+---------+---------+---+-------------+
 *   0               ARENA_HEAD_BYTES ^ CHUNK_BYTES each  ^ so far the file reaches
 *
 * A ring is a queue of chunks of one stream: a thread's events, or a process's messages. Its
 * producer fills the newest chunk, takes another free one when it is full, and never looks back;
 * the collector packs chunks in order and sets them free again. So a ring is as large as its thread
 * is ahead, and memory is shared by need. One fixed buffer a thread was refused: thousands of short
 * threads would cost thousands of buffers, and the one that is ahead would wait.
 *
 *   thread 3:   [ order 7, closed ] -> [ order 8, closed ] -> [ order 9, owned, 1,204 bytes used ]
 *
 * A chunk's life:
 *
 *   FREE          -- its free bit is cleared, then its head is written -->      OWNED
 *   OWNED         -- a newer chunk of the stream is OWNED ------------->        CLOSED
 *                 -- the stream ends ---------------------------------->        LAST
 *   CLOSED, LAST  -- by the collector, when all of it is on disk: first
 *                    the state, then the bit -------------------------->        FREE
 *
 * Chunks carry no pointers: owner, order and stream position are in each, so whoever finds the file
 * after a crash can put the streams together. Every number in the file is hostile input to the
 * collector, which checks before use.
 *
 * The file has a name, and the name is handed on in the environment. A descriptor would not do:
 * programs close those that they do not know, and would see ours.
 *
 * The file is mapped once, at its greatest length, before the program's first line; the collector
 * alone makes the file longer (fallocate, so that a full tmpfs is an error there and never a SIGBUS
 * here) and then sets the new chunks' free bits. A thread or a forked child takes chunks and slots
 * by atomic operations only: no system call, path or descriptor.
 *
 * Rules of order: a chunk's head is complete before its state is stored with release; event bytes
 * are complete before `used` is stored with release; messages are complete before any event that
 * needs them. A reader loads with acquire.
 */
#ifndef PL_RING_ARENA_H
#define PL_RING_ARENA_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "filter/filter.h"

#define ARENA_MAGIC 0x31414e4552414c50u /* "PLARENA1" */
/* The version of the layout below; any change of the structs needs a new number. Programs of a
 * recording may be started by another build of Pathline, which then does not use this arena. */
#define ARENA_ABI	14
#define ARENA_PROCESSES 1024
#define ARENA_CHUNKS	8192
#define CHUNK_BYTES	32768u
#define CHUNK_HEAD	64u
#define CHUNK_ROOM	(CHUNK_BYTES - CHUNK_HEAD)

/* The environment variable that passes the arena on: "<path of the arena>:<number of the parent
 * process>". */
#define ARENA_VARIABLE "PATHLINE_ARENA"

enum chunk_state {
	/* its free bit is set, or the thread that took it has not written its head yet */
	CHUNK_FREE = 0,
	CHUNK_OWNED = 1,  /* the newest chunk of its stream; `used` grows */
	CHUNK_CLOSED = 2, /* `used` is final and another chunk of the stream follows */
	CHUNK_LAST = 3,	  /* `used` is final and the stream has ended */
};

#define STREAM_MESSAGES UINT32_MAX /* in place of a thread number */

/* The first line of a chunk, then its bytes. What stands before `used` is written once a
 * life, by its taker, before the state says OWNED:
 *
 *	 0       4         8        12      16             24           32     40
 *	| state | process | thread | order | stream_bytes | open_ticks | used | skip |
 *	 44          48                64
 *	| native_id | state_address | …
 *	| bytes: whole events of one thread, or a piece of a stream of messages …
 */

#define CHUNK_AHEAD_SHIFT 32

struct chunk {
	_Atomic uint32_t state; /* enum chunk_state */
	uint32_t process;	/* number */
	uint32_t thread;	/* number, or STREAM_MESSAGES */
	uint32_t order;		/* in its stream, from 0 */
	uint64_t stream_bytes;	/* position of its first byte in the stream */
	uint64_t open_ticks;	/* time before its first event; times in it count from here */
	/* Bytes written, whole events only. Above CHUNK_AHEAD_SHIFT: how many of them can still be
	 * taken back (ring_commit_ahead). */
	_Atomic uint64_t used;
	/* of messages: bytes at the front that belong to an earlier one; set by the collector */
	uint32_t skip;
	/* Of a thread's events: the thread that writes, so that the collector can sample it. */
	uint32_t native_id;		/* gettid(2); 0: not known */
	_Atomic uint64_t state_address; /* of its PyThreadState, in the process */
	uint8_t pad[CHUNK_HEAD - 56];
	uint8_t bytes[CHUNK_ROOM];
};
_Static_assert(sizeof(struct chunk) == CHUNK_BYTES, "chunks lie side by side");

/* A slot's life. The collector looks at slots when next_process has moved; one that is TAKEN then
 * makes it look again in the next round, so that a process is never missed for being slow.
 *
 *	FREE -- by who begins to record --> TAKEN -- all is filled in --> LIVE (-- cannot --> DONE)
 *	  ^                                                                |
 *	  '------- by the collector, when the process is over and drained -'
 */
enum slot_state {
	SLOT_FREE = 0,
	SLOT_TAKEN = 1, /* being filled in */
	SLOT_LIVE = 2,	/* a process that is recorded */
	SLOT_DONE =
		3, /* it said that it is over; the collector frees the slot when it is drained */
};

enum slot_end {
	SLOT_END_UNKNOWN = 0,  /* it said nothing: if it is gone, it was killed */
	SLOT_END_EXIT = 1,     /* end_code is its exit status, 0 to 255 */
	SLOT_END_SIGNAL = 2,   /* a fatal signal was caught; end_code is its number */
	SLOT_END_EXEC = 3,     /* it is calling exec; taken back when exec fails */
	SLOT_END_DETACHED = 4, /* the recorder has left it, and it goes on */
};

/* How the collector finds the instruction at which a thread is, in the memory of a process:
 * addresses, and offsets in the structs of its version of CPython. The way is
 *
 *   PyThreadState - frame [- through] -> frame - code -> code object - extra, or the map -> record
 *                                          \- unit -> the instruction
 *
 * A record says in its first word to which code object it belongs, so one that was freed is
 * recognised. frame_bytes 0: the process says nothing. */
struct sample_view {
	/* of the map from code objects to records; 0: the records are in co_extra */
	uint64_t code_map;
	uint16_t state_id;    /* of native_thread_id in a thread's state */
	uint16_t state_frame; /* of the pointer to the frame, or to what has that */
	/* of the pointer to the frame in that; NO_STEP: there is no step between */
	uint16_t through_frame;
	uint16_t frame_bytes; /* so much of a frame is read */
	uint16_t frame_code, frame_unit, frame_previous;
	uint16_t code_extra;   /* of co_extra in a code object */
	uint16_t code_units;   /* of its first instruction */
	uint16_t extra_record; /* of our record in what co_extra points to */
	uint16_t pad[2];
};
#define SAMPLE_NO_STEP UINT16_MAX

/* What a process says about itself, to a collector that may see it only after its death. All fields
 * except the atomic ones are complete before state is LIVE. */
struct process_slot {
	_Atomic uint32_t state; /* enum slot_state */
	uint32_t number;	/* of the recording, from 1 */
	uint32_t parent;	/* number, 0: none recorded */
	uint32_t pid;
	uint64_t start_ticks;
	_Atomic uint32_t end; /* enum slot_end */
	_Atomic uint32_t end_code;
	_Atomic uint64_t switches;
	_Atomic uint64_t waits;	  /* number of times that a thread waited for room */
	_Atomic uint64_t lost;	  /* events that found no room */
	_Atomic uint32_t stopped; /* enum pl_gap_reason + 1: the recorder stopped itself */
	/* PID namespace in which `pid` is its pid (inode number); 0: not known */
	uint32_t pid_space;
	struct sample_view sample;
	_Atomic uint32_t codes_left_out;   /* code objects that a filter leaves out */
	_Atomic uint32_t codes_unanalysed; /* code objects of which each line is recorded */
	_Atomic uint64_t values_cut; /* events whose values are types alone, by second_bytes */
	/* Of one that was attached as it ran; 0: not known. How long a thread was stopped for it,
	 * which `pathline attach` writes; how long the recorder waited for the GIL, and had it to
	 * begin. */
	_Atomic uint32_t held_us, waited_us, began_us;
	uint8_t pad[128 - 124];
};
_Static_assert(sizeof(struct process_slot) == 128, "slots are two cache lines");

enum arena_clock { CLOCK_IS_TSC = 0, CLOCK_IS_MONOTONIC = 1 };
enum arena_full { FULL_WAIT = 0, FULL_DROP = 1 };
enum arena_passes { PASSES_ALL = 0, PASSES_NONE = 1 };
enum arena_order { ORDER_WITNESS = 0, ORDER_EXACT = 1 };
enum arena_values { VALUES_NONE = 0, VALUES_CALLS = 1, VALUES_LINES = 2 };
enum arena_stamps { STAMPS_TICK = 0, STAMPS_CALL = 1, STAMPS_LINE = 2 };
enum arena_state {
	ARENA_OPEN = 0,
	ARENA_CLOSED =
		1, /* the collector has left; recorders stop themselves at their next slow step */
};

/* How much of a value is kept (--values-limit). */
struct value_limits {
	uint32_t depth;	       /* of values in each other, at most VALUE_DEPTH_MAX */
	uint32_t items;	       /* of a container */
	uint32_t attributes;   /* of an object */
	uint32_t chars;	       /* of a str, or other text */
	uint32_t bytes;	       /* of one value, as it is stored */
	uint32_t event_bytes;  /* of all values of an event; at most VALUE_EVENT_MAX */
	uint64_t second_bytes; /* of a process's values within a second; 0: no limit */
};
#define VALUE_EVENT_MAX 8192

/* Why a program that was started cannot be recorded. */
#define LEFT_KINDS(X)                                                                              \
	X(RIGHTS, "it gets rights of its own (set-user-ID, capabilities), so it loads no library " \
		  "of ours")                                                                       \
	X(STATIC, "it is static and loads no library")                                             \
	X(LIBC, "its loader is another one than ours: musl, say")                                  \
	X(MACHINE, "it is for another machine")                                                    \
	X(REACH,                                                                                   \
		"it cannot reach the recording: a chroot (the path is that in it), another user, " \
		"another mount namespace, or the file in /dev/shm was removed")
enum left_kind {
#define X(constant, meaning) LEFT_##constant,
	LEFT_KINDS(X)
#undef X
		LEFT_KIND_COUNT
};

#define REDACT_BYTES_MAX 4096 /* of the patterns of --redact */

struct left_out {
	_Atomic uint32_t count;
	char first[252]; /* path of the first; written once, by the process that made `count` 1 */
};

/* Up to and including `flight_name`: written by the collector before the arena's path is given to
 * any program, and constant from then on. What recorders read at every event (tick), what they
 * write now and then, and the free bits are in cache lines of their own. */
struct arena_head {
	uint64_t magic;
	uint32_t abi;
	uint32_t head_bytes; /* sizeof(struct arena_head) */
	uint32_t clock;	     /* enum arena_clock */
	uint32_t on_full;    /* enum arena_full */
	uint32_t wait_ms;    /* how long a thread waits for room, once */
	uint32_t no_children;
	uint32_t passes;    /* enum arena_passes: of loops that stay on a line */
	uint32_t order;	    /* enum arena_order: of what threads do side by side */
	uint32_t stamps;    /* enum arena_stamps: which events have a time of their own */
	uint32_t hot_lines; /* code of which this many LINEs were reported is hot; 0: none */
	uint32_t uid;
	uint32_t collector_pid;
	/* reading another process's memory needs its permission (PR_SET_PTRACER) */
	uint32_t name_tracer;
	uint32_t pid_space; /* the collector's PID namespace, as in the slots */
	uint64_t limit_bytes;
	char directory[4096];  /* of the recording, absolute */
	uint32_t filter_bytes; /* of the rules that say which code is recorded (filter.h) */
	char filter[FILTER_BYTES_MAX];
	uint32_t values; /* enum arena_values */
	struct value_limits value_limits;
	/* of the rules that say of which code values are kept (filter.h) */
	uint32_t values_of_bytes;
	char values_of[FILTER_BYTES_MAX];
	uint32_t shows_secrets; /* --no-redact */
	/* further names of secrets, as secret_names_add has them */
	uint32_t redact_bytes;
	char redact[REDACT_BYTES_MAX];
	uint32_t flight; /* `directory` is in memory, and copied into the folder by triggers */
	char flight_folder[4096];
	char flight_name[256];

	/* Why nothing was recorded, for `record` to say. */
	_Atomic uint32_t preloaded; /* programs into which the preload came */
	_Atomic uint32_t pythons;   /* of them, those with an interpreter */
	_Atomic uint32_t refused;   /* interpreters that could not be recorded */
	/* of the first one; written once, by the process that made `refused` 1 */
	char refused_why[512];

	struct left_out left_out[LEFT_KIND_COUNT];
	/* bit i: rule i matched a code, so that `record` can name a rule that never did */
	_Atomic uint64_t filter_matched;
	_Atomic uint64_t values_matched; /* likewise, of values_of */

	_Alignas(64) _Atomic uint64_t
		tick; /* the collector's coarse clock, in ticks; 0: not started */
	_Alignas(64) _Atomic uint32_t state; /* enum arena_state */
	_Atomic uint32_t next_process;	     /* numbers given so far; the next number is one more */
	_Atomic uint32_t next_code;
	_Atomic uint32_t next_string;
	_Atomic uint32_t flight_wanted; /* triggers of a flight recorder so far */
	_Atomic uint32_t chunk_count;	/* chunks that the file holds */
	/* number of times that no chunk was free; the collector then makes more */
	_Atomic uint32_t starved;
	_Alignas(64) _Atomic uint64_t free[ARENA_CHUNKS / 64]; /* bit set: the chunk is free */
	_Alignas(64) struct process_slot slots[ARENA_PROCESSES];
};

#define ARENA_HEAD_BYTES ((sizeof(struct arena_head) + 4095) & ~(size_t)4095)
#define ARENA_BYTES_MAX	 (ARENA_HEAD_BYTES + (size_t)ARENA_CHUNKS * CHUNK_BYTES)

/* One mapping of an arena. It is copied by value, and unmapped once. */
struct arena {
	struct arena_head *head; /* the mapping; arena_unmap ends it */
	size_t mapped_bytes;
	uint32_t chunk_limit; /* chunks in this mapping: fewer under a tight RLIMIT_AS */
	/* Chunks that the file is known to have; for the collector, which alone makes it longer.
	 * The head's chunk_count is not used for this, because the program can write to it. */
	uint32_t file_chunks;
};

static inline struct chunk *arena_chunk(const struct arena *a, uint32_t index)
{
	return (struct chunk *)((uint8_t *)a->head + ARENA_HEAD_BYTES +
				(size_t)index * CHUNK_BYTES);
}

/* Make the file at `path` (0600, must not exist) with `chunks` chunks, and map it. Sets magic, abi
 * and head_bytes; the rest is 0. The caller closes *fd. 0, or -errno. */
int arena_create(struct arena *out, const char *path, uint32_t chunks, int *fd);
/* The name of the link to the libraries, which `record` makes beside an arena if LD_PRELOAD cannot
 * use their own path (see record.c): "....arena" -> "....lib". false: this is not the name of an
 * arena. */
bool arena_link_path(const char *arena_path, char out[PATH_MAX]);
/* Map an existing arena; refuses a wrong owner, magic, abi or length. 0, or -errno (EPROTO: it is
 * not our arena). */
int arena_map(struct arena *out, int fd);
void arena_unmap(struct arena *a);
/* Make the file hold `chunks` chunks, and set the free bits of the new ones. Only the collector
 * calls this. 0, or -errno. */
int arena_grow(struct arena *a, int fd, uint32_t chunks);

/* Take a free chunk: its index, or -1. Lock-free; no system call. */
int32_t arena_take_chunk(struct arena *a);
/* Was there a free one just now? */
bool arena_has_free(const struct arena *a);
/* Give it back: the collector, or a thread that took it and did not use it. */
void arena_free_chunk(struct arena *a, uint32_t index);
/* The inode number of this process's PID namespace; 0: there is no /proc. */
uint32_t arena_pid_space(void);
/* Take a process slot and give it a number: it is SLOT_TAKEN, and all else is 0. NULL: all are in
 * use. */
struct process_slot *arena_take_slot(struct arena *a);

#endif
