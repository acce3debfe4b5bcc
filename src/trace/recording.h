/* An open recording: what the parts of libpathline share.
 *
 *	meta.c    reads what describes: processes, threads, strings, bodies, sources, clock
 *	index.c   goes over the heads of all blocks: each thread's list of its blocks' places
 *	walk.c    decodes one thread's events; order.c merges threads; cursor.c is the API over both
 *
 * What is given to callers is valid until the recording is closed, so entries are allocated one by
 * one and never move.
 */
#ifndef PL_TRACE_RECORDING_H
#define PL_TRACE_RECORDING_H

#include "base/map.h"
#include "format/clockmap.h"
#include "format/samples.h"
#include "format/source_events.h"
#include "pathline/pathline.h"
#include "trace/files.h"
#include "trace/texts.h"

/* Where a block is, and what its head says. */
struct block_ref {
	uint64_t off; /* of its record, from the file's start */
	uint32_t file;
	uint32_t number;
	uint32_t stored; /* bytes of its payload */
	uint32_t events;
	bool gap_before; /* BLOCK_CONTINUES */
	bool told;	 /* it is damaged, and that was reported */
	uint8_t before;	 /* BLOCK_BEFORE */
	uint16_t kinds;	 /* bit for each enum pl_event_kind that its events have */
	uint32_t min_depth;
	uint64_t first_seq;
	uint64_t order; /* of its first event, if the head has it; else that before the block */
	uint64_t open_ticks, close_ticks;
};

struct thread_entry {
	struct pl_thread public;
	uint64_t start_ticks, end_ticks;
	uint64_t end_seq; /* number of its events in all, if `ended` */
	bool ended;
	bool described;		  /* it has a THREAD record */
	struct block_ref *blocks; /* owned; in order of number */
	size_t block_count, block_room;
	uint64_t evicted; /* refs dropped from the front; a place is evicted + index */
};

struct process_entry {
	struct pl_process public;
	uint64_t start_ticks, end_ticks;
	bool described, ended;
	const char *stdlib_dir;	       /* "": not known */
	struct thread_entry **threads; /* owned, in the order in which they were found */
	size_t thread_count, thread_room;
};

/* An array of pointers to entries, each owned. */
struct entries {
	void **at;
	size_t count, room;
};

struct loss_entry {
	struct pl_loss public;
	uint64_t ticks; /* 0: no time */
	uint64_t off;	/* of its record in meta; 0: this reader found the damage */
};

struct source {
	struct pl_view text; /* owned by the recording's texts */
	const char *reason;  /* "" if there is a text */
	uint32_t *lines;     /* owned: offset of each line; NULL: not needed yet */
	size_t line_count;
	bool split;
};

/* Where a SAMPLES record is, and what its head says. */
struct sample_ref {
	uint64_t off;
	uint32_t file, stored;
	struct samples_head head;
	bool told; /* it is damaged, and that was reported */
};

/* The same of a SOURCE_EVENTS record. */
struct source_ref {
	uint64_t off;
	uint32_t file, stored;
	struct source_head head;
	bool told;
};

/* A kind of a source's events, and the names of its fields' values. */
struct source_kind_entry {
	struct pl_source_kind public;
	struct pl_source_field fields[PL_SOURCE_FIELDS_MAX];
	struct pl_map names[PL_SOURCE_FIELDS_MAX]; /* value -> const char *; texts' */
	uint32_t in_ticks; /* bit for each field that rows have in ticks, and the API in ns */
};

struct event_source_entry {
	struct pl_event_source public;
	struct source_kind_entry *kinds[SOURCE_KINDS_MAX + 1]; /* NULL: not described */
};

/* A segment, as far as it was indexed. */
struct segment {
	uint32_t file;
	uint64_t off;
	bool gone; /* it was not there any more */
};

struct pl_recording {
	struct files *files; /* owned unless `guest` */
	bool guest;
	struct texts texts;
	struct pl_recording_info info;
	struct clockmap clock;
	uint64_t end_ticks;
	bool header_read;
	/* there is no END, and the arena from which a finisher would complete it is gone */
	bool unfinished_for_good;

	uint64_t meta_off;
	struct pl_map processes; /* number -> struct process_entry * */
	struct entries process_list;
	struct pl_map threads; /* process << 32 | thread -> struct thread_entry * */
	/* sum of the processes' thread_count: threads that are there, and missing ones */
	uint64_t thread_numbers;
	struct pl_map strings; /* number -> const char * */
	struct pl_map bodies;  /* number -> struct pl_code * */
	/* hash of a body without its witnesses -> the first such that was found */
	struct pl_map plans;
	struct entries codes;
	struct pl_map sources; /* number -> struct source * */
	struct entries source_list;
	struct entries losses;
	struct recorded {
		uint64_t body; /* number + 1, 0: not known */
		uint64_t counts[PL_EVENT_KIND_COUNT];
	} * recorded; /* owned */
	size_t recorded_count;
	uint64_t collector_ns;
	struct pl_code *unknown_code; /* owned: "?" */

	struct sample_ref *samples; /* owned: SAMPLES records, in the order of the files */
	size_t sample_count, sample_room;
	uint64_t samples_evicted; /* refs dropped from the front */

	struct event_source_entry *event_sources[SOURCES_MAX + 1]; /* owned, by number */
	struct entries source_kinds; /* all that were described, also replaced ones */
	struct source_ref
		*source_refs; /* owned: SOURCE_EVENTS records, in the order of the files */
	size_t source_ref_count, source_ref_room;
	uint64_t source_refs_evicted;

	struct segment *segments; /* owned, in order of number */
	size_t segment_count, segment_room;
	uint32_t first_segment;	    /* older ones were dropped to keep the limit */
	uint32_t hole, hole_looks;  /* a segment that no list had, and how many had not */
	struct loss_entry *evicted; /* one of `losses`: what was dropped; NULL: nothing */
	struct pl_view
		end_sizes; /* varints: of the segments from first_segment on; at NULL: no END */
	bool end_checked;

	struct pl_size *sizes; /* owned; one for each word of RECORD_KINDS, then "unknown" */
	size_t size_count;
	uint64_t records, damaged;
	uint64_t block_reads;

	struct fast_forward *forward; /* owned: transitions that seeking learned; NULL: none */

	/* Called for each damage, for the check. */
	void (*report)(void *arg, const struct pl_damage *d);
	void *report_arg;
};

/* Open the recording in `files`, and own them from now on, also after a failure. */
int recording_open_files(struct pl_recording **out, struct files *files, struct pl_err *err);
/* Open the same files again, with a callback for damage. The guest must be closed before r. */
int recording_open_guest(struct pl_recording **out, struct pl_recording *r,
	void (*report)(void *arg, const struct pl_damage *d), void *arg, struct pl_err *err);

/* Append an entry of `bytes`, all zero; NULL: no memory. */
void *entries_add(struct entries *e, size_t bytes);

/* The process or thread with this number; made if it is new. NULL: no memory, or the number is too
 * large. */
struct process_entry *recording_process(struct pl_recording *r, uint32_t number);
struct thread_entry *recording_thread(struct pl_recording *r, uint32_t process, uint32_t thread);
struct process_entry *recording_find_process(const struct pl_recording *r, uint32_t number);
struct thread_entry *recording_find_thread(
	const struct pl_recording *r, uint32_t process, uint32_t thread);

/* Count a record for `info`. */
void recording_count(struct pl_recording *r, uint16_t kind, uint64_t bytes);
/* Note damage: count it, report it, and add a loss of the recording as a whole. */
void recording_damage(struct pl_recording *r, uint32_t file, uint64_t off, const char *what);
/* CLOCK_REALTIME of ticks; 0 for 0. */
int64_t recording_time(const struct pl_recording *r, uint64_t ticks);
/* Reading ends with an error: set err to `why`, or to the error's name if `why` says nothing. */
int recording_failed(struct pl_err *err, int code, const struct pl_err *why);
/* The text of a string, "?" if it is missing. */
const char *recording_string(const struct pl_recording *r, uint64_t number);
/* Did the thread's path break off without notice, and is its process gone? */
bool recording_killed(const struct pl_recording *r, const struct thread_entry *t);
/* Did the collector find bytes before this thread's event `seq` that it could not decode? */
bool recording_lost_bytes(const struct pl_recording *r, const struct thread_entry *t, uint64_t seq);

/* What was lost after the thread's last event, as far as a LOSS says so; NULL: nothing.
 * `has_frame`: the path ends in the middle of a frame. */
const struct pl_loss *recording_end_loss(
	const struct pl_recording *r, const struct thread_entry *t, bool has_frame);

/* Report that a SAMPLES record is damaged, once. */
void recording_samples_damage(struct pl_recording *r, struct sample_ref *ref);

/* meta.c: read the records after meta_off. *news: there were some. */
int meta_read(struct pl_recording *r, bool *news, struct pl_err *err);
/* index.c: index what was appended to the segments. */
int index_read(struct pl_recording *r, bool *news, struct pl_err *err);

#endif
