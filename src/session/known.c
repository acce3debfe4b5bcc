#define _GNU_SOURCE
#include "session/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "session/operations.h"

static bool is_whole(const struct session *s)
{
	return executed_is_whole(s->replay.r);
}

/* All of the recording is counted, once; a stop (Ctrl-C) leaves what was counted, and the next call
 * goes on. PL_END: stopped. */
int known_executed(struct session *s, struct pl_err *err)
{
	int code = 0;

	s->executed.r = s->replay.r;
	while (code == 0 && !s->executed.done && !*s->replay.stop)
		code = executed_work(&s->executed, err);
	if (code < 0)
		executed_release(&s->executed);
	return code ? code : s->executed.done ? 0 : PL_END;
}

/* ---- lines and functions ---- */

/* A line, or a function, of that name. */
struct place {
	const char *name;
	int32_t line; /* 0: a function */
};

static bool is_place(void *context, const struct pl_count *row)
{
	const struct place *place = context;

	if (!row->code)
		return false;
	return place->line ? row->line == place->line &&
				     stop_names(pl_code_file(row->code), place->name, '/')
			   : stop_names(pl_code_name(row->code), place->name, '.');
}

/* What ran is found long before everything that ran is counted. */
static int ran(struct session *s, const char *name, int32_t line, struct pl_err *err)
{
	struct place place = {.name = name, .line = line};

	return replay_ever(&s->replay,
		&(struct pl_wanted){.kinds = 1u << (line ? PL_EVENT_LINE : PL_EVENT_CALL),
			.may = is_place,
			.context = &place,
			.stop = s->replay.stop},
		err);
}

/* Is the line one of those that may have run where a path breaks off? To be asked when it is known
 * what was executed. */
static bool is_possible(const struct session *s, const char *file, int32_t line)
{
	const struct possible *p = &s->executed.possible;
	size_t i = 0;

	while (i < p->count &&
		(p->rows[i].line != line || !stop_names(pl_code_file(p->rows[i].code), file, '/')))
		i++;
	return i < p->count;
}

/* What is near to something that never ran is known when all is counted. PL_END: interrupted, and
 * nothing is known. */
static int count_all(struct session *s, struct pl_err *err)
{
	const int code = known_executed(s, err);

	if (code == PL_END)
		session_refused(s, REFUSAL_STOPPED);
	return code;
}

/* The lines of the file nearest to this one that ran; 0: there is none. */
static void near_lines(const struct pl_count_table *table, const struct place *place,
	int32_t *before, int32_t *after)
{
	*before = *after = 0;
	for (size_t i = 0; i < table->count; i++) {
		const struct pl_count *row = &table->rows[i];
		if (row->kind != PL_EVENT_LINE || !row->code ||
			!stop_names(pl_code_file(row->code), place->name, '/'))
			continue;
		if (row->line < place->line && row->line > *before)
			*before = row->line;
		if (row->line > place->line && (!*after || row->line < *after))
			*after = row->line;
	}
}

/* What is cheap is asked first: did it run? That is found early, if it did. If not,
 * everything is counted, for the lines near it. Whether it "never ran" also needs a path without
 * holes. */
int known_line(struct session *s, const char *file, int32_t line, struct pl_err *err)
{
	const struct place place = {.name = file, .line = line};
	int code = ran(s, file, line, err);

	if (code != PL_END)
		return code;
	code = count_all(s, err);
	if (code)
		return code;
	s->outcome.near.known = is_possible(s, file, line) ? NEAR_MAYBE
				: is_whole(s)		   ? NEAR_NEVER
							   : NEAR_NOT_WHOLE;
	s->outcome.near.missing = !is_whole(s);
	near_lines(&s->executed.table, &place, &s->outcome.near.before, &s->outcome.near.after);
	return session_refused(s, REFUSAL_NEVER_RAN);
}

#define PART_LEAST 3 /* letters */

/* The last part of a qualified name. */
static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

const char *known_meant(const char *name, const char **known)
{
	const char *best = nearest_word(name, known);

	if (best || strlen(name) < PART_LEAST)
		return best;
	for (; *known; known++)
		if (strcasestr(*known, name) && (!best || strlen(*known) < strlen(best)))
			best = *known;
	return best;
}

static int refuse_name(
	struct session *s, enum refusal refusal, const char *name, const char **known)
{
	s->outcome.near.name = known_meant(name, known);
	s->outcome.near.missing = !is_whole(s);
	s->outcome.near.known = s->outcome.near.missing ? NEAR_NOT_WHOLE : NEAR_NEVER;
	return session_refused(s, refusal);
}

int known_function(struct session *s, const char *name, struct pl_err *err)
{
	int code = ran(s, name, 0, err);
	size_t n = 0;

	if (code != PL_END)
		return code;
	code = count_all(s, err);
	if (code)
		return code;
	const struct pl_count_table *table = &s->executed.table;
	const char **known = calloc(2 * table->count + 1, sizeof *known);
	if (!known)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the names of functions");
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].kind == PL_EVENT_CALL && table->rows[i].code) {
			const char *function = pl_code_name(table->rows[i].code);
			known[n++] = function;
			known[n++] = last_part(function);
		}
	code = refuse_name(s, REFUSAL_NEVER_CALLED, name, known);
	free(known);
	return code;
}

/* ---- exceptions ---- */

/* PL_END goes on with the search: all are wanted. Types belong to the recording, and stay. */
static int collect_type(void *context, const struct pl_event *e)
{
	struct session *s = context;
	size_t i = 0;

	if (!e->type)
		return PL_END;
	while (i < s->type_count && strcmp(s->types[i], e->type))
		i++;
	if (i == s->type_count && i < SESSION_TYPES)
		s->types[s->type_count++] = e->type;
	return PL_END;
}

int known_types(struct session *s, struct pl_err *err)
{
	if (s->has_types)
		return 0;
	s->type_count = 0;
	int code = replay_ever(&s->replay,
		&(struct pl_wanted){.kinds = 1u << PL_EVENT_RAISE,
			.is = collect_type,
			.context = s,
			.stop = s->replay.stop},
		err);
	if (code < 0)
		return code;
	s->has_types = !*s->replay.stop;
	return s->has_types ? 0 : PL_END;
}

static int is_type(void *context, const struct pl_event *e)
{
	return e->type && stop_names(e->type, context, '.') ? 0 : PL_END;
}

static int came(struct session *s, const char *type, struct pl_err *err)
{
	char name[STOP_NAME_MAX];

	snprintf(name, sizeof name, "%s", type);
	return replay_ever(&s->replay,
		&(struct pl_wanted){.kinds = 1u << PL_EVENT_RAISE,
			.is = *type ? is_type : NULL,
			.context = name,
			.stop = s->replay.stop},
		err);
}

int known_exception(struct session *s, const char *type, struct pl_err *err)
{
	const char *known[2 * SESSION_TYPES + 1] = {0};
	size_t n = 0;
	int code = came(s, type, err);

	if (code != PL_END)
		return code;
	code = known_types(s, err);
	if (code == PL_END)
		session_refused(s, REFUSAL_STOPPED);
	if (code)
		return code;
	s->outcome.near.none = !*type || !s->type_count;
	for (size_t i = 0; i < s->type_count; i++) {
		known[n++] = s->types[i];
		known[n++] = last_part(s->types[i]);
	}
	return refuse_name(s, REFUSAL_NEVER_RAISED, type, known);
}
