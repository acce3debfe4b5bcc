#include "format/raw_code.h"

#include "base/varint.h"
#include "pathline/error.h"

void raw_code_write(struct pl_buf *out, const struct raw_code *r)
{
	buf_varint(out, r->number);
	buf_varint(out, r->unit);
	buf_string(out, r->file.at, r->file.left);
	buf_string(out, r->name.at, r->name.left);
	buf_varint(out, zigzag(r->first_line));
	buf_varint(out, r->flags);
	buf_varint(out, r->version);
	buf_string(out, r->code.at, r->code.left);
	buf_string(out, r->line_table.at, r->line_table.left);
	arguments_write(out, &r->arguments);
}

int raw_code_read(struct pl_view v, struct raw_code *out)
{
	uint64_t number, unit, first_line, flags, version;
	struct raw_code r;

	if (view_varint_max(&v, UINT32_MAX, &number) || view_varint_max(&v, UINT32_MAX, &unit) ||
		view_string(&v, &r.file) || view_string(&v, &r.name) ||
		view_varint_max(&v, UINT32_MAX, &first_line) ||
		view_varint_max(&v, UINT32_MAX, &flags) ||
		view_varint_max(&v, UINT16_MAX, &version) || view_string(&v, &r.code) ||
		view_string(&v, &r.line_table) || arguments_read(&v, &r.arguments))
		return PL_ERR_FORMAT;
	/* What a body of an older recording may lack, a message has. */
	if (r.arguments.names.at + r.arguments.names.left == v.at)
		return PL_ERR_FORMAT;
	r.number = (uint32_t)number;
	r.unit = (uint32_t)unit;
	r.first_line = (int32_t)unzigzag(first_line);
	r.flags = (uint32_t)flags;
	r.version = (uint16_t)version;
	*out = r;
	return 0;
}
