/* OpenTelemetry's JSON (OTLP): one request of at most SPANS_MAX spans a line, as collectors read
 * files. A slice is a span, written when it ends. An outermost slice and all that it calls are a
 * trace; its id comes from the recording and from the slice, so that exporting again gives the
 * same ids.
 */
#include "export/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/map.h"

#define SPANS_MAX 256

struct otlp {
	uint64_t recording; /* the first half of each trace id */
	uint32_t spans;	    /* in the open line */
	uint32_t process;   /* number of that whose spans they are; 0: no line is open */
};

static int otlp_begin(struct export *x)
{
	struct otlp *o = x->state;
	struct pl_recording_info info;
	struct pl_buf what = {0};

	pl_recording_info(x->r, &info);
	buf_printf(&what, "%s\n%s\n%" PRId64, info.host, info.command, info.start_ns);
	if (what.failed)
		return PL_ERR_MEMORY;
	o->recording = hash_bytes(what.at, what.used);
	buf_release(&what);
	return 0;
}

static void close_line(struct export *x)
{
	struct otlp *o = x->state;

	if (o->process)
		buf_printf(&x->bytes, "]}]}]}\n");
	o->process = o->spans = 0;
}

/* {"key":"code.file.path","value":{"stringValue":"shop.py"}} */
static void put_text_attribute(
	struct export *x, const char *before, const char *key, const char *text)
{
	buf_printf(&x->bytes, "%s{\"key\":", before);
	export_string(&x->bytes, key);
	buf_printf(&x->bytes, ",\"value\":{\"stringValue\":");
	export_string(&x->bytes, text);
	buf_printf(&x->bytes, "}}");
}

static void put_number_attribute(
	struct export *x, const char *before, const char *key, uint64_t number)
{
	buf_printf(&x->bytes, "%s{\"key\":\"%s\",\"value\":{\"intValue\":\"%" PRIu64 "\"}}", before,
		key, number);
}

static void open_line(struct export *x, const struct pl_process *p)
{
	struct otlp *o = x->state;
	struct pl_recording_info info;

	pl_recording_info(x->r, &info);
	buf_printf(&x->bytes, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
	put_text_attribute(x, "", "service.name", p->command);
	put_number_attribute(x, ",", "process.pid", p->pid);
	put_text_attribute(x, ",", "process.command_line", p->command);
	put_text_attribute(x, ",", "process.executable.path", p->executable);
	put_text_attribute(x, ",", "process.runtime.description", p->interpreter);
	put_text_attribute(x, ",", "host.name", info.host);
	buf_printf(&x->bytes, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"pathline\",\"version\":"
			      "\"" PATHLINE_VERSION "\"},\"spans\":[");
	o->process = p->number;
}

/* The arguments of a call, each by its name: "args.qty". */
static void put_arguments(struct export *x, const struct export_slice *s)
{
	struct pl_argument arguments[64];
	struct pl_values rest = s->values;
	struct pl_value value;
	char text[EXPORT_VALUE_BYTES];
	size_t count = pl_code_arguments(s->code, arguments, 64);

	count = s->begun != PL_EVENT_CALL ? 0 : count < 64 ? count : 64;
	for (size_t i = 0; i < count && pl_values_next(&rest, &value) == 0; i++) {
		if (value.kind == PL_VALUE_UNSET)
			continue;
		char key[EXPORT_NAME_BYTES];
		snprintf(key, sizeof key, "args.%.*s", (int)arguments[i].name.length,
			arguments[i].name.at);
		pl_value_text(&value, text, sizeof text);
		put_text_attribute(x, ",", key, text);
	}
}

static void put_attributes(struct export *x, const struct export_slice *s, const struct pl_event *e)
{
	char text[EXPORT_VALUE_BYTES];

	buf_printf(&x->bytes, ",\"attributes\":[");
	put_text_attribute(x, "", "code.function.name", pl_code_name(s->code));
	put_text_attribute(x, ",", "code.file.path", pl_code_file(s->code));
	put_number_attribute(x, ",", "code.line.number",
		(uint64_t)(s->line ? s->line : pl_code_first_line(s->code)));
	put_number_attribute(x, ",", "thread.id", s->track->thread->native_id);
	if (s->track->thread->name && s->track->thread->name[0])
		put_text_attribute(x, ",", "thread.name", s->track->thread->name);
	put_text_attribute(x, ",", "pathline.began", pl_event_kind_name(s->begun));
	put_text_attribute(
		x, ",", "pathline.ended", e ? pl_event_kind_name(e->kind) : "not recorded");
	put_arguments(x, s);
	if (e && e->kind != PL_EVENT_UNWIND && export_value_text(e->values, text))
		put_text_attribute(x, ",", "result", text);
	buf_u8(&x->bytes, ']');
}

/* What went wrong is a status and an event, as OpenTelemetry has it. */
static void put_exception(struct export *x, const struct export_slice *s)
{
	buf_printf(&x->bytes,
		",\"status\":{\"code\":2},\"events\":[{\"timeUnixNano\":\"%" PRId64
		"\",\"name\":\"exception\",\"attributes\":[",
		s->end_ns);
	put_text_attribute(x, "", "exception.type", s->exception ? s->exception : "?");
	buf_printf(&x->bytes, "]}]");
}

static int otlp_slice_end(struct export *x, const struct export_slice *s, const struct pl_event *e)
{
	struct otlp *o = x->state;
	char line[EXPORT_NAME_BYTES];

	if (o->process != s->track->process->number || o->spans >= SPANS_MAX)
		close_line(x);
	if (!o->process)
		open_line(x, s->track->process);
	buf_printf(&x->bytes,
		"%s{\"traceId\":\"%016" PRIx64 "%016" PRIx64 "\",\"spanId\":\"%016" PRIx64 "\"",
		o->spans ? "," : "", o->recording, s->root, s->number);
	if (s->parent)
		buf_printf(&x->bytes, ",\"parentSpanId\":\"%016" PRIx64 "\"", s->parent);
	buf_printf(&x->bytes, ",\"kind\":1,\"name\":");
	export_string(&x->bytes, export_slice_name(x, s, line));
	buf_printf(&x->bytes,
		",\"startTimeUnixNano\":\"%" PRId64 "\",\"endTimeUnixNano\":\"%" PRId64 "\"",
		s->begin_ns, s->end_ns);
	put_attributes(x, s, e);
	if (e && e->kind == PL_EVENT_UNWIND)
		put_exception(x, s);
	buf_u8(&x->bytes, '}');
	o->spans++;
	return 0;
}

static int otlp_end(struct export *x)
{
	close_line(x);
	return 0;
}

const struct export_format export_otlp = {
	.name = "otlp",
	.about = "JSON for OpenTelemetry: a span for each call",
	.takes = EXPORT_PATH,
	.state_bytes = sizeof(struct otlp),
	.begin = otlp_begin,
	.end = otlp_end,
	.slice_end = otlp_slice_end,
};
