#include "query/value_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/json_escape.h"

#define REPR_BYTES    4096
#define ARGUMENTS_MAX 255

/* ---- strings ---- */

static void put_json_string(struct pl_buf *out, struct pl_text text, bool cut)
{
	buf_u8(out, '"');
	json_escape(out, text.at, text.length);
	buf_printf(out, cut ? "…\"" : "\"");
}

void value_json_text(struct pl_buf *out, struct pl_text text)
{
	put_json_string(out, text, false);
}

static void put_repr_string(struct pl_buf *out, const struct pl_value *value)
{
	char text[REPR_BYTES];
	const size_t length = pl_value_text(value, text, sizeof text);

	put_json_string(out, (struct pl_text){.at = text, .length = length}, false);
}

/* ---- values ---- */

static void put_json_key(struct pl_buf *out, const struct pl_value *key)
{
	if (key->kind == PL_VALUE_STR)
		put_json_string(out, key->text, key->missing);
	else
		put_repr_string(out, key);
	buf_u8(out, ':');
}

static void put_comma(struct pl_buf *out, bool *first)
{
	if (!*first)
		buf_u8(out, ',');
	*first = false;
}

static void put_sequence(struct pl_buf *out, const struct pl_value *value)
{
	struct pl_values rest = value->members;
	struct pl_value member;
	bool first = true;

	buf_u8(out, '[');
	while (pl_values_next(&rest, &member) == 0) {
		put_comma(out, &first);
		value_json(out, &member);
	}
	if (value->missing) {
		put_comma(out, &first);
		buf_printf(out, "\"…+%" PRIu64 "\"", value->missing);
	}
	buf_u8(out, ']');
}

static void put_missing_members(struct pl_buf *out, const struct pl_value *value, bool *first)
{
	if (!value->missing)
		return;
	put_comma(out, first);
	buf_printf(out, "\"…\":\"+%" PRIu64 "\"", value->missing);
}

static void put_dict(struct pl_buf *out, const struct pl_value *value)
{
	struct pl_values rest = value->members;
	struct pl_value key, member;
	bool first = true;

	buf_u8(out, '{');
	while (pl_values_next(&rest, &key) == 0 && pl_values_next(&rest, &member) == 0) {
		put_comma(out, &first);
		put_json_key(out, &key);
		value_json(out, &member);
	}
	put_missing_members(out, value, &first);
	buf_u8(out, '}');
}

static void put_attributes(struct pl_buf *out, const struct pl_value *value)
{
	struct pl_values rest = value->members;
	struct pl_value member;
	bool first = false;

	buf_printf(out, "{\"__class__\":");
	put_json_string(out, value->type, false);
	while (pl_values_next(&rest, &member) == 0) {
		put_comma(out, &first);
		put_json_string(out, member.name, false);
		buf_u8(out, ':');
		value_json(out, &member);
	}
	put_missing_members(out, value, &first);
	buf_u8(out, '}');
}

static void put_json_exception(struct pl_buf *out, const struct pl_value *value)
{
	struct pl_values rest = value->members;
	struct pl_value arguments;

	buf_printf(out, "{\"__class__\":");
	put_json_string(out, value->type, false);
	if (pl_values_next(&rest, &arguments) == 0) {
		buf_printf(out, ",\"args\":");
		value_json(out, &arguments);
	}
	buf_u8(out, '}');
}

static void put_json_number(struct pl_buf *out, struct pl_value value)
{
	char text[REPR_BYTES];

	value.type = (struct pl_text){0};
	pl_value_text(&value, text, sizeof text);
	if ((value.kind == PL_VALUE_FLOAT && !isfinite(value.real)) || value.missing)
		buf_printf(out, "\"%s\"", text);
	else
		buf_printf(out, "%s", text);
}

/* Members are at most PL_VALUE_DEPTH deep in each other. */
void value_json(struct pl_buf *out, const struct pl_value *value)
{
	switch (value->kind) {
	case PL_VALUE_NONE:
		buf_printf(out, "null");
		break;
	case PL_VALUE_FALSE:
	case PL_VALUE_TRUE:
		buf_printf(out, value->kind == PL_VALUE_TRUE ? "true" : "false");
		break;
	case PL_VALUE_INT:
	case PL_VALUE_LONG:
	case PL_VALUE_FLOAT:
		put_json_number(out, *value);
		break;
	case PL_VALUE_STR:
		put_json_string(out, value->text, value->missing);
		break;
	case PL_VALUE_LIST:
	case PL_VALUE_TUPLE:
	case PL_VALUE_SET:
	case PL_VALUE_FROZENSET:
	case PL_VALUE_DEQUE:
		put_sequence(out, value);
		break;
	case PL_VALUE_DICT:
		put_dict(out, value);
		break;
	case PL_VALUE_NAMEDTUPLE:
	case PL_VALUE_OBJECT:
		put_attributes(out, value);
		break;
	case PL_VALUE_EXCEPTION:
		put_json_exception(out, value);
		break;
	default:
		put_repr_string(out, value);
		break;
	}
}

void value_json_arguments(struct pl_buf *out, const struct pl_code *code, struct pl_values values)
{
	struct pl_argument arguments[ARGUMENTS_MAX];
	struct pl_value value;
	bool first = true;
	size_t count = pl_code_arguments(code, arguments, ARGUMENTS_MAX);

	count = count < ARGUMENTS_MAX ? count : ARGUMENTS_MAX;
	buf_u8(out, '{');
	for (size_t i = 0; i < count && pl_values_next(&values, &value) == 0; i++) {
		if (value.kind == PL_VALUE_UNSET)
			continue;
		put_comma(out, &first);
		put_json_string(out, arguments[i].name, false);
		buf_u8(out, ':');
		value_json(out, &value);
	}
	buf_u8(out, '}');
}
