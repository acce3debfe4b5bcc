#include "format/arguments.h"

void arguments_write(struct pl_buf *out, const struct arguments *a)
{
	buf_varint(out, a->count);
	buf_put(out, a->names.at, a->names.left);
}

int arguments_read(struct pl_view *v, struct arguments *out)
{
	struct pl_view rest = *v, name;
	uint32_t count;

	if (view_varint_u32(&rest, &count) || count > rest.left)
		return PL_ERR_FORMAT;
	const uint8_t *names = rest.at;
	for (uint32_t i = 0; i < count; i++)
		if (view_string(&rest, &name))
			return PL_ERR_FORMAT;
	*out = (struct arguments){count, view_of(names, (size_t)(rest.at - names))};
	*v = rest;
	return 0;
}

bool arguments_next(struct arguments *a, struct pl_view *name)
{
	if (!a->count || view_string(&a->names, name))
		return false;
	a->count--;
	return true;
}
