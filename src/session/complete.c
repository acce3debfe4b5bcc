#include "session/complete.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session/known.h"

/* What is being completed. */
struct stem {
	struct session *s;
	const char *text;
	struct completion *c;
};

/* Without memory the word is left out: completion is a help, and no reason to fail. */
static void stem_add(struct stem *stem, const char *word, size_t n)
{
	struct completion *c = stem->c;

	if (c->count == COMPLETE_MAX) {
		c->more = true;
		return;
	}
	char *kept = strndup(word, n);
	if (kept)
		c->words[c->count++] = kept;
}

/* The word, if it begins with what was typed. */
static void offer(struct stem *stem, const char *word)
{
	if (*word && !strncmp(word, stem->text, strlen(stem->text)))
		stem_add(stem, word, strlen(word));
}

/* The name itself, or what follows a separator in it: the shortest such end that begins with the
 * stem. */
static void offer_end(struct stem *stem, const char *name, char separator)
{
	const char *end = name + strlen(name);

	while (end > name) {
		do
			end--;
		while (end > name && end[-1] != separator);
		if (*end && !strncmp(end, stem->text, strlen(stem->text))) {
			stem_add(stem, end, strlen(end));
			return;
		}
	}
}

/* If no part of it begins so, the whole name if it has the stem anywhere: open takes any part. */
static void offer_file(struct stem *stem, const char *file)
{
	size_t before = stem->c->count;

	offer_end(stem, file, '/');
	if (stem->c->count == before && strstr(file, stem->text))
		stem_add(stem, file, strlen(file));
}

/* ---- what there is of each kind ---- */

static int offer_files(struct stem *stem, struct pl_err *err)
{
	const struct executed *e = &stem->s->executed;
	int code = known_executed(stem->s, err);

	for (size_t i = 0; code == 0 && i < e->file_count; i++)
		offer_file(stem, pl_code_file(e->files[i]));
	return code;
}

static int offer_functions(struct stem *stem, struct pl_err *err)
{
	const struct pl_count_table *table = &stem->s->executed.table;
	int code = known_executed(stem->s, err);

	for (size_t i = 0; code == 0 && i < table->count; i++)
		if (table->rows[i].kind == PL_EVENT_CALL && table->rows[i].code)
			offer_end(stem, pl_code_name(table->rows[i].code), '.');
	return code;
}

/* For b: functions, and files, which a colon and a line follow. */
static int offer_places(struct stem *stem, struct pl_err *err)
{
	const struct executed *e = &stem->s->executed;
	int code = offer_functions(stem, err);

	for (size_t i = 0; code == 0 && i < e->file_count; i++)
		offer_end(stem, pl_code_file(e->files[i]), '/');
	return code;
}

static int offer_exceptions(struct stem *stem, struct pl_err *err)
{
	int code = known_types(stem->s, err);

	for (size_t i = 0; code == 0 && i < stem->s->type_count; i++)
		offer_end(stem, stem->s->types[i], '.');
	return code;
}

static int offer_threads(struct stem *stem, struct pl_err *err)
{
	struct pl_recording *r = stem->s->replay.r;
	const uint32_t process = stem->s->replay.at.position.process;
	const struct pl_process *p = pl_recording_find_process(r, process);

	(void)err;
	for (uint32_t n = 0; p && n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(r, process, n);
		char number[16];
		snprintf(number, sizeof number, "%" PRIu32, n);
		offer(stem, t && t->name && *t->name ? t->name : number);
	}
	return 0;
}

#define TASKS_MAX 256

static int offer_tasks(struct stem *stem, struct pl_err *err)
{
	struct task_name *names = calloc(TASKS_MAX, sizeof *names);
	size_t count = 0;

	if (!names)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the names of tasks");
	int code = replay_tasks(&stem->s->replay, names, TASKS_MAX, &count, err);
	for (size_t i = 0; code == 0 && i < count; i++) {
		char number[24];
		snprintf(number, sizeof number, "%" PRIu64, names[i].number);
		offer(stem, names[i].text[0] ? names[i].text : number);
	}
	free(names);
	return code;
}

static int offer_processes(struct stem *stem, struct pl_err *err)
{
	struct pl_recording *r = stem->s->replay.r;

	(void)err;
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		char number[16];
		snprintf(number, sizeof number, "%" PRIu32, pl_recording_process(r, i)->number);
		offer(stem, number);
	}
	return 0;
}

static int offer_stops(struct stem *stem, struct pl_err *err)
{
	const struct stops *stops = &stem->s->replay.stops;

	(void)err;
	for (size_t i = 0; i < stops->count; i++) {
		char number[16];
		snprintf(number, sizeof number, "%" PRIu32, stops->rows[i].number);
		offer(stem, number);
	}
	return 0;
}

/* Each of a list of names that commas separate. */
static void offer_others(struct stem *stem, const char *others)
{
	for (const char *at = others; at && *at;) {
		char name[64];
		size_t n = strcspn(at, ",");
		snprintf(name, sizeof name, "%.*s", (int)n, at);
		offer(stem, name);
		at += n + (at[n] == ',');
	}
}

static int offer_commands(struct stem *stem, struct pl_err *err)
{
	const struct session_word *word;

	(void)err;
	for (size_t i = 0; (word = session_word(i)); i++)
		if (word->help) {
			offer(stem, word->word);
			offer_others(stem, word->others);
		}
	return 0;
}

static int offer_events(struct stem *stem, struct pl_err *err)
{
	(void)err;
	for (int kind = 0; kind < PL_EVENT_KIND_COUNT; kind++)
		offer(stem, pl_event_kind_name((enum pl_event_kind)kind));
	return 0;
}

static int offer_variables(struct stem *stem, struct pl_err *err)
{
	const struct variables *v;
	int code = session_variables(stem->s, &v, err);

	for (size_t i = 0; code == 0 && i < v->count; i++) {
		char name[VALUE_NAME_BYTES];
		snprintf(name, sizeof name, "%.*s", (int)v->all[i].name.length, v->all[i].name.at);
		offer(stem, name);
	}
	return code < 0 ? code : 0;
}

static int offer_views(struct stem *stem, struct pl_err *err)
{
	(void)err;
	offer_others(stem, "source,stack,tree,timeline,path,variables");
	return 0;
}

/* ---- the whole ---- */

/* By enum names: what can stand after a command. */
static int (*const offers[])(struct stem *stem, struct pl_err *err) = {
	[NAMES_PLACES] = offer_places,
	[NAMES_FUNCTIONS] = offer_functions,
	[NAMES_FILES] = offer_files,
	[NAMES_EXCEPTIONS] = offer_exceptions,
	[NAMES_THREADS] = offer_threads,
	[NAMES_TASKS] = offer_tasks,
	[NAMES_PROCESSES] = offer_processes,
	[NAMES_STOPS] = offer_stops,
	[NAMES_COMMANDS] = offer_commands,
	[NAMES_VARIABLES] = offer_variables,
	[NAMES_EVENTS] = offer_events,
	[NAMES_VIEWS] = offer_views,
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct completion *c)
{
	size_t kept = 0;

	qsort(c->words, c->count, sizeof *c->words, compare);
	for (size_t i = 0; i < c->count; i++)
		if (kept && !strcmp(c->words[i], c->words[kept - 1]))
			free(c->words[i]);
		else
			c->words[kept++] = c->words[i];
	c->count = kept;
	/* sorted: what the first and the last have in common, all have */
	c->common = 0;
	while (kept && c->words[0][c->common] &&
		c->words[0][c->common] == c->words[kept - 1][c->common])
		c->common++;
}

/* The command at the beginning of the line, and where its argument begins; NULL: there is none
 * yet. */
static const char *argument_of(const char *line, const struct complete_word *own, enum names *names)
{
	const char *rest;

	for (; own && own->word; own++) {
		size_t n = strlen(own->word);
		if (!strncmp(line, own->word, n) && line[n] == ' ') {
			*names = own->names;
			return line + n + strspn(line + n, " ");
		}
	}
	const struct session_word *word = session_find_word(line, &rest);
	if (!word || rest == line || rest[-1] != ' ')
		return NULL;
	*names = word->names;
	return rest;
}

/* `own` are commands that the session does not have: those of the screen. In a list of events the
 * part after the last comma is completed. */
int complete_line(struct session *s, const char *line, const struct complete_word *own,
	struct completion *c, struct pl_err *err)
{
	enum names names = NAMES_COMMANDS;
	const char *rest = argument_of(line, own, &names);
	struct stem stem = {.s = s, .text = rest ? rest : line, .c = c};
	int code = 0;

	completion_release(c);
	if (names == NAMES_EVENTS && strrchr(stem.text, ','))
		stem.text = strrchr(stem.text, ',') + 1;
	c->from = (size_t)(stem.text - line);
	if (names)
		code = offers[names](&stem, err);
	for (; !rest && own && own->word; own++)
		offer(&stem, own->word);
	sort(c);
	if (*s->replay.stop)
		code = code ? code : PL_END;
	return code;
}

void completion_release(struct completion *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->words[i]);
	*c = (struct completion){.count = 0};
}
