#include "format/value.h"

#include "base/varint.h"

#define X(constant, number, word)                                                                  \
	_Static_assert(PL_VALUE_##constant == (int)VALUE_##constant, "a kind has its number");
PL_VALUE_KINDS(X)
#undef X

int values_open(struct pl_view bytes, struct pl_values *out)
{
	uint64_t flags;

	if (view_varint(&bytes, &flags) || bytes.left > UINT32_MAX)
		return PL_ERR_FORMAT;
	*out = (struct pl_values){
		.at = bytes.at, .bytes = (uint32_t)bytes.left, .flags = (uint16_t)flags};
	return 0;
}

int variables_open(struct pl_view bytes, struct pl_values *out)
{
	int err = values_open(bytes, out);

	if (err == 0)
		out->of = VALUE_OBJECT;
	return err;
}

const char *pl_value_kind_name(enum pl_value_kind kind)
{
	switch (kind) {
#define X(constant, number, word)                                                                  \
	case PL_VALUE_##constant:                                                                  \
		return word;
		PL_VALUE_KINDS(X)
#undef X
	}
	return "?";
}

/* ---- fields ---- */

static int read_string(struct pl_view *v, struct pl_text *out)
{
	struct pl_view bytes;

	if (view_string(v, &bytes))
		return PL_ERR_FORMAT;
	*out = (struct pl_text){.at = (const char *)bytes.at, .length = bytes.left};
	return 0;
}

static int read_double(struct pl_view *v, double *out)
{
	uint64_t bits;

	if (view_u64(v, &bits))
		return PL_ERR_FORMAT;
	memcpy(out, &bits, sizeof bits);
	return 0;
}

static int read_int(struct pl_view *v, struct pl_value *out)
{
	uint64_t number;

	if (view_varint(v, &number))
		return PL_ERR_FORMAT;
	out->integer = unzigzag(number);
	return 0;
}

static int read_long(struct pl_view *v, struct pl_value *out)
{
	uint64_t bits;

	if (view_varint(v, &bits) || read_string(v, &out->text))
		return PL_ERR_FORMAT;
	out->length = bits >> 1;
	out->integer = bits & 1 ? -1 : 1;
	out->missing = out->text.length ? 0 : out->length;
	return 0;
}

static uint64_t less(uint64_t length, uint64_t kept)
{
	return length > kept ? length - kept : 0;
}

static uint64_t characters_of(struct pl_text t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t.length; i++)
		n += ((unsigned char)t.at[i] & 0xc0) != 0x80;
	return n;
}

static int read_characters(struct pl_view *v, struct pl_value *out)
{
	if (view_varint(v, &out->length) || read_string(v, &out->text))
		return PL_ERR_FORMAT;
	out->missing = less(out->length,
		out->kind == PL_VALUE_STR ? characters_of(out->text) : out->text.length);
	return 0;
}

/* Of a kind whose fields begin with the id of the object. */
static int read_object_fields(struct pl_view *v, struct pl_value *out)
{
	if (view_varint(v, &out->id))
		return PL_ERR_FORMAT;
	switch ((enum value_kind)out->kind) {
	case VALUE_BYTEARRAY:
	case VALUE_MEMORYVIEW:
		return read_characters(v, out);
	case VALUE_EXCEPTION:
		return read_string(v, &out->cause) || read_string(v, &out->context) ? PL_ERR_FORMAT
										    : 0;
	case VALUE_FUNCTION:
	case VALUE_METHOD:
	case VALUE_CLASS:
	case VALUE_MODULE:
	case VALUE_TEXT:
		return read_string(v, &out->text) ? PL_ERR_FORMAT : 0;
	case VALUE_SEEN:
		return 0;
	case VALUE_CUT:
		return read_string(v, &out->type) ? PL_ERR_FORMAT : 0;
	default:
		return view_varint(v, &out->length) ? PL_ERR_FORMAT : 0;
	}
}

/* All fields of a value but its members. TYPED is no value of its own. */
static int read_value_fields(struct pl_view *v, struct pl_value *out)
{
	switch ((enum value_kind)out->kind) {
	case VALUE_NONE:
	case VALUE_FALSE:
	case VALUE_TRUE:
	case VALUE_RANGE:
	case VALUE_SLICE:
	case VALUE_REDACTED:
	case VALUE_UNSET:
		return 0;
	case VALUE_INT:
		return read_int(v, out);
	case VALUE_LONG:
		return read_long(v, out);
	case VALUE_FLOAT:
		return read_double(v, &out->real);
	case VALUE_COMPLEX:
		return read_double(v, &out->real) || read_double(v, &out->imaginary) ? PL_ERR_FORMAT
										     : 0;
	case VALUE_STR:
	case VALUE_BYTES:
		return read_characters(v, out);
	case VALUE_BYTEARRAY:
	case VALUE_MEMORYVIEW:
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_FROZENSET:
	case VALUE_DEQUE:
	case VALUE_DICT:
	case VALUE_NAMEDTUPLE:
	case VALUE_OBJECT:
	case VALUE_EXCEPTION:
	case VALUE_FUNCTION:
	case VALUE_METHOD:
	case VALUE_CLASS:
	case VALUE_MODULE:
	case VALUE_TEXT:
	case VALUE_SEEN:
	case VALUE_CUT:
		return read_object_fields(v, out);
	case VALUE_END:
	case VALUE_TYPED:
		return PL_ERR_FORMAT;
	}
	return PL_ERR_VERSION;
}

/* A value among the members of a value of the kind `of`; of its own members only where they begin
 * is known then. */
static int read_value(struct pl_view *v, uint8_t of, struct pl_value *out)
{
	uint8_t tag;

	*out = (struct pl_value){0};
	if ((of == VALUE_NAMEDTUPLE || of == VALUE_OBJECT) && read_string(v, &out->name))
		return PL_ERR_FORMAT;
	if (view_u8(v, &tag))
		return PL_ERR_FORMAT;
	if (tag == VALUE_TYPED && (read_string(v, &out->type) || view_u8(v, &tag)))
		return PL_ERR_FORMAT;
	out->kind = (enum pl_value_kind)tag;
	return read_value_fields(v, out);
}

/* ---- members ---- */

/* How many members a value of this kind has without an END; 0: none, or they end with one. */
static uint32_t fixed_members(uint8_t kind)
{
	return kind == VALUE_EXCEPTION ? 1 : kind == VALUE_RANGE || kind == VALUE_SLICE ? 3 : 0;
}

static bool has_members(uint8_t kind)
{
	return (kind >= VALUE_LIST && kind <= VALUE_OBJECT) || fixed_members(kind);
}

/* A value whose members are being walked. */
struct value_level {
	uint8_t kind;
	uint64_t count;
};

/* Do its members end here? Takes the END. */
static bool level_ends(const struct value_level *l, struct pl_view *v)
{
	if (fixed_members(l->kind))
		return l->count == fixed_members(l->kind);
	if (l->kind == VALUE_DICT && l->count & 1)
		return false;
	/* A name can begin with the same byte, if it is empty: no attribute has such a name. */
	if (!v->left || *v->at != VALUE_END)
		return false;
	v->at++;
	v->left--;
	return true;
}

/* Walk over the members of a value, and theirs. Each step takes a byte at least. */
static int walk_members(struct pl_view *v, struct pl_value *value)
{
	struct value_level levels[PL_VALUE_DEPTH] = {{.kind = (uint8_t)value->kind}};
	uint32_t depth = 1;
	struct pl_value member;
	const uint8_t *end = v->at;

	value->members = (struct pl_values){.at = v->at, .of = (uint8_t)value->kind};
	while (depth) {
		struct value_level *l = &levels[depth - 1];
		end = v->at;
		if (level_ends(l, v)) {
			depth--;
			continue;
		}
		int err = read_value(v, l->kind, &member);
		if (err)
			return err;
		l->count++;
		if (!has_members((uint8_t)member.kind))
			continue;
		if (depth == PL_VALUE_DEPTH)
			return PL_ERR_FORMAT;
		levels[depth++] = (struct value_level){.kind = (uint8_t)member.kind};
	}
	value->members.bytes = (uint32_t)(end - value->members.at);
	if (!fixed_members((uint8_t)value->kind))
		value->missing = less(value->length,
			value->kind == PL_VALUE_DICT ? levels[0].count / 2 : levels[0].count);
	return 0;
}

int pl_values_next(struct pl_values *values, struct pl_value *out)
{
	struct pl_view v = view_of(values->at, values->bytes);

	if (!v.left)
		return PL_END;
	int err = read_value(&v, values->of, out);
	if (err == 0 && has_members((uint8_t)out->kind))
		err = walk_members(&v, out);
	if (err)
		return err;
	values->at = v.at;
	values->bytes = (uint32_t)v.left;
	return 0;
}

static int check_all(struct pl_values values)
{
	struct pl_value value;
	int err = 0;

	while (err == 0)
		err = pl_values_next(&values, &value);
	return err == PL_END ? 0 : err;
}

int values_check(struct pl_view bytes)
{
	struct pl_values values;
	int err = values_open(bytes, &values);

	return err ? err : check_all(values);
}

int variables_check(struct pl_view bytes)
{
	struct pl_values values;
	int err = variables_open(bytes, &values);

	return err ? err : check_all(values);
}
