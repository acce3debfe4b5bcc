#define _GNU_SOURCE
#include "session/request_kinds.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "pathline/values.h"
#include "session/library.h"

#define ARGUMENTS_MAX 8
#define HEAD_LINES    6	 /* of a def are read */
#define HEX_LEAST     16 /* letters of a hexadecimal part that is a number */

/* ---- codes ---- */

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

bool request_code_is_own(const struct pl_code *code)
{
	const char *file = pl_code_file(code);

	return !code_is_library(code) && !ends_with(file, "/rq/job.py") &&
	       !ends_with(file, "/celery/app/trace.py");
}

static bool has_name(const struct pl_text *text, const char *name)
{
	return text->length == strlen(name) && !memcmp(text->at, name, text->length);
}

/* Do so many arguments in a row have these names? */
static bool has_arguments(const struct pl_code *code, const char *const *names)
{
	struct pl_argument arguments[ARGUMENTS_MAX];
	size_t count = pl_code_arguments(code, arguments, ARGUMENTS_MAX), next = 0;

	for (size_t i = 0; i < count && i < ARGUMENTS_MAX && names[next]; i++)
		next = has_name(&arguments[i].name, names[next]) ? next + 1 : 0;
	return !names[next];
}

/* After the word and blanks, or a type that is written there, comes a comma or the end. */
static const char *after_word(const char *at, const char *word)
{
	const size_t length = strlen(word);

	for (const char *p = at; (p = strstr(p, word)); p += length)
		if ((p == at || (!isalnum((unsigned char)p[-1]) && p[-1] != '_')) &&
			!isalnum((unsigned char)p[length]) && p[length] != '_')
			return p + length;
	return NULL;
}

/* The same from the text of its def, up to the colon after the arguments. */
static bool source_has_arguments(
	struct pl_recording *r, const struct pl_code *code, const char *const *names)
{
	char head[1024] = "";
	size_t used = 0;
	struct pl_text line;
	const int32_t first = pl_code_first_line(code);

	for (int32_t n = first; n < first + HEAD_LINES; n++) {
		if (pl_source_line(r, code, n, &line, NULL) ||
			line.length >= sizeof head - used - 1)
			break;
		memcpy(head + used, line.at, line.length);
		used += line.length;
		head[used++] = ' ';
		head[used] = 0;
		if (strchr(head, '(') && strchr(head, ')'))
			break;
	}
	const char *def = after_word(head, "def"), *body = after_word(head, "class");
	const char *at = def && (!body || def < body) ? strchr(def, '(') : NULL;
	for (size_t i = 0; at && names[i]; i++)
		at = after_word(at, names[i]);
	return at;
}

static bool takes(struct pl_recording *r, const struct pl_code *code, const char *const *names)
{
	return has_arguments(code, names) || source_has_arguments(r, code, names);
}

/* wsgiref answers with an application of its own where another one failed. */
static enum request_code judge_code(struct pl_recording *r, const struct pl_code *code)
{
	static const char *const wsgi[] = {"environ", "start_response", NULL};
	static const char *const asgi[] = {"scope", "receive", "send", NULL};
	const char *file = pl_code_file(code), *name = pl_code_name(code);

	if (ends_with(file, "celery/app/trace.py") && ends_with(name, ".trace_task"))
		return CODE_CELERY;
	if (ends_with(file, "rq/job.py") && !strcmp(name, "Job.perform"))
		return CODE_RQ;
	if ((strchr(name, '<') && ends_with(name, ">")) || ends_with(file, "wsgiref/handlers.py"))
		return request_code_is_own(code) ? CODE_OTHER : CODE_LIBRARY;
	if (takes(r, code, wsgi))
		return CODE_WSGI;
	if (takes(r, code, asgi))
		return CODE_ASGI;
	return request_code_is_own(code) ? CODE_OTHER : CODE_LIBRARY;
}

enum request_code request_code_of(struct request_codes *c, const struct pl_code *code)
{
	uint64_t *known = code ? map_put(&c->known, (uint64_t)(uintptr_t)code) : NULL;

	if (!known)
		return CODE_LIBRARY;
	if (!*known)
		*known = (uint64_t)judge_code(c->r, code) + 1;
	return (enum request_code)(*known - 1);
}

void request_codes_release(struct request_codes *c)
{
	map_release(&c->known);
}

/* ---- values ---- */

/* The value of a str key. */
static bool find_key(const struct pl_value *dict, const char *key, struct pl_value *out)
{
	struct pl_values rest = dict->members;
	struct pl_value name;

	if (dict->kind != PL_VALUE_DICT)
		return false;
	while (pl_values_next(&rest, &name) == 0 && pl_values_next(&rest, out) == 0)
		if (name.kind == PL_VALUE_STR && has_name(&name.text, key))
			return out->kind == PL_VALUE_STR;
	return false;
}

static bool find_argument(const struct pl_event *call, const char *name, struct pl_value *out)
{
	struct pl_argument arguments[ARGUMENTS_MAX];
	const size_t count = pl_code_arguments(call->code, arguments, ARGUMENTS_MAX);
	struct pl_values rest = call->values;

	for (size_t i = 0; i < count && i < ARGUMENTS_MAX && pl_values_next(&rest, out) == 0; i++)
		if (has_name(&arguments[i].name, name))
			return true;
	return false;
}

/* Is a part of a path a number: of digits, or a long hexadecimal one, as of a UUID? */
static bool is_number_part(const char *at, size_t length)
{
	size_t digits = 0, hex = 0;

	for (size_t i = 0; i < length; i++) {
		digits += isdigit((unsigned char)at[i]) != 0;
		hex += isxdigit((unsigned char)at[i]) || at[i] == '-';
	}
	return length && (digits == length || (hex == length && length >= HEX_LEAST));
}

/* "GET /orders/17" -> "GET /orders/:n" */
static void write_route(struct request *q, const struct pl_text *method)
{
	size_t used = (size_t)snprintf(q->route, sizeof q->route, "%.*s%s", (int)method->length,
		method->at ? method->at : "", method->length ? " " : "");
	const char *at = q->target;

	if (used >= sizeof q->route)
		return;
	while (*at && used + 3 < sizeof q->route) {
		if (*at == '/') {
			q->route[used++] = *at++;
			continue;
		}
		size_t length = strcspn(at, "/");
		const bool number = is_number_part(at, length);
		const char *text = number ? ":n" : at;
		size_t n = number ? 2 : length;
		n = n < sizeof q->route - used ? n : sizeof q->route - used - 1;
		memcpy(q->route + used, text, n);
		used += n;
		at += length;
	}
	q->route[used] = 0;
}

static bool describe_by(struct request *q, const struct pl_event *call, const char *argument,
	const char *path_key, const char *method_key)
{
	struct pl_value dict, path, method;

	if (!find_argument(call, argument, &dict) || !find_key(&dict, path_key, &path))
		return false;
	snprintf(q->target, sizeof q->target, "%.*s", (int)path.text.length, path.text.at);
	if (!find_key(&dict, method_key, &method))
		method.text.length = 0;
	write_route(q, &method.text);
	return true;
}

bool request_describe(struct request *q, const struct pl_event *call)
{
	struct pl_value scope, type;

	snprintf(q->route, sizeof q->route, "%s", pl_code_name(call->code));
	if (q->kind == REQUEST_WSGI)
		describe_by(q, call, "environ", "PATH_INFO", "REQUEST_METHOD");
	if (q->kind != REQUEST_ASGI)
		return true;
	if (find_argument(call, "scope", &scope) && find_key(&scope, "type", &type) &&
		!has_name(&type.text, "http"))
		return false;
	describe_by(q, call, "scope", "path", "method");
	return true;
}
