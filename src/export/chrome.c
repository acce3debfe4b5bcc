/* The JSON of Chrome's about:tracing, which ui.perfetto.dev and others read: a B and an E for each
 * slice, an i for each point. Times are microseconds from the start of the recording.
 *
 * Where a task yields to the event loop and where it goes on are joined by an arrow (s, f).
 */
#include "export/json.h"

#include <inttypes.h>

/* Of greenlets, above any number that the kernel gives to a thread. */
#define GREENLET_TID 1000000000u

struct chrome {
	bool some; /* an event was written */
};

/* {"ph":"B","pid":4711,"tid":4712,"ts":12.000 … */
static struct pl_buf *open_event(
	struct export *x, const char *phase, const struct export_track *t, int64_t time_ns)
{
	struct chrome *c = x->state;
	const uint64_t tid = t->greenlet ? GREENLET_TID + t->number : t->thread->native_id;

	buf_printf(&x->bytes, "%s{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64 ",\"ts\":",
		c->some ? ",\n" : "", phase, t->process->pid, tid);
	export_json_us(&x->bytes, time_ns - x->start_ns);
	c->some = true;
	return &x->bytes;
}

static int chrome_begin(struct export *x)
{
	struct pl_recording_info info;

	pl_recording_info(x->r, &info);
	buf_printf(&x->bytes, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"command\":");
	export_string(&x->bytes, info.command);
	buf_printf(&x->bytes, ",\"host\":");
	export_string(&x->bytes, info.host);
	buf_printf(&x->bytes, ",\"start_ns\":\"%" PRId64 "\"},\"traceEvents\":[\n", x->start_ns);
	return 0;
}

static int chrome_end(struct export *x)
{
	buf_printf(&x->bytes, "\n]}\n");
	return 0;
}

/* A name of a process or a track. */
static void put_metadata(
	struct export *x, const struct export_track *t, const char *what, const char *name)
{
	struct pl_buf *b = open_event(x, "M", t, x->start_ns);

	buf_printf(b, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	export_string(&x->bytes, name);
	buf_printf(b, "}}");
}

static int chrome_track(struct export *x, const struct export_track *t)
{
	char name[EXPORT_NAME_BYTES];

	if (!t->thread->number && !t->greenlet)
		put_metadata(x, t, "process_name", t->process->command);
	export_track_name(t, name);
	put_metadata(x, t, "thread_name", name);
	return 0;
}

/* From where a task yields to where it goes on. */
static void put_arrow(struct export *x, const struct export_slice *s, const char *phase, int64_t ns)
{
	struct pl_buf *b = open_event(x, phase, s->track, ns);

	buf_printf(b, ",\"cat\":\"task\",\"name\":\"task\",\"id\":\"%" PRIu32 ".%" PRIu64 "\"%s}",
		s->track->process->number, s->task_id, *phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static int chrome_slice_begin(struct export *x, const struct export_slice *s, const char *task)
{
	struct pl_buf *b = open_event(x, "B", s->track, s->begin_ns);
	char line[EXPORT_NAME_BYTES];

	buf_printf(b, ",\"cat\":\"%s\",\"name\":", s->line ? "line" : "function");
	export_string(b, export_slice_name(x, s, line));
	buf_printf(b, ",\"args\":{");
	export_json_place(b, s);
	export_json_about(b, s, task);
	buf_printf(b, "}}");
	if (s->is_task && s->begun != PL_EVENT_CALL)
		put_arrow(x, s, "f", s->begin_ns);
	return 0;
}

static int chrome_slice_end(
	struct export *x, const struct export_slice *s, const struct pl_event *e)
{
	if (s->is_task && e && e->kind == PL_EVENT_YIELD)
		put_arrow(x, s, "s", s->end_ns);
	struct pl_buf *b = open_event(x, "E", s->track, s->end_ns);
	if (!s->line) {
		buf_printf(b, ",\"args\":{");
		export_json_outcome(b, s, e);
		buf_u8(b, '}');
	}
	buf_u8(b, '}');
	return 0;
}

static int chrome_instant(struct export *x, const struct export_track *t, const struct pl_event *e)
{
	struct pl_buf *b = open_event(x, "i", t, e->time_ns);

	buf_printf(b, ",\"s\":\"t\",\"cat\":\"%s\",\"name\":", pl_event_kind_name(e->kind));
	export_string(&x->bytes, export_point_name(e));
	buf_printf(b, ",\"args\":{");
	export_json_point(b, e);
	buf_printf(b, "}}");
	return 0;
}

const struct export_format export_chrome = {
	.name = "chrome",
	.about = "JSON for chrome://tracing and Perfetto",
	.takes = EXPORT_PATH,
	.state_bytes = sizeof(struct chrome),
	.begin = chrome_begin,
	.end = chrome_end,
	.track = chrome_track,
	.slice_begin = chrome_slice_begin,
	.slice_end = chrome_slice_end,
	.instant = chrome_instant,
};
