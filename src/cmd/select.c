#define _GNU_SOURCE
#include "cmd/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "expr/match.h"
#include "expr/named.h"
#include "session/tasks.h"

#define WORDS_MAX 64 /* of a list of tasks, that are compared with those that there are */

bool list_next(const char **list, const char **word, size_t *length)
{
	*list += strspn(*list, ",");
	*word = *list;
	*length = strcspn(*list, ",");
	*list += *length;
	return *length > 0;
}

/* ---- processes and threads ---- */

bool select_process(
	const struct selection *s, const struct pl_recording *r, const struct pl_process *p)
{
	const char *list = s->process, *word;
	size_t length;

	if (!list)
		return true;
	while (list_next(&list, &word, &length))
		if (named_process(r, p, (struct pl_text){word, length}))
			return true;
	return false;
}

bool select_thread(
	const struct selection *s, const struct pl_recording *r, const struct pl_thread *t)
{
	const char *list = s->thread, *word;
	size_t length;

	if (!list)
		return true;
	while (list_next(&list, &word, &length))
		if (named_thread(r, t, (struct pl_text){word, length}))
			return true;
	return false;
}

static uint64_t task_key(const struct pl_event *e)
{
	const uint64_t words[] = {e->position.process, e->task_id};

	return hash_bytes(words, sizeof words);
}

static bool task_is(const struct selection *s, const struct pl_event *e)
{
	const char *list = s->task, *word;
	size_t length;

	while (list_next(&list, &word, &length))
		if (named_task(e, (struct pl_text){word, length}))
			return true;
	return false;
}

bool select_task(const struct selection *s, const struct pl_event *e)
{
	return !s->task || task_is(s, e) || (e->task_id && map_find(&s->tasks, task_key(e)));
}

static int note_task(void *context, const struct pl_event *e)
{
	struct selection *s = context;
	const char *list = s->task, *word;
	uint64_t words = 0;
	size_t length;

	for (int i = 0; list_next(&list, &word, &length); i++)
		if (named_task(e, (struct pl_text){word, length}))
			words |= i < WORDS_MAX ? UINT64_C(1) << i : 0;
	s->task_words |= words;
	if (e->task)
		known_names_add(&s->task_names, (struct pl_text){e->task, strlen(e->task)}, 0);
	if (!e->task_id || !task_is(s, e))
		return PL_END;
	return map_put(&s->tasks, task_key(e)) ? PL_END : PL_ERR_MEMORY;
}

/* Several are separated by commas: a word as 2-3 looks like more than one. */
static const char *range_hint(const char *word, size_t length)
{
	const size_t first = strspn(word, "0123456789");
	const bool is_range = first && first + 1 < length && word[first] == '-' &&
			      first + 1 + strspn(word + first + 1, "0123456789") == length;

	return is_range ? " (there are no ranges; separate numbers by commas)" : "";
}

static int say_missing(const struct selection *s, const char *what, struct pl_text word,
	const struct known_names *names)
{
	const char *nearest = known_names_nearest(names, word);

	cmd_say("%s: no %s '%.*s' in this recording%s%s%s; `pathline %s%s` lists them", s->command,
		what, (int)word.length, word.at, range_hint(word.at, word.length),
		nearest ? "; nearest: " : "", nearest ? nearest : "",
		strcmp(what, "task") ? "info" : "report --tasks", cmd_recording());
	return CMD_USAGE;
}

/* In all threads of the selected processes. */
static int find_tasks(
	struct selection *s, struct pl_recording *r, bool greenlets, struct pl_err *err)
{
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; code == 0 && n < p->thread_count; n++) {
			const struct tasks t = {
				.r = r, .process = p->number, .thread = n, .greenlets = greenlets};
			if (select_process(s, r, p) && pl_recording_thread(r, p->number, n))
				code = tasks_names(&t, note_task, s, err);
		}
	}
	return code;
}

/* The first word that names no task. */
static bool find_missing(const struct selection *s, const char **word, size_t *length)
{
	const char *list = s->task;

	for (int i = 0; i < WORDS_MAX && list_next(&list, word, length); i++)
		if (!(s->task_words >> i & 1))
			return true;
	return false;
}

/* That a thread has greenlets is not known beforehand, and to look for them takes longer. */
int select_find_tasks(struct selection *s, struct pl_recording *r)
{
	struct pl_err err = {0};
	const char *word;
	size_t length;

	if (!s->task)
		return CMD_GO;
	int code = find_tasks(s, r, false, &err);
	if (code == 0 && find_missing(s, &word, &length))
		code = find_tasks(s, r, true, &err);
	if (code < 0) {
		cmd_say("%s: looking for tasks: %s", s->command,
			err.used ? pl_err_text(&err) : pl_error_name(code));
		return CMD_BAD;
	}
	return find_missing(s, &word, &length)
		       ? say_missing(s, "task", (struct pl_text){word, length}, &s->task_names)
		       : CMD_GO;
}

void select_release(struct selection *s)
{
	map_release(&s->tasks);
	known_names_release(&s->task_names);
}

/* Does a word name a thread in one of the selected processes? */
static bool names_thread(
	const struct selection *s, const struct pl_recording *r, const char *word, size_t length)
{
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		if (!select_process(s, r, p))
			continue;
		for (uint32_t n = 0; n < p->thread_count; n++) {
			const struct pl_thread *t = pl_recording_thread(r, p->number, n);
			if (t && named_thread(r, t, (struct pl_text){word, length}))
				return true;
		}
	}
	return false;
}

static bool names_process(const struct pl_recording *r, const char *word, size_t length)
{
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		if (named_process(r, pl_recording_process(r, i), (struct pl_text){word, length}))
			return true;
	return false;
}

static int say_no_process(
	const struct selection *s, const struct pl_recording *r, struct pl_text word)
{
	struct known_names names = {0};

	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		named_add_process(&names, pl_recording_process(r, i));
	const int code = say_missing(s, "process", word, &names);
	known_names_release(&names);
	return code;
}

static int say_no_thread(
	const struct selection *s, const struct pl_recording *r, struct pl_text word)
{
	struct known_names names = {0};

	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; select_process(s, r, p) && n < p->thread_count; n++)
			named_add_thread(&names, pl_recording_thread(r, p->number, n));
	}
	const int code = say_missing(s, "thread", word, &names);
	known_names_release(&names);
	return code;
}

/* A word that names nothing is a mistake, even if others name something: the rows of the rest would
 * look like the answer. */
static int check_names(const struct selection *s, const struct pl_recording *r)
{
	const char *list = s->process, *word;
	size_t length;

	while (list && list_next(&list, &word, &length))
		if (!names_process(r, word, length))
			return say_no_process(s, r, (struct pl_text){word, length});
	list = s->thread;
	while (list && list_next(&list, &word, &length))
		if (!names_thread(s, r, word, length))
			return say_no_thread(s, r, (struct pl_text){word, length});
	return CMD_GO;
}

/* ---- events ---- */

static int read_kind(const char *word, size_t length, uint32_t *kinds)
{
	const char *names[PL_EVENT_KIND_COUNT + 1] = {0};
	char copy[64];

	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++) {
		names[k] = pl_event_kind_name((enum pl_event_kind)k);
		if (match_is_whole(names[k], (struct pl_text){word, length})) {
			*kinds |= 1u << k;
			return CMD_GO;
		}
	}
	snprintf(copy, sizeof copy, "%.*s", (int)length, word);
	return cmd_unknown("dump", "event", copy, names);
}

static int read_kinds(struct selection *s)
{
	const char *list = s->events, *word;
	size_t length;
	int code = CMD_GO;

	s->kinds = list ? 0 : UINT32_MAX;
	while (code == CMD_GO && list && list_next(&list, &word, &length))
		code = read_kind(word, length, &s->kinds);
	if (code == CMD_GO && !s->kinds) {
		cmd_say("dump: --events needs at least one event");
		code = CMD_USAGE;
	}
	return code;
}

static int read_when(const struct selection *s, const char *text,
	const struct pl_recording_info *info, struct when *w)
{
	const struct when_scale scale = when_scale_of(info);

	if (!text || (when_read(text, &scale, w) && !(s->times_only && w->kind == WHEN_SEQ)))
		return CMD_GO;
	cmd_say("%s: '%s' is not a time; say %s (+: from the start)%s", s->command, text,
		WHEN_FORMS, s->times_only ? "" : " or #4711 (an event's seq)");
	return CMD_USAGE;
}

/* Seqs are of one thread, so a time and a seq are not compared. */
static int check_range(const struct selection *s)
{
	const struct when *from = &s->from, *to = &s->to;
	bool empty = from->kind == to->kind &&
		     ((from->kind == WHEN_TIME && from->time_ns > to->time_ns) ||
			     (from->kind == WHEN_SEQ && from->seq > to->seq));

	if (!s->from_text || !s->to_text || !empty)
		return CMD_GO;
	cmd_say("--from %s is later than --to %s; exchange them", s->from_text, s->to_text);
	return CMD_USAGE;
}

int select_read(struct selection *s, const struct pl_recording *r)
{
	struct pl_recording_info info;
	int code;

	pl_recording_info(r, &info);
	code = read_kinds(s);
	if (code == CMD_GO)
		code = read_when(s, s->from_text, &info, &s->from);
	if (code == CMD_GO)
		code = read_when(s, s->to_text, &info, &s->to);
	if (code == CMD_GO)
		code = check_range(s);
	return code == CMD_GO ? check_names(s, r) : code;
}

void select_range(const struct pl_recording_info *info, char text[SELECT_RANGE_BYTES])
{
	char dates[2][LOCAL_BYTES], clocks[2][LOCAL_BYTES];
	const int64_t moments[] = {info->start_ns, info->end_ns};

	for (int i = 0; i < 2; i++) {
		local_date(dates[i], moments[i]);
		local_clock(clocks[i], moments[i], 3);
	}
	bool same_day = !strcmp(dates[0], dates[1]);
	if (!info->start_ns)
		snprintf(text, SELECT_RANGE_BYTES, "a time that is unknown");
	else if (info->end_ns)
		snprintf(text, SELECT_RANGE_BYTES, "%s %s to %s%s%s", dates[0], clocks[0],
			same_day ? "" : dates[1], same_day ? "" : " ", clocks[1]);
	else
		snprintf(text, SELECT_RANGE_BYTES, "%s %s on%s", dates[0], clocks[0],
			info->unfinished ? "" : ", and is still being written");
}
