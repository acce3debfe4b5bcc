#include "session/valued.h"

#include <stdio.h>
#include <string.h>

static int open_thread(struct valued *v, const struct pl_event *at, struct pl_err *err)
{
	const struct pl_position *p = &at->position;

	if (v->cursor && v->process == p->process && v->thread == p->thread)
		return 0;
	valued_release(v);
	int code = pl_cursor_new(&v->cursor, v->r, p->process, p->thread, err);
	if (code == 0)
		pl_cursor_want_values(v->cursor, true);
	v->process = p->process;
	v->thread = p->thread;
	return code;
}

int valued_read(
	struct valued *v, const struct pl_event *at, struct pl_event *out, struct pl_err *err)
{
	int code = open_thread(v, at, err);

	if (code == 0)
		code = pl_cursor_seek_seq(v->cursor, at->seq, err);
	while (code == 0) {
		code = pl_cursor_next(v->cursor, out, err);
		if (code || (out->seq == at->seq && out->kind == at->kind))
			return code;
		if (out->seq > at->seq)
			return PL_END;
	}
	return code;
}

size_t valued_stack(const struct valued *v, struct pl_frame *frames, size_t max)
{
	return v->cursor ? pl_cursor_stack(v->cursor, frames, max) : 0;
}

struct pl_value valued_exception(const struct pl_event *e)
{
	struct pl_values rest = e->values;
	struct pl_value value;

	if (pl_values_next(&rest, &value) || value.kind != PL_VALUE_EXCEPTION)
		return (struct pl_value){0};
	return value;
}

void valued_release(struct valued *v)
{
	pl_cursor_free(v->cursor);
	v->cursor = NULL;
}

/* ---- messages ---- */

static bool is_within_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Without the quotes of its repr. */
static size_t put_string(const struct pl_value *v, char *text, size_t max)
{
	size_t used = 0, i = 0;

	for (; i < v->text.length && used + 8 < max; i++) {
		const unsigned char c = (unsigned char)v->text.at[i];
		if (c == '\n' || c == '\r' || c == '\t')
			used += (size_t)snprintf(text + used, max - used, "\\%c",
				c == '\n'   ? 'n'
				: c == '\r' ? 'r'
					    : 't');
		else if (c < 0x20 || c == 0x7f)
			used += (size_t)snprintf(text + used, max - used, "\\x%02x", c);
		else
			text[used++] = (char)c;
	}
	const bool cut = i < v->text.length;
	if (cut && is_within_character(v->text.at[i])) { /* no part of one at the end */
		while (used && is_within_character(text[used - 1]))
			used--;
		used -= used > 0;
	}
	text[used] = 0;
	if (v->missing || cut)
		used += (size_t)snprintf(text + used, max - used, "…");
	return used;
}

static bool is_os_error(const struct pl_value *args, const char *type)
{
	static const char *const types[] = {"OSError", "FileNotFoundError", "FileExistsError",
		"PermissionError", "IsADirectoryError", "NotADirectoryError", "ConnectionError",
		"ConnectionRefusedError", "ConnectionResetError", "ConnectionAbortedError",
		"BrokenPipeError", "TimeoutError", "BlockingIOError", "InterruptedError",
		"ProcessLookupError", "ChildProcessError"};

	for (size_t i = 0; args->length >= 2 && i < sizeof types / sizeof *types; i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/* As str() has it. */
static size_t put_plain(const struct pl_value *v, char *text, size_t max)
{
	return v->kind == PL_VALUE_STR ? put_string(v, text, max) : pl_value_text(v, text, max);
}

/* "[Errno 2] No such file or directory" */
static size_t put_os_error(struct pl_values args, char *text, size_t max)
{
	struct pl_value number, what;

	if (pl_values_next(&args, &number) || pl_values_next(&args, &what) || max < 64)
		return 0;
	size_t used = (size_t)snprintf(text, max, "[Errno ");
	used += put_plain(&number, text + used, max / 2);
	used += (size_t)snprintf(text + used, max - used, "] ");
	return used + put_plain(&what, text + used, max - used);
}

size_t valued_message(const struct pl_value *exception, const char *type, char *text, size_t max)
{
	struct pl_values rest = exception->members;
	struct pl_value args, first;
	size_t used;

	text[0] = 0;
	if (exception->kind != PL_VALUE_EXCEPTION || pl_values_next(&rest, &args) || !args.length)
		return 0;
	rest = args.members;
	if (is_os_error(&args, type) && (used = put_os_error(rest, text, max)))
		return used;
	if (pl_values_next(&rest, &first))
		return 0;
	const bool plain = args.length == 1 || strstr(type, "ExceptionGroup");
	if (!plain)
		return pl_value_text(&args, text, max);
	return strcmp(type, "KeyError") != 0 ? put_plain(&first, text, max)
					     : pl_value_text(&first, text, max);
}
