/* The memory that the hooks of native functions and the collector share (record --native). One file
 * on tmpfs, beside the arena.
 *
 *	+--------------------+---------+---------+---+--------------+
 *	| head: rings' heads | events  | events  | … | events of    |
 *	| and modules        | of ring | of ring |   | the last one |
 *	|                    | 0       | 1       |   |              |
 *	+--------------------+---------+---------+---+--------------+
 *	0                                        ^ so far the file reaches
 *
 * A thread takes a free ring at its first function, and writes 16 bytes for each entry and exit. It
 * never waits: what finds no room is counted. Addresses have a meaning only while a library is
 * where it is, so a program also says which files its functions came from, and until when.
 *
 * What an event says:
 *
 *	when   | ticks:44 | stack:20 |                   the low bits of each; stack in 16 bytes
 *	what   | exit:1 | site:7 | code:8 | address:48 | site, code: low bits of the place that was
 *	                                               called from, and of the call of the hook
 *	what   | 0:16 | 0 | count |                    address 0: so many events found no room
 *
 * The stack pointer tells functions that were left without an exit (longjmp) from those that are
 * still there; site and code tell a function that was compiled into another one, at the same stack
 * pointer, from one that was called anew.
 *
 * The collector alone makes the file longer, so that a full tmpfs is an error there and never a
 * SIGBUS here. All numbers are hostile input to the collector.
 */
#ifndef PL_RING_NATIVE_AREA_H
#define PL_RING_NATIVE_AREA_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_MAGIC	   0x314554414e4c50u /* "PLNATE1" */
#define NATIVE_ABI	   1
#define NATIVE_RINGS	   256u
#define NATIVE_RING_EVENTS 32768u
#define NATIVE_MODULES	   1024u
#define NATIVE_PATH_MAX	   440u
#define NATIVE_ID_MAX	   20u /* of a build-id; longer ones are cut */

#define NATIVE_EXIT	    (UINT64_C(1) << 63)
#define NATIVE_ADDRESS_BITS 48
#define NATIVE_CODE_BITS    8
#define NATIVE_SITE_BITS    7
/* of an exit: in place of the site, that the hook was jumped to when the frame was gone */
#define NATIVE_JUMPED	   1u
#define NATIVE_STACK_BITS  20
#define NATIVE_STACK_SHIFT 4
#define NATIVE_TICK_BITS   44

struct native_event {
	uint64_t when, what;
};

enum native_ring_state {
	NATIVE_RING_FREE = 0,
	NATIVE_RING_TAKEN = 1, /* being filled in */
	NATIVE_RING_OWNED = 2,
	NATIVE_RING_ENDED = 3, /* its thread is over */
	NATIVE_RING_LEFT = 4,  /* its program is over: another one runs in the process (exec) */
};

/* The head of a ring. What stands before `head` is complete before the state says OWNED. */
struct native_ring {
	_Atomic uint32_t state;	 /* enum native_ring_state */
	uint32_t image;		 /* number of the program: a process, from one exec to the next */
	uint32_t pid, native_id; /* as the process itself sees them */
	uint32_t pid_space;	 /* its PID namespace (inode number); 0: not known */
	_Alignas(64) _Atomic uint64_t head; /* events written so far */
	_Atomic uint64_t lost;		    /* that found no room so far */
	_Alignas(64) _Atomic uint64_t tail; /* of the collector: events that it has read */
};

enum native_module_state {
	NATIVE_MODULE_FREE = 0,
	NATIVE_MODULE_TAKEN = 1, /* being filled in */
	NATIVE_MODULE_THERE = 2, /* `to_ticks` alone still changes */
};

/* A file of which functions ran, where it is in a program's memory. */
struct native_module {
	_Atomic uint32_t state; /* enum native_module_state */
	uint32_t image, pid, pid_space;
	uint64_t start, end;	   /* addresses */
	uint64_t bias;		   /* an address less this is one of the file's */
	_Atomic uint64_t to_ticks; /* when it was unloaded; 0: it is there */
	uint32_t id_bytes;
	uint8_t id[NATIVE_ID_MAX]; /* the build-id */
	char path[NATIVE_PATH_MAX];
};
_Static_assert(sizeof(struct native_module) == 512, "no holes");

struct native_head {
	uint64_t magic;
	uint32_t abi;
	uint32_t head_bytes; /* sizeof(struct native_head) */
	uint32_t clock;	     /* enum clock_source, of the recording's ticks */
	/* rings whose events the file holds; only grows */
	_Alignas(64) _Atomic uint32_t ring_count;
	_Atomic uint32_t images;	   /* numbers given so far */
	_Atomic uint64_t lost;		   /* events of threads that found no ring */
	_Atomic uint32_t modules_told;	   /* counts what is new in `modules` */
	_Atomic uint32_t modules_left_out; /* that found no place */
	_Alignas(64) struct native_ring rings[NATIVE_RINGS];
	struct native_module modules[NATIVE_MODULES];
};

#define NATIVE_HEAD_BYTES ((sizeof(struct native_head) + 4095) & ~(size_t)4095)
#define NATIVE_RING_BYTES (NATIVE_RING_EVENTS * sizeof(struct native_event))

/* One mapping of it. */
struct native_area {
	struct native_head *head; /* NULL: none */
	size_t mapped_bytes;
	uint32_t ring_limit; /* rings in this mapping: fewer under a tight RLIMIT_AS */
	uint32_t file_rings; /* of the collector: what the file is known to hold */
};

static inline struct native_event *native_events(const struct native_area *a, uint32_t ring)
{
	return (struct native_event *)((uint8_t *)a->head + NATIVE_HEAD_BYTES +
				       (size_t)ring * NATIVE_RING_BYTES);
}

/* "….arena" -> "….native". false: this is not the name of an arena. */
bool native_area_path(const char *arena_path, char out[PATH_MAX]);
/* Make the file (0600, must not exist) with room for so many rings. The caller closes *fd. 0, or
 * -errno. */
int native_area_create(struct native_area *out, const char *path, uint32_t rings, int *fd);
/* Map an existing one; refuses a wrong owner, magic, abi or length. 0, or -errno. */
int native_area_map(struct native_area *out, int fd);
void native_area_unmap(struct native_area *a);
/* The collector alone: make the file hold so many rings. 0, or -errno. */
int native_area_grow(struct native_area *a, int fd, uint32_t rings);

#endif
