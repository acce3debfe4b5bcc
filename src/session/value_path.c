#include "session/value_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool value_text_is(struct pl_text text, struct pl_text other)
{
	return text.length == other.length &&
	       (!text.length || !memcmp(text.at, other.at, text.length));
}

bool value_name_is_among(struct pl_values values, struct pl_text name)
{
	struct pl_value value;

	while (pl_values_next(&values, &value) == 0)
		if (value_text_is(value.name, name))
			return true;
	return false;
}

/* ---- reading ---- */

struct path_reader {
	const char *text, *at;
	struct pl_err *err;
};

static int refuse_path(struct path_reader *r, const char *expected)
{
	return pl_err_cause(r->err, PL_ERR_ARGUMENT,
		"'%s', column %zu: %s is expected; a name, and below it .attribute, [2] or ['key']",
		r->text, (size_t)(r->at - r->text) + 1, expected);
}

/* Names of Python have letters of all languages: each byte beyond ASCII belongs to one. */
static bool in_name(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80 || (!first && c >= '0' && c <= '9');
}

static int read_name(struct path_reader *r, struct pl_text *name, const char *expected)
{
	const char *begin = r->at;

	while (in_name(*r->at, r->at == begin))
		r->at++;
	*name = (struct pl_text){.at = begin, .length = (size_t)(r->at - begin)};
	return name->length ? 0 : refuse_path(r, expected);
}

/* Without escapes: a key that has both quotes or a backslash cannot be named. */
static int read_key(struct path_reader *r, struct value_step *step)
{
	const char quote = *r->at++;
	const char *end = strchr(r->at, quote);

	if (!end)
		return refuse_path(r, quote == '"' ? "a closing \"" : "a closing '");
	step->kind = STEP_TEXT;
	step->text = (struct pl_text){.at = r->at, .length = (size_t)(end - r->at)};
	r->at = end + 1;
	return 0;
}

static int read_number(struct path_reader *r, struct value_step *step)
{
	const char *digits = r->at + (*r->at == '-');
	char *end;

	if (*digits < '0' || *digits > '9')
		return refuse_path(r, "a number or a quoted key");
	errno = 0;
	step->kind = STEP_NUMBER;
	step->number = strtoll(r->at, &end, 10);
	if (errno)
		return refuse_path(r, "a number of at most 64 bits");
	r->at = end;
	return 0;
}

static int read_item(struct path_reader *r, struct value_step *step)
{
	const bool key = *r->at == '"' || *r->at == '\'';
	const int code = key ? read_key(r, step) : read_number(r, step);

	if (code)
		return code;
	if (*r->at != ']')
		return refuse_path(r, "]");
	r->at++;
	return 0;
}

static int read_step(struct path_reader *r, struct value_step *step)
{
	if (*r->at != '.' && *r->at != '[')
		return refuse_path(r, "'.' or '['");
	if (*r->at++ == '[')
		return read_item(r, step);
	step->kind = STEP_ATTRIBUTE;
	return read_name(r, &step->text, "the name of an attribute");
}

int value_path_read(struct value_path *p, const char *text, struct pl_err *err)
{
	struct path_reader r = {.text = text, .at = text, .err = err};
	int code = read_name(&r, &p->root, "a name");

	p->count = 0;
	while (code == 0 && *r.at) {
		if (p->count == VALUE_PATH_STEPS)
			return refuse_path(&r, "the end of the path, as it is too long,");
		code = read_step(&r, &p->steps[p->count]);
		p->count++;
	}
	return code;
}

/* ---- finding ---- */

static enum value_found find_key(
	const struct pl_value *in, const struct value_step *step, struct pl_value *out);

/* .name also finds a dict's key: who asks may not know which of the two it is. */
static enum value_found find_attribute(
	const struct pl_value *in, struct pl_text name, struct pl_value *out)
{
	struct pl_values rest = in->members;

	if (in->kind == PL_VALUE_DICT)
		return find_key(in, &(struct value_step){.kind = STEP_TEXT, .text = name}, out);
	if (in->kind != PL_VALUE_OBJECT && in->kind != PL_VALUE_NAMEDTUPLE)
		return VALUE_NOT_KEPT;
	while (pl_values_next(&rest, out) == 0)
		if (value_text_is(out->name, name))
			return VALUE_FOUND;
	return in->missing || rest.bytes ? VALUE_NOT_KEPT : VALUE_ABSENT;
}

static bool is_key(const struct pl_value *key, const struct value_step *step)
{
	if (step->kind == STEP_TEXT)
		return key->kind == PL_VALUE_STR && !key->missing &&
		       value_text_is(key->text, step->text);
	return (key->kind == PL_VALUE_INT && key->integer == step->number) ||
	       (key->kind == PL_VALUE_TRUE && step->number == 1) ||
	       (key->kind == PL_VALUE_FALSE && step->number == 0);
}

static enum value_found find_key(
	const struct pl_value *in, const struct value_step *step, struct pl_value *out)
{
	struct pl_values rest = in->members;
	struct pl_value key;

	while (pl_values_next(&rest, &key) == 0 && pl_values_next(&rest, out) == 0)
		if (is_key(&key, step))
			return VALUE_FOUND;
	return in->missing || rest.bytes ? VALUE_NOT_KEPT : VALUE_ABSENT;
}

/* The first items were kept, so one that is counted from the end may not be among them. */
static enum value_found find_item(const struct pl_value *in, int64_t number, struct pl_value *out)
{
	const uint64_t from_end = number < 0 ? -(uint64_t)number : 0;
	struct pl_values rest = in->members;

	if (from_end > in->length || (number >= 0 && (uint64_t)number >= in->length))
		return VALUE_ABSENT;
	const uint64_t index = from_end ? in->length - from_end : (uint64_t)number;
	for (uint64_t i = 0; pl_values_next(&rest, out) == 0; i++)
		if (i == index)
			return VALUE_FOUND;
	return VALUE_NOT_KEPT;
}

static bool has_items(enum pl_value_kind kind)
{
	return kind == PL_VALUE_LIST || kind == PL_VALUE_TUPLE || kind == PL_VALUE_DEQUE ||
	       kind == PL_VALUE_NAMEDTUPLE;
}

enum value_found value_path_step(
	const struct pl_value *in, const struct value_step *step, struct pl_value *out)
{
	if (step->kind == STEP_ATTRIBUTE)
		return find_attribute(in, step->text, out);
	if (in->kind == PL_VALUE_DICT)
		return find_key(in, step, out);
	if (step->kind == STEP_NUMBER && has_items(in->kind))
		return find_item(in, step->number, out);
	return VALUE_NOT_KEPT;
}

enum value_found value_path_find(
	const struct value_path *p, size_t first, const struct pl_value *in, struct pl_value *out)
{
	struct pl_value part;

	*out = *in;
	for (size_t i = first; i < p->count; i++) {
		const enum value_found found = value_path_step(out, &p->steps[i], &part);
		if (found != VALUE_FOUND)
			return found;
		*out = part;
	}
	return VALUE_FOUND;
}
