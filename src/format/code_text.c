#include "format/code_text.h"

#include "pathline/error.h"

void code_text_write(struct pl_buf *out, const struct code_text *t)
{
	buf_varint(out, t->unit);
	buf_varint(out, t->how);
	buf_varint(out, t->error);
	buf_string(out, t->file.at, t->file.left);
	buf_string(out, t->directory.at, t->directory.left);
	buf_varint(out, t->archive);
	for (int i = 0; i < CODE_TEXT_STAMP; i++)
		buf_varint(out, t->stamp[i]);
	buf_string(out, t->text.at, t->text.left);
	for (int i = 0; i < CODE_TEXT_MEMBER_NUMBERS; i++)
		buf_varint(out, t->member[i]);
	buf_u64(out, t->hash[0]);
	buf_u64(out, t->hash[1]);
}

static int read_text_stamp(struct pl_view *v, uint64_t stamp[CODE_TEXT_STAMP])
{
	for (int i = 0; i < CODE_TEXT_STAMP; i++)
		if (view_varint(v, &stamp[i]))
			return PL_ERR_FORMAT;
	return 0;
}

static int read_text_member(struct pl_view *v, uint32_t member[CODE_TEXT_MEMBER_NUMBERS])
{
	uint64_t number;

	for (int i = 0; i < CODE_TEXT_MEMBER_NUMBERS; i++) {
		if (view_varint_max(v, UINT32_MAX, &number))
			return PL_ERR_FORMAT;
		member[i] = (uint32_t)number;
	}
	return 0;
}

int code_text_read(struct pl_view v, struct code_text *out)
{
	uint64_t unit, how, error, archive;
	struct code_text t;

	if (view_varint_max(&v, UINT32_MAX, &unit) || view_varint_max(&v, UINT32_MAX, &how) ||
		view_varint_max(&v, UINT32_MAX, &error) || view_string(&v, &t.file) ||
		view_string(&v, &t.directory) || view_varint_max(&v, t.file.left, &archive) ||
		read_text_stamp(&v, t.stamp) || view_string(&v, &t.text) ||
		read_text_member(&v, t.member) || view_u64(&v, &t.hash[0]) ||
		view_u64(&v, &t.hash[1]))
		return PL_ERR_FORMAT;
	t.unit = (uint32_t)unit;
	t.how = (uint32_t)how;
	t.error = (uint32_t)error;
	t.archive = (uint32_t)archive;
	*out = t;
	return 0;
}
