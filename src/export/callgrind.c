/* The format of callgrind, which KCachegrind and callgrind_annotate read: the own time of each line
 * in ns, and calls of one function at a line of another with the time that they took.
 *
 *	fl=(1) shop.py
 *	fn=(2) book
 *	40 1200                    line 40 of book: 1.2 us of its own
 *	cfi=(3) stock.py
 *	cfn=(4) take
 *	calls=7 12                 called take, which begins at line 12, 7 times
 *	41 880000                  at line 41: 880 us with all that it calls
 */
#include "export/export.h"

#include <inttypes.h>
#include <string.h>
#include "base/map.h"

struct callgrind {
	struct pl_map names; /* owned: hash of a file, or code -> its number, from 1 */
	int64_t sum_ns;
};

/* A name would end its line, or the line of another. */
static void put_plain(struct pl_buf *b, const char *text)
{
	for (; *text; text++)
		buf_u8(b, (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : (uint8_t)*text);
}

/* "(7) shop.py" the first time, then "(7)". */
static int put_name(
	struct export *x, const char *word, uint64_t key, const char *name, int32_t line)
{
	struct callgrind *c = x->state;
	struct pl_buf *b = &x->bytes;
	const uint64_t *known = map_find(&c->names, key);

	if (known) {
		buf_printf(b, "%s=(%" PRIu64 ")\n", word, *known);
		return 0;
	}
	uint64_t *number = map_put(&c->names, key);
	if (!number)
		return PL_ERR_MEMORY;
	*number = c->names.used;
	buf_printf(b, "%s=(%" PRIu64 ") ", word, *number);
	put_plain(b, name);
	if (line)
		buf_printf(b, ":%" PRId32, line);
	buf_u8(b, '\n');
	return 0;
}

/* Lambdas and comprehensions of a file have the same name: the line tells them apart. */
static int put_code(
	struct export *x, const char *file_word, const char *word, const struct pl_code *code)
{
	const char *file = code ? pl_code_file(code) : "(no file)",
		   *name = code ? pl_code_name(code) : "(no Python)";
	const size_t n = strlen(name);
	const bool unnamed = n && name[n - 1] == '>';
	const int result = put_name(x, file_word, hash_bytes(file, strlen(file)) | 1, file, 0);

	return result ? result
		      : put_name(x, word, (uintptr_t)code, name,
				unnamed && code ? pl_code_first_line(code) : 0);
}

static int callgrind_begin(struct export *x)
{
	struct pl_recording_info info;

	pl_recording_info(x->r, &info);
	buf_printf(&x->bytes,
		"# callgrind format\nversion: 1\ncreator: pathline " PATHLINE_VERSION "\ncmd: ");
	put_plain(&x->bytes, info.command);
	buf_printf(&x->bytes, "\npositions: line\nevents: ns\n");
	return 0;
}

static int put_own(struct export *x, const struct pl_profile_line *l)
{
	const int64_t own = l->time.computing_ns + l->time.waiting_ns;
	const int code = put_code(x, "fl", "fn", l->time.code);

	buf_printf(&x->bytes, "%" PRId32 " %" PRId64 "\n", l->time.line, own);
	return code;
}

/* The bottom of a stack has no caller. */
static int put_call(struct export *x, const struct pl_profile_call *call)
{
	if (!call->caller)
		return 0;
	int code = put_code(x, "fl", "fn", call->caller);
	if (code == 0)
		code = put_code(x, "cfi", "cfn", call->callee);
	buf_printf(&x->bytes, "calls=%" PRIu64 " %" PRId32 "\n%" PRId32 " %" PRId64 "\n",
		call->calls + call->resumes + call->throws,
		call->callee ? pl_code_first_line(call->callee) : 0, call->line,
		call->cumulated_ns);
	return code;
}

static int callgrind_profile(
	struct export *x, const struct pl_process *p, const struct pl_profile_tables *t)
{
	struct callgrind *c = x->state;
	int code = 0;

	(void)p;
	for (size_t i = 0; i < t->line_count && code == 0; i++) {
		code = put_own(x, &t->lines[i]);
		c->sum_ns += t->lines[i].time.computing_ns + t->lines[i].time.waiting_ns;
		if (code == 0)
			code = export_put(x);
	}
	for (size_t i = 0; i < t->call_count && code == 0; i++) {
		code = put_call(x, &t->calls[i]);
		if (code == 0)
			code = export_put(x);
	}
	return code;
}

static int callgrind_end(struct export *x)
{
	const struct callgrind *c = x->state;

	buf_printf(&x->bytes, "\ntotals: %" PRId64 "\n", c->sum_ns);
	return 0;
}

static void callgrind_release(struct export *x)
{
	map_release(&((struct callgrind *)x->state)->names);
}

const struct export_format export_callgrind = {
	.name = "callgrind",
	.about = "time by line and call for KCachegrind",
	.takes = EXPORT_PROFILE,
	.state_bytes = sizeof(struct callgrind),
	.begin = callgrind_begin,
	.end = callgrind_end,
	.release = callgrind_release,
	.profile = callgrind_profile,
};
