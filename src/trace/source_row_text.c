/* A row of a source in words: syscall openat /etc/hosts result 3 12.1 µs */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/units.h"
#include "pathline/sources.h"

int pl_source_field(const struct pl_source_kind *kind, const char *name)
{
	for (uint32_t i = 0; i < kind->field_count; i++)
		if (!strcmp(kind->fields[i].name, name))
			return (int)i;
	return -1;
}

/* ENOENT for -2, openat for 257; 12.1 us; 4096 bytes; 17 */
static void put_source_number(
	struct pl_buf *out, const struct pl_source_field *f, const struct pl_source_value *v)
{
	char text[UNITS_BYTES];

	if (v->name) {
		buf_printf(out, "%s", v->name);
	} else if (!strcmp(f->unit, "ns")) {
		units_duration(text, v->number < INT64_MAX ? (int64_t)v->number : INT64_MAX);
		buf_printf(out, "%s", text);
	} else if (!strcmp(f->unit, "address")) {
		buf_printf(out, "0x%" PRIx64, v->number);
	} else {
		if (f->type == PL_FIELD_SIGNED)
			buf_printf(out, "%" PRId64, (int64_t)v->number);
		else
			buf_printf(out, "%" PRIu64, v->number);
		if (!strcmp(f->unit, "bytes"))
			buf_printf(out, " bytes");
	}
}

/* What has a name of its own stands alone, and so do texts, the duration, and `bytes` in bytes.
 * What is not there is left out: an empty text or name, an identity of 0. */
static void put_source_value(
	struct pl_buf *out, const struct pl_source_field *f, const struct pl_source_value *v)
{
	const bool alone = f->type == PL_FIELD_TEXT || v->name || !strcmp(f->name, "duration") ||
			   !strcmp(f->name, f->unit);
	const bool empty = !strcmp(f->unit, "level")  ? true
			   : f->type == PL_FIELD_TEXT ? !v->length
			   : v->name		      ? !v->name[0]
						      : !strcmp(f->unit, "id") && !v->number;

	if (empty)
		return;
	buf_printf(out, alone ? " " : " %s ", f->name);
	if (f->type == PL_FIELD_TEXT)
		buf_put(out, v->text, v->length);
	else
		put_source_number(out, f, v);
}

size_t pl_source_row_text(const struct pl_source_row *row, char *to, size_t max)
{
	struct pl_buf b = {0};

	buf_printf(&b, "%s", row->kind->name);
	for (uint32_t i = 0; i < row->value_count; i++)
		put_source_value(&b, &row->kind->fields[i], &row->values[i]);
	const size_t length = b.failed ? 0 : b.used;
	const size_t kept = length < max ? length : max ? max - 1 : 0;
	if (kept)
		memcpy(to, b.at, kept);
	if (max)
		to[kept] = 0;
	buf_release(&b);
	return length;
}
