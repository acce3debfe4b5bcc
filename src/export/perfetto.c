/* Perfetto's protocol buffers (protos/perfetto/trace): track events, one packet each. Times are
 * CLOCK_REALTIME in ns. Names and places are written once, with a number, by which later packets
 * mention them.
 *
 *	Trace { packet: clock snapshot
 *	        packet: descriptor of process 1, of its threads …
 *	        packet: 12345 ns, slice begins, name 7, place 7 { interned: 7 is "book" }
 *	        packet: 12399 ns, slice ends }
 */
#include "export/export.h"

#include <inttypes.h>
#include "base/map.h"
#include "export/json.h"
#include "export/protobuf.h"

/* Numbers of fields, as the schema has them. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DESCRIPTOR = 60
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };
enum { SNAPSHOT_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_REAL = 1, CLOCK_BOOT = 6 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
	EVENT_CATEGORY_IID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_PLACE_IID = 34,
	EVENT_FLOW = 47
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3 };
enum { ANNOTATION_TEXT = 6, ANNOTATION_JSON = 9, ANNOTATION_NAME = 10 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_PLACE = 4 };
enum { IID = 1, INTERNED_TEXT = 2 };
enum { PLACE_FILE = 2, PLACE_FUNCTION = 3, PLACE_LINE = 4 };

#define SEQUENCE 1 /* all packets are of one sequence */

struct perfetto {
	struct pl_map codes; /* owned: address of a code -> its number, from 1 */
	struct pl_buf json;  /* owned */
	bool cleared;	     /* the first packet of the sequence was written */
};

static uint64_t thread_uuid(const struct export_track *t)
{
	return (uint64_t)1 << 32 | t->number;
}

static size_t open_packet(struct export *x, int64_t time_ns)
{
	struct perfetto *p = x->state;
	const size_t begin = pb_open(&x->bytes, TRACE_PACKET);

	pb_number(&x->bytes, PACKET_TIMESTAMP, (uint64_t)time_ns);
	pb_number(&x->bytes, PACKET_SEQUENCE, SEQUENCE);
	pb_number(&x->bytes, PACKET_FLAGS, p->cleared ? FLAG_NEEDS : FLAG_CLEARED | FLAG_NEEDS);
	p->cleared = true;
	return begin;
}

/* ---- what stands before the events ---- */

static void put_clock(struct pl_buf *b, uint64_t id, uint64_t time)
{
	const size_t clock = pb_open(b, SNAPSHOT_CLOCK);

	pb_number(b, CLOCK_ID, id);
	pb_number(b, CLOCK_TIME, time);
	pb_close(b, clock);
}

static void put_category(struct pl_buf *b, enum pl_event_kind kind, const char *word)
{
	const size_t category = pb_open(b, INTERNED_CATEGORY);

	pb_number(b, IID, (uint64_t)kind + 1);
	pb_text(b, INTERNED_TEXT, word);
	pb_close(b, category);
}

/* The trace's own clock is that of the boot; it is said to be the same as real time. */
static int perfetto_begin(struct export *x)
{
	struct pl_buf *b = &x->bytes;
	const size_t packet = open_packet(x, x->start_ns);
	const size_t snapshot = pb_open(b, PACKET_CLOCK_SNAPSHOT);

	put_clock(b, CLOCK_BOOT, (uint64_t)x->start_ns);
	put_clock(b, CLOCK_REAL, (uint64_t)x->start_ns);
	pb_close(b, snapshot);
	const size_t interned = pb_open(b, PACKET_INTERNED);
	put_category(b, PL_EVENT_CALL, "function");
	put_category(b, PL_EVENT_LINE, "line");
	put_category(b, PL_EVENT_RAISE, "raise");
	put_category(b, PL_EVENT_MARK, "mark");
	put_category(b, PL_EVENT_GAP, "gap");
	pb_close(b, interned);
	pb_close(b, packet);
	return 0;
}

static int perfetto_process(struct export *x, const struct pl_process *p)
{
	struct pl_buf *b = &x->bytes;
	const size_t packet = open_packet(x, p->start_ns);
	const size_t track = pb_open(b, PACKET_DESCRIPTOR);

	pb_number(b, TRACK_UUID, p->number);
	const size_t process = pb_open(b, TRACK_PROCESS);
	pb_number(b, PROCESS_PID, p->pid);
	pb_text(b, PROCESS_COMMAND, p->command);
	pb_text(b, PROCESS_NAME, p->command);
	pb_close(b, process);
	pb_close(b, track);
	pb_close(b, packet);
	return 0;
}

static void put_thread(struct pl_buf *b, const struct export_track *t, const char *name)
{
	const size_t thread = pb_open(b, TRACK_THREAD);

	pb_number(b, THREAD_PID, t->process->pid);
	pb_number(b, THREAD_TID, t->thread->native_id);
	pb_text(b, THREAD_NAME, name);
	pb_close(b, thread);
}

/* A greenlet is a track of the process, beside its threads. */
static int perfetto_track(struct export *x, const struct export_track *t)
{
	struct pl_buf *b = &x->bytes;
	char name[EXPORT_NAME_BYTES];
	const size_t packet = open_packet(x, t->thread->start_ns);
	const size_t track = pb_open(b, PACKET_DESCRIPTOR);

	export_track_name(t, name);
	pb_number(b, TRACK_UUID, thread_uuid(t));
	pb_number(b, TRACK_PARENT, t->process->number);
	if (t->greenlet)
		pb_text(b, TRACK_NAME, name);
	else
		put_thread(b, t, name);
	pb_close(b, track);
	pb_close(b, packet);
	return 0;
}

/* ---- names ---- */

/* The number of a code, and whether it was given just now. */
static int number_of(struct export *x, const struct pl_code *code, uint64_t *number, bool *is_new)
{
	struct perfetto *p = x->state;
	const uint64_t *known = map_find(&p->codes, (uintptr_t)code);

	*is_new = !known;
	if (known) {
		*number = *known;
		return 0;
	}
	uint64_t *slot = map_put(&p->codes, (uintptr_t)code);
	if (!slot)
		return PL_ERR_MEMORY;
	*number = *slot = p->codes.used;
	return 0;
}

static void put_interned(struct pl_buf *b, const struct pl_code *code, uint64_t number)
{
	const size_t interned = pb_open(b, PACKET_INTERNED);
	const size_t name = pb_open(b, INTERNED_NAME);

	pb_number(b, IID, number);
	pb_text(b, INTERNED_TEXT, pl_code_name(code));
	pb_close(b, name);
	const size_t place = pb_open(b, INTERNED_PLACE);
	pb_number(b, IID, number);
	pb_text(b, PLACE_FILE, pl_code_file(code));
	pb_text(b, PLACE_FUNCTION, pl_code_name(code));
	pb_number(b, PLACE_LINE, (uint64_t)(uint32_t)pl_code_first_line(code));
	pb_close(b, place);
	pb_close(b, interned);
}

/* ---- events ---- */

/* An argument of the event: members of a JSON object. */
static void put_json(struct pl_buf *b, const char *name, const struct pl_buf *members)
{
	if (!members->used)
		return;
	const size_t annotation = pb_open(b, EVENT_ANNOTATION);
	pb_text(b, ANNOTATION_NAME, name);
	const size_t json = pb_open(b, ANNOTATION_JSON);
	buf_u8(b, '{');
	buf_put(b, members->at, members->used);
	buf_u8(b, '}');
	pb_close(b, json);
	pb_close(b, annotation);
}

static size_t open_event(struct pl_buf *b, const struct export_track *t, uint64_t type)
{
	const size_t event = pb_open(b, PACKET_EVENT);

	pb_number(b, EVENT_TYPE, type);
	pb_number(b, EVENT_TRACK, thread_uuid(t));
	return event;
}

static int perfetto_slice_begin(struct export *x, const struct export_slice *s, const char *task)
{
	struct perfetto *p = x->state;
	struct pl_buf *b = &x->bytes;
	char line[EXPORT_NAME_BYTES];
	uint64_t number;
	bool is_new;

	if (number_of(x, s->code, &number, &is_new))
		return PL_ERR_MEMORY;
	buf_reset(&p->json);
	export_json_about(&p->json, s, task);
	const size_t packet = open_packet(x, s->begin_ns);
	if (is_new)
		put_interned(b, s->code, number);
	const size_t event = open_event(b, s->track, TYPE_BEGIN);
	pb_number(b, EVENT_CATEGORY_IID, (s->line ? PL_EVENT_LINE : PL_EVENT_CALL) + 1);
	pb_number(b, EVENT_PLACE_IID, number);
	if (!s->line)
		pb_number(b, EVENT_NAME_IID, number);
	else
		pb_text(b, EVENT_NAME, export_slice_name(x, s, line));
	put_json(b, "python", &p->json);
	if (s->is_task)
		pb_fixed64(b, EVENT_FLOW, (uint64_t)s->track->process->number << 40 | s->task_id);
	pb_close(b, event);
	pb_close(b, packet);
	return 0;
}

static int perfetto_slice_end(
	struct export *x, const struct export_slice *s, const struct pl_event *e)
{
	struct perfetto *p = x->state;
	struct pl_buf *b = &x->bytes;

	buf_reset(&p->json);
	export_json_outcome(&p->json, s, e);
	const size_t packet = open_packet(x, s->end_ns);
	const size_t event = open_event(b, s->track, TYPE_END);
	if (!s->line)
		put_json(b, "outcome", &p->json);
	pb_close(b, event);
	pb_close(b, packet);
	return 0;
}

static int perfetto_instant(
	struct export *x, const struct export_track *t, const struct pl_event *e)
{
	struct perfetto *p = x->state;
	struct pl_buf *b = &x->bytes;

	buf_reset(&p->json);
	export_json_point(&p->json, e);
	const size_t packet = open_packet(x, e->time_ns);
	const size_t event = open_event(b, t, TYPE_INSTANT);
	pb_number(b, EVENT_CATEGORY_IID, (uint64_t)e->kind + 1);
	pb_text(b, EVENT_NAME, export_point_name(e));
	put_json(b, "python", &p->json);
	pb_close(b, event);
	pb_close(b, packet);
	return 0;
}

static void perfetto_release(struct export *x)
{
	struct perfetto *p = x->state;

	map_release(&p->codes);
	buf_release(&p->json);
}

const struct export_format export_perfetto = {
	.name = "perfetto",
	.about = "protocol buffers for ui.perfetto.dev",
	.takes = EXPORT_PATH,
	.is_binary = true,
	.state_bytes = sizeof(struct perfetto),
	.begin = perfetto_begin,
	.release = perfetto_release,
	.process = perfetto_process,
	.track = perfetto_track,
	.slice_begin = perfetto_slice_begin,
	.slice_end = perfetto_slice_end,
	.instant = perfetto_instant,
};
