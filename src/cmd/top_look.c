/* The path since the last look, of all processes, by function and by line. */
#define _GNU_SOURCE
#include "cmd/top.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A recording that is being written has all that happened until then. */
#define BEHIND_NS 200000000
#define SECOND_NS 1000000000
/* Before the first look: tasks that began to wait in this time are known. */
#define TASKS_NS   (10 * (int64_t)SECOND_NS)
#define ROWS_FIRST 64

void *top_grow(void **rows, size_t *count, size_t *room, size_t size)
{
	if (*count == *room) {
		const size_t more = *room ? *room * 2 : ROWS_FIRST;
		void *grown = realloc(*rows, more * size);
		if (!grown)
			return NULL;
		*rows = grown;
		*room = more;
	}
	void *row = (char *)*rows + (*count)++ * size;
	return memset(row, 0, size);
}

/* ---- places ---- */

static uint64_t place_hash(const struct pl_code *code, int32_t line)
{
	const char *file = code ? pl_code_file(code) : "", *name = code ? pl_code_name(code) : "";
	const uint64_t parts[] = {hash_bytes(file, strlen(file)), hash_bytes(name, strlen(name)),
		code ? (uint64_t)pl_code_first_line(code) : 0, (uint64_t)line};

	return hash_bytes(parts, sizeof parts);
}

static bool is_same_place(const struct top_place *p, const struct pl_code *code, int32_t line)
{
	if (!p->code || !code)
		return p->code == code;
	return p->line == line && pl_code_first_line(p->code) == pl_code_first_line(code) &&
	       !strcmp(pl_code_name(p->code), pl_code_name(code)) &&
	       !strcmp(pl_code_file(p->code), pl_code_file(code));
}

/* Two processes have codes of their own for one function. */
static struct top_place *place_of(struct top_places *all, const struct pl_code *code, int32_t line)
{
	uint64_t *row = map_put(&all->known, place_hash(code, line));

	if (!row)
		return NULL;
	if (*row && is_same_place(&all->rows[*row - 1], code, line))
		return &all->rows[*row - 1];
	struct top_place *p =
		top_grow((void **)&all->rows, &all->count, &all->room, sizeof *all->rows);
	if (!p)
		return NULL;
	p->code = code;
	p->line = line;
	*row = all->count;
	return p;
}

static int add_place(struct top_places *all, const struct top_place *more)
{
	struct top_place *p = place_of(all, more->code, more->line);
	const int64_t own_ns = more->computing_ns + more->waiting_ns;

	if (!p)
		return PL_ERR_MEMORY;
	p->count += more->count;
	p->computing_ns += more->computing_ns;
	p->waiting_ns += more->waiting_ns;
	p->cumulated_ns += more->cumulated_ns;
	if (!p->process || own_ns > p->most_ns) {
		p->process = more->process;
		p->most_ns = own_ns;
	}
	return 0;
}

static void forget_places(struct top_places *all)
{
	all->count = 0;
	map_release(&all->known);
}

/* ---- a process ---- */

static int add_functions(struct top *t, uint32_t process, const struct pl_profile_tables *of)
{
	int code = 0;

	for (size_t i = 0; i < of->function_count && code == 0; i++) {
		const struct pl_profile_function *f = &of->functions[i];
		t->calls += f->calls;
		if (f->code)
			code = add_place(&t->functions, &(struct top_place){.code = f->code,
								.process = process,
								.count = f->calls,
								.computing_ns = f->computing_ns,
								.waiting_ns = f->waiting_ns,
								.cumulated_ns = f->cumulated_ns});
	}
	return code;
}

static int add_lines(struct top *t, uint32_t process, const struct pl_profile_tables *of)
{
	int code = 0;

	for (size_t i = 0; i < of->line_count && code == 0; i++) {
		const struct pl_profile_line *l = &of->lines[i];
		t->passes += l->time.hits;
		if (l->time.code && l->time.line)
			code = add_place(&t->lines, &(struct top_place){.code = l->time.code,
							    .line = l->time.line,
							    .process = process,
							    .count = l->time.hits,
							    .computing_ns = l->time.computing_ns,
							    .waiting_ns = l->time.waiting_ns,
							    .cumulated_ns = l->cumulated_ns});
	}
	return code;
}

static int add_exceptions(struct top *t, uint32_t process, const struct pl_profile_tables *of)
{
	for (size_t i = 0; i < of->exception_count; i++) {
		const struct pl_profile_exception *x = &of->exceptions[i];
		struct top_exception *row = top_grow((void **)&t->exceptions, &t->exception_count,
			&t->exception_room, sizeof *t->exceptions);
		if (!row)
			return PL_ERR_MEMORY;
		*row = (struct top_exception){.process = process,
			.thread = x->last_thread,
			.seq = x->last_seq,
			.code = x->raised,
			.line = x->raised_line,
			.end = x->end,
			.count = x->count};
		strncpy(row->type, x->type, sizeof row->type - 1);
		t->exceptions_seen += x->count;
	}
	return 0;
}

static int look_at_process(struct top *t, const struct pl_process *p, struct pl_err *err)
{
	const struct pl_profile_wanted wanted = {
		.range = {.process = p->number, .from_ns = t->from_ns, .to_ns = t->to_ns},
		.tasks = true,
		.exceptions = true};
	struct pl_profile *profile = NULL;
	int code = pl_profile_new(&profile, t->r, &wanted, err);

	if (code)
		return code;
	const struct pl_profile_tables *of = pl_profile_tables(profile);
	code = add_functions(t, p->number, of);
	if (code == 0)
		code = add_lines(t, p->number, of);
	if (code == 0)
		code = add_exceptions(t, p->number, of);
	if (code == 0)
		code = top_note_tasks(t, p->number, of);
	pl_profile_free(profile);
	return code;
}

static bool ran_since(const struct pl_process *p, int64_t from_ns)
{
	return !p->end_ns || p->end_ns >= from_ns;
}

/* ---- all ---- */

/* Only tasks are wanted of what was before the first look. */
static int look_back(struct top *t, int64_t to_ns, struct pl_err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(t->r) && code == 0; i++) {
		const struct pl_process *p = pl_recording_process(t->r, i);
		const struct pl_profile_wanted wanted = {.range = {.process = p->number,
								 .from_ns = to_ns - TASKS_NS,
								 .to_ns = to_ns},
			.tasks = true};
		struct pl_profile *profile = NULL;
		if (!ran_since(p, to_ns))
			continue;
		code = pl_profile_new(&profile, t->r, &wanted, err);
		if (code == 0)
			code = top_note_tasks(t, p->number, pl_profile_tables(profile));
		pl_profile_free(profile);
	}
	return code;
}

static int64_t real_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* From where the last look ended; the first one looks at a second. If the clock was set back, so is
 * what is looked at. */
static int begin_look(struct top *t, const struct pl_recording_info *info, struct pl_err *err)
{
	int64_t to_ns = real_now_ns() - BEHIND_NS;
	int code = 0;

	if (info->end_ns && to_ns > info->end_ns)
		to_ns = info->end_ns;
	if (!t->to_ns) {
		t->to_ns = to_ns - SECOND_NS > info->start_ns ? to_ns - SECOND_NS : info->start_ns;
		code = look_back(t, t->to_ns, err);
	}
	t->from_ns = t->to_ns < to_ns ? t->to_ns : to_ns - SECOND_NS;
	t->to_ns = to_ns;
	t->calls = t->passes = t->exceptions_seen = 0;
	forget_places(&t->functions);
	forget_places(&t->lines);
	t->exception_count = 0;
	for (size_t i = 0; i < t->task_count; i++)
		t->tasks[i].fresh = false;
	return code;
}

int top_look(struct top *t, struct pl_err *err)
{
	struct pl_recording_info info;
	int code = pl_recording_refresh(t->r, err);

	if (code < 0)
		return code;
	pl_recording_info(t->r, &info);
	code = begin_look(t, &info, err);
	for (uint32_t i = 0; i < pl_recording_process_count(t->r) && code == 0; i++) {
		const struct pl_process *p = pl_recording_process(t->r, i);
		if (ran_since(p, t->from_ns))
			code = look_at_process(t, p, err);
	}
	if (code == 0)
		code = top_look_at_threads(t, err);
	return code < 0 ? code : info.end_ns || info.unfinished ? PL_END : 0;
}

void top_release(struct top *t)
{
	forget_places(&t->functions);
	forget_places(&t->lines);
	free(t->functions.rows);
	free(t->lines.rows);
	free(t->threads);
	free(t->tasks);
	map_release(&t->known_tasks);
	free(t->exceptions);
	pattern_release(&t->filter);
	pl_recording_close(t->r);
}
