/* The file format of speedscope: a profile for each thread, in which frames open (O) and close (C).
 * Times are nanoseconds from the start of the recording. The frames come last, for they are known
 * only then.
 */
#include "export/export.h"

#include <inttypes.h>
#include <string.h>
#include "base/array.h"
#include "base/json_escape.h"
#include "base/map.h"

struct speedscope {
	bool some;		      /* a profile was written */
	bool event;		      /* in it, an event */
	struct pl_map frames;	      /* owned: address of a code -> its index */
	const struct pl_code **codes; /* owned, by index */
	size_t count, room;
};

static int speedscope_begin(struct export *x)
{
	struct pl_recording_info info;

	pl_recording_info(x->r, &info);
	buf_printf(&x->bytes,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"pathline " PATHLINE_VERSION "\",\"name\":");
	export_string(&x->bytes, info.command);
	buf_printf(&x->bytes, ",\n\"profiles\":[");
	return 0;
}

static int speedscope_track(struct export *x, const struct export_track *t)
{
	struct speedscope *s = x->state;
	struct pl_buf *b = &x->bytes;
	char name[EXPORT_NAME_BYTES];

	export_track_name(t, name);
	buf_printf(b, "%s\n{\"type\":\"evented\",\"name\":\"", s->some ? "," : "");
	json_escape_name(b, name, strlen(name));
	buf_printf(b, " (pid %" PRIu32 ")\",\"unit\":\"nanoseconds\",\"startValue\":0,\"events\":[",
		t->process->pid);
	s->some = true;
	s->event = false;
	return 0;
}

static int frame_of(struct speedscope *s, const struct pl_code *code, uint64_t *frame)
{
	const uint64_t *known = map_find(&s->frames, (uintptr_t)code);
	const struct pl_code **codes = s->codes;

	if (known) {
		*frame = *known;
		return 0;
	}
	codes = array_room(codes, s->count, &s->room, sizeof(*codes));
	if (!codes)
		return PL_ERR_MEMORY;
	s->codes = codes;
	uint64_t *index = map_put(&s->frames, (uintptr_t)code);
	if (!index)
		return PL_ERR_MEMORY;
	s->codes[s->count] = code;
	*frame = *index = s->count++;
	return 0;
}

static int put_event(struct export *x, char type, const struct pl_code *code, int64_t time_ns)
{
	struct speedscope *s = x->state;
	uint64_t frame;
	const int result = frame_of(s, code, &frame);

	if (result)
		return result;
	buf_printf(&x->bytes, "%s\n{\"type\":\"%c\",\"frame\":%" PRIu64 ",\"at\":%" PRId64 "}",
		s->event ? "," : "", type, frame, time_ns - x->start_ns);
	s->event = true;
	return 0;
}

static int speedscope_slice_begin(struct export *x, const struct export_slice *s, const char *task)
{
	(void)task;
	return s->line ? 0 : put_event(x, 'O', s->code, s->begin_ns);
}

static int speedscope_slice_end(
	struct export *x, const struct export_slice *s, const struct pl_event *e)
{
	(void)e;
	return s->line ? 0 : put_event(x, 'C', s->code, s->end_ns);
}

static int speedscope_track_end(struct export *x, const struct export_track *t, int64_t end_ns)
{
	(void)t;
	const int64_t end = end_ns > x->start_ns ? end_ns - x->start_ns : 0;

	buf_printf(&x->bytes, "],\"endValue\":%" PRId64 "}", end);
	return 0;
}

static int speedscope_end(struct export *x)
{
	const struct speedscope *s = x->state;
	struct pl_buf *b = &x->bytes;

	buf_printf(b, "],\n\"shared\":{\"frames\":[");
	for (size_t i = 0; i < s->count; i++) {
		buf_printf(b, "%s\n{\"name\":", i ? "," : "");
		export_string(&x->bytes, pl_code_name(s->codes[i]));
		buf_printf(b, ",\"file\":");
		export_string(&x->bytes, pl_code_file(s->codes[i]));
		buf_printf(b, ",\"line\":%" PRId32 "}", pl_code_first_line(s->codes[i]));
	}
	buf_printf(b, "]}}\n");
	return 0;
}

static void speedscope_release(struct export *x)
{
	struct speedscope *s = x->state;

	map_release(&s->frames);
	free(s->codes);
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.about = "JSON for speedscope: each thread over time",
	.takes = EXPORT_PATH,
	.by_thread = true,
	.state_bytes = sizeof(struct speedscope),
	.begin = speedscope_begin,
	.end = speedscope_end,
	.release = speedscope_release,
	.track = speedscope_track,
	.slice_begin = speedscope_slice_begin,
	.slice_end = speedscope_slice_end,
	.track_end = speedscope_track_end,
};
