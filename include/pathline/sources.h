/* Sources of events beside the recorder: what the kernel, say, did for the threads of a recording
 * (record --kernel), on the recording's clock.
 *
 *	pl_source_rows_new(&rows, r, process, &err)
 *	while (pl_source_rows_next(rows, &row, &err) == 0)
 *		pl_source_row_text(&row, text, sizeof text)     syscall read hosts result 99 2 µs
 *
 * Kinds of events are described by the recording: each has a name, and fields with names and units.
 * A program that knows none of them can show all. An event is at the time of its end: one with a
 * field of the unit ns named `duration` began so much earlier.
 *
 * Only the thread that uses the recording may call these functions.
 */
#ifndef PATHLINE_SOURCES_H
#define PATHLINE_SOURCES_H

#include <stddef.h>
#include "pathline/recording.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum pl_source_state {
	PL_SOURCE_RAN,
	PL_SOURCE_REFUSED, /* it could not run; `text` says why, and what helps */
	PL_SOURCE_STOPPED  /* it broke off; `text` says why */
};

/* "ran", "refused", "stopped" */
const char *pl_source_state_name(enum pl_source_state state);

struct pl_event_source {
	uint32_t number;
	const char *name; /* "kernel" */
	enum pl_source_state state;
	const char *text; /* "" if it ran */
	uint64_t events;  /* that are there */
	uint64_t lost;	  /* that it counted as lost */
};

uint32_t pl_event_source_count(const struct pl_recording *r);
/* NULL: there is no such index. */
const struct pl_event_source *pl_event_source(const struct pl_recording *r, uint32_t index);

enum pl_field_type {
	PL_FIELD_UNSIGNED,
	PL_FIELD_SIGNED,
	PL_FIELD_TEXT,
	PL_FIELD_TYPE_COUNT /* a type of a later version: its value is not known */
};

struct pl_source_field {
	const char *name,
		*unit; /* unit: "ns", "bytes", "id" (of something; 0: of nothing), "level" (by
			* which it stands further right; left out of its text), or "" */
	enum pl_field_type type;
};

struct pl_source_kind {
	uint32_t source, number; /* the number counts in its source, from 1 */
	const char *name;	 /* "syscall" */
	const char *meaning;
	uint32_t field_count; /* 0: no description of it is there */
	const struct pl_source_field *fields;
};

#define PL_SOURCE_FIELDS_MAX 16

struct pl_source_value {
	uint64_t number;  /* of PL_FIELD_SIGNED: as an int64_t */
	const char *name; /* of the number, if it has one; else NULL */
	const char *text; /* of PL_FIELD_TEXT, not terminated */
	size_t length;
};

#define PL_NO_THREAD UINT32_MAX

struct pl_source_row {
	const struct pl_event_source *source;
	const struct pl_source_kind *kind;
	uint32_t process; /* 0: one that is not recorded */
	uint32_t thread;  /* PL_NO_THREAD: it never ran Python that was recorded */
	uint32_t pid, native_id;
	uint64_t number;       /* tells it from all others of the recording */
	int64_t time_ns;       /* CLOCK_REALTIME */
	int64_t time_error_ns; /* it can be wrong by this */
	uint32_t value_count;  /* fields of the kind that the row has */
	struct pl_source_value values[PL_SOURCE_FIELDS_MAX];
};

#define PL_ANY_PROCESS UINT32_MAX

/* The events of all sources in a process, or in PL_ANY_PROCESS; 0: in those that are not recorded.
 * Of a thread and a source they come in order of time, of several threads only about. They belong
 * to the caller, who frees them before closing the recording. */
struct pl_source_rows;
int pl_source_rows_new(
	struct pl_source_rows **out, struct pl_recording *r, uint32_t process, struct pl_err *err);
/* From now on only those of the source with this number; 0: of all again. */
void pl_source_rows_select(struct pl_source_rows *rows, uint32_t source);
/* Texts are valid until the next call. PL_END: there is none (in a live recording: so far). Damaged
 * ones are skipped, and counted as damage of the recording. */
int pl_source_rows_next(struct pl_source_rows *rows, struct pl_source_row *row, struct pl_err *err);
void pl_source_rows_free(struct pl_source_rows *rows); /* NULL is fine */

/* The row in words, cut to `max` bytes with the NUL; returns the length of the whole text. */
size_t pl_source_row_text(const struct pl_source_row *row, char *to, size_t max);
/* The field of that name, or -1. */
int pl_source_field(const struct pl_source_kind *kind, const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
