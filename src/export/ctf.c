/* Common Trace Format 1.8, a directory that babeltrace2 and Trace Compass read: `metadata`, which
 * describes all events, and a stream for each thread. A stream is packets:
 *
 *	| magic | stream 0 | first time | last time | bits used | bits | events … |
 *
 * An event is its number, its time, the process and thread, and the fields that metadata lists.
 * Numbers are little-endian; a text ends with a NUL.
 */
#include "export/json.h"

#include <inttypes.h>
#include <stdio.h>

#define PACKET_MAGIC 0xc1fc1fc1u
#define PACKET_BYTES (64u << 10) /* a packet ends when it has more */
#define PACKET_HEAD  (4 + 4 + 4 * 8)
#define FILE_BYTES   64 /* of a stream's name */

/* The numbers of events. */
enum { CTF_CALL, CTF_RETURN, CTF_LINE, CTF_RAISE, CTF_MARK, CTF_GAP };

static const char metadata[] =
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"trace {\n"
	"\tmajor = 1; minor = 8; byte_order = le;\n"
	"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n"
	"};\n"
	"clock {\n"
	"\tname = realtime; description = \"CLOCK_REALTIME\"; freq = 1000000000;\n"
	"\toffset_s = 0; offset = 0; absolute = true;\n"
	"};\n"
	"typealias integer { size = 64; align = 8; signed = false;\n"
	"\tmap = clock.realtime.value; } := moment_t;\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct { moment_t timestamp_begin; moment_t timestamp_end;\n"
	"\t\tuint64_t content_size; uint64_t packet_size; };\n"
	"\tevent.header := struct { uint16_t id; moment_t timestamp; };\n"
	"\tevent.context := struct { uint32_t _vpid; uint32_t _vtid; };\n"
	"};\n"
	"event { name = \"python:call\"; id = 0; stream_id = 0; fields := struct {\n"
	"\tstring _function; string _file; uint32_t _line; string _began; string _about; }; };\n"
	"event { name = \"python:return\"; id = 1; stream_id = 0; fields := struct {\n"
	"\tstring _function; string _outcome; }; };\n"
	"event { name = \"python:line\"; id = 2; stream_id = 0; fields := struct {\n"
	"\tstring _file; uint32_t _line; string _text; }; };\n"
	"event { name = \"python:raise\"; id = 3; stream_id = 0; fields := struct {\n"
	"\tstring _type; string _about; }; };\n"
	"event { name = \"python:mark\"; id = 4; stream_id = 0; fields := struct {\n"
	"\tstring _text; string _about; }; };\n"
	"event { name = \"python:gap\"; id = 5; stream_id = 0; fields := struct {\n"
	"\tstring _reason; string _about; }; };\n";

struct ctf {
	struct pl_buf packet; /* owned: events that are not written yet */
	struct pl_buf json;   /* owned */
	int64_t first_ns, last_ns;
};

/* ---- packets ---- */

static int close_packet(struct export *x)
{
	struct ctf *c = x->state;
	const uint64_t bits = 8 * (PACKET_HEAD + (uint64_t)c->packet.used);

	if (!c->packet.used)
		return 0;
	buf_u32(&x->bytes, PACKET_MAGIC);
	buf_u32(&x->bytes, 0);
	buf_u64(&x->bytes, (uint64_t)c->first_ns);
	buf_u64(&x->bytes, (uint64_t)c->last_ns);
	buf_u64(&x->bytes, bits);
	buf_u64(&x->bytes, bits);
	buf_put(&x->bytes, c->packet.at, c->packet.used);
	const bool failed = c->packet.failed;
	buf_reset(&c->packet);
	return failed ? PL_ERR_MEMORY : 0;
}

static struct pl_buf *open_event(
	struct export *x, uint16_t id, const struct export_track *t, int64_t time_ns)
{
	struct ctf *c = x->state;

	if (!c->packet.used)
		c->first_ns = time_ns;
	c->last_ns = time_ns;
	buf_u16(&c->packet, id);
	buf_u64(&c->packet, (uint64_t)time_ns);
	buf_u32(&c->packet, t->process->pid);
	buf_u32(&c->packet, (uint32_t)t->thread->native_id);
	return &c->packet;
}

static int close_event(struct export *x)
{
	const struct ctf *c = x->state;

	return c->packet.used > PACKET_BYTES || c->packet.failed ? close_packet(x) : 0;
}

static void put_text(struct pl_buf *b, const char *text)
{
	export_utf8(b, text);
	buf_u8(b, 0);
}

/* Members of a JSON object, as a text. */
static void put_json(struct pl_buf *b, const struct pl_buf *members)
{
	buf_u8(b, '{');
	buf_put(b, members->at, members->used);
	buf_put(b, "}", 2);
}

/* ---- metadata ---- */

/* A text in quotes. */
static void put_quoted(struct pl_buf *b, const char *text)
{
	struct pl_buf clean = {0};

	export_utf8(&clean, text);
	buf_u8(b, '"');
	for (size_t i = 0; i < clean.used; i++) {
		const uint8_t byte = clean.at[i];
		if (byte == '"' || byte == '\\')
			buf_u8(b, '\\');
		buf_u8(b, byte < 0x20 || byte == 0x7f ? '?' : byte);
	}
	buf_u8(b, '"');
	b->failed |= clean.failed;
	buf_release(&clean);
}

static int ctf_begin(struct export *x)
{
	struct pl_recording_info info;
	struct pl_buf *b = &x->bytes;
	const int code = export_file(x, "metadata");

	pl_recording_info(x->r, &info);
	buf_printf(b, "/* CTF 1.8 */\n");
	buf_put(b, metadata, sizeof metadata - 1);
	buf_printf(b, "env {\n\ttracer_name = \"pathline\"; tracer_version = \"" PATHLINE_VERSION
		      "\";\n\thostname = ");
	put_quoted(b, info.host);
	buf_printf(b, "; command = ");
	put_quoted(b, info.command);
	buf_printf(b, ";\n};\n");
	return code;
}

/* ---- events ---- */

static int ctf_track(struct export *x, const struct export_track *t)
{
	char name[FILE_BYTES];

	snprintf(name, sizeof name, "process_%" PRIu32 "_thread_%" PRIu32, t->process->number,
		t->thread->number);
	return export_file(x, name);
}

static int ctf_track_end(struct export *x, const struct export_track *t, int64_t end_ns)
{
	(void)t;
	(void)end_ns;
	return close_packet(x);
}

static int put_line(struct export *x, const struct export_slice *s)
{
	char line[EXPORT_NAME_BYTES];
	struct pl_buf *b = open_event(x, CTF_LINE, s->track, s->begin_ns);

	put_text(b, pl_code_file(s->code));
	buf_u32(b, (uint32_t)s->line);
	put_text(b, export_slice_name(x, s, line));
	return close_event(x);
}

static int ctf_slice_begin(struct export *x, const struct export_slice *s, const char *task)
{
	struct ctf *c = x->state;

	if (s->line)
		return put_line(x, s);
	struct pl_buf *b = open_event(x, CTF_CALL, s->track, s->begin_ns);
	put_text(b, pl_code_name(s->code));
	put_text(b, pl_code_file(s->code));
	buf_u32(b, (uint32_t)pl_code_first_line(s->code));
	put_text(b, s->begun == PL_EVENT_GAP ? "earlier" : pl_event_kind_name(s->begun));
	buf_reset(&c->json);
	export_json_about(&c->json, s, task);
	put_json(b, &c->json);
	return close_event(x);
}

static int ctf_slice_end(struct export *x, const struct export_slice *s, const struct pl_event *e)
{
	struct ctf *c = x->state;

	if (s->line)
		return 0;
	struct pl_buf *b = open_event(x, CTF_RETURN, s->track, s->end_ns);
	put_text(b, pl_code_name(s->code));
	buf_reset(&c->json);
	export_json_outcome(&c->json, s, e);
	put_json(b, &c->json);
	return close_event(x);
}

static int ctf_instant(struct export *x, const struct export_track *t, const struct pl_event *e)
{
	struct ctf *c = x->state;
	const uint16_t id = e->kind == PL_EVENT_GAP    ? CTF_GAP
			    : e->kind == PL_EVENT_MARK ? CTF_MARK
						       : CTF_RAISE;
	struct pl_buf *b = open_event(x, id, t, e->time_ns);

	put_text(b, export_point_name(e));
	buf_reset(&c->json);
	export_json_point(&c->json, e);
	put_json(b, &c->json);
	return close_event(x);
}

static void ctf_release(struct export *x)
{
	struct ctf *c = x->state;

	buf_release(&c->packet);
	buf_release(&c->json);
}

const struct export_format export_ctf = {
	.name = "ctf",
	.about = "a directory for babeltrace2 and Trace Compass",
	.takes = EXPORT_PATH,
	.is_binary = true,
	.is_directory = true,
	.by_thread = true,
	.state_bytes = sizeof(struct ctf),
	.begin = ctf_begin,
	.release = ctf_release,
	.track = ctf_track,
	.slice_begin = ctf_slice_begin,
	.slice_end = ctf_slice_end,
	.instant = ctf_instant,
	.track_end = ctf_track_end,
};
