/* Sources beside the recorder, as the recording describes them, and where their events are. */
#ifndef PL_TRACE_EVENT_SOURCES_H
#define PL_TRACE_EVENT_SOURCES_H

#include "trace/recording.h"
#include "trace/stream.h"

/* meta.c: the payloads of EVENT_SOURCE and EVENT_KIND. 0, PL_ERR_FORMAT, PL_ERR_MEMORY. */
int event_source_read(struct pl_recording *r, struct pl_view v);
int event_names_read(struct pl_recording *r, struct pl_view v);
int event_kind_read(struct pl_recording *r, struct pl_view v);

/* index.c: the head of a SOURCE_EVENTS record; and forget those of segments before `file`. */
int source_events_index(struct pl_recording *r, struct stream *s, struct pl_err *err);
void source_events_drop(struct pl_recording *r, uint32_t file);

/* check.c: can it be read completely? 0, PL_ERR_FORMAT, or an error that ends reading. */
int source_events_check(struct pl_recording *r, const struct source_ref *ref, struct pl_err *err);
/* Report that it is damaged, once. */
void source_events_damage(struct pl_recording *r, struct source_ref *ref);

/* The rows of a record, decompressed. */
struct source_record {
	struct pl_buf bytes, room; /* owned */
	struct source_head head;
	struct pl_view rows; /* that are left */
	struct source_row row;
};
int source_record_load(struct source_record *out, struct pl_recording *r,
	const struct source_ref *ref, struct pl_err *err);
void source_record_release(struct source_record *s);

void event_sources_release(struct pl_recording *r);

#endif
