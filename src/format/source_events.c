#include "format/source_events.h"

#include <string.h>
#include "base/varint.h"
#include "format/record.h"
#include "pathline/error.h"

#define LEVEL	 3
#define PACK_MIN 256 /* fewer bytes are not worth compressing */

/* | kind | native id zigzag | ticks zigzag | bytes | fields | */
void source_row_write(
	struct pl_buf *rows, const struct source_row *row, const struct source_row *last)
{
	buf_varint(rows, row->kind);
	buf_varint(rows, zigzag((int64_t)row->native_id - (int64_t)last->native_id));
	buf_varint(rows, zigzag((int64_t)(row->ticks - last->ticks)));
	buf_string(rows, row->fields.at, row->fields.left);
}

/* | source u32 | process u32 | pid u32 | count u32 | open u64 | close u64 | lost u64 | kinds u64
 * | error u32 | raw u32 | flags u32 | rows, as one zstd frame or plain | */
void source_events_write(struct pl_buf *out, const struct source_head *head, struct pl_view rows)
{
	struct pl_buf packed = {0};
	const bool smaller = rows.left >= PACK_MIN && record_compress(NULL, &packed, rows, LEVEL) &&
			     rows.left / RECORD_RATIO_MAX <= packed.used;

	buf_u32(out, head->source);
	buf_u32(out, head->process);
	buf_u32(out, head->pid);
	buf_u32(out, head->count);
	buf_u64(out, head->open_ticks);
	buf_u64(out, head->close_ticks);
	buf_u64(out, head->lost);
	buf_u64(out, head->kinds);
	buf_u32(out, head->error_ns);
	buf_u32(out, (uint32_t)rows.left);
	buf_u32(out, smaller ? SOURCE_COMPRESSED : 0);
	if (smaller)
		buf_put(out, packed.at, packed.used);
	else
		buf_put(out, rows.at, rows.left);
	buf_release(&packed);
}

static int eat_source_head(struct pl_view *v, struct source_head *h)
{
	if (view_u32(v, &h->source) || view_u32(v, &h->process) || view_u32(v, &h->pid) ||
		view_u32(v, &h->count) || view_u64(v, &h->open_ticks) ||
		view_u64(v, &h->close_ticks) || view_u64(v, &h->lost) || view_u64(v, &h->kinds) ||
		view_u32(v, &h->error_ns) || view_u32(v, &h->raw_bytes) || view_u32(v, &h->flags))
		return PL_ERR_FORMAT;
	return h->source && h->close_ticks >= h->open_ticks ? 0 : PL_ERR_FORMAT;
}

int source_head_read(struct pl_view payload, struct source_head *out)
{
	return eat_source_head(&payload, out);
}

/* raw_bytes is believed only as far as zstd can have packed so much into the bytes that are
 * there. */
int source_events_open(
	struct pl_view payload, struct source_head *head, struct pl_buf *room, struct pl_view *rows)
{
	int code = eat_source_head(&payload, head);

	if (code)
		return code;
	*rows = payload;
	if (!(head->flags & SOURCE_COMPRESSED))
		return payload.left == head->raw_bytes ? 0 : PL_ERR_FORMAT;
	if (head->raw_bytes > RECORD_RAW_MAX || head->raw_bytes / RECORD_RATIO_MAX > payload.left)
		return PL_ERR_FORMAT;
	code = record_decompress(payload, head->raw_bytes, room);
	*rows = buf_view(room);
	return code;
}

int source_row_read(struct pl_view *rows, struct source_row *row)
{
	uint64_t kind, thread, ticks;

	if (view_varint_max(rows, SOURCE_KINDS_MAX, &kind) || view_varint(rows, &thread) ||
		view_varint(rows, &ticks) || view_string(rows, &row->fields) || !kind)
		return PL_ERR_FORMAT;
	row->kind = (uint32_t)kind;
	row->native_id += (uint32_t)unzigzag(thread);
	row->ticks += (uint64_t)unzigzag(ticks);
	return 0;
}

/* ---- what describes ---- */

static void put_word(struct pl_buf *out, const char *word)
{
	buf_string(out, word, strlen(word));
}

/* | number | "name" | state | "text" | */
void event_source_write(struct pl_buf *out, const struct pl_event_source *s)
{
	buf_varint(out, s->number);
	put_word(out, s->name);
	buf_varint(out, s->state);
	put_word(out, s->text);
}

/* | source | kind | "name" | "meaning" | fields | ("name" | type | "unit" | names | (value zigzag |
 * "name")…)… | */
void event_kind_write(
	struct pl_buf *out, uint32_t source, uint32_t number, const struct source_kind *k)
{
	buf_varint(out, source);
	buf_varint(out, number);
	put_word(out, k->name);
	put_word(out, k->meaning);
	buf_varint(out, k->field_count);
	for (uint32_t i = 0; i < k->field_count; i++) {
		const struct source_field *f = &k->fields[i];
		put_word(out, f->name);
		buf_varint(out, f->type);
		put_word(out, f->unit);
		buf_varint(out, f->name_count);
		for (uint32_t n = 0; n < f->name_count; n++) {
			buf_varint(out, zigzag(f->names[n].value));
			put_word(out, f->names[n].name);
		}
	}
}

/* | source | kind: 0, all | field | names | (value zigzag | "name")… | */
void event_names_write(
	struct pl_buf *out, uint32_t source, uint32_t field, uint32_t count, struct pl_view names)
{
	buf_varint(out, source);
	buf_varint(out, 0);
	buf_varint(out, field);
	buf_varint(out, count);
	buf_put(out, names.at, names.left);
}
