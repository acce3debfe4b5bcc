#define _GNU_SOURCE
#include "expr/run_names.h"

#include "pathline/values.h"

#define ARGUMENTS_MAX 64
/* A message does not wait for a recording of any size to be read. */
#define EVENTS_MAX 500000u

void run_names_arguments(struct known_names *names, const struct pl_count_table *counts)
{
	struct pl_argument arguments[ARGUMENTS_MAX];

	for (size_t i = 0; i < counts->count; i++) {
		const struct pl_count *row = &counts->rows[i];
		if (row->kind != PL_EVENT_CALL || !row->code)
			continue;
		const size_t count = pl_code_arguments(row->code, arguments, ARGUMENTS_MAX);
		for (size_t k = 0; k < count && k < ARGUMENTS_MAX; k++)
			known_names_add(names, arguments[k].name, row->events);
	}
}

static int add_process_variables(
	struct known_names *names, struct pl_cursor *c, uint64_t *left, struct pl_err *err)
{
	struct pl_event e;
	struct pl_value value;
	int code = 0;

	for (; code == 0 && *left; --*left) {
		code = pl_cursor_next(c, &e, err);
		struct pl_values rest = code == 0 ? e.variables : (struct pl_values){0};
		while (rest.at && pl_values_next(&rest, &value) == 0)
			known_names_add(names, value.name, 0);
	}
	return code;
}

int run_names_variables(struct known_names *names, struct pl_recording *r, struct pl_err *err)
{
	struct pl_recording_info info;
	uint64_t left = EVENTS_MAX;
	int code = 0;

	pl_recording_info(r, &info);
	for (uint32_t i = 0; code >= 0 && left && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		struct pl_cursor *c = NULL;
		if (!info.variable_events)
			break;
		code = pl_cursor_new(&c, r, p->number, PL_ALL_THREADS, err);
		if (code == 0) {
			pl_cursor_want_values(c, true);
			code = add_process_variables(names, c, &left, err);
		}
		pl_cursor_free(c);
	}
	return code < 0 ? code : 0;
}

int run_names_count(struct pl_recording *r, struct pl_counts *counts, struct pl_err *err)
{
	int code = 0;

	for (uint32_t i = 0; code >= 0 && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		struct pl_cursor *c = NULL;
		code = pl_cursor_new(&c, r, p->number, PL_ALL_THREADS, err);
		if (code == 0)
			code = pl_cursor_count(c, counts, INT64_MAX, err);
		pl_cursor_free(c);
	}
	return code;
}
