#define _GNU_SOURCE
#include "expr/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPR_BYTES 65536

bool value_is_kept(const struct pl_value *v)
{
	return v->kind != PL_VALUE_SEEN && v->kind != PL_VALUE_CUT && v->kind != PL_VALUE_REDACTED;
}

/* ---- what it is ---- */

/* The magnitude has its lowest byte first. */
static long double long_number(const struct pl_value *v)
{
	long double number = 0;

	for (size_t i = v->text.length; i-- > 0;)
		number = number * 256 + (unsigned char)v->text.at[i];
	if (!v->text.length || v->missing)
		number = ldexpl(1, v->length < 16000 ? (int)v->length : 16000);
	return v->integer < 0 ? -number : number;
}

/* "Decimal('3.5')" -> 3.5, "PosixPath('/tmp/x')" -> /tmp/x: what is in the quotes, if that is
 * all. */
static bool quoted_part(struct pl_text text, struct pl_text *out)
{
	const char *open = text.length ? memchr(text.at, '(', text.length) : NULL;
	const size_t from = open ? (size_t)(open - text.at) + 2 : 0;

	if (!open || from + 2 > text.length || text.at[from - 1] != '\'' ||
		memcmp(text.at + text.length - 2, "')", 2))
		return false;
	*out = (struct pl_text){.at = text.at + from, .length = text.length - 2 - from};
	return !memchr(out->at, '\'', out->length) && !memchr(out->at, '\\', out->length);
}

static bool decimal_number(const struct pl_value *v, long double *out)
{
	char digits[64], *end;
	struct pl_text part;

	if (v->missing || v->text.length < 9 || memcmp(v->text.at, "Decimal(", 8) ||
		!quoted_part(v->text, &part) || part.length >= sizeof digits)
		return false;
	memcpy(digits, part.at, part.length);
	digits[part.length] = 0;
	*out = strtold(digits, &end);
	return end != digits && !*end;
}

bool value_number(const struct pl_value *v, long double *out)
{
	switch (v->kind) {
	case PL_VALUE_FALSE:
	case PL_VALUE_TRUE:
		*out = v->kind == PL_VALUE_TRUE;
		return true;
	case PL_VALUE_INT:
		*out = v->integer;
		return true;
	case PL_VALUE_LONG:
		*out = long_number(v);
		return true;
	case PL_VALUE_FLOAT:
		*out = v->real;
		return true;
	case PL_VALUE_TEXT:
		return decimal_number(v, out);
	default:
		return false;
	}
}

bool value_text(const struct pl_value *v, struct pl_text *out)
{
	*out = v->text;
	switch (v->kind) {
	case PL_VALUE_STR:
	case PL_VALUE_FUNCTION:
	case PL_VALUE_METHOD:
	case PL_VALUE_CLASS:
	case PL_VALUE_MODULE:
		return true;
	case PL_VALUE_TEXT:
		if (!v->missing)
			quoted_part(v->text, out);
		return true;
	default:
		return false;
	}
}

struct pl_text value_repr(const struct pl_value *v, struct pl_buf *room)
{
	buf_reset(room);
	char *at = (char *)buf_reserve(room, REPR_BYTES);

	if (!at)
		return (struct pl_text){.at = "", .length = 0};
	return (struct pl_text){.at = at, .length = pl_value_text(v, at, REPR_BYTES)};
}

struct pl_text value_type(const struct pl_value *v)
{
	static const struct {
		enum pl_value_kind kind;
		const char *name;
	} names[] = {{PL_VALUE_NONE, "NoneType"}, {PL_VALUE_FALSE, "bool"}, {PL_VALUE_TRUE, "bool"},
		{PL_VALUE_LONG, "int"}, {PL_VALUE_CLASS, "type"}, {PL_VALUE_METHOD, "method"}};
	const char *name = pl_value_kind_name(v->kind);

	if (v->type.length)
		return v->type;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].kind == v->kind)
			name = names[i].name;
	if (v->kind == PL_VALUE_TEXT && v->text.length) { /* "datetime.date(2026, 1, 2)" */
		const char *end = memchr(v->text.at, '(', v->text.length);
		if (end)
			return (struct pl_text){
				.at = v->text.at, .length = (size_t)(end - v->text.at)};
	}
	return (struct pl_text){.at = name, .length = strlen(name)};
}

/* ---- comparisons ---- */

static enum value_relation compare_numbers(long double a, long double b)
{
	return a < b	? VALUE_LESS
	       : a > b	? VALUE_MORE
	       : a == b ? VALUE_EQUAL
			: VALUE_DIFFERENT; /* one is not a number */
}

/* Of one that was cut only the front is known. */
static enum value_relation compare_texts(
	const struct pl_value *a, struct pl_text x, const struct pl_value *b, struct pl_text y)
{
	const size_t both = x.length < y.length ? x.length : y.length;
	const int order = both ? memcmp(x.at, y.at, both) : 0;

	if (order)
		return order < 0 ? VALUE_LESS : VALUE_MORE;
	if ((a->missing && x.length <= y.length) || (b->missing && y.length <= x.length))
		return a->length != b->length && a->length && b->length &&
				       a->kind == PL_VALUE_STR && b->kind == PL_VALUE_STR
			       ? VALUE_DIFFERENT
			       : VALUE_UNKNOWN;
	return x.length == y.length ? VALUE_EQUAL : x.length < y.length ? VALUE_LESS : VALUE_MORE;
}

static bool has_cut(const struct pl_value *v)
{
	struct pl_values rest = v->members;
	struct pl_value member;

	if (!value_is_kept(v) || v->missing)
		return true;
	while (pl_values_next(&rest, &member) == 0)
		if (has_cut(&member))
			return true;
	return false;
}

/* Containers and objects: the same text, with nothing cut, is the same value. */
static enum value_relation compare_wholes(const struct pl_value *a, const struct pl_value *b)
{
	struct pl_buf rooms[2] = {{0}, {0}};
	enum value_relation relation = VALUE_DIFFERENT;

	if (a->id && a->id == b->id)
		return VALUE_EQUAL;
	if (a->kind != b->kind)
		return VALUE_DIFFERENT;
	if (a->length != b->length)
		return VALUE_DIFFERENT;
	const struct pl_text x = value_repr(a, &rooms[0]), y = value_repr(b, &rooms[1]);
	if (x.length == y.length && !memcmp(x.at, y.at, x.length))
		relation = has_cut(a) || has_cut(b) ? VALUE_UNKNOWN : VALUE_EQUAL;
	buf_release(&rooms[0]);
	buf_release(&rooms[1]);
	return relation;
}

enum value_relation value_compare(const struct pl_value *a, const struct pl_value *b)
{
	struct pl_text x, y;
	long double m, n;

	if (a->kind == PL_VALUE_INT && b->kind == PL_VALUE_INT)
		return a->integer < b->integer	 ? VALUE_LESS
		       : a->integer > b->integer ? VALUE_MORE
						 : VALUE_EQUAL;
	if (!value_is_kept(a) || !value_is_kept(b))
		return VALUE_UNKNOWN;
	if (value_number(a, &m) && value_number(b, &n))
		return compare_numbers(m, n);
	if (value_text(a, &x) && value_text(b, &y))
		return compare_texts(a, x, b, y);
	if (a->kind == PL_VALUE_NONE || b->kind == PL_VALUE_NONE)
		return a->kind == b->kind ? VALUE_EQUAL : VALUE_DIFFERENT;
	return compare_wholes(a, b);
}

/* ---- parts ---- */

static bool has_members(const struct pl_value *v)
{
	return v->kind >= PL_VALUE_LIST && v->kind <= PL_VALUE_DICT;
}

enum value_answer value_truth(const struct pl_value *v)
{
	long double number;
	int64_t length = 0;

	if (!value_is_kept(v))
		return VALUE_NOT_KNOWN;
	if (v->kind == PL_VALUE_NONE)
		return VALUE_NO;
	if (value_number(v, &number))
		return number != 0 ? VALUE_YES : VALUE_NO;
	return value_length(v, &length) == VALUE_YES && !length ? VALUE_NO : VALUE_YES;
}

enum value_answer value_length(const struct pl_value *v, int64_t *length)
{
	if (!value_is_kept(v))
		return VALUE_NOT_KNOWN;
	if (v->kind < PL_VALUE_STR || v->kind > PL_VALUE_NAMEDTUPLE)
		return VALUE_NO;
	*length = v->length < INT64_MAX ? (int64_t)v->length : INT64_MAX;
	return VALUE_YES;
}

static enum value_answer not_found(const struct pl_value *v)
{
	return v->missing || !value_is_kept(v) ? VALUE_NOT_KNOWN : VALUE_NO;
}

enum value_answer value_attribute(
	const struct pl_value *v, struct pl_text name, struct pl_value *out)
{
	const struct pl_value key = {.kind = PL_VALUE_STR, .text = name, .length = 1};
	struct pl_values rest = v->members;
	struct pl_value member;

	if (v->kind == PL_VALUE_DICT)
		return value_item(v, &key, out);
	while (pl_values_next(&rest, &member) == 0) {
		const bool args = v->kind == PL_VALUE_EXCEPTION && !member.name.length &&
				  name.length == 4 && !memcmp(name.at, "args", 4);
		if (args || (member.name.length == name.length && name.length &&
				    !memcmp(member.name.at, name.at, name.length))) {
			*out = member;
			return VALUE_YES;
		}
	}
	return not_found(v);
}

/* An index from the end needs to know where that is. */
static enum value_answer take_index(const struct pl_value *v, int64_t index, struct pl_value *out)
{
	struct pl_values rest = v->members;
	int64_t length = 0;

	if (index < 0 && (value_length(v, &length) != VALUE_YES || v->missing))
		return not_found(v);
	index += index < 0 ? length : 0;
	for (int64_t i = 0; index >= 0 && i <= index; i++)
		if (pl_values_next(&rest, out) != 0)
			return not_found(v);
	return index < 0 ? not_found(v) : VALUE_YES;
}

enum value_answer value_item(
	const struct pl_value *v, const struct pl_value *key, struct pl_value *out)
{
	struct pl_values rest = v->members;
	struct pl_value member;

	if (v->kind != PL_VALUE_DICT)
		return !value_is_kept(v) ? VALUE_NOT_KNOWN
		       : key->kind == PL_VALUE_INT &&
				       (has_members(v) || v->kind == PL_VALUE_NAMEDTUPLE)
			       ? take_index(v, key->integer, out)
			       : VALUE_NO;
	while (pl_values_next(&rest, &member) == 0 && pl_values_next(&rest, out) == 0)
		if (value_compare(&member, key) == VALUE_EQUAL)
			return VALUE_YES;
	return not_found(v);
}

enum value_answer value_contains(const struct pl_value *v, const struct pl_value *key)
{
	struct pl_values rest = v->members;
	struct pl_value member;
	struct pl_text part;

	if (v->kind == PL_VALUE_STR) {
		if (!value_text(key, &part))
			return VALUE_NO;
		return memmem(v->text.at, v->text.length, part.at, part.length) ? VALUE_YES
										: not_found(v);
	}
	if (v->kind == PL_VALUE_DICT)
		return value_item(v, key, &member);
	while (has_members(v) && pl_values_next(&rest, &member) == 0)
		if (value_compare(&member, key) == VALUE_EQUAL)
			return VALUE_YES;
	return not_found(v);
}
