#include "format/arguments.h"

void arguments_write(struct pl_buf *out, const struct arguments *a)
{
	buf_varint(out, a->count);
	buf_put(out, a->names.at, a->names.left);
	buf_varint(out, a->after_star);
}

int arguments_read(struct pl_view *v, struct arguments *out)
{
	struct pl_view rest = *v, name;
	uint32_t count, after_star = 0;

	if (view_varint_u32(&rest, &count) || count > rest.left)
		return PL_ERR_FORMAT;
	const uint8_t *names = rest.at;
	for (uint32_t i = 0; i < count; i++)
		if (view_string(&rest, &name))
			return PL_ERR_FORMAT;
	const size_t bytes = (size_t)(rest.at - names);
	if (rest.left && (view_varint_u32(&rest, &after_star) || after_star > count))
		return PL_ERR_FORMAT;
	*out = (struct arguments){count, view_of(names, bytes), after_star};
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
