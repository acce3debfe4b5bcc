/* The file `meta`: what describes the events. Each kind of record has a reader of its payload. If
 * one fails, that is damage, and the next record is read. Records that an older reader does not
 * know are counted and skipped.
 *
 * In the drawings below a field is a varint, or a string ("name"), which is a varint with its
 * length and then its bytes; … is repeated to the end of the payload. doc/FORMAT.md says what they
 * mean. Texts are copied into the recording (texts.h), since the payload is gone after its reader.
 *
 * Records come in the order in which the collector learned of things, and after damage any of them
 * can be missing. So a reader makes the entry that it needs (recording_process, recording_thread),
 * and `described` says whether the record that describes it was there.
 */
#include "trace/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "trace/code.h"
#include "trace/event_sources.h"
#include "trace/stream.h"

struct meta {
	struct pl_recording *r;
	uint64_t off; /* of the current record */
	struct pl_err *err;
	struct pl_err why; /* of the last failure of the stream */
};

/* Reads the whole payload; bytes after what it knows are for later minor versions. 0;
 * PL_ERR_FORMAT: this record is damaged, and the next one is read; any other error ends reading. */
typedef int meta_reader(struct meta *m, struct pl_view v);

static int meta_text(struct meta *m, struct pl_view *v, const char **out)
{
	struct pl_view bytes;
	int code = view_string(v, &bytes);

	if (code)
		return code;
	const char *text = texts_keep(&m->r->texts, bytes);
	if (!text)
		return PL_ERR_MEMORY;
	*out = text;
	return 0;
}

/* A later record of the same number replaces the earlier one. */
static int put_pointer(struct pl_map *map, uint64_t key, const void *p)
{
	uint64_t *slot = map_put(map, key);

	if (!slot)
		return PL_ERR_MEMORY;
	*slot = (uintptr_t)p;
	return 0;
}

/* ---- header ---- */

static bool is_key(struct pl_view key, const char *word)
{
	return key.left == strlen(word) && memcmp(key.at, word, key.left) == 0;
}

/* 0 if it is not a number, or too large: both mean "not known". */
static uint64_t decimal_number(const char *text)
{
	errno = 0;
	uint64_t value = strtoull(text, NULL, 10);
	return errno ? 0 : value;
}

/* A key that is not known is of a later minor version, and is skipped. */
static void set_key(struct pl_recording *r, struct pl_view key, const char *value)
{
	const struct {
		const char *word;
		const char **text;
	} texts[] = {
		{"command", &r->info.command},
		{"host", &r->info.host},
		{"system", &r->info.system},
		{"pathline", &r->info.pathline},
		{"clock", &r->info.clock},
		{"arena", &r->info.arena},
		{"passes", &r->info.passes},
		{"stamps", &r->info.stamps},
		{"filter", &r->info.filter},
		{"values", &r->info.values},
		{"values-of", &r->info.values_of},
		{"values-limit", &r->info.values_limit},
		{"secrets", &r->info.secrets},
		{"redact", &r->info.redact},
		{"stripped", &r->info.stripped},
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (is_key(key, texts[i].word))
			*texts[i].text = value;
	if (is_key(key, "start_ns"))
		r->info.start_ns = (int64_t)(decimal_number(value) & INT64_MAX);
	if (is_key(key, "limit_bytes"))
		r->info.limit_bytes = decimal_number(value);
	r->clock.ticks_are_ns = strcmp(r->info.clock, "monotonic") == 0;
}

/* | major u16 | minor u16 | "key" "value" … |
 *
 * Another major version means other events: nothing of it can be read. A higher minor one only
 * adds.
 */
static int read_header(struct meta *m, struct pl_view v)
{
	struct pl_recording *r = m->r;
	uint16_t major, minor;

	if (view_u16(&v, &major) || view_u16(&v, &minor))
		return PL_ERR_FORMAT;
	if (major != FORMAT_MAJOR)
		return pl_err_cause(m->err, PL_ERR_VERSION,
			"its format is %u.%u, but this Pathline (" PATHLINE_VERSION
			") reads format %u.x",
			major, minor, FORMAT_MAJOR);
	r->info.format_major = major;
	r->info.format_minor = minor;
	while (v.left) {
		struct pl_view key;
		const char *value;
		if (view_string(&v, &key))
			return PL_ERR_FORMAT;
		int code = meta_text(m, &v, &value);
		if (code)
			return code;
		set_key(r, key, value);
	}
	r->header_read = true;
	return 0;
}

/* ---- processes and threads ---- */

static const char *how_word(uint64_t how)
{
	static const char *const words[] = {"start", "fork", "exec"};

	return how < sizeof words / sizeof *words ? words[how] : "?";
}

/* | number | parent | pid | how | ticks | "command" | "executable" | "interpreter" | "stdlib_dir" |
 *   …
 *
 * What follows is for a writer that continues the recording; 1.0 has no stdlib_dir. Its entry may
 * be there already: a THREAD record or a block made it.
 */
static int meta_process(struct meta *m, struct pl_view v)
{
	uint32_t number, parent, pid;
	uint64_t how, ticks;

	if (view_varint_u32(&v, &number) || view_varint_u32(&v, &parent) ||
		view_varint_u32(&v, &pid) || view_varint(&v, &how) || view_varint(&v, &ticks) ||
		!number)
		return PL_ERR_FORMAT;
	struct process_entry *p = recording_process(m->r, number);
	if (!p)
		return PL_ERR_MEMORY;
	p->described = true;
	p->start_ticks = ticks;
	p->public.parent = parent;
	p->public.pid = pid;
	p->public.how = how_word(how);
	int code = meta_text(m, &v, &p->public.command);
	if (code == 0)
		code = meta_text(m, &v, &p->public.executable);
	if (code == 0)
		code = meta_text(m, &v, &p->public.interpreter);
	return code || !v.left ? code : meta_text(m, &v, &p->stdlib_dir);
}

/* A field that older recordings have not, and leave 0. */
static int read_later(struct pl_view *v, uint64_t *to)
{
	*to = 0;
	return v->left && view_varint(v, to) ? PL_ERR_FORMAT : 0;
}

/* Microseconds, as nanoseconds. */
static int read_span(struct pl_view *v, uint64_t *ns)
{
	const int code = read_later(v, ns);

	if (*ns > UINT32_MAX)
		return PL_ERR_FORMAT;
	*ns *= 1000;
	return code;
}

static int read_process_end_more(struct pl_view v, struct pl_process *p)
{
	if (read_later(&v, &p->codes_left_out) || read_later(&v, &p->codes_unanalysed) ||
		read_later(&v, &p->values_cut) || read_span(&v, &p->held_ns) ||
		read_span(&v, &p->waited_ns) || read_span(&v, &p->began_ns))
		return PL_ERR_FORMAT;
	return 0;
}

/* | number | ticks | end | end code | switches | waits | left out | not analysed | values cut |
 * | held | waited | began |
 *
 * What follows `waits` is not there in old recordings.
 */
static int read_process_end(struct meta *m, struct pl_view v)
{
	uint32_t number, end_code;
	uint64_t ticks, end, switches, waits;

	if (view_varint_u32(&v, &number) || view_varint(&v, &ticks) ||
		view_varint_max(&v, PL_PROCESS_LOST, &end) || view_varint_u32(&v, &end_code) ||
		view_varint(&v, &switches) || view_varint(&v, &waits) || !number)
		return PL_ERR_FORMAT;
	struct process_entry *p = recording_process(m->r, number);
	if (!p)
		return PL_ERR_MEMORY;
	p->ended = true;
	p->end_ticks = ticks;
	p->public.end = (enum pl_process_end)end;
	p->public.end_code = (int)end_code;
	p->public.switches = switches;
	p->public.waits = waits;
	return read_process_end_more(v, &p->public);
}

/* | process | number | native id | ticks | "name" |
 *
 * A further record of a thread changes its name; its beginning is that of the first.
 */
static int meta_thread(struct meta *m, struct pl_view v)
{
	uint32_t process, number;
	uint64_t native_id, ticks;

	if (view_varint_u32(&v, &process) || view_varint_u32(&v, &number) ||
		view_varint(&v, &native_id) || view_varint(&v, &ticks))
		return PL_ERR_FORMAT;
	struct thread_entry *t = recording_thread(m->r, process, number);
	if (!t)
		return PL_ERR_FORMAT;
	if (!t->described)
		t->start_ticks = ticks;
	t->described = true;
	t->public.native_id = native_id;
	return meta_text(m, &v, &t->public.name);
}

/* | process | number | ticks | seq |
 *
 * seq is the number of rows that the thread had in all: if fewer are there, its last block is
 * lost.
 */
static int meta_thread_end(struct meta *m, struct pl_view v)
{
	uint32_t process, number;
	uint64_t ticks, seq;

	if (view_varint_u32(&v, &process) || view_varint_u32(&v, &number) ||
		view_varint(&v, &ticks) || view_varint(&v, &seq))
		return PL_ERR_FORMAT;
	struct thread_entry *t = recording_thread(m->r, process, number);
	if (!t)
		return PL_ERR_FORMAT;
	t->ended = true;
	t->end_ticks = ticks;
	t->end_seq = seq;
	return 0;
}

/* ---- names, code, sources ---- */

/* | number "text" … | */
static int read_strings(struct meta *m, struct pl_view v)
{
	while (v.left) {
		uint64_t number;
		const char *text;
		if (view_varint(&v, &number))
			return PL_ERR_FORMAT;
		int code = meta_text(m, &v, &text);
		if (code == 0)
			code = put_pointer(&m->r->strings, number, text);
		if (code)
			return code;
	}
	return 0;
}

/* | number | source | "body" … |
 *
 * The bytes are kept, and decoded when a cursor first needs the code (code.c): a program imports
 * thousands of functions, and a reader needs few of them.
 */
static int read_bodies(struct meta *m, struct pl_view v)
{
	struct pl_recording *r = m->r;

	while (v.left) {
		uint64_t number, source;
		struct pl_view bytes;
		if (view_varint(&v, &number) || view_varint(&v, &source) || view_string(&v, &bytes))
			return PL_ERR_FORMAT;
		if (map_find(&r->bodies, number))
			continue; /* it was given to a caller already, and must not change */
		struct pl_code *c = entries_add(&r->codes, sizeof *c);
		if (!c)
			return PL_ERR_MEMORY;
		c->bytes = texts_copy(&r->texts, bytes);
		c->source = source;
		c->off = m->off;
		if (!c->bytes.at || put_pointer(&r->bodies, number, c))
			return PL_ERR_MEMORY;
	}
	return 0;
}

/* | number | "file" | "why there is no text" | "text" | */
static int read_source(struct meta *m, struct pl_view v)
{
	struct pl_recording *r = m->r;
	uint64_t number;
	struct pl_view file, text;
	const char *reason;

	if (view_varint(&v, &number) || view_string(&v, &file))
		return PL_ERR_FORMAT;
	int code = meta_text(m, &v, &reason);
	if (code)
		return code;
	if (view_string(&v, &text))
		return PL_ERR_FORMAT;
	struct source *s = entries_add(&r->source_list, sizeof *s);
	if (!s)
		return PL_ERR_MEMORY;
	s->reason = reason;
	s->text = texts_copy(&r->texts, text);
	return s->text.at ? put_pointer(&r->sources, number, s) : PL_ERR_MEMORY;
}

/* ---- clock, losses, the end ---- */

/* | ticks | monotonic ns | real ns | error ns | gap ticks |
 *
 * clockmap_add refuses a sample that goes backward; that is damage like any other.
 */
static int meta_clock(struct meta *m, struct pl_view v)
{
	struct clock_sample s;
	uint64_t mono, real, error;

	if (view_varint(&v, &s.ticks) || view_varint_max(&v, INT64_MAX, &mono) ||
		view_varint_max(&v, INT64_MAX, &real) || view_varint_max(&v, INT64_MAX, &error) ||
		view_varint(&v, &s.gap_ticks))
		return PL_ERR_FORMAT;
	s.mono_ns = (int64_t)mono;
	s.real_ns = (int64_t)real;
	s.error_ns = (int64_t)error;
	return clockmap_add(&m->r->clock, &s);
}

/* | process | thread | seq | ticks | reason | lost | "text" |
 *
 * A reason that a later version has is unknown here, but the loss is still one.
 */
static int read_loss(struct meta *m, struct pl_view v)
{
	struct pl_loss l = {0};
	uint64_t ticks, reason;

	if (view_varint_u32(&v, &l.process) || view_varint_u32(&v, &l.thread) ||
		view_varint(&v, &l.seq) || view_varint(&v, &ticks) || view_varint(&v, &reason) ||
		view_varint(&v, &l.lost))
		return PL_ERR_FORMAT;
	l.reason = reason < PL_GAP_REASON_COUNT ? (enum pl_gap_reason)reason : PL_GAP_UNKNOWN;
	int code = meta_text(m, &v, &l.text);
	if (code)
		return code;
	struct loss_entry *entry = entries_add(&m->r->losses, sizeof *entry);
	if (!entry)
		return PL_ERR_MEMORY;
	entry->public = l;
	entry->ticks = ticks;
	entry->off = m->off;
	return 0;
}

/* | ticks | recovered | meta bytes | first segment | bytes of each segment … |
 *
 * END says at which offset it is (meta_bytes), so lost records before it are noticed. The sizes of
 * the segments are compared when they are read (index.c).
 */
static int read_end(struct meta *m, struct pl_view v)
{
	struct pl_recording *r = m->r;
	uint64_t ticks, recovered, meta_bytes, bytes;
	uint32_t first;

	if (view_varint(&v, &ticks) || view_varint(&v, &recovered) ||
		view_varint(&v, &meta_bytes) || view_varint_u32(&v, &first))
		return PL_ERR_FORMAT;
	if (meta_bytes != m->off)
		recording_damage(
			r, FILE_META, m->off, "records of what describes the events are missing");
	r->end_sizes = texts_copy(&r->texts, v);
	if (!r->end_sizes.at)
		return PL_ERR_MEMORY;
	while (v.left && view_varint(&v, &bytes) == 0)
		;
	r->first_segment = first;
	r->end_ticks = ticks;
	r->info.finished = true;
	r->info.recovered = recovered != 0;
	return v.left ? PL_ERR_FORMAT : 0;
}

/* | first segment | events |
 *
 * What --limit dropped. Each further record has the sums so far, so there is one loss, which
 * grows.
 */
static int read_evicted(struct meta *m, struct pl_view v)
{
	struct pl_recording *r = m->r;
	uint64_t events = 0; /* not recorded before 1.9 */
	int code = view_varint_u32(&v, &r->first_segment);

	if (code == 0 && v.left)
		code = view_varint(&v, &events);
	if (code)
		return code;
	if (!r->evicted)
		r->evicted = entries_add(&r->losses, sizeof *r->evicted);
	if (!r->evicted)
		return PL_ERR_MEMORY;
	r->evicted->public.reason = PL_GAP_EVICTED;
	r->evicted->public.lost = events;
	r->evicted->public.text = "";
	return 0;
}

/* One row: | body | count of each kind … |. Kinds that a later version has after ours are
 * skipped. */
static int read_recorded(struct pl_view *v, uint64_t kinds, struct recorded *out)
{
	uint64_t n;

	*out = (struct recorded){0};
	int code = view_varint_max(v, UINT32_MAX, &out->body);
	for (uint64_t k = 0; k < kinds && code == 0; k++) {
		code = view_varint(v, &n);
		if (code == 0 && k < PL_EVENT_KIND_COUNT)
			out->counts[k] = n;
	}
	return code;
}

/* The number of kinds in the first version, so that the least size of a row is known. */
#define COSTS_KINDS_MIN 13

/* | collector ns | kinds | row … |
 *
 * Sums: a later record replaces an earlier one. A row has at least one byte for each of its
 * numbers, which bounds the memory that is asked for by the bytes that are there.
 */
static int read_costs(struct meta *m, struct pl_view v)
{
	uint64_t collector_ns, kinds;
	size_t count = 0;
	int code = 0;

	if (view_varint(&v, &collector_ns) || view_varint_max(&v, UINT8_MAX, &kinds) ||
		kinds < COSTS_KINDS_MIN)
		return PL_ERR_FORMAT;
	struct recorded *rows = calloc(v.left / (1 + kinds) + 1, sizeof *rows);
	if (!rows)
		return PL_ERR_MEMORY;
	while (v.left && code == 0)
		code = read_recorded(&v, kinds, &rows[count++]);
	if (code) {
		free(rows);
		return code;
	}
	free(m->r->recorded);
	m->r->recorded = rows;
	m->r->recorded_count = count;
	m->r->collector_ns = collector_ns;
	return 0;
}

static int read_event_source(struct meta *m, struct pl_view v)
{
	return event_source_read(m->r, v);
}

static int read_event_kind(struct meta *m, struct pl_view v)
{
	return event_kind_read(m->r, v);
}

static int read_event_names(struct meta *m, struct pl_view v)
{
	return event_names_read(m->r, v);
}

static meta_reader *const readers[] = {
	[RECORD_HEADER] = read_header,
	[RECORD_PROCESS] = meta_process,
	[RECORD_THREAD] = meta_thread,
	[RECORD_STRINGS] = read_strings,
	[RECORD_BODIES] = read_bodies,
	[RECORD_SOURCE] = read_source,
	[RECORD_CLOCK] = meta_clock,
	[RECORD_PROCESS_END] = read_process_end,
	[RECORD_THREAD_END] = meta_thread_end,
	[RECORD_LOSS] = read_loss,
	[RECORD_END] = read_end,
	[RECORD_EVICTED] = read_evicted,
	[RECORD_COSTS] = read_costs,
	[RECORD_EVENT_SOURCE] = read_event_source,
	[RECORD_EVENT_KIND] = read_event_kind,
	[RECORD_EVENT_NAMES] = read_event_names,
};

/* A kind that has no reader was counted (recording_count), and that is all. */
static int read_payload(struct meta *m, const struct record *record, struct pl_buf *room)
{
	struct pl_view plain;

	if (record->kind >= sizeof readers / sizeof *readers || !readers[record->kind])
		return 0;
	int code = record_payload(record, room, &plain);
	return code ? code : readers[record->kind](m, plain);
}

/* The head is sound. A payload that is damaged costs this record only, because the head says where
 * the next one is. */
static int meta_record(struct meta *m, struct stream *s, struct pl_buf *room)
{
	struct pl_recording *r = m->r;
	struct record record;
	int code = stream_record(s, &record, &m->why);

	m->off = s->off;
	if (code == 0)
		recording_count(r, record.kind, RECORD_HEAD_BYTES + s->head.stored);
	if (code == 0)
		code = read_payload(m, &record, room);
	if (code == PL_ERR_FORMAT) {
		recording_damage(
			r, FILE_META, s->off, "a record of what describes the events is damaged");
		m->why = (struct pl_err){0};
		code = 0;
	}
	stream_next(s);
	return code;
}

/* To the end, or as far as records are whole: the last one may be half written, and is read the
 * next time. Bytes that are not a record are skipped to the next sound head. */
static int read_all(struct meta *m, struct stream *s, bool *news)
{
	struct pl_buf room = {0};
	int code;

	for (;;) {
		code = stream_head(s, &m->why);
		if (code == PL_END)
			break;
		*news = true;
		if (code == PL_ERR_FORMAT) {
			recording_damage(m->r, FILE_META, s->off, "bytes that are no record");
			m->why = (struct pl_err){0};
			code = stream_resync(s, &m->why);
		} else if (code == 0) {
			code = meta_record(m, s, &room);
		}
		if (code)
			break;
	}
	buf_release(&room);
	return code < 0 ? recording_failed(m->err, code, &m->why) : 0;
}

/* Goes on where the last call ended (meta_off), for a recording that is being written. */
int meta_read(struct pl_recording *r, bool *news, struct pl_err *err)
{
	struct meta m = {.r = r, .err = err};
	struct stream s = {.files = r->files, .file = FILE_META, .off = r->meta_off};
	int code = r->files->ops->size(r->files, FILE_META, &s.size, err);

	if (code)
		return pl_err_cause(
			err, code, "its file `meta`, which describes the rest, cannot be opened");
	if (s.size < s.off)
		return pl_err_cause(err, PL_ERR_FORMAT, "its file `meta` became shorter");
	code = read_all(&m, &s, news);
	r->meta_off = s.off;
	stream_release(&s);
	if (code)
		return pl_err_cause(err, code, "file `meta`, offset %" PRIu64, r->meta_off);
	if (!r->header_read && !r->records)
		return pl_err_cause(err, PL_ERR_FORMAT, "its file `meta` has no header");
	if (r->info.finished && s.cut)
		recording_damage(r, FILE_META, s.off, "bytes after the end");
	return 0;
}
