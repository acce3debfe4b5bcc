#include "export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_escape.h"
#include "base/utf8.h"

#define LINE_SHOWN 200	       /* bytes of a line's text */
#define PUT_BYTES  (64u << 10) /* written at once */

static const struct export_format *const formats[] = {
#define X(name) &export_##name,
	EXPORT_FORMATS(X)
#undef X
};

const struct export_format *export_format(size_t index)
{
	return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

const struct export_format *export_find(const char *name)
{
	const struct export_format *f;
	size_t i = 0;

	while ((f = export_format(i)) && strcmp(f->name, name))
		i++;
	return f;
}

int export_begin(struct export *x)
{
	struct pl_recording_info info;

	pl_recording_info(x->r, &info);
	x->start_ns = info.start_ns;
	x->state = calloc(1, x->format->state_bytes + 1);
	if (!x->state)
		return PL_ERR_MEMORY;
	return x->format->begin ? x->format->begin(x) : 0;
}

int export_end(struct export *x)
{
	const int code = x->format->end ? x->format->end(x) : 0;

	return code ? code : export_put_all(x);
}

void export_release(struct export *x)
{
	if (x->state && x->format->release)
		x->format->release(x);
	free(x->state);
	x->state = NULL;
	buf_release(&x->bytes);
}

int export_put_all(struct export *x)
{
	if (x->bytes.failed)
		return PL_ERR_MEMORY;
	if (x->bytes.used && !x->stopped)
		x->stopped = !x->sink.put(x->sink.context, x->bytes.at, x->bytes.used);
	buf_reset(&x->bytes);
	return x->stopped ? PL_END : 0;
}

int export_put(struct export *x)
{
	return x->bytes.used >= PUT_BYTES || x->bytes.failed ? export_put_all(x) : 0;
}

int export_file(struct export *x, const char *name)
{
	const int code = export_put_all(x);

	if (code == 0)
		x->stopped = !x->sink.file(x->sink.context, name);
	return x->stopped ? PL_END : code;
}

void export_utf8(struct pl_buf *b, const char *text)
{
	for (size_t left = strlen(text), n; left; text += n, left -= n) {
		const bool plain = (unsigned char)*text < 0x80;
		n = plain ? 1 : utf8_bytes((const unsigned char *)text, left);
		buf_put(b, n ? text : "\xef\xbf\xbd", n ? n : 3);
		n += !n;
	}
}

void export_string(struct pl_buf *b, const char *text)
{
	buf_u8(b, '"');
	json_escape_name(b, text, strlen(text));
	buf_u8(b, '"');
}

void export_track_name(const struct export_track *t, char name[EXPORT_NAME_BYTES])
{
	char greenlet[32] = "";

	if (t->greenlet)
		snprintf(greenlet, sizeof greenlet, ", greenlet %" PRIu64, t->greenlet);
	if (t->thread->name && t->thread->name[0])
		snprintf(name, EXPORT_NAME_BYTES, "%s%s", t->thread->name, greenlet);
	else
		snprintf(name, EXPORT_NAME_BYTES, "thread %" PRIu32 "%s", t->thread->number,
			greenlet);
}

const char *export_slice_name(
	const struct export *x, const struct export_slice *s, char line[EXPORT_NAME_BYTES])
{
	struct pl_text text = {0};

	if (!s->line)
		return pl_code_name(s->code);
	if (pl_source_line(x->r, s->code, s->line, &text, NULL))
		text = (struct pl_text){.at = "", .length = 0};
	while (text.length && (*text.at == ' ' || *text.at == '\t')) {
		text.at++;
		text.length--;
	}
	const size_t shown = text.length < LINE_SHOWN ? text.length : LINE_SHOWN;
	snprintf(line, EXPORT_NAME_BYTES, "%" PRId32 "%s%.*s%s", s->line, shown ? ": " : "",
		(int)shown, text.at, shown < text.length ? "…" : "");
	return line;
}

const char *export_point_name(const struct pl_event *e)
{
	return e->kind == PL_EVENT_GAP ? pl_gap_reason_name(e->gap)
	       : e->type	       ? e->type
				       : pl_event_kind_name(e->kind);
}
