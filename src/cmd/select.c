#define _GNU_SOURCE
#include "cmd/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cmd/cmd.h"

#define NS_PER_S 1000000000

bool list_next(const char **list, const char **word, size_t *length)
{
	*list += strspn(*list, ",");
	*word = *list;
	*length = strcspn(*list, ",");
	*list += *length;
	return *length > 0;
}

/* Is the word a number, and nothing else? */
static bool read_number(const char *word, size_t length, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < length; i++) {
		if (word[i] < '0' || word[i] > '9' || *number > UINT64_MAX / 10 - 1)
			return false;
		*number = *number * 10 + (uint64_t)(word[i] - '0');
	}
	return length > 0;
}

static bool same(const char *s, const char *word, size_t length)
{
	return s && strlen(s) == length && !memcmp(s, word, length);
}

/* ---- processes and threads ---- */

static bool process_is(
	const struct pl_recording *r, const struct pl_process *p, const char *word, size_t length)
{
	uint64_t number;

	if (!read_number(word, length, &number))
		return p->command && memmem(p->command, strlen(p->command), word, length);
	if (number <= UINT32_MAX && pl_recording_find_process(r, (uint32_t)number))
		return p->number == number;
	return p->pid == number;
}

static bool thread_is(
	const struct pl_recording *r, const struct pl_thread *t, const char *word, size_t length)
{
	uint64_t number;

	if (!read_number(word, length, &number))
		return same(t->name, word, length);
	if (number <= UINT32_MAX && pl_recording_thread(r, t->process, (uint32_t)number))
		return t->number == number;
	return t->native_id == number;
}

bool select_process(
	const struct selection *s, const struct pl_recording *r, const struct pl_process *p)
{
	const char *list = s->process, *word;
	size_t length;

	if (!list)
		return true;
	while (list_next(&list, &word, &length))
		if (process_is(r, p, word, length))
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
		if (thread_is(r, t, word, length))
			return true;
	return false;
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
			if (t && thread_is(r, t, word, length))
				return true;
		}
	}
	return false;
}

static bool names_process(const struct pl_recording *r, const char *word, size_t length)
{
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		if (process_is(r, pl_recording_process(r, i), word, length))
			return true;
	return false;
}

static int check_names(const struct selection *s, const struct pl_recording *r)
{
	const char *list = s->process, *word;
	size_t length;

	while (list && list_next(&list, &word, &length))
		if (!names_process(r, word, length)) {
			cmd_say("no process '%.*s' in this recording; `pathline info` lists them",
				(int)length, word);
			return CMD_USAGE;
		}
	list = s->thread;
	while (list && list_next(&list, &word, &length))
		if (!names_thread(s, r, word, length)) {
			cmd_say("no thread '%.*s' in this recording; `pathline info` lists them",
				(int)length, word);
			return CMD_USAGE;
		}
	return CMD_GO;
}

/* ---- events ---- */

static int read_kind(const char *word, size_t length, uint32_t *kinds)
{
	const char *names[PL_EVENT_KIND_COUNT + 1] = {0};
	char copy[64];

	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++) {
		names[k] = pl_event_kind_name((enum pl_event_kind)k);
		if (same(names[k], word, length)) {
			*kinds |= 1u << k;
			return CMD_GO;
		}
	}
	snprintf(copy, sizeof copy, "%.*s", (int)length, word);
	return cmd_unknown("event", copy, names);
}

static int read_kinds(struct selection *s)
{
	const char *list = s->events, *word;
	size_t length;
	int code = CMD_GO;

	s->kinds = list ? 0 : UINT32_MAX;
	while (code == CMD_GO && list && list_next(&list, &word, &length))
		code = read_kind(word, length, &s->kinds);
	return code;
}

/* ---- moments ---- */

/* ".25" and the like behind whole seconds: nanoseconds. Moves *at behind it. */
static int64_t read_fraction(const char **at)
{
	int64_t ns = 0, unit = NS_PER_S / 10;

	if (**at != '.')
		return 0;
	for (++*at; **at >= '0' && **at <= '9'; ++*at) {
		ns += (**at - '0') * unit;
		unit /= 10;
	}
	return ns;
}

/* false: it is more than nanoseconds can count. */
static bool to_ns(int64_t seconds, int64_t fraction, int64_t *ns)
{
	return !__builtin_mul_overflow(seconds, NS_PER_S, ns) &&
	       !__builtin_add_overflow(*ns, fraction, ns);
}

/* "12.5" seconds, from 1970 or from the start. */
static bool read_seconds(const char *text, int64_t *ns)
{
	const char *at = text + strspn(text, "0123456789");
	uint64_t whole;

	if (!read_number(text, (size_t)(at - text), &whole) || whole > INT64_MAX)
		return false;
	return to_ns((int64_t)whole, read_fraction(&at), ns) && !*at;
}

/* "10:52", "10:52:01", "10:52:01.5" into t; gives what stands behind it, NULL when it is no clock
 * time. */
static const char *read_clock(const char *text, struct tm *t, int64_t *fraction)
{
	const char *at = strptime(text, "%H:%M", t);

	t->tm_sec = 0;
	*fraction = 0;
	if (at && *at == ':')
		at = strptime(at, ":%S", t);
	if (at)
		*fraction = read_fraction(&at);
	return at;
}

static bool read_date(const char *text, int64_t *ns)
{
	struct tm t = {.tm_isdst = -1};
	int64_t fraction = 0;
	const char *at = strptime(text, "%Y-%m-%d", &t);

	if (at && (*at == ' ' || *at == 'T'))
		at = read_clock(at + 1, &t, &fraction);
	if (!at)
		return false;
	bool utc = *at == 'Z';
	if (at[utc])
		return false;
	return to_ns(utc ? timegm(&t) : mktime(&t), fraction, ns);
}

/* A time of day within the recording. */
static bool read_time_of_day(const char *text, const struct pl_recording_info *info, int64_t *ns)
{
	time_t start = (time_t)(info->start_ns / NS_PER_S);
	struct tm t;
	int64_t fraction;

	if (!localtime_r(&start, &t))
		return false;
	const char *at = read_clock(text, &t, &fraction);
	if (!at || *at)
		return false;
	t.tm_isdst = -1;
	if (!to_ns(mktime(&t), fraction, ns))
		return false;
	if (*ns >= info->start_ns - NS_PER_S)
		return true;
	t.tm_mday++;
	t.tm_isdst = -1;
	int64_t next;
	if (to_ns(mktime(&t), fraction, &next) && (!info->end_ns || next <= info->end_ns))
		*ns = next;
	return true;
}

static int read_moment(const char *text, const struct pl_recording_info *info, struct moment *m)
{
	if (!text)
		return CMD_GO;
	m->kind = MOMENT_TIME;
	if (text[0] == '#' && read_number(text + 1, strlen(text + 1), &m->seq)) {
		m->kind = MOMENT_SEQ;
		return CMD_GO;
	}
	if (text[0] == '+' && read_seconds(text + 1, &m->time_ns) &&
		!__builtin_add_overflow(m->time_ns, info->start_ns, &m->time_ns))
		return CMD_GO;
	if (read_seconds(text, &m->time_ns) || read_date(text, &m->time_ns) ||
		read_time_of_day(text, info, &m->time_ns))
		return CMD_GO;
	cmd_say("'%s' is no moment; say 10:52:01.5, 2026-11-21 10:52, +1.5 (seconds from the "
		"start) or #4711 (an event's seq)",
		text);
	return CMD_USAGE;
}

int select_read(struct selection *s, const struct pl_recording *r)
{
	struct pl_recording_info info;
	int code;

	pl_recording_info(r, &info);
	code = read_kinds(s);
	if (code == CMD_GO)
		code = read_moment(s->from_text, &info, &s->from);
	if (code == CMD_GO)
		code = read_moment(s->to_text, &info, &s->to);
	return code == CMD_GO ? check_names(s, r) : code;
}
