#include "session/possible.h"

#include <stdlib.h>
#include "base/array.h"
#include "session/seen.h"

static int add_possible(
	struct possible *p, const struct pl_code *code, int32_t line, struct pl_err *err)
{
	if (!code || line <= 0)
		return 0;
	struct possible_line *rows = array_room(p->rows, p->count, &p->room, sizeof *rows);
	if (!rows)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for possible lines");
	p->rows = rows;
	p->rows[p->count++] = (struct possible_line){code, line};
	return 0;
}

/* Does it still run, as far as the recording says? */
static bool is_running(
	struct pl_recording *r, const struct pl_process *p, const struct pl_thread *t)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	return p->end == PL_PROCESS_RUNNING && !info.finished && !t->end_ns;
}

/* The path of a process that was killed ends with its possible lines. That of one that runs may go
 * on otherwise, so they are asked for. */
static int add_path_end(struct possible *p, struct pl_recording *r, const struct pl_process *of,
	const struct pl_thread *t, struct pl_err *err)
{
	const uint64_t last = t->first_seq + t->events - 1;
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&c, r, t->process, t->number, err);

	if (code == 0)
		code = pl_cursor_seek_seq(c, last, err);
	while (code == 0 && (code = pl_cursor_next(c, &e, err)) == 0)
		if (e.kind == PL_EVENT_POSSIBLE)
			code = add_possible(p, e.code, e.line, err);
	if (code == PL_END && is_running(r, of, t))
		code = 0;
	while (code == 0 && (code = pl_cursor_possible(c, &e, err)) == 0)
		if (e.kind == PL_EVENT_POSSIBLE)
			code = add_possible(p, e.code, e.line, err);
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}

/* Is the line that was seen the one that the last event says? */
static bool is_last_event(
	struct pl_recording *r, uint32_t process, uint32_t thread, const struct seen *seen)
{
	struct path path = {.r = r, .process = process, .thread = thread};
	struct pl_event last;
	const int code = path_last(&path, UINT64_MAX, &last, NULL);

	path_release(&path);
	return code == 0 && last.line == seen->line && pl_code_same_text(last.code, seen->code);
}

int possible_add(struct possible *p, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err)
{
	const struct pl_process *of = pl_recording_find_process(r, process);
	const uint32_t count = of ? of->thread_count : 0;
	struct seen *rows = NULL;
	int code = 0;

	if (!of || of->end == PL_PROCESS_EXITED || of->end == PL_PROCESS_EXECED)
		return 0;
	rows = calloc((size_t)count + 1, sizeof *rows);
	if (!rows)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for where threads were seen");
	for (uint32_t n = 0; n < count && code == 0; n++) {
		const struct pl_thread *t = pl_recording_thread(r, process, n);
		struct path path = {.r = r, .process = process, .thread = n};
		if (!t || !t->events || (thread != PL_ALL_THREADS && thread != n))
			continue;
		code = add_path_end(p, r, of, t, err);
		seen_ask(&path, &rows[n]);
		path_release(&path);
	}
	if (code == 0)
		code = seen_last(r, process, rows, count, err);
	for (uint32_t n = 0; n < count && code == 0; n++)
		if (rows[n].code && !is_last_event(r, process, n, &rows[n]))
			code = add_possible(p, rows[n].code, rows[n].line, err);
	free(rows);
	return code;
}

bool possible_has(const struct possible *p, const struct pl_code *of, int32_t line)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->rows[i].line == line && pl_code_same_text(p->rows[i].code, of))
			return true;
	return false;
}

void possible_release(struct possible *p)
{
	free(p->rows);
	*p = (struct possible){0};
}
