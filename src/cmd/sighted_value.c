#include "cmd/sighted_value.h"

#include <stdlib.h>
#include <string.h>

#define COPY_BYTES_MAX 4096

/* Its texts and members are in `bytes`. */
struct sighted_copy {
	struct pl_value value;
	unsigned char bytes[];
};

/* ---- comparing ---- */

static bool same_text(struct pl_text one, struct pl_text other)
{
	return one.length == other.length && (!one.length || !memcmp(one.at, other.at, one.length));
}

/* Of a text that was cut its beginning was kept. */
static bool same_beginning(const struct pl_value *one, const struct pl_value *other)
{
	const size_t least =
		one->text.length < other->text.length ? one->text.length : other->text.length;

	if (one->text.length > least ? !other->missing
				     : other->text.length > least && !one->missing)
		return false;
	return !least || !memcmp(one->text.at, other->text.at, least);
}

/* Bit for bit: a NaN is the same as itself, and -0.0 is not 0.0. */
static bool same_double(double one, double other)
{
	uint64_t one_bits, other_bits;

	memcpy(&one_bits, &one, sizeof one_bits);
	memcpy(&other_bits, &other, sizeof other_bits);
	return one_bits == other_bits;
}

static bool same_scalar(const struct pl_value *one, const struct pl_value *other)
{
	return one->length == other->length && one->integer == other->integer &&
	       same_double(one->real, other->real) &&
	       same_double(one->imaginary, other->imaginary) &&
	       same_text(one->cause, other->cause) && same_text(one->context, other->context) &&
	       same_beginning(one, other);
}

static bool same_as_kept(const struct pl_value *one, const struct pl_value *other);

static bool same_members(const struct pl_value *one, const struct pl_value *other)
{
	struct pl_values rest = one->members, other_rest = other->members;
	struct pl_value member, other_member;

	while (pl_values_next(&rest, &member) == 0 &&
		pl_values_next(&other_rest, &other_member) == 0)
		if (!same_text(member.name, other_member.name) ||
			!same_as_kept(&member, &other_member))
			return false;
	return true;
}

/* Its type alone, or a mention of it. */
static bool is_mention(const struct pl_value *value)
{
	return value->kind == PL_VALUE_CUT || value->kind == PL_VALUE_SEEN;
}

static bool same_as_kept(const struct pl_value *one, const struct pl_value *other)
{
	if (one->id != other->id)
		return false;
	if (one->id && (is_mention(one) || is_mention(other)))
		return true;
	return one->kind == other->kind && same_text(one->type, other->type) &&
	       same_scalar(one, other) && same_members(one, other);
}

/* ---- keeping ---- */

static size_t detail_of(const struct pl_value *value)
{
	return (size_t)value->members.bytes + value->text.length + value->type.length;
}

static const char *put_bytes(unsigned char **to, const void *from, size_t length)
{
	unsigned char *at = *to;

	if (length)
		memcpy(at, from, length);
	*to += length;
	return (const char *)at;
}

/* Without an identity it is not told from an equal one. NULL: not needed, or there is no room. */
static struct sighted_copy *copy_of(const struct pl_value *value)
{
	const struct pl_value *v = value;
	const size_t bytes = detail_of(v) + v->cause.length + v->context.length;

	if ((!v->id && !v->missing && !v->members.bytes) || bytes > COPY_BYTES_MAX)
		return NULL;
	struct sighted_copy *copy = malloc(sizeof *copy + bytes);
	if (!copy)
		return NULL;
	unsigned char *at = copy->bytes;
	copy->value = *v;
	copy->value.name = (struct pl_text){0};
	copy->value.members.at = (unsigned char *)put_bytes(&at, v->members.at, v->members.bytes);
	copy->value.text.at = put_bytes(&at, v->text.at, v->text.length);
	copy->value.type.at = put_bytes(&at, v->type.at, v->type.length);
	copy->value.cause.at = put_bytes(&at, v->cause.at, v->cause.length);
	copy->value.context.at = put_bytes(&at, v->context.at, v->context.length);
	return copy;
}

void sighted_value_reset(struct sighted_value *known)
{
	free(known->copy);
	*known = (struct sighted_value){0};
}

bool sighted_value_take(
	struct sighted_value *known, const struct pl_value *now, uint64_t text, bool any_object)
{
	const bool equal = known->text == text && (known->id == now->id || any_object);
	const bool same = equal || (known->copy && same_as_kept(&known->copy->value, now));

	if (same && known->copy && known->id == now->id &&
		detail_of(now) <= detail_of(&known->copy->value))
		return true;
	sighted_value_reset(known);
	*known = (struct sighted_value){text, now->id, copy_of(now)};
	return same;
}
