#include "trace/pack_strip.h"

#include <string.h>
#include "format/block.h"

#define TAKEN_OUT "`pathline pack --strip-sources` took it out"

static bool is_word(struct pl_view v, const char *word)
{
	return v.left == strlen(word) && memcmp(v.at, word, v.left) == 0;
}

static void put_text(struct pl_buf *out, const char *text)
{
	buf_string(out, text, strlen(text));
}

/* Does the text have the word, between spaces? */
static bool has_word(struct pl_view text, const char *word)
{
	const size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.left; i++)
		if (memcmp(text.at + i, word, n) == 0)
			return true;
	return false;
}

/* | major u16 | minor u16 | "key" "value" … |
 *
 * A pack of a pack says what both took out.
 */
static int strip_header(const struct pack_strip *s, struct pl_view v, struct pl_buf *out)
{
	static const char *const of_values[] = {"values-of", "values-limit", "secrets", "redact"};
	bool none = false, taken = false, values = s->how->strip_values,
	     sources = s->how->strip_sources;
	struct pl_view version, key, value;

	if (view_bytes(&v, 4, &version))
		return PL_ERR_FORMAT;
	buf_put(out, version.at, version.left);
	while (v.left) {
		bool drops = false;
		if (view_string(&v, &key) || view_string(&v, &value))
			return PL_ERR_FORMAT;
		none |= is_word(key, "values") && is_word(value, "none");
		if (is_word(key, "stripped")) {
			taken |= has_word(value, "values");
			sources |= has_word(value, "sources");
			continue;
		}
		for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++)
			drops |= s->how->strip_values && is_word(key, of_values[i]);
		if (drops)
			continue;
		buf_string(out, key.at, key.left);
		if (s->how->strip_values && is_word(key, "values"))
			put_text(out, "none");
		else
			buf_string(out, value.at, value.left);
	}
	values = taken || (values && !none); /* where none were, none are taken out */
	if (!values && !sources)
		return 0;
	put_text(out, "stripped");
	put_text(out, values && sources ? "values sources" : values ? "values" : "sources");
	return 0;
}

/* | number | "file" | "why there is no text" | "text" | */
static int strip_source(const struct pack_strip *s, struct pl_view v, struct pl_buf *out)
{
	const struct pl_view whole = v;
	struct pl_view file, reason;
	uint64_t number;

	if (view_varint(&v, &number) || view_string(&v, &file) || view_string(&v, &reason))
		return PL_ERR_FORMAT;
	if (!s->how->strip_sources || reason.left) {
		buf_put(out, whole.at, whole.left);
		return 0;
	}
	buf_varint(out, number);
	buf_string(out, file.at, file.left);
	put_text(out, TAKEN_OUT);
	put_text(out, "");
	s->packed->sources++;
	return 0;
}

/* How long a file is in the pack, where the recording says `bytes`. If it was not that long, it is
 * damaged, and the pack must show that. */
static uint64_t new_size(const struct pack_strip *s, uint64_t file, uint64_t bytes)
{
	for (size_t i = 0; i < s->part_count; i++)
		if (s->parts[i].file == file && s->parts[i].original == bytes &&
			!s->parts[i].damaged)
			return s->parts[i].row.bytes;
	return bytes;
}

/* | ticks | recovered | bytes of meta before this | first segment | bytes of each … | */
static int strip_end(const struct pack_strip *s, const struct pack_record *in, struct pl_view v,
	struct pl_buf *out)
{
	uint64_t ticks, recovered, meta, file, bytes;

	if (view_varint(&v, &ticks) || view_varint(&v, &recovered) || view_varint(&v, &meta) ||
		view_varint_max(&v, UINT32_MAX, &file))
		return PL_ERR_FORMAT;
	buf_varint(out, ticks);
	buf_varint(out, recovered);
	buf_varint(out, meta == in->off && !s->parts[0].damaged ? in->at : meta);
	buf_varint(out, s->last->on ? s->last->first_file + s->last->shift : file);
	for (; v.left; file++) {
		if (view_varint(&v, &bytes))
			return PL_ERR_FORMAT;
		if (s->last->on && file < s->last->first_file)
			continue;
		buf_varint(out, new_size(s, file, bytes));
	}
	return 0;
}

static int strip_payload(struct pack_strip *s, const struct pack_record *in, struct pl_view plain)
{
	uint64_t events = 0;
	int code;

	switch (in->record.kind) {
	case RECORD_HEADER:
		return strip_header(s, plain, &s->payload);
	case RECORD_SOURCE:
		return strip_source(s, plain, &s->payload);
	case RECORD_END:
		return strip_end(s, in, plain, &s->payload);
	default:
		code = block_strip(&s->payload, plain, &events);
		s->packed->values += events;
		return code;
	}
}

/* After the header: what is left out, with what the limit had dropped. */
static void put_evicted(struct pack_strip *s, struct pl_buf *out)
{
	if (!s->last->on || !s->last->left_out)
		return;
	buf_reset(&s->payload);
	pack_last_put(s->last, &s->payload);
	record_write(out, RECORD_EVICTED, buf_view(&s->payload), NULL, 0);
}

/* Records of other kinds have neither values nor texts of sources. */
int pack_strip(struct pack_strip *s, const struct pack_record *in, struct pl_buf *out)
{
	const uint16_t kind = in->record.kind;

	if (s->last->on && (kind == RECORD_EVICTED || !pack_last_keeps(s->last, &in->record)))
		return 0;
	const bool changes = kind == RECORD_HEADER || kind == RECORD_SOURCE || kind == RECORD_END ||
			     (kind == RECORD_BLOCK && s->how->strip_values);
	struct pl_view plain;

	if (!changes) {
		buf_put(out, in->whole.at, in->whole.left);
		return out->failed ? PL_ERR_MEMORY : 0;
	}
	buf_reset(&s->payload);
	int code = record_payload(&in->record, &s->plain, &plain);
	if (code == 0)
		code = strip_payload(s, in, plain);
	if (code == 0 && s->payload.failed)
		code = PL_ERR_MEMORY;
	if (code == 0)
		record_write(out, kind, buf_view(&s->payload), NULL, 0);
	if (code == 0 && kind == RECORD_HEADER)
		put_evicted(s, out);
	return code == 0 && out->failed ? PL_ERR_MEMORY : code;
}

void pack_strip_release(struct pack_strip *s)
{
	buf_release(&s->plain);
	buf_release(&s->payload);
}
