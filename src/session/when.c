#define _GNU_SOURCE
#include "session/when.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S    1000000000
#define EPOCH_LEAST (INT64_C(1000000000) * NS_PER_S) /* 2001 */

/* Is the word a number, and nothing else? */
static bool read_unit_number(const char *word, size_t length, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < length; i++) {
		if (word[i] < '0' || word[i] > '9' || *number > UINT64_MAX / 10 - 1)
			return false;
		*number = *number * 10 + (uint64_t)(word[i] - '0');
	}
	return length > 0;
}

/* ".25" and the like after whole seconds: nanoseconds. Moves *at after it. */
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

/* "12.5" seconds. */
static bool read_seconds(const char *text, int64_t *ns)
{
	const char *at = text + strspn(text, "0123456789");
	uint64_t whole;

	if (!read_unit_number(text, (size_t)(at - text), &whole) || whole > INT64_MAX)
		return false;
	return to_ns((int64_t)whole, read_fraction(&at), ns) && !*at;
}

/* "10:52", "10:52:01", "10:52:01.5" into t; gives what stands after it, NULL when it is not a clock
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

/* "2026-11-21", with a clock time or without; local time, or UTC with a Z at its end. */
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

/* A time of day within the recording: of the day on which it began, or, if that is before its
 * beginning, of the next day, if it was still running then. */
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

/* "1.5" seconds or "1.5h", as ns. */
static bool read_span(const char *text, int64_t *ns)
{
	static const struct {
		const char *word;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9},
		{"d", 86400e9}};
	char *end;

	if (read_seconds(text, ns))
		return true;
	if (!isdigit((unsigned char)*text))
		return false;
	double n = strtod(text, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].word) && n * units[i].ns < 9e18) {
			*ns = (int64_t)(n * units[i].ns);
			return true;
		}
	return false;
}

/* whole / 100 first: a recording's length times a hundred may not fit. */
static bool read_percent(const char *text, const struct when_scale *scale, int64_t *ns)
{
	int64_t whole;
	int percent, end = 0;

	if (sscanf(text, "%3d%%%n", &percent, &end) != 1 || !end || text[end] || percent < 0 ||
		percent > 100 || !isdigit((unsigned char)*text) ||
		scale->end_ns < scale->start_ns ||
		__builtin_sub_overflow(scale->end_ns, scale->start_ns, &whole))
		return false;
	*ns = scale->start_ns + whole / 100 * percent;
	return true;
}

/* A number of seconds is a time since 1970 if it is as large as such times are; a small one is not
 * understood. */
bool when_read(const char *text, const struct when_scale *scale, struct when *w)
{
	const char sign = text[0];
	int64_t ns;

	w->kind = WHEN_TIME;
	if (sign == '#' && read_unit_number(text + 1, strlen(text + 1), &w->seq)) {
		w->kind = WHEN_SEQ;
		return true;
	}
	if (sign == '+' && read_span(text + 1, &ns))
		return !__builtin_add_overflow(scale->from_ns, ns, &w->time_ns);
	if (sign == '-' && scale->back && read_span(text + 1, &ns))
		return !__builtin_sub_overflow(scale->from_ns, ns, &w->time_ns);
	if (read_percent(text, scale, &w->time_ns))
		return true;
	if (read_seconds(text, &w->time_ns))
		return w->time_ns >= EPOCH_LEAST;
	return read_date(text, &w->time_ns) || read_time_of_day(text, scale->info, &w->time_ns);
}
