#include "trace/event_sources.h"

#include <stdlib.h>
#include <string.h>
#include "base/varint.h"

/* ---- what describes ---- */

/* The source with this number, from 1 to SOURCES_MAX; made if it is new. NULL: no memory. */
static struct event_source_entry *event_source_entry(struct pl_recording *r, uint32_t number)
{
	struct event_source_entry **at = &r->event_sources[number];

	if (!*at) {
		*at = calloc(1, sizeof **at);
		if (*at)
			(*at)->public =
				(struct pl_event_source){.number = number, .name = "?", .text = ""};
	}
	return *at;
}

static int keep_text(struct pl_recording *r, struct pl_view *v, const char **out)
{
	struct pl_view bytes;

	if (view_string(v, &bytes))
		return PL_ERR_FORMAT;
	const char *text = texts_keep(&r->texts, bytes);
	if (!text)
		return PL_ERR_MEMORY;
	*out = text;
	return 0;
}

/* | number | "name" | state | "text" | */
int event_source_read(struct pl_recording *r, struct pl_view v)
{
	const char *name, *text;
	uint64_t number, state;

	if (view_varint_max(&v, SOURCES_MAX, &number) || !number)
		return PL_ERR_FORMAT;
	int code = keep_text(r, &v, &name);
	if (code == 0)
		code = view_varint(&v, &state);
	if (code == 0)
		code = keep_text(r, &v, &text);
	if (code)
		return code;
	struct event_source_entry *s = event_source_entry(r, (uint32_t)number);
	if (!s)
		return PL_ERR_MEMORY;
	s->public.name = name;
	s->public.state =
		state > PL_SOURCE_STOPPED ? PL_SOURCE_STOPPED : (enum pl_source_state)state;
	s->public.text = text;
	return 0;
}

/* (value zigzag | "name")…: each takes two bytes at least. */
static int read_value_names(struct pl_recording *r, struct pl_view *v, struct pl_map *names)
{
	uint64_t count, value;
	const char *name;

	if (view_varint_max(v, v->left / 2, &count))
		return PL_ERR_FORMAT;
	for (uint64_t i = 0; i < count; i++) {
		if (view_varint(v, &value))
			return PL_ERR_FORMAT;
		int code = keep_text(r, v, &name);
		uint64_t *slot = code || !names ? NULL : map_put(names, (uint64_t)unzigzag(value));
		if (code || (names && !slot))
			return code ? code : PL_ERR_MEMORY;
		if (slot)
			*slot = (uintptr_t)name;
	}
	return 0;
}

/* | "name" | type | "unit" | names | … |: those after the first PL_SOURCE_FIELDS_MAX are only
 * passed over. */
static int read_source_field(struct pl_recording *r, struct pl_view *v, struct source_kind_entry *k)
{
	const uint32_t n = k->public.field_count;
	const bool kept = n < PL_SOURCE_FIELDS_MAX;
	struct pl_source_field field;
	uint64_t type;
	int code = keep_text(r, v, &field.name);

	if (code == 0)
		code = view_varint(v, &type);
	if (code == 0)
		code = keep_text(r, v, &field.unit);
	if (code == 0)
		code = read_value_names(r, v, kept ? &k->names[n] : NULL);
	if (code || !kept)
		return code;
	field.type = type < PL_FIELD_TYPE_COUNT ? (enum pl_field_type)type : PL_FIELD_TYPE_COUNT;
	if (!strcmp(field.unit, "ticks")) {
		field.unit = "ns";
		k->in_ticks |= 1u << n;
	}
	k->fields[n] = field;
	k->public.field_count++;
	return 0;
}

/* | source | kind | "name" | "meaning" | fields | field … | */
int event_kind_read(struct pl_recording *r, struct pl_view v)
{
	uint64_t source, number, fields;

	if (view_varint_max(&v, SOURCES_MAX, &source) ||
		view_varint_max(&v, SOURCE_KINDS_MAX, &number) || !source || !number)
		return PL_ERR_FORMAT;
	struct event_source_entry *s = event_source_entry(r, (uint32_t)source);
	struct source_kind_entry *k =
		s ? entries_add(&r->source_kinds, sizeof(struct source_kind_entry)) : NULL;
	if (!k)
		return PL_ERR_MEMORY;
	k->public.source = (uint32_t)source;
	k->public.number = (uint32_t)number;
	k->public.fields = k->fields;
	int code = keep_text(r, &v, &k->public.name);
	if (code == 0)
		code = keep_text(r, &v, &k->public.meaning);
	if (code == 0)
		code = view_varint_max(&v, v.left, &fields);
	for (uint64_t i = 0; code == 0 && i < fields; i++)
		code = read_source_field(r, &v, k);
	if (code == 0)
		s->kinds[number] = k;
	return code;
}

/* | source | kind; 0: each | field | names | (value zigzag | "name")… | */
int event_names_read(struct pl_recording *r, struct pl_view v)
{
	uint64_t source, kind, field;
	int code = 0;

	if (view_varint_max(&v, SOURCES_MAX, &source) || !source ||
		view_varint_max(&v, SOURCE_KINDS_MAX, &kind) || view_varint(&v, &field))
		return PL_ERR_FORMAT;
	const struct event_source_entry *s = r->event_sources[source];
	for (uint32_t i = 1; code == 0 && s && i <= SOURCE_KINDS_MAX; i++) {
		struct source_kind_entry *k = s->kinds[i];
		struct pl_view names = v;
		if (k && (!kind || kind == i) && field < k->public.field_count)
			code = read_value_names(r, &names, &k->names[field]);
	}
	return code;
}

void event_sources_release(struct pl_recording *r)
{
	for (size_t i = 0; i < r->source_kinds.count; i++) {
		struct source_kind_entry *k = r->source_kinds.at[i];
		for (size_t n = 0; n < PL_SOURCE_FIELDS_MAX; n++)
			map_release(&k->names[n]);
		free(k);
	}
	free(r->source_kinds.at);
	for (size_t i = 0; i <= SOURCES_MAX; i++)
		free(r->event_sources[i]);
	free(r->source_refs);
}

/* ---- where the events are ---- */

/* Counts are of what is kept, as those of samples. */
static void count_source_events(struct pl_recording *r, const struct source_head *head, bool add)
{
	struct pl_event_source *s = &r->event_sources[head->source]->public;

	s->events += add ? head->count : 0 - (uint64_t)head->count;
	s->lost += add ? head->lost : 0 - head->lost;
}

static int add_source_ref(
	struct pl_recording *r, const struct stream *s, const struct source_head *head)
{
	if (head->source > SOURCES_MAX)
		return PL_ERR_FORMAT;
	if (!event_source_entry(r, head->source))
		return PL_ERR_MEMORY;
	if (r->source_ref_count == r->source_ref_room) {
		size_t room = r->source_ref_room ? r->source_ref_room * 2 : 16;
		struct source_ref *refs = realloc(r->source_refs, room * sizeof *refs);
		if (!refs)
			return PL_ERR_MEMORY;
		r->source_refs = refs;
		r->source_ref_room = room;
	}
	r->source_refs[r->source_ref_count++] = (struct source_ref){
		.off = s->off, .file = s->file, .stored = s->head.stored, .head = *head};
	count_source_events(r, head, true);
	return 0;
}

static const char DAMAGED[] = "events of a source are damaged";

int source_events_index(struct pl_recording *r, struct stream *s, struct pl_err *err)
{
	struct source_head head;
	struct pl_view front;
	int code = stream_front(s, SOURCE_HEAD_BYTES, &front, err);

	if (code == 0)
		code = source_head_read(front, &head);
	if (code == 0)
		code = add_source_ref(r, s, &head);
	if (code == PL_ERR_FORMAT) {
		recording_damage(r, s->file, s->off, DAMAGED);
		*err = (struct pl_err){0};
		code = 0;
	}
	return code;
}

void source_events_drop(struct pl_recording *r, uint32_t file)
{
	size_t n = 0;

	for (; n < r->source_ref_count && r->source_refs[n].file < file; n++)
		count_source_events(r, &r->source_refs[n].head, false);
	r->source_refs_evicted += n;
	r->source_ref_count -= n;
	if (n && r->source_ref_count)
		memmove(r->source_refs, r->source_refs + n,
			r->source_ref_count * sizeof *r->source_refs);
}

void source_events_damage(struct pl_recording *r, struct source_ref *ref)
{
	if (!ref->told)
		recording_damage(r, ref->file, ref->off, DAMAGED);
	ref->told = true;
}

/* ---- one record ---- */

int source_record_load(struct source_record *out, struct pl_recording *r,
	const struct source_ref *ref, struct pl_err *err)
{
	struct stream s = {.files = r->files,
		.file = ref->file,
		.off = ref->off,
		.size = ref->off + RECORD_HEAD_BYTES + ref->stored};
	struct record record;
	int code = stream_head(&s, err);

	if (code == 0)
		code = stream_record(&s, &record, err);
	out->rows = (struct pl_view){0};
	if (code == 0) {
		buf_reset(&out->bytes);
		buf_put(&out->bytes, record.payload.at, record.payload.left);
		code = out->bytes.failed ? PL_ERR_MEMORY
					 : source_events_open(buf_view(&out->bytes), &out->head,
						   &out->room, &out->rows);
	}
	out->row = (struct source_row){0};
	stream_release(&s);
	return code == PL_END ? PL_ERR_FORMAT : code;
}

void source_record_release(struct source_record *s)
{
	buf_release(&s->bytes);
	buf_release(&s->room);
}

int source_events_check(struct pl_recording *r, const struct source_ref *ref, struct pl_err *err)
{
	struct source_record s = {0};
	uint32_t i = 0;
	int code = source_record_load(&s, r, ref, err);

	for (; code == 0 && s.rows.left; i++)
		code = source_row_read(&s.rows, &s.row);
	if (code == 0 && i != ref->head.count)
		code = PL_ERR_FORMAT;
	source_record_release(&s);
	return code;
}

/* ---- the API ---- */

const char *pl_source_state_name(enum pl_source_state state)
{
	static const char *const names[] = {
		[PL_SOURCE_RAN] = "ran",
		[PL_SOURCE_REFUSED] = "refused",
		[PL_SOURCE_STOPPED] = "stopped",
	};

	return state < sizeof names / sizeof *names ? names[state] : "?";
}

uint32_t pl_event_source_count(const struct pl_recording *r)
{
	uint32_t n = 0;

	for (size_t i = 1; i <= SOURCES_MAX; i++)
		n += r->event_sources[i] != NULL;
	return n;
}

const struct pl_event_source *pl_event_source(const struct pl_recording *r, uint32_t index)
{
	for (size_t i = 1; i <= SOURCES_MAX; i++)
		if (r->event_sources[i] && index-- == 0)
			return &r->event_sources[i]->public;
	return NULL;
}
