#define _GNU_SOURCE
#include "cmd/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/utf8.h"

#define ARGUMENTS_MAX 256 /* whose names are shown */
#define NUMBER_BYTES  12288
/* Bytes of room with which another value is begun. */
#define VALUE_LEAST    32
#define VARIABLE_LEAST 64
#define SIGN_BYTES     8 /* of them for ", …", if others follow */

bool values_there(const struct pl_recording *r)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	if (info.value_events > 0 || info.variable_events > 0)
		return true;
	return !info.end_ns && *info.values && strcmp(info.values, "none") != 0;
}

enum pl_value_kind values_kind(const struct pl_event *e)
{
	struct pl_values rest = e->values;
	struct pl_value value;

	return pl_values_next(&rest, &value) ? (enum pl_value_kind)0 : value.kind;
}

/* What a call's values are named by. */
struct argument_names {
	struct pl_argument at[ARGUMENTS_MAX];
	size_t count;
};

static void find_names(struct argument_names *n, const struct pl_event *e)
{
	n->count = 0;
	if (e->kind == PL_EVENT_CALL && e->code && e->values.at)
		n->count = pl_code_arguments(e->code, n->at, ARGUMENTS_MAX);
	if (n->count > ARGUMENTS_MAX)
		n->count = ARGUMENTS_MAX;
}

/* ---- text ---- */

/* "order=", "*rest=" */
static size_t name_text(const struct pl_argument *a, char *text, size_t max)
{
	const struct pl_value name = {.kind = PL_VALUE_TEXT, .text = a->name};
	const size_t stars = strlen(a->stars);

	if (max < stars + 16)
		return 0;
	memcpy(text, a->stars, stars);
	const size_t used = stars + pl_value_text(&name, text + stars, max - stars - 8);
	text[used] = '=';
	return used + 1;
}

/* A value, of which others may follow that do not fit. */
static size_t value_text_before(
	const struct pl_value *value, bool others, char *text, size_t used, size_t max)
{
	return pl_value_text(value, text + used, max - used - (others ? SIGN_BYTES : 0));
}

/* After the values, if some are left: they did not fit, or cannot be read. */
static size_t end_text(const struct pl_values *rest, bool fits, char *text, size_t used, size_t max)
{
	if (rest->bytes && max - used >= SIGN_BYTES)
		used += (size_t)snprintf(text + used, max - used, "%s%s", used ? ", " : "",
			fits ? "<damaged>" : "…");
	text[used] = 0;
	return used;
}

size_t values_text(const struct pl_event *e, char *text, size_t max)
{
	struct pl_values rest = e->values;
	struct argument_names names;
	struct pl_value value;
	size_t used = 0;

	find_names(&names, e);
	for (size_t i = 0; max - used > VALUE_LEAST && pl_values_next(&rest, &value) == 0; i++) {
		if (i)
			used += (size_t)snprintf(text + used, max - used, ", ");
		if (i < names.count)
			used += name_text(&names.at[i], text + used, max - used - 2 * SIGN_BYTES);
		used += value_text_before(&value, rest.bytes, text, used, max);
	}
	return end_text(&rest, max - used > VALUE_LEAST, text, used, max);
}

/* How many of the variables have changed: they are the first ones. */
static size_t changed_count(const struct pl_event *e)
{
	return e->variables.flags & PL_VALUES_ALL ? PL_VALUES_CHANGED(e->variables.flags)
						  : SIZE_MAX;
}

size_t variables_text(const struct pl_event *e, char *text, size_t max)
{
	struct pl_values rest = e->variables;
	const size_t count = changed_count(e);
	struct pl_value value;
	size_t used = 0, i = 0;

	for (; i < count && max - used > VARIABLE_LEAST && pl_values_next(&rest, &value) == 0;
		i++) {
		const struct pl_value name = {.kind = PL_VALUE_TEXT, .text = value.name};
		if (i)
			used += (size_t)snprintf(text + used, max - used, ", ");
		used += pl_value_text(&name, text + used, max - used - VARIABLE_LEAST / 2);
		used += (size_t)snprintf(text + used, max - used, " = ");
		used += value_text_before(&value, rest.bytes && i + 1 < count, text, used, max);
	}
	if (i == count)
		rest.bytes = 0; /* what is left has not changed */
	return end_text(&rest, max - used > VARIABLE_LEAST, text, used, max);
}

/* ---- JSON ---- */

/* A lone surrogate is three bytes here, which out_json would take one by one. */
static void put_string(struct json *j, struct pl_text t)
{
	size_t from = 0;

	out_char(j->out, '"');
	for (size_t i = 0; i + 2 < t.length; i++) {
		const unsigned char *at = (const unsigned char *)t.at + i;
		char escape[8];
		if (!utf8_is_surrogate(at, t.length - i))
			continue;
		out_json(j->out, (struct text){.at = t.at + from, .length = i - from});
		snprintf(escape, sizeof escape, "\\u%04x", utf8_surrogate(at));
		out_text(j->out, escape);
		from = i + 3;
		i += 2;
	}
	out_json(j->out, (struct text){.at = t.at + from, .length = t.length - from});
	out_char(j->out, '"');
}

static void put_named(struct json *j, const char *key, struct pl_text t)
{
	if (!t.at)
		return;
	json_key(j, key);
	put_string(j, t);
}

/* Bytes are no text: "00ff". */
static void put_hex(struct json *j, struct pl_text t)
{
	static const char digits[] = "0123456789abcdef";

	json_key(j, "hex");
	out_char(j->out, '"');
	for (size_t i = 0; i < t.length; i++) {
		out_char(j->out, digits[(unsigned char)t.at[i] >> 4]);
		out_char(j->out, digits[t.at[i] & 15]);
	}
	out_char(j->out, '"');
}

/* A number as Python writes it; JSON has no infinity, and a float that is none is a string. */
static void put_number(struct json *j, const char *key, struct pl_value v)
{
	char text[NUMBER_BYTES];
	const bool plain = v.kind != PL_VALUE_FLOAT || isfinite(v.real);

	v.type = (struct pl_text){0};
	json_key(j, key);
	pl_value_text(&v, text, sizeof text);
	if (v.kind == PL_VALUE_LONG && v.missing)
		out_text(j->out, "null");
	else if (plain)
		out_text(j->out, text);
	else
		put_string(j, (struct pl_text){text, strlen(text)});
}

static void put_real(struct json *j, const char *key, double value)
{
	put_number(j, key, (struct pl_value){.kind = PL_VALUE_FLOAT, .real = value});
}

/* Of a dict: [key, value] for each. */
static void put_members(struct json *j, const struct pl_value *v)
{
	const bool pairs = v->kind == PL_VALUE_DICT;
	struct pl_values rest = v->members;
	struct pl_value member;

	json_open(j, "members", '[');
	for (bool first = true; pl_values_next(&rest, &member) == 0; first = !first) {
		if (pairs && first)
			json_open(j, NULL, '[');
		values_json_value(j, NULL, &member);
		if (pairs && !first)
			json_close(j, ']');
	}
	json_close(j, ']');
}

/* What the kind has: see PL_VALUE_KINDS. */
static void put_what(struct json *j, const struct pl_value *v)
{
	switch (v->kind) {
	case PL_VALUE_INT:
	case PL_VALUE_LONG:
	case PL_VALUE_FLOAT:
		put_number(j, "value", *v);
		break;
	case PL_VALUE_COMPLEX:
		put_real(j, "real", v->real);
		put_real(j, "imaginary", v->imaginary);
		break;
	case PL_VALUE_BYTES:
	case PL_VALUE_BYTEARRAY:
	case PL_VALUE_MEMORYVIEW:
		put_hex(j, v->text);
		break;
	case PL_VALUE_EXCEPTION:
		if (v->cause.length)
			put_named(j, "cause", v->cause);
		if (v->context.length)
			put_named(j, "context", v->context);
		break;
	default:
		put_named(j, "value", v->text);
		break;
	}
}

static bool has_length(enum pl_value_kind kind)
{
	return (kind >= PL_VALUE_STR && kind <= PL_VALUE_OBJECT) || kind == PL_VALUE_LONG;
}

static void put_fields(struct json *j, const struct pl_value *v)
{
	json_text(j, "kind", pl_value_kind_name(v->kind));
	put_named(j, "type", v->type);
	if (v->id)
		json_u64(j, "id", v->id);
	put_what(j, v);
	if (has_length(v->kind))
		json_u64(j, "length", v->length);
	if (v->missing)
		json_u64(j, "cut", v->missing);
	if (v->kind >= PL_VALUE_LIST && v->kind <= PL_VALUE_SLICE)
		put_members(j, v);
}

void values_json_value(struct json *j, const char *key, const struct pl_value *v)
{
	json_open(j, key, '{');
	put_named(j, "name", v->name);
	put_fields(j, v);
	json_close(j, '}');
}

/* "*rest" */
static void put_argument_name(struct json *j, const struct pl_argument *a)
{
	char text[512];
	const size_t stars = strlen(a->stars);
	const size_t length =
		a->name.length < sizeof text - stars ? a->name.length : sizeof text - stars;

	memcpy(text, a->stars, stars);
	memcpy(text + stars, a->name.at, length);
	put_named(j, "name", (struct pl_text){text, stars + length});
}

void values_json_all(struct json *j, const char *key, const struct pl_event *e)
{
	struct pl_values rest = e->values;
	struct argument_names names;
	struct pl_value value;

	if (!e->values.at) {
		json_null(j, key);
		return;
	}
	find_names(&names, e);
	json_open(j, key, '[');
	for (size_t i = 0; pl_values_next(&rest, &value) == 0; i++) {
		json_open(j, NULL, '{');
		if (i < names.count)
			put_argument_name(j, &names.at[i]);
		put_fields(j, &value);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void variables_json(struct json *j, const char *key, const struct pl_event *e)
{
	struct pl_values rest = e->variables;
	const size_t count = changed_count(e);
	struct pl_value value;

	if (!e->variables.at) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '[');
	for (size_t i = 0; i < count && pl_values_next(&rest, &value) == 0; i++)
		values_json_value(j, NULL, &value);
	json_close(j, ']');
}

void values_json_one(struct json *j, const char *key, const struct pl_event *e)
{
	struct pl_values rest = e->values;
	struct pl_value value;

	if (pl_values_next(&rest, &value) == 0)
		values_json_value(j, key, &value);
	else
		json_null(j, key);
}

void values_json_text(struct json *j, const char *key, struct pl_text text)
{
	put_named(j, key, text);
}
