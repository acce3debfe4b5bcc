/* Events of sources: what something beside the recorder saw, such as the kernel.
 *
 *	meta       | EVENT_SOURCE 1 "kernel" | EVENT_KIND 1.2 "syscall": name, result, ns … |
 *	segments   | SOURCE_EVENTS of source 1 in process 3 |
 *
 *	 0        60
 *	| head   | rows: one zstd frame of raw_bytes with flag 1, else plain
 *
 *	row   kind | native id | ticks | bytes | fields
 *	           since the row before, each as a zigzag
 *
 * What a row says is described by the recording itself: the record EVENT_KIND has the name, the
 * type and the unit of each field. So a reader shows kinds that it does not know, and passes over
 * rows without a description by `bytes`. Rows of a thread are in the order of their times, those
 * of several threads only about.
 *
 * Pure.
 */
#ifndef PL_FORMAT_SOURCE_EVENTS_H
#define PL_FORMAT_SOURCE_EVENTS_H

#include "base/buf.h"
#include "base/view.h"
#include "pathline/sources.h"

#define SOURCE_HEAD_BYTES 60
#define SOURCE_COMPRESSED 1u
#define SOURCES_MAX	  63u /* sources are numbers from 1 to this */
#define SOURCE_KINDS_MAX  63u /* and so are the kinds of each */

/* In the order of the bytes, each little-endian. */
struct source_head {
	uint32_t source;
	uint32_t process; /* 0: one that is not recorded, or was not yet */
	uint32_t pid;
	uint32_t count;
	uint64_t open_ticks;  /* no row is earlier */
	uint64_t close_ticks; /* nor later */
	uint64_t lost;	      /* events of the process, since the record before */
	uint64_t kinds;	      /* bit for each kind that the rows have */
	uint32_t error_ns;    /* a row's time can be wrong by this */
	uint32_t raw_bytes;   /* of the rows in plain */
	uint32_t flags;
};

struct source_row {
	uint32_t kind;
	uint32_t native_id; /* of the thread */
	uint64_t ticks;
	struct pl_view fields;
};

/* Append a row. `last` is the row before; all 0 for the first. */
void source_row_write(
	struct pl_buf *rows, const struct source_row *row, const struct source_row *last);
/* Append the payload. raw_bytes and flags are set here. */
void source_events_write(struct pl_buf *out, const struct source_head *head, struct pl_view rows);

/* 0, or PL_ERR_FORMAT. The view is unchanged. */
int source_head_read(struct pl_view payload, struct source_head *out);
/* The plain rows: in the payload itself, or in *room. 0, PL_ERR_FORMAT, PL_ERR_MEMORY. */
int source_events_open(struct pl_view payload, struct source_head *head, struct pl_buf *room,
	struct pl_view *rows);
/* Read one. *row: the row before on entry, all 0 for the first; this one afterwards. */
int source_row_read(struct pl_view *rows, struct source_row *row);

/* ---- what describes ---- */

/* A name for a value of a field: "openat" for 257. */
struct source_value_name {
	int64_t value;
	const char *name;
};

struct source_field {
	const char *name, *unit; /* unit "": none */
	enum pl_field_type type;
	const struct source_value_name *names; /* NULL: none */
	uint32_t name_count;
};

struct source_kind {
	const char *name, *meaning;
	const struct source_field *fields;
	uint32_t field_count;
};

/* Append the payloads of EVENT_SOURCE and EVENT_KIND. */
void event_source_write(struct pl_buf *out, const struct pl_event_source *s);
/* And of EVENT_NAMES: so many names of values of a field, each the value as a zigzag, then the name
 * as a string. */
void event_names_write(
	struct pl_buf *out, uint32_t source, uint32_t field, uint32_t count, struct pl_view names);
void event_kind_write(
	struct pl_buf *out, uint32_t source, uint32_t number, const struct source_kind *k);

#endif
